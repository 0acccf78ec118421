import { expect, test } from 'vitest'
import { appEnvironment, electronProgram } from '../support/app-environment'

test('on Windows an app gets the variables it needs to start', () => {
  const env = {
    SystemRoot: 'C:\\Windows',
    APPDATA: 'C:\\a',
    LOCALAPPDATA: 'C:\\l',
    USERPROFILE: 'C:\\u',
    Path: 'C:\\bin',
    PATHEXT: '.EXE',
  }
  expect(appEnvironment(env, {})).toEqual(env)
})

test('on Linux an app gets its display and session bus', () => {
  const env = {
    PATH: '/bin',
    DISPLAY: ':9',
    XAUTHORITY: '/x',
    WAYLAND_DISPLAY: 'w',
    XDG_RUNTIME_DIR: '/run/1',
    DBUS_SESSION_BUS_ADDRESS: 'unix:',
  }
  expect(appEnvironment(env, {})).toEqual(env)
})

test("the tester's API keys do not reach the app, and variables set by the test take precedence", () => {
  const env = { PATH: '/bin', ANTHROPIC_API_KEY: 'k', GITHUB_TOKEN: 't', NODE_OPTIONS: '--x', HOME: '/me' }
  expect(appEnvironment(env, { HOME: '/scratch', TRESTLE_HOME: '/t' })).toEqual({
    PATH: '/bin',
    HOME: '/scratch',
    TRESTLE_HOME: '/t',
  })
})

test("Electron's executable is found in its folder on every system", () => {
  expect(
    ['linux', 'darwin', 'win32'].map((platform) => electronProgram(platform as NodeJS.Platform).join('/')),
  ).toEqual(['electron', 'Electron.app/Contents/MacOS/Electron', 'electron.exe'])
})
