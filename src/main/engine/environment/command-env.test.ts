import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DEFAULT_SETTINGS } from '../config/settings/settings'
import { clientTerminalEnv, commandEnv, namedEnv } from './command-env'
import { cpuMs } from '../../../../test/support/cpu-time'

test('hides keys from commands, whether well-known, configured or named, ignoring case', () => {
  const settings = {
    providers: { local: { type: 'openai-compatible' as const, apiKeyEnv: 'LOCAL_KEY' } },
    web: { allowedHosts: [], search: { provider: 'brave' as const, apiKeyEnv: 'SEARCHING' } },
    tools: { ...DEFAULT_SETTINGS.tools, hideEnv: ['My_Secret'] },
  }
  const base = {
    OPENAI_API_KEY: 'a',
    anthropic_api_key: 'b',
    LOCAL_KEY: 'c',
    MY_SECRET: 'd',
    SEARCHING: 'f',
    TRESTLE_HOME: 'e',
    HOME: '/home/me',
    EMPTY: '',
  }
  const env = commandEnv(base, settings)
  expect(Object.values(env)).not.toEqual(expect.arrayContaining(['a']))
  expect(env).toMatchObject({ HOME: '/home/me', EMPTY: '' })
  for (const name of ['OPENAI_API_KEY', 'anthropic_api_key', 'LOCAL_KEY', 'MY_SECRET', 'SEARCHING', 'TRESTLE_HOME'])
    expect(env).not.toHaveProperty(name)
})

test('programs get a color terminal, no pager and no git password prompt', () => {
  const env = commandEnv({ TERM: 'dumb', COLUMNS: '40', TMUX: 'x', PAGER: 'less' }, DEFAULT_SETTINGS)
  expect(env).toMatchObject({ TERM: 'xterm-256color', PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0' })
  expect(env).not.toHaveProperty('COLUMNS')
  expect(env).not.toHaveProperty('TMUX')
  expect(commandEnv({ GIT_TERMINAL_PROMPT: '1' }, DEFAULT_SETTINGS)['GIT_TERMINAL_PROMPT']).toBe('1')
})

test('no program waits in an editor, unless pass_env names it', () => {
  const base = { EDITOR: 'vim', VISUAL: 'code --wait' }
  const env = commandEnv(base, DEFAULT_SETTINGS)
  for (const name of ['EDITOR', 'VISUAL', 'GIT_EDITOR', 'GIT_SEQUENCE_EDITOR']) {
    expect(spawnSync('sh', ['-c', `${env[name]} "$@"`, 'editor', '/dev/null'], { encoding: 'utf8' })).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^No editor can be used here\. .*git commit -m.*\n$/) as string,
    })
    expect(clientTerminalEnv(base, DEFAULT_SETTINGS)[name]).toBe(env[name])
  }
  const passed = commandEnv(base, { ...DEFAULT_SETTINGS, tools: { ...DEFAULT_SETTINGS.tools, passEnv: ['EDITOR'] } })
  expect(passed).toMatchObject({ EDITOR: 'vim', VISUAL: env['VISUAL'] })
})

test('git without a commit message fails immediately and explains how to pass one', () => {
  const dir = mkdtempSync(join(tmpdir(), 'trestle-editor-'))
  try {
    const env = { ...commandEnv(process.env, DEFAULT_SETTINGS), HOME: dir }
    const git = (...args: string[]) =>
      spawnSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@y', ...args], {
        cwd: dir,
        env,
        encoding: 'utf8',
        timeout: 60_000,
      })
    git('init')
    expect(git('commit', '--allow-empty', '-m', 'first').status).toBe(0)
    const { status, stderr } = git('commit', '--allow-empty')
    expect(status).not.toBe(0)
    expect(stderr).toMatch(/^No editor can be used here\..*git commit -m or -F/m)
    expect(git('rebase', '-i', '--root').stderr).toMatch(/^No editor can be used here\./m)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
})

test('commands of an AppImage do not search its mount for programs and libraries', () => {
  const mount = '/tmp/.mount_TresXy'
  const base = {
    APPIMAGE: '/home/me/Trestle.AppImage',
    APPDIR: mount,
    OWD: '/home/me',
    PATH: `${mount}:${mount}/usr/sbin:/usr/bin`,
    LD_LIBRARY_PATH: `${mount}/usr/lib:`,
    XDG_DATA_DIRS: `${mount}/usr/share:/usr/share`,
  }
  const env = commandEnv(base, DEFAULT_SETTINGS)
  expect(env).toMatchObject({ PATH: '/usr/bin', XDG_DATA_DIRS: '/usr/share' })
  for (const name of ['APPIMAGE', 'APPDIR', 'OWD', 'LD_LIBRARY_PATH']) expect(env).not.toHaveProperty(name)
  // The user's own variable of the same name is kept.
  expect(commandEnv({ APPDIR: '/srv/app', PATH: '/srv/app/bin:/usr/bin' }, DEFAULT_SETTINGS)).toMatchObject({
    APPDIR: '/srv/app',
    PATH: '/srv/app/bin:/usr/bin',
  })
})

test("under npm, Trestle does not pass npm's variables and its own node on to commands", () => {
  const base = {
    npm_lifecycle_event: 'start',
    npm_package_json: '/opt/trestle/package.json',
    npm_config_local_prefix: '/opt/trestle',
    npm_config_registry: 'https://example.test',
    INIT_CWD: '/opt/trestle',
    PATH: '/opt/trestle/node_modules/.bin:/opt/node_modules/.bin:/node_modules/.bin:/x/@npmcli/run-script/lib/node-gyp-bin:/home/me/app/node_modules/.bin:/usr/bin',
  }
  const env = commandEnv(base, DEFAULT_SETTINGS)
  expect(env['PATH']).toBe('/home/me/app/node_modules/.bin:/usr/bin')
  expect(env['npm_config_registry']).toBe('https://example.test')
  for (const name of ['npm_lifecycle_event', 'npm_package_json', 'npm_config_local_prefix', 'INIT_CWD'])
    expect(env).not.toHaveProperty(name)
  expect(commandEnv({ INIT_CWD: '/a', PATH: '/node_modules/.bin:/bin' }, DEFAULT_SETTINGS)).toMatchObject({
    INIT_CWD: '/a',
    PATH: '/node_modules/.bin:/bin',
  })
})

const SECRET: Record<string, string> = {
  GITHUB_TOKEN: 'x1',
  npm_config__authToken: 'x2',
  'npm_config_//registry.npmjs.org/:_authToken': 'x3',
  AWS_SECRET_ACCESS_KEY: 'x4',
  AWS_ACCESS_KEY_ID: 'x5',
  aws_session_token: 'x6',
  PGPASSWORD: '1234',
  MYSQL_PWD: 'x8',
  DB_PASS: 'x9',
  SSH_PRIVATE_KEY: 'x10',
  stripeApiKey: 'x11',
  GOOGLE_APPLICATION_CREDENTIALS: '/x/y.json',
  DOCKER_AUTH_CONFIG: '{"auths":{}}',
  SECRET_KEY_BASE: 'x12',
  DATABASE_URL: 'postgres://me:hunter2@db.example/app',
  REDIS: 'redis://:hunter2@cache:6379',
  ORIGIN: 'https://ghtokenghtokenghtoken@github.com/x/y.git',
  HARMLESS_LOOKING: 'ghp_abcdefghijklmnopqrstuvwxyz0123456789',
  MODEL_ACCESS: 'sk-proj-abcdefghijklmnopqrst',
  CLOUD: 'AKIAABCDEFGHIJKLMNOP',
  CHAT: 'xoxb-1234567890-abc',
  GIT_CONFIG_VALUE_0: 'AUTHORIZATION: basic eDphYmNkZWZnaGlqa2w=',
  PEM: '-----BEGIN OPENSSH PRIVATE KEY-----\nabc',
}
const HARMLESS: Record<string, string> = {
  HOME: '/home/me',
  PWD: '/home/me',
  OLDPWD: '/home',
  SSH_AUTH_SOCK: '/run/agent',
  XAUTHORITY: '/home/me/.Xauthority',
  GIT_AUTHOR_NAME: 'Ann Author',
  GIT_ASKPASS: '/usr/bin/ask',
  SSH_ASKPASS: '/usr/bin/ask',
  KEYBOARD_LAYOUT: 'us',
  MAX_TOKENS: '4096',
  TOKENIZERS_PARALLELISM: 'false',
  USE_AUTH: 'true',
  PASSENGER_ENV: 'production',
  COMPASS: 'north',
  MONKEY: 'see',
  EMPTY_TOKEN: '',
  REPOSITORY: 'git@github.com:x/y.git',
  HTTPS_PROXY: 'http://proxy.example:8080',
  NODE_OPTIONS: '--max-old-space-size=4096',
  LS_COLORS: 'rs=0:di=01;34:ln=01;36',
}

test('hides variables from commands that look like secrets by name or value', () => {
  const env = commandEnv({ ...SECRET, ...HARMLESS }, DEFAULT_SETTINGS)
  expect(Object.keys(SECRET).filter((name) => name in env)).toEqual([])
  expect(env).toMatchObject(HARMLESS)
  const inClient = clientTerminalEnv({ ...SECRET, ...HARMLESS }, DEFAULT_SETTINGS)
  expect(inClient).toMatchObject(Object.fromEntries(Object.keys(SECRET).map((name) => [name, ''])))
  for (const name of Object.keys(HARMLESS)) expect(inClient).not.toHaveProperty(name)
})

test('a secret that pass_env names is passed to commands, unless it is a key of a provider or hidden by hide_env', () => {
  const tools = {
    ...DEFAULT_SETTINGS.tools,
    passEnv: ['github_token', 'OPENAI_API_KEY', 'DB_PASS'],
    hideEnv: ['DB_PASS'],
  }
  const env = commandEnv({ ...SECRET, OPENAI_API_KEY: 'key' }, { ...DEFAULT_SETTINGS, tools })
  expect(env['GITHUB_TOKEN']).toBe('x1')
  expect(env).not.toHaveProperty('OPENAI_API_KEY')
  expect(env).not.toHaveProperty('DB_PASS')
})

test('a variable named in a server definition keeps its value, unless it is a provider key', () => {
  const env = namedEnv({ ...SECRET, OPENAI_API_KEY: 'key' }, DEFAULT_SETTINGS)
  expect(env).toMatchObject(SECRET)
  expect(env).not.toHaveProperty('OPENAI_API_KEY')
})

test('judges a long value quickly', () => {
  const before = cpuMs()
  for (const text of [
    'a:'.repeat(100_000),
    `${'://'.repeat(60_000)}x`,
    'eyJ'.repeat(60_000),
    `https://${'a'.repeat(200_000)}`,
    'bearer '.repeat(30_000),
  ])
    commandEnv({ X: text }, DEFAULT_SETTINGS)
  expect(cpuMs() - before).toBeLessThan(2_000)
})
