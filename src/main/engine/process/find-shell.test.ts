import { describe, expect, test } from 'vitest'
import { findShell, NO_GIT_BASH, rewriteNul, withoutStartupFile } from './find-shell'

const found = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv, files: string[]): unknown => {
  const there = new Set(files.map((file) => file.toLowerCase()))
  return findShell({ platform, env, isFile: (path) => there.has(path.toLowerCase()) })
}

describe('on Linux and macOS', () => {
  test('ignores $SHELL, which may be fish', () => {
    expect(found('linux', { SHELL: '/usr/bin/fish', PATH: '/usr/bin' }, ['/usr/bin/fish', '/bin/bash'])).toEqual({
      path: '/bin/bash',
    })
  })

  test('finds bash on PATH, but never in a relative folder', () => {
    expect(found('linux', { PATH: '.:bin:/nix/bin' }, ['bin/bash', 'bash', '/nix/bin/bash'])).toEqual({
      path: '/nix/bin/bash',
    })
  })

  test('falls back to plain sh, with a note', () => {
    expect(found('linux', { PATH: '/bin' }, ['/bin/sh'])).toMatchObject({
      path: '/bin/sh',
      note: expect.stringContaining('bash is not installed'),
    })
  })

  test('says what to do when there is no shell', () => {
    expect(found('linux', {}, [])).toMatchObject({ error: expect.stringContaining('Install it') })
  })
})

test('only bash gets the option that keeps it from reading ~/.bashrc', () => {
  for (const path of ['/bin/bash', '/nix/bin/bash', 'C:\\Program Files\\Git\\bin\\bash.exe'])
    expect(withoutStartupFile({ path })).toEqual(['--norc'])
  for (const path of ['/bin/sh', '/opt/bash/zsh']) expect(withoutStartupFile({ path })).toEqual([])
})

describe('on Windows', () => {
  const BASH = 'C:\\Program Files\\Git\\bin\\bash.exe'

  test.each(['C:\\Program Files\\Git\\cmd', 'C:\\Program Files\\Git\\bin', '"C:\\Program Files\\Git\\mingw64\\bin"'])(
    'finds bash from the git.exe in %s',
    (folder) => {
      const git = `${folder.replaceAll('"', '')}\\git.exe`
      expect(found('win32', { PATH: `C:\\Windows\\System32;${folder}` }, [git, BASH])).toEqual({ path: BASH })
    },
  )

  test('never uses the WSL launcher', () => {
    expect(
      found('win32', { PATH: 'C:\\Windows\\System32' }, [
        'C:\\Windows\\System32\\bash.exe',
        'C:\\Windows\\System32\\git.exe',
      ]),
    ).toEqual({ error: NO_GIT_BASH })
  })

  test('finds the Git of Scoop from its shims', () => {
    const bash = 'C:\\Users\\me\\scoop\\apps\\git\\current\\bin\\bash.exe'
    expect(
      found('win32', { Path: 'C:\\Users\\me\\scoop\\shims' }, ['C:\\Users\\me\\scoop\\shims\\git.exe', bash]),
    ).toEqual({ path: bash })
  })

  test('finds Git in its default install folders, per user too, when it is not on PATH', () => {
    expect(found('win32', { ProgramFiles: 'C:\\Program Files' }, [BASH])).toEqual({ path: BASH })
    const own = 'C:\\Users\\me\\AppData\\Local\\Programs\\Git\\bin\\bash.exe'
    expect(found('win32', { LOCALAPPDATA: 'C:\\Users\\me\\AppData\\Local' }, [own])).toEqual({ path: own })
  })

  test('a configured path takes precedence, and the error names it if it is wrong', () => {
    expect(
      found('win32', { TRESTLE_SHELL_PATH: 'D:\\bash.exe', ProgramFiles: 'C:\\Program Files' }, ['D:\\bash.exe', BASH]),
    ).toEqual({
      path: 'D:\\bash.exe',
    })
    expect(found('win32', { TRESTLE_SHELL_PATH: 'D:\\no.exe' }, [BASH])).toMatchObject({
      error: expect.stringContaining('D:\\no.exe'),
    })
  })
})

test.each([
  ['dir > nul', 'dir > /dev/null'],
  ['dir >nul 2>&1', 'dir >/dev/null 2>&1'],
  ['a 2>NUL && b 2>nul; c &>nul', 'a 2>/dev/null && b 2>/dev/null; c &>/dev/null'],
  ['echo x >> nul', 'echo x >> /dev/null'],
  ['echo > nulls; cat nul', 'echo > nulls; cat nul'],
])('a redirection to nul creates no file: %s', (command, rewritten) => {
  expect(rewriteNul(command)).toBe(rewritten)
})
