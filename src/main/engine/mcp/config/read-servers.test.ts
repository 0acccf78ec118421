import { expect, test } from 'vitest'
import { readServers } from './read-servers'

const read = (servers: unknown) => readServers(JSON.stringify({ mcpServers: servers }, undefined, 1), 'f.json')
const DEFAULTS = { enabled: true, startTimeoutMs: 30_000, callTimeoutMs: 60_000, disabledTools: [] }

test.each([
  [
    { command: 'npx', args: ['-y', 'x', 3] },
    { transport: 'stdio', command: 'npx', args: ['-y', 'x', '3'], env: {} },
  ],
  [
    { type: 'stdio', command: 'a', env: { A: 'b', N: 1 }, cwd: '/x' },
    { transport: 'stdio', env: { A: 'b', N: '1' }, cwd: '/x' },
  ],
  [{ url: 'https://x.test/mcp' }, { transport: 'http', url: 'https://x.test/mcp', headers: {} }],
  [{ type: 'streamableHttp', url: 'https://x.test/' }, { transport: 'http' }],
  [{ type: 'streamable-http', url: 'https://x.test/' }, { transport: 'http' }],
  [{ transport: 'streamable_http', url: 'https://x.test/' }, { transport: 'http' }],
  [{ httpUrl: 'https://x.test/' }, { transport: 'http', url: 'https://x.test/' }],
  [
    { serverUrl: 'https://x.test/sse', type: 'SSE' },
    { transport: 'sse', url: 'https://x.test/sse' },
  ],
  [{ url: 'https://x.test/', bearerTokenEnvVar: 'TOKEN' }, { headers: { Authorization: 'Bearer ${TOKEN}' } }],
  [{ url: '${BASE:-https://x.test}/mcp' }, { url: '${BASE:-https://x.test}/mcp' }],
  [
    { command: 'a', disabled: true, timeout: 5000 },
    { enabled: false, callTimeoutMs: 5000 },
  ],
  [
    { command: 'a', enabled: false, startupTimeoutMs: 1000, toolTimeoutMs: 2000 },
    { enabled: false, startTimeoutMs: 1000, callTimeoutMs: 2000 },
  ],
  [
    { command: 'a', enabledTools: ['x'], disabledTools: ['y'] },
    { enabledTools: ['x'], disabledTools: ['y'] },
  ],
  [
    { url: 'https://x.test', oauth: { clientId: 'c', scopes: 'a b' } },
    { oauth: { clientId: 'c', scopes: ['a', 'b'] } },
  ],
])('reads a server as other products write it: %j', (written, definition) => {
  const { servers, problems } = read({ s: written })
  expect(problems).toEqual([])
  expect(servers[0]?.definition).toMatchObject(definition)
})

test('fills in defaults', () => {
  expect(read({ s: { command: 'a' } }).servers[0]?.definition).toEqual({
    ...DEFAULTS,
    transport: 'stdio',
    command: 'a',
    args: [],
    env: {},
  })
})

test.each([
  ['text', 's: A server is an object'],
  [{}, 's: A command or a url is missing'],
  [{ command: 'a', url: 'https://x.test' }, 's: It has a command and a url'],
  [{ command: '' }, 's: A command or a url is missing'],
  [{ type: 'carrier-pigeon', command: 'a' }, 's.type: must be'],
  [{ type: 'http', command: 'a' }, 's.url: A server that is connected to'],
  [{ command: 'a', args: 'x' }, 's.args: must be a list'],
  [{ command: 'a', args: [{}] }, 's.args.0: must be a text'],
  [{ command: 'a\0b' }, 's: A command, its arguments'],
  [{ command: 'a', env: { 'A=B': 'c' } }, 's.env.A=B: is not a valid name'],
  [{ command: 'a', env: { A: null } }, 's.env.A: must be a text'],
  [{ command: 'a', disabled: 'yes' }, 's.disabled: must be true or false'],
  [{ url: 'ftp://x.test' }, 's.url: must begin with http'],
  [{ url: 'x.test' }, 's.url: must be a whole address'],
  [{ url: 'javascript:${X}' }, 's.url: must be'],
  [{ url: 'http://x.test:6000/mcp' }, 's.url: uses port 6000, which is reserved for another protocol. Let the server'],
  [{ url: 'https://user:secret@x.test' }, 's.url: must not have a name or password'],
  [{ url: 'https://x.test', headers: { 'A\nB': 'secret' } }, 'is not a valid header name'],
  [{ url: 'https://x.test', headers: { A: 'secret\nX: y' } }, 's.headers.A: has a line break'],
])('rejects only the invalid server, with its position and without quoting a secret: %j', (written, message) => {
  const { servers, problems } = read({ before: { command: 'a' }, s: written, after: { command: 'b' } })
  expect(servers.map(({ name }) => name)).toEqual(['before', 'after'])
  expect(problems[0]).toMatchObject({
    file: 'f.json',
    line: expect.any(Number),
    message: expect.stringContaining(message),
  })
  expect(problems[0]!.line).toBeGreaterThan(4)
  expect(JSON.stringify(problems)).not.toContain('secret')
})

test('reports unknown keys and keys set elsewhere, and still uses the server', () => {
  const { servers, problems } = read({
    s: { command: 'a', agrs: ['x'], alwaysAllow: ['t'], envFile: '.env', headers: {}, timeout: 30, description: 'd' },
  })
  expect(servers).toHaveLength(1)
  expect(problems).toMatchObject([
    { line: 5, message: 's.agrs: is not known: did you mean args?' },
    { line: 8, message: expect.stringMatching(/^s\.alwaysAllow: .*permission rules/) },
    { line: 11, message: expect.stringMatching(/^s\.envFile: /) },
    { line: 12, message: expect.stringMatching(/^s\.headers: is for servers that are connected to/) },
    { line: 13, message: expect.stringMatching(/^s\.timeout: counts in milliseconds/) },
  ])
})

test.each([
  ['[]', /must be an object/],
  ['{"mcpServers": []}', /"mcpServers" must be an object/],
  ['{"servers": {}}', /"mcpServers" here, not "servers"/],
  ['{"mcpServers": {', /line|missing|double quotes/],
])('reports what is expected of a file in another form: %s', (text, message) => {
  expect(readServers(text, 'f')).toMatchObject({
    servers: [],
    problems: [{ file: 'f', line: 1, message: expect.stringMatching(message) }],
  })
})

test('does not use an overlong definition', () => {
  expect(read({ s: { command: 'a', args: ['x'.repeat(20_000)] } })).toMatchObject({
    servers: [],
    problems: [{ message: expect.stringContaining('s: It is longer than') }],
  })
})

test('leaves out and reports invisible names, duplicate names and overlong lists', () => {
  const { servers, problems } = readServers(
    '{"mcpServers": {"a\\u202eb": {"command":"x"}, "c": {"command":"old"}, "c": {"command":"new"}, "": {}}}',
    'f',
  )
  expect(servers).toMatchObject([{ name: 'c', definition: { command: 'new' } }])
  expect(problems).toHaveLength(3)
  const many = read(Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`s${n}`, { command: 'a' }])))
  expect(many.servers).toHaveLength(200)
  expect(many.problems).toMatchObject([{ message: 'Only the first 200 servers count.' }])
})
