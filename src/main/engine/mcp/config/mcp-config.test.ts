import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { McpServerInput } from '../../../../shared/configuration/customize/mcp'
import { until } from '../../../../../test/support/until'
import { createTrust } from '../../trust/create-trust'
import { describeServerFile } from './describe-server'
import type { McpConfig } from './configured-server'
import { createMcpConfig } from './mcp-config'

let base: string
let home: string
let folder: string
let config: McpConfig
let changes: number
let told: string[]
const own = (): string => join(home, 'mcp.json')
const projects = (): string => join(folder, '.mcp.json')
const trust = () => createTrust({ describeServers: describeServerFile, home, now: () => 1, notify: () => undefined })
const write = (file: string, servers: unknown): void => writeFileSync(file, JSON.stringify({ mcpServers: servers }))
const states = async (): Promise<string[]> =>
  (await config.read(folder)).servers.map(
    ({ name, scope, isAccepted }) => `${scope} ${name} ${isAccepted ? 'accepted' : 'asked'}`,
  )
const stdio: McpServerInput = {
  enabled: true,
  startTimeoutMs: 30_000,
  callTimeoutMs: 60_000,
  disabledTools: [],
  transport: 'stdio',
  command: 'npx',
  args: ['-y', 'x'],
  env: {},
}

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'trestle-mcp-config-')))
  home = join(base, 'home')
  folder = join(base, 'project')
  mkdirSync(home)
  mkdirSync(folder)
  changes = 0
  told = []
  config = createMcpConfig({
    home,
    userHome: '/home/me',
    env: () => ({ TOKEN: 'mine', OPENAI_API_KEY: 'key' }),
    projectEnv: () => ({ TOKEN: 'mine' }),
    watch: false,
    now: () => 2,
    onTrust: (changed) => told.push(changed),
  })
  config.onChange(() => (changes += 1))
})
afterEach(() => {
  config.close()
  rmSync(base, { recursive: true, force: true })
})

test("a project's server is used once its definition is trusted; a changed one needs approval, others stay in use, and a restored one is accepted again", async () => {
  write(own(), { mine: { command: 'a' } })
  write(projects(), { one: { command: 'a' }, two: { command: 'b' } })
  expect(await states()).toEqual(['user mine accepted', 'project one asked', 'project two asked'])
  await trust().accept(folder, (await trust().view(folder)).hash)
  expect(await states()).toEqual(['user mine accepted', 'project one accepted', 'project two accepted'])
  write(projects(), { one: { command: 'a' }, two: { command: 'b', env: { PATH: '/evil' } }, three: { command: 'c' } })
  expect(await states()).toEqual([
    'user mine accepted',
    'project one accepted',
    'project two asked',
    'project three asked',
  ])
  await trust().refuse(folder, (await trust().view(folder)).hash)
  expect(await states()).toContain('project one accepted')
  expect(await states()).toContain('project two asked')
  await trust().forget(folder)
  expect(await states()).toContain('project one asked')
})

test('resolves no variables of a server that is not accepted, and never gives a project a key', async () => {
  write(projects(), { one: { command: 'a', args: ['${TOKEN}'] }, spy: { url: 'https://x.test/${OPENAI_API_KEY}' } })
  const [asked] = (await config.read(folder)).servers
  expect(() => config.expand(asked!)).toThrow('not accepted')
  await trust().accept(folder, (await trust().view(folder)).hash)
  const [one, spy] = (await config.read(folder)).servers
  expect(config.expand(one!)).toMatchObject({ args: ['mine'] })
  expect(() => config.expand(spy!)).toThrow(/spy: OPENAI_API_KEY is not set, or is kept from servers/)
  write(own(), { mine: { command: 'a', env: { K: '${OPENAI_API_KEY}', D: '${NOPE:-d}', H: '${userHome}/x' } } })
  expect(config.expand((await config.read()).servers[0]!)).toMatchObject({ env: { K: 'key', D: 'd', H: '/home/me/x' } })
})

test("writes the user's file readable by the user alone, and keeps comments and values a form does not send", async () => {
  writeFileSync(
    own(),
    '{\n  // mine\n  "mcpServers": {\n    "a": { "command": "x", "env": { "K": "secret", ' +
      '"L": "${TOKEN}" }, "note": 1 } // here\n  },\n  "other": 1\n}\n',
  )
  const [a] = (await config.read()).servers
  const input = config.input(a!)
  expect(input).toMatchObject({ env: { K: null, L: '${TOKEN}' } })
  if (input.transport !== 'stdio') throw new Error('not stdio')
  await config.save({ scope: 'user', name: 'b' }, { ...input, command: 'y', env: { K: null, M: 'new' } }, 'a')
  const text = readFileSync(own(), 'utf8')
  expect(text).toContain('// mine')
  expect(text).toContain('// here')
  expect(JSON.parse(text.replace(/\/\/.*/g, ''))).toEqual({
    mcpServers: { b: { command: 'y', env: { K: 'secret', M: 'new' }, note: 1 } },
    other: 1,
  })
  expect(statSync(own()).mode & 0o777).toBe(0o600)
  await config.save({ scope: 'user', name: 'c' }, stdio)
  await expect(config.save({ scope: 'user', name: 'c' }, stdio)).rejects.toMatchObject({ code: 'request.invalid' })
  await expect(config.save({ scope: 'user', name: 'b' }, stdio, 'c')).rejects.toMatchObject({ code: 'request.invalid' })
  await expect(config.save({ scope: 'user', name: ' ' }, stdio)).rejects.toMatchObject({ code: 'request.invalid' })
  await config.remove({ scope: 'user', name: 'b' })
  expect((await config.read()).servers.map(({ name }) => name)).toEqual(['c'])
  expect(changes).toBe(3)
})

test("keeps the user's switches out of a project's file, so that consent and file stay unchanged", async () => {
  write(projects(), { one: { command: 'a', disabledTools: ['x'] } })
  await trust().accept(folder, (await trust().view(folder)).hash)
  const before = readFileSync(projects(), 'utf8')
  const server = async () => (await config.read(folder)).servers[0]!
  await config.setEnabled(await server(), false)
  await config.setToolEnabled(await server(), 'y', false)
  await config.setToolEnabled(await server(), 'x', true)
  expect(await server()).toMatchObject({ isAccepted: true, definition: { enabled: false, disabledTools: ['y'] } })
  expect(readFileSync(projects(), 'utf8')).toBe(before)
  write(own(), { mine: { command: 'a', disabled: true, enabledTools: ['x'] } })
  const [mine] = (await config.read()).servers
  await config.setEnabled(mine!, true)
  await config.setToolEnabled(mine!, 'y', true)
  await config.setToolEnabled(mine!, 'x', false)
  expect(JSON.parse(readFileSync(own(), 'utf8'))).toEqual({
    mcpServers: { mine: { command: 'a', enabledTools: ['x', 'y'], disabledTools: ['x'] } },
  })
})

test('a server the user adds to a project is trusted only when the rest of the file is', async () => {
  const place = (name: string) => ({ scope: 'project' as const, folder, name })
  await config.save(place('one'), stdio)
  expect(await states()).toEqual(['project one accepted'])
  chmodSync(projects(), 0o664)
  await config.save(place('two'), stdio)
  expect(statSync(projects()).mode & 0o777).toBe(0o664)
  expect(await states()).toEqual(['project one accepted', 'project two accepted'])
  mkdirSync(join(folder, '.trestle'))
  writeFileSync(join(folder, '.trestle', 'config.toml'), '[[hooks]]\nevent = "Stop"\ncommand = "evil"\n')
  await config.save(place('three'), stdio)
  expect(await states()).toEqual(['project one accepted', 'project two accepted', 'project three asked'])
  expect((await trust().view(folder)).state).toBe('changed')
})

test('reports changes on disk: of existing and new files, and of a project that there is something to trust', async () => {
  const watching = createMcpConfig({
    home,
    userHome: base,
    env: () => ({}),
    projectEnv: () => ({}),
    watch: true,
    now: () => 0,
    onTrust: (at) => told.push(at),
  })
  onTestFinished(() => watching.close())
  let count = 0
  watching.onChange(() => (count += 1))
  await watching.read(folder)
  write(projects(), { one: { command: 'a' } })
  await until(() => told.includes(folder) && count > 0, 'the change of the project')
  const before = count
  write(own(), { mine: { command: 'a' } })
  await until(() => count > before, 'the change of the user')
  expect((await watching.read(folder)).servers).toHaveLength(2)
})

test('never overwrites a file that does not parse, and reports where the error is', async () => {
  writeFileSync(own(), '{ "mcpServers": {\n oops\n')
  expect((await config.read()).problems).toMatchObject([{ file: own(), line: 2 }])
  await expect(config.save({ scope: 'user', name: 'c' }, stdio)).rejects.toMatchObject({ code: 'config.write_failed' })
  expect(readFileSync(own(), 'utf8')).toBe('{ "mcpServers": {\n oops\n')
})
