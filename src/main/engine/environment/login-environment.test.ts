import { describe, expect, it } from 'vitest'
import type { EnvironmentSettings } from '../config/settings/host-settings'
import { createLoginEnvironment } from './login-environment'
import type { LoginShellAnswer, LoginShellRequest } from './login-shell'

const BARE = { HOME: '/home/user', PATH: '/usr/bin:/bin', SHELL: '/bin/zsh' }

function start({
  answers,
  settings = { loginShell: true },
}: {
  answers: LoginShellAnswer[]
  settings?: EnvironmentSettings
}) {
  const env: NodeJS.ProcessEnv = { ...BARE }
  const asked: LoginShellRequest[] = []
  const logged: string[] = []
  let changes = 0
  const state = { settings }
  const environment = createLoginEnvironment({
    loginShell: {},
    env,
    settings: () => state.settings,
    changed: () => (changes += 1),
    log: (message) => logged.push(message),
    read: async (request) => {
      asked.push(request)
      return answers.shift()!
    },
  })
  return { env, asked, logged, state, environment, changes: () => changes }
}

describe('the environment of the login shell', () => {
  it('replaces that of the process once known, and reports the source of PATH', async () => {
    const { env, environment, asked, changes } = start({
      answers: [{ env: { PATH: '/opt/tools:/usr/bin', CARGO_HOME: '/c' } }],
    })
    expect(environment.view()).toMatchObject({ state: 'reading', shell: '/bin/zsh', path: ['/usr/bin', '/bin'] })
    await environment.ready()
    expect(env).toMatchObject({ PATH: '/opt/tools:/usr/bin', CARGO_HOME: '/c', HOME: '/home/user' })
    expect(environment.view()).toMatchObject({
      state: 'ready',
      shell: '/bin/zsh',
      path: ['/opt/tools', '/usr/bin'],
      variables: 2,
    })
    expect(asked[0]).toMatchObject({ shell: '/bin/zsh', env: BARE })
    expect(changes()).toBeGreaterThan(0)
  })

  it('leaves the process unchanged on failure, and reports the reason and the remedy', async () => {
    const { env, environment, logged } = start({
      answers: [{ problem: 'zsh ended with exit code 3.', advice: 'Run it.' }],
    })
    await environment.ready()
    expect(env).toEqual(BARE)
    expect(environment.view()).toMatchObject({
      state: 'failed',
      problem: 'zsh ended with exit code 3.',
      advice: 'Run it.',
    })
    expect(logged.join()).toContain('zsh ended with exit code 3.')
  })

  it('is read again from the original environment, and drops removed variables', async () => {
    const { env, environment, asked } = start({
      answers: [{ env: { PATH: '/old', GONE: '1' } }, { env: { PATH: '/new' } }],
    })
    await environment.ready()
    expect(await environment.read()).toMatchObject({ state: 'ready', path: ['/new'] })
    expect(env).toEqual({ ...BARE, PATH: '/new' })
    expect(asked[1]?.env).toEqual(BARE)
  })

  it('is undone when turned off, and read when turned on', async () => {
    const { env, environment, state } = start({ answers: [{ env: { PATH: '/shell' } }, { env: { PATH: '/shell' } }] })
    await environment.ready()
    state.settings = { loginShell: false }
    environment.settingsChanged()
    expect(env).toEqual(BARE)
    expect(environment.view()).toMatchObject({ state: 'off', enabled: false, path: ['/usr/bin', '/bin'] })
    state.settings = { loginShell: true, shell: '/bin/fish' }
    environment.settingsChanged()
    await environment.ready()
    expect(environment.view()).toMatchObject({ state: 'ready', shell: '/bin/fish', path: ['/shell'] })
  })

  it('is not read if the process was started with a complete one', async () => {
    const env = { ...BARE }
    const environment = createLoginEnvironment({
      loginShell: undefined,
      env,
      settings: () => ({ loginShell: true }),
      changed: () => {},
      log: () => {},
      read: () => Promise.reject(new Error('was asked')),
    })
    await environment.ready()
    expect(environment.view()).toMatchObject({ state: 'inherited', path: ['/usr/bin', '/bin'] })
  })
})
