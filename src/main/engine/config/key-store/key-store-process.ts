import { randomBytes } from 'node:crypto'
import { AsyncEntry } from '@napi-rs/keyring'

/*
 * A separate program: the system's key store may show a prompt and wait, and a process can neither stop nor abandon
 * native code that waits. When that takes too long, the parent kills this program. `get` prints the key, `make` creates
 * one if it is missing.
 */

const SERVICE = 'Trestle'
const ACCOUNT = 'encryption key'
const KEY_BYTES = 32

async function answer(makes: boolean): Promise<{ key?: string; problem?: string }> {
  try {
    // On Linux never the kernel's keyring, which loses everything when the computer restarts.
    const entry = new AsyncEntry(SERVICE, ACCOUNT, { linux: { store: 'secret-service' } })
    const known = await entry.getPassword()
    if (known !== null || !makes) return known === null ? {} : { key: known }
    await entry.setPassword(randomBytes(KEY_BYTES).toString('base64'))
    // Read back, because another process may have stored one at the same moment.
    const kept = await entry.getPassword()
    return kept === null ? { problem: 'it did not keep what it was given' } : { key: kept }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

void answer(process.argv[2] === 'make').then((found) => process.stdout.write(JSON.stringify(found)))
