import { expect, test } from 'vitest'
import { DEFAULT_SETTINGS } from '../config/settings'
import { commandEnv } from './command-env'

test('commands do not see keys: well-known ones, configured ones, named ones, whatever their case', () => {
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

test('programs find a colour terminal, no pager and no password prompt of git', () => {
  const env = commandEnv({ TERM: 'dumb', COLUMNS: '40', TMUX: 'x', PAGER: 'less' }, DEFAULT_SETTINGS)
  expect(env).toMatchObject({ TERM: 'xterm-256color', PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0' })
  expect(env).not.toHaveProperty('COLUMNS')
  expect(env).not.toHaveProperty('TMUX')
  expect(commandEnv({ GIT_TERMINAL_PROMPT: '1' }, DEFAULT_SETTINGS)['GIT_TERMINAL_PROMPT']).toBe('1')
})

test("started by npm, Trestle does not pass npm's variables and its own node on to the user's commands", () => {
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
