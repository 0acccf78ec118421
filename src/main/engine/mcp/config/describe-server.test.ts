import { expect, test } from 'vitest'
import { describeServerFile, maskSecrets, maskUrl } from './describe-server'

test.each([
  ['an option', ['--api-key', 'abc123'], ['--api-key', '••••']],
  ['an option with its value', ['--api-key=abc123'], ['--api-key=••••']],
  ['a variable of the environment', ['GITHUB_TOKEN=abc123'], ['GITHUB_TOKEN=••••']],
  ['a value that looks like a key', ['ghp_abcdefgh'], ['••••']],
  ['a header', ['--header', 'Authorization: Bearer abc123'], ['--header', 'Authorization: ••••']],
  ['a header without a blank', ['-H', 'X-Api-Key:abc123'], ['-H', 'X-Api-Key:••••']],
  ['the password of an address', ['https://me:secret@host/mcp'], ['https://me:••••@host/mcp']],
  ['a key in place of the user', ['https://ghp_abcdefgh@host/mcp'], ['https://••••@host/mcp']],
  ['a parameter', ['https://host/mcp?token=abc&page=2'], ['https://host/mcp?token=••••&page=2']],
])('masks %s', (_what, words, shown) => expect(maskSecrets(words)).toEqual(shown))

test.each([
  [['-y', '@example/server', '--port', '8080']],
  [['--key', '--verbose']],
  [['--api-key', '${API_KEY}']],
  [['--header', 'Authorization: ${AUTH}']],
  [['--header', 'Accept: text/plain']],
  [['C:\\tools\\server.exe', 'note: a plain text']],
])('leaves %j unchanged', (words) => expect(maskSecrets(words)).toEqual(words))

test('masks the same secrets in an address on its own', () => {
  expect(maskUrl('https://a:b@host/x?sig=1#top')).toBe('https://a:••••@host/x?sig=••••#top')
  expect(maskUrl('https://host/x?sig=${SIG}')).toBe('https://host/x?sig=${SIG}')
})

test('shows every value of the environment that could run something, for consent', async () => {
  const env = {
    'BASH_FUNC_ls%%': '() { evil; }',
    DOTNET_STARTUP_HOOKS: './evil.dll',
    OPENSSL_CONF: './evil.cnf',
    LD_AUDIT_KEY: './evil.so',
    'BASH_FUNC_key%%': '() { evil; }',
    GITHUB_TOKEN: 'hush',
  }
  const file = JSON.stringify({ mcpServers: { s: { command: 'bash', args: ['-c', 'ls'], env } } })
  const [, line = ''] = await describeServerFile(file, 'mcp.json')
  expect(line.match(/evil/g)).toHaveLength(5)
  expect(line).toContain('GITHUB_TOKEN')
  expect(line).not.toContain('hush')
})
