import { randomBytes } from 'node:crypto'
import { AsyncEntry } from '@napi-rs/keyring'

/*
 * A program of its own: the system's key store may show a question and wait for its answer, and what waits in native
 * code can neither be stopped nor left alone by the process it is in. It is ended from outside when that takes too
 * long. `get` prints the key, `make` makes one if it has none yet.
 */

const SERVICE = 'Trestle'
const ACCOUNT = 'encryption key'
const KEY_BYTES = 32

async function answer(makes: boolean): Promise<{ key?: string; problem?: string }> {
  try {
    // On Linux never the kernel's keyring, which forgets everything when the computer restarts.
    const entry = new AsyncEntry(SERVICE, ACCOUNT, { linux: { store: 'secret-service' } })
    const known = await entry.getPassword()
    if (known !== null || !makes) return known === null ? {} : { key: known }
    await entry.setPassword(randomBytes(KEY_BYTES).toString('base64'))
    // As it is kept: another process may have made one at the same moment.
    const kept = await entry.getPassword()
    return kept === null ? { problem: 'it did not keep what it was given' } : { key: kept }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

void answer(process.argv[2] === 'make').then((found) => process.stdout.write(JSON.stringify(found)))
