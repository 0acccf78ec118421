import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DEFAULT_SETTINGS } from '../config/settings/settings'
import { projectSettings } from './project-settings'
import { createTrust } from './create-trust'
import { describeServerFile } from '../mcp/config/describe-server'

let base: string
let folder: string
let home: string
const file = (): string => join(folder, '.mcp.json')
const write = (servers: unknown): void => writeFileSync(file(), JSON.stringify({ mcpServers: servers }))
const trust = () => createTrust({ describeServers: describeServerFile, home, now: () => 7, notify: () => undefined })
const lines = async (): Promise<string[]> => (await trust().view(folder)).parts.flatMap((part) => part.lines)
const accept = async (): Promise<void> => void (await trust().accept(folder, (await trust().view(folder)).hash))

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'trestle-project-servers-')))
  folder = join(base, 'project')
  home = join(base, 'home')
  mkdirSync(folder)
  mkdirSync(home)
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

test('shows everything that determines what a server does: command, all arguments, folder, names, variables, address; but no value that could be a secret', async () => {
  write({
    run: {
      command: 'npx',
      args: ['-y', 'a b', '${TOKEN}'],
      cwd: '/elsewhere',
      env: { API_KEY: 'hush', NODE_OPTIONS: '--require ./evil.js', LD_PRELOAD: '/evil.so' },
    },
    far: {
      url: 'https://x.test/${HOME_PAGE:-y}',
      headers: { 'X-Key': 'hush' },
      oauth: { clientId: 'c', clientSecret: 'hush' },
      disabled: true,
    },
    broken: {},
  })
  const view = await trust().view(folder)
  expect(view).toMatchObject({ state: 'asked', parts: [{ kind: 'mcp', file: file() }] })
  expect(view.parts[0]!.lines).toEqual([
    'run: run npx -y "a b" ${TOKEN}',
    'run: in the folder /elsewhere',
    'run: with the environment API_KEY, NODE_OPTIONS="--require ./evil.js", LD_PRELOAD=/evil.so',
    'run: given from your environment: TOKEN',
    'far: connect to https://x.test/${HOME_PAGE:-y}',
    'far: with the headers X-Key',
    'far: sign in as c, with a secret',
    'far: given from your environment: HOME_PAGE',
    'far: disabled',
    'line 1: broken: A command or a url is missing.',
  ])
})

test('nothing can be hidden on screen: reversed, zero-width, blank, beyond a line, or as text of other files', async () => {
  const hidden = 'a\u202eb\u200bc\u00a0d\ne\u001b[8mf\u{e0041}g\u3164h'
  const shown = String.raw`a\u{202e}b\u{200b}c\u{a0}d\ne\u001b[8mf\u{e0041}g\u{3164}h`
  write({ s: { command: hidden, args: [''], env: { ['N\u200b']: 'x' } } })
  mkdirSync(join(folder, '.trestle', 'agents'), { recursive: true })
  writeFileSync(join(folder, '.trestle', 'agents', 'a.yaml'), 'name: x\r\nprompt: a\u202eb\u001b[8mhidden\n')
  expect(await lines()).toEqual([
    `s: run "${shown}" ""`,
    String.raw`s: with the environment "N\u{200b}"=x`,
    'name: x',
    String.raw`prompt: a\u{202e}b\u{1b}[8mhidden`,
  ])
  await accept()
  write({ s: { command: `${hidden}!` } })
  const { parts } = await trust().view(folder)
  expect(parts[0]!.diff).toContain(`+s: run "${shown}!"`)
  // Unescaped, the marks would take effect.
  for (const mark of ['\u202e', '\u200b', '\u001b', '\u3164']) expect(parts[0]!.diff).not.toContain(mark)
})

test('asks about a change with a diff of what the servers would do, on lines of any length, and shows that a secret has changed', async () => {
  write({ a: { command: 'one', env: { KEY: 'hush-1' } }, b: { command: 'two' } })
  await accept()
  write({
    a: { command: 'one', env: { KEY: 'hush-2' } },
    b: { command: 'two', args: ['--evil'] },
    c: { url: 'https://x.test' },
  })
  const view = await trust().view(folder)
  expect(view.state).toBe('changed')
  expect(view.parts[0]!.diff!.split('\n').filter((line) => /^[+-](?![+-])/.test(line))).toEqual([
    '-a: with the environment KEY',
    '-b: run two',
    '+a: with the environment KEY (another value than before)',
    '+b: run two --evil',
    '+c: connect to https://x.test',
  ])
  expect(JSON.stringify(view)).not.toContain('hush')
  await accept()
  writeFileSync(file(), '{"mcpServers": {"a": {"command": "one", "env": {"KEY": "hush-2"}, "timeout": 5000}}}')
  await accept()
  writeFileSync(file(), '{"mcpServers": {"a": {"command": "one", "env": {"KEY": "hush-2"}, "timeout": 9000}}}')
  expect((await trust().view(folder)).parts[0]!.diff).toContain('"timeout": 9000')
})

test.each([
  ['too large', () => writeFileSync(file(), `{"mcpServers": {}, "x": "${'x'.repeat(300 * 1024)}"}`), /too large/],
  ['a folder', () => mkdirSync(join(file(), 'x'), { recursive: true }), /not a plain file/],
  ['no JSON', () => writeFileSync(file(), '{"mcpServers": {'), /line 1/],
  [
    'a link',
    () => (writeFileSync(join(base, 'x.json'), '{}'), symlinkSync(join(base, 'x.json'), file())),
    /It is a link to .*x\.json/,
  ],
])('a file that is %s is shown with the reason why it does not apply', async (_what, make, message) => {
  make()
  expect(await trust().view(folder)).toMatchObject({
    state: 'asked',
    parts: [{ kind: 'mcp', lines: [expect.stringMatching(message)] }],
  })
})

test('ignores more than a person would read: all agent files together have a limit', async () => {
  mkdirSync(join(folder, '.trestle', 'agents'), { recursive: true })
  for (let n = 0; n < 20; n += 1)
    writeFileSync(
      join(folder, '.trestle', 'agents', `${String(n).padStart(2, '0')}.yaml`),
      `name: a${n}\nprompt: ${'x'.repeat(200 * 1024)}\n`,
    )
  const { parts } = await trust().view(folder)
  expect(parts.flatMap((part) => part.lines).join('').length).toBeLessThan(1.1 * 1024 * 1024)
  expect(parts.at(-1)!.lines[0]).toMatch(/too large/)
})

test('trusted servers are not rules: after they change, nothing else asks because of them', async () => {
  write({ a: { command: 'one' } })
  await accept()
  write({ a: { command: 'two' } })
  expect(await projectSettings(folder, DEFAULT_SETTINGS, home)).toMatchObject({
    settings: DEFAULT_SETTINGS,
    problems: [],
    trust: { state: 'changed' },
  })
})
