import { describe, expect, it } from 'vitest'
import { desktopLoginShell } from './launch-environment'

const DOCK = { HOME: '/Users/ada', PATH: '/usr/bin:/bin:/usr/sbin:/sbin' }
const of = (env: NodeJS.ProcessEnv, platform: NodeJS.Platform = 'darwin') => desktopLoginShell({ env, platform })

describe('the desktop app', () => {
  it('reads the login shell when it was started from a dock or a launcher', () => {
    expect(of(DOCK)).toBeDefined()
    expect(of(DOCK, 'linux')).toBeDefined()
    expect(of({ ...DOCK, TERM: 'dumb' }, 'linux')).toBeDefined()
  })

  it('keeps the environment of the terminal or command that started it', () => {
    expect(of({ ...DOCK, TERM: 'xterm-256color' })).toBeUndefined()
    expect(of({ ...DOCK, TRESTLE_CLI: '1' })).toBeUndefined()
  })

  it('reads no login shell on Windows, where programs get the whole environment', () => {
    expect(of(DOCK, 'win32')).toBeUndefined()
  })
})
