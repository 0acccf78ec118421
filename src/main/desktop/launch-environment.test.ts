import { describe, expect, it } from 'vitest'
import { withoutWatches } from '../../../test/support/system-limits'
import { desktopLoginShell, ReadyFile, signalReady } from './launch-environment'

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

it('the command that starts the app learns that it is ready, even if the system has no watches left', async () => {
  await withoutWatches(async () => {
    const file = new ReadyFile()
    const ready = Promise.withResolvers<void>()
    const stop = file.onReady(ready.resolve)
    signalReady(file.env)
    await expect(ready.promise).resolves.toBeUndefined()
    stop()
  })
})
