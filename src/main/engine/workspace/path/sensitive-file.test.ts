import { describe, expect, it } from 'vitest'
import { sensitiveRule } from './sensitive-file'

describe('sensitiveRule', () => {
  it.each([
    '/p/.env',
    '/p/.ENV',
    '/p/.env.local',
    '/p/.env.production',
    '/p/.env.',
    '/p/.env~',
    '/p/#.env#',
    '/p/.env.bak',
    '.env',
    '/p/.env.example.bak',
    '/home/u/id_rsa',
    '/home/u/ID_RSA',
    '/home/u/id_ed25519',
    '/home/u/id_ecdsa',
    '/home/u/id_ecdsa_sk',
    '/home/u/id_rsa-work',
    '/home/u/id_rsa_old',
    '/home/u/id_rsa.bak',
    '/home/u/id_ed25519.old',
    '/home/u/id_rsa~',
    '/home/u/id_rsa.1',
    '/home/u/id_rsa.pem',
    '/home/u/credentials',
    '/home/u/Credentials',
    '/home/u/credentials.json',
    '/home/u/credentials-prod',
    '/home/u/credentials_backup.json',
    '/home/u/.credentials.json',
    '/home/u/credentials.bak',
    '/home/u/.aws/credentials',
    '/home/u/.gcp/credentials',
    '/home/u/.ssh/config',
    '/home/u/.ssh/known_hosts',
    '/home/u/.ssh/id_rsa.pub',
    '/home/u/.SSH/anything',
    '/home/u/.ssh',
    'C:\\Users\\u\\.ssh\\config',
    'C:\\p\\.env',
    'C:\\p\\.env::$DATA',
    '/p/.env ',
    '/p/.e\u200bnv',
    '/p/.\uff45nv',
    '/proc/self/environ',
    '/proc/123/task/124/environ',
  ])('does not let a secret through: %s', (path) => {
    expect(sensitiveRule(path)).toEqual(expect.any(String))
  })

  it.each([
    '/p/.env.example',
    '/p/.env.sample',
    '/p/.env.template',
    '/p/.env.production.example',
    '/p/.ENV.Example',
    '/p/.envrc',
    '/p/env',
    '/p/x.env',
    '/p/.environment',
    '/p/.env/lib/python3/site.py',
    '/home/u/id_rsa.pub',
    '/home/u/id_ed25519-work.pub',
    '/home/u/id_rsanta.txt',
    '/home/u/grid_rsa',
    '/p/credentials.ts',
    '/p/credentials_test.go',
    '/p/credentials-provider.ts',
    '/p/src/credentials/index.ts',
    '/p/credentials.md',
    '/p/my-credentials-form.tsx',
    '/p/.ssh-notes.md',
    '/p/ssh/config',
    '/p/src/index.ts',
  ])('does not refuse an ordinary file: %s', (path) => {
    expect(sensitiveRule(path)).toBeUndefined()
  })

  it('names the rule, so that a person can tell why a file was refused', () => {
    expect(sensitiveRule('/h/.aws/credentials')).toBe('.aws/credentials')
    expect(sensitiveRule('/h/.gcp/credentials')).toBe('.gcp/credentials')
    expect(sensitiveRule('/h/.env.local')).toBe('.env files')
    expect(sensitiveRule('/h/id_rsa')).toBe('private keys')
  })
})
