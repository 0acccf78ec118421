import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { keyStorageText } from '../../../../shared/configuration/settings'
import { askKeyStoreProcess, createKeyStore, openText, sealText } from './key-store'

const KEY = Buffer.alloc(32, 1)
const mac = { platform: 'darwin', env: {} } as const

describe('the key store', () => {
  it('is not asked on Linux without a session bus, because asking would start one', async () => {
    const store = createKeyStore({
      ask: () => Promise.reject(new Error('asked')),
      platform: 'linux',
      env: { DISPLAY: ':0' },
    })
    await store.unlock({ make: true })
    expect(store.seal('secret')).toBeUndefined()
    expect(keyStorageText(store.status())).toBe(
      'Keys are stored in a file that only you can read, because no desktop session with a keyring is running.',
    )
  })

  it.each(['DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR'])('is asked on Linux with %s', async (variable) => {
    const folder = await tempFolder()
    writeFileSync(join(folder, 'bus'), '')
    const store = createKeyStore({
      ask: async () => ({ key: KEY.toString('base64') }),
      platform: 'linux',
      env: { [variable]: folder },
    })
    await store.unlock({ make: true })
    expect(keyStorageText(store.status())).toBe(
      'Keys are stored encrypted, with a key that the keyring of your desktop keeps.',
    )
    expect(store.open(store.seal('secret')!)).toBe('secret')
  })

  it('keeps texts plain and reports why if it cannot be asked or does not contain a key', async () => {
    const silent = createKeyStore({ ask: async () => ({ problem: 'it did not answer within 10 s' }), ...mac })
    await silent.unlock({ make: true })
    expect([silent.seal('secret'), keyStorageText(silent.status())]).toEqual([
      undefined,
      expect.stringContaining('because it did not answer within 10 s.'),
    ])
    const odd = createKeyStore({ ask: async () => ({ key: 'c2hvcnQ=' }), ...mac })
    await odd.unlock({ make: true })
    expect([odd.seal('secret'), odd.status().reason]).toEqual([undefined, expect.stringContaining('not a key')])
  })

  it('is asked once, however many callers wait, and again later if it failed', async () => {
    let [now, asked, isLocked] = [0, 0, true]
    const answered: (() => void)[] = []
    const store = createKeyStore({
      ask: async () => {
        asked += 1
        answered.forEach((tell) => tell())
        return isLocked ? { problem: 'it is locked' } : { key: KEY.toString('base64') }
      },
      now: () => now,
      ...mac,
    })
    const sealed = sealText('secret', KEY)
    await Promise.all([store.unlock(), store.unlock()])
    expect([asked, store.open(sealed)]).toEqual([2, undefined])
    isLocked = false
    expect([store.open(sealed), asked]).toEqual([undefined, 2])
    now = 60_000
    expect(store.open(sealed)).toBeUndefined()
    await expect.poll(() => store.open(sealed)).toBe('secret')
    await Promise.all([store.unlock(), store.unlock({ make: true })])
    expect(asked).toBe(3)
  })
})

describe('sealed texts', () => {
  it('differ each time, and can only be opened unmodified and with their key', () => {
    const sealed = sealText('secret', KEY)
    expect(sealed).not.toBe(sealText('secret', KEY))
    expect(openText(sealed, KEY)).toBe('secret')
    expect(openText(sealed, Buffer.alloc(32, 2))).toBeUndefined()
    for (const damaged of [
      sealed.slice(0, -4),
      `${sealed.slice(0, -1)}${sealed.endsWith('A') ? 'B' : 'A'}A`,
      'trestle1.',
      '',
    ])
      expect(openText(damaged, KEY)).toBeUndefined()
  })
})

describe('the program that asks it', () => {
  const asked = async (script: string, limitMs = 20_000) => {
    const folder = await tempFolder()
    writeFileSync(join(folder, 'program.mjs'), script)
    return askKeyStoreProcess(() => [process.execPath, join(folder, 'program.mjs')])('get', limitMs)
  }

  it('is killed when it does not answer in time, and nothing waits for it', async () => {
    expect(await asked('setInterval(() => {}, 1000)', 1000)).toEqual({ problem: 'it did not answer within 1 s' })
  })

  it.each(['', 'process.exit(3)', 'process.stdout.write("no JSON")', 'throw new Error("native code missing")'])(
    'is reported as a problem, not thrown, when it exits without an answer (%j)',
    async (script) => {
      expect(await asked(script)).toEqual({ problem: expect.stringContaining('the program that asks it ended with') })
    },
  )

  it('reports a missing program', async () => {
    expect(await askKeyStoreProcess(() => ['/nowhere/node', '/nowhere/x.js'])('get', 5000)).toEqual({
      problem: expect.stringContaining('ENOENT'),
    })
  })
})
