import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type AskKeyStore, createKeyStore } from './key-store'
import { createSecrets } from './secrets'
import { DEFAULT_SETTINGS, type Settings } from '../settings/settings'

let home: string
let file: string
const desktop = { platform: 'darwin', env: {} } as const
/** A system key store that all hosts of this user share. */
function keyring(kept: { key?: string } = {}): { ask: AskKeyStore; asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    ask: async (action) => {
      asked.push(action)
      if (action === 'make') kept.key ??= Buffer.alloc(32, 7).toString('base64')
      return kept
    },
  }
}
const settings: Settings = {
  ...DEFAULT_SETTINGS,
  providers: { p: { type: 'google', apiKeyEnv: 'P_KEY', apiKey: 'from-file' } },
}

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'trestle-secrets-'))
  file = join(home, 'credentials.json')
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

test('a key is stored for the user alone, found again, and removed', async () => {
  await createSecrets({ home }).set('p', ' sk-1\n')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const again = createSecrets({ home })
  expect(again.get('p')).toBe('sk-1')
  await again.set('__proto__', 'odd')
  expect(again.get('__proto__')).toBe('odd')
  again.remove('p')
  again.remove('missing')
  expect(again.get('p')).toBeUndefined()
  expect(again.get('__proto__')).toBe('odd')
  expect(readdirSync(home)).toEqual(['credentials.json'])
})

test('with a key store the file has no plain key, every host can read it, and without the key store it is locked, not lost', async () => {
  const { ask } = keyring()
  await createSecrets({ home, keyStore: createKeyStore({ ask, ...desktop }) }).set('p', 'sk-1')
  expect(readFileSync(file, 'utf8')).not.toContain('sk-1')
  const plain = createSecrets({ home })
  expect([plain.get('p'), plain.isLocked('p'), plain.keyFrom('p', DEFAULT_SETTINGS)]).toEqual([
    undefined,
    true,
    'locked',
  ])
  await plain.set('q', 'sk-2')
  const other = createSecrets({ home, keyStore: createKeyStore({ ask, ...desktop }) })
  await other.unlock()
  expect([other.get('p'), other.get('q'), other.isLocked('p')]).toEqual(['sk-1', 'sk-2', false])
})

test('a key sealed by an older desktop app is opened, and sealed again for every host', async () => {
  const old = { provider: 'p', sealed: Buffer.from('sk-old').toString('hex') }
  writeFileSync(file, JSON.stringify({ version: 1, keys: [old] }), { mode: 0o600 })
  const { ask } = keyring()
  const legacy = () => ({ decrypt: (sealed: string) => Buffer.from(sealed, 'hex').toString() })
  await createSecrets({ home, keyStore: createKeyStore({ ask, legacy, ...desktop }) }).unlock()
  const host = createSecrets({ home, keyStore: createKeyStore({ ask, ...desktop }) })
  await host.unlock()
  expect(host.get('p')).toBe('sk-old')
  expect(readFileSync(file, 'utf8')).not.toContain(old.sealed)
})

test('what an older desktop app sealed is left unchanged without a key store or a way to open it', async () => {
  const text = JSON.stringify({ version: 1, keys: [{ provider: 'p', sealed: 'b2xk' }] })
  writeFileSync(file, text, { mode: 0o600 })
  const legacy = () => ({ decrypt: () => 'sk-old' })
  await createSecrets({
    home,
    keyStore: createKeyStore({ ask: keyring().ask, legacy, platform: 'linux', env: {} }),
  }).unlock()
  await createSecrets({ home, keyStore: createKeyStore({ ask: keyring().ask, ...desktop }) }).unlock()
  expect(readFileSync(file, 'utf8')).toBe(text)
})

test('the stored key overrides the environment, which overrides the file', async () => {
  const secrets = createSecrets({ home, env: { P_KEY: ' from-env ' } })
  const none = createSecrets({ home, env: { P_KEY: '' } })
  expect([none.keyFor('p', settings), none.keyFrom('p', settings)]).toEqual(['from-file', 'file'])
  expect([secrets.keyFor('p', settings), secrets.keyFrom('p', settings)]).toEqual(['from-env', 'environment'])
  await secrets.set('p', 'stored')
  expect([secrets.keyFor('p', settings), secrets.keyFrom('p', settings)]).toEqual(['stored', 'stored'])
  expect([secrets.keyFor('q', settings), secrets.keyFrom('q', settings)]).toEqual([undefined, 'none'])
})

test('permissions of a file that others can read are fixed and reported', async () => {
  await createSecrets({ home }).set('p', 'sk-1')
  chmodSync(file, 0o644)
  const secrets = createSecrets({ home })
  expect(secrets.get('p')).toBe('sk-1')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(secrets.notices).toEqual([expect.stringContaining('fixed')])
})

test.each(['{ not json', '{"version":1}', '{"version":2,"keys":[]}', ''])(
  'a damaged file (%j) is moved aside, not lost',
  async (text) => {
    writeFileSync(file, text, { mode: 0o600 })
    const secrets = createSecrets({ home })
    expect(secrets.get('p')).toBeUndefined()
    await secrets.set('p', 'sk-2')
    expect(secrets.get('p')).toBe('sk-2')
    const [aside] = readdirSync(home).filter((name) => name.includes('.damaged-'))
    expect(readFileSync(join(home, aside!), 'utf8')).toBe(text)
    expect(secrets.notices).toEqual([expect.stringContaining(aside!)])
  },
)
