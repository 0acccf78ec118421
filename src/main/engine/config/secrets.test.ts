import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSecrets, type Cipher } from './secrets'
import { DEFAULT_SETTINGS, type Settings } from './settings'

let home: string
let file: string
const cipher: Cipher = {
  encrypt: (text) => Buffer.from(text).toString('hex'),
  decrypt(sealed) {
    if (!/^[0-9a-f]+$/.test(sealed)) throw new Error('cannot decrypt')
    return Buffer.from(sealed, 'hex').toString()
  },
}
const settings: Settings = { ...DEFAULT_SETTINGS, providers: { p: { type: 'google', apiKeyEnv: 'P_KEY', apiKey: 'from-file' } } }

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'trestle-secrets-'))
  file = join(home, 'credentials.json')
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

test('a key is stored for the user alone, found again, and removed', () => {
  createSecrets({ home }).set('p', ' sk-1\n')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const again = createSecrets({ home })
  expect(again.get('p')).toBe('sk-1')
  again.set('__proto__', 'odd')
  expect(again.get('__proto__')).toBe('odd')
  again.remove('p')
  again.remove('nobody')
  expect(again.get('p')).toBeUndefined()
  expect(again.get('__proto__')).toBe('odd')
  expect(readdirSync(home)).toEqual(['credentials.json'])
})

test('with a cipher the file holds no key, and without it the key is locked, not lost', () => {
  createSecrets({ home, cipher }).set('p', 'sk-1')
  expect(readFileSync(file, 'utf8')).not.toContain('sk-1')
  const plain = createSecrets({ home })
  expect(plain.get('p')).toBeUndefined()
  expect(plain.isLocked('p')).toBe(true)
  plain.set('q', 'sk-2')
  const sealed = createSecrets({ home, cipher })
  expect([sealed.get('p'), sealed.get('q'), sealed.isLocked('p')]).toEqual(['sk-1', 'sk-2', false])
})

test('a cipher that fails stores nothing and says so', () => {
  const failing = createSecrets({
    home,
    cipher: {
      encrypt: () => {
        throw new Error('no keychain')
      },
      decrypt: String,
    },
  })
  expect(() => failing.set('p', 'sk')).toThrow(expect.objectContaining({ code: 'config.write_failed' }))
  expect(existsSync(file)).toBe(false)
})

test('the stored key comes before the environment, that before the file', () => {
  const secrets = createSecrets({ home, env: { P_KEY: ' from-env ' } })
  const none = createSecrets({ home, env: { P_KEY: '' } })
  expect([none.keyFor('p', settings), none.keyFrom('p', settings)]).toEqual(['from-file', 'file'])
  expect([secrets.keyFor('p', settings), secrets.keyFrom('p', settings)]).toEqual(['from-env', 'environment'])
  secrets.set('p', 'stored')
  expect([secrets.keyFor('p', settings), secrets.keyFrom('p', settings)]).toEqual(['stored', 'stored'])
  expect([secrets.keyFor('q', settings), secrets.keyFrom('q', settings)]).toEqual([undefined, 'none'])
})

test('a file with rights for others is mended and told', () => {
  createSecrets({ home }).set('p', 'sk-1')
  chmodSync(file, 0o644)
  const secrets = createSecrets({ home })
  expect(secrets.get('p')).toBe('sk-1')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(secrets.notices).toEqual([expect.stringContaining('mended')])
})

test.each(['{ not json', '{"version":1}', '{"version":2,"keys":[]}', ''])('a damaged file (%j) is moved aside, not lost', (text) => {
  writeFileSync(file, text, { mode: 0o600 })
  const secrets = createSecrets({ home })
  expect(secrets.get('p')).toBeUndefined()
  secrets.set('p', 'sk-2')
  expect(secrets.get('p')).toBe('sk-2')
  const [aside] = readdirSync(home).filter((name) => name.includes('.damaged-'))
  expect(readFileSync(join(home, aside!), 'utf8')).toBe(text)
  expect(secrets.notices).toEqual([expect.stringContaining(aside!)])
})
