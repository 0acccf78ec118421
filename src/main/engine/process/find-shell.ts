import { statSync } from 'node:fs'
import { posix, win32 } from 'node:path'

/** The shell that runs commands, and what the user should know about it. */
export interface Shell {
  path: string
  /** Set when it is not bash. */
  note?: string
}

/** What finding a shell depends on; passed in, so that each platform can be tested on any other. */
export interface ShellSurroundings {
  platform: NodeJS.Platform
  env: NodeJS.ProcessEnv
  isFile: (path: string) => boolean
}

export const NO_GIT_BASH =
  'Commands need Git Bash, which was not found. Install Git for Windows (https://git-scm.com/download/win), ' +
  'or set TRESTLE_SHELL_PATH to a bash.exe, and start Trestle again.'

/**
 * The shell to run commands in. On Windows, Git's bash (never the WSL launcher, which runs in another file system);
 * elsewhere /bin/bash, else the first bash on PATH, else plain sh. $SHELL is ignored because it may be any language.
 * `error` says what to do.
 */
export function findShell(around: ShellSurroundings): Shell | { error: string } {
  const { env, isFile, platform } = around
  const named = env['TRESTLE_SHELL_PATH']
  if (named !== undefined && named !== '') {
    return isFile(named)
      ? { path: named }
      : { error: `TRESTLE_SHELL_PATH names ${named}, which is not a file. Correct it or remove it.` }
  }
  if (platform === 'win32') {
    const path = gitBashCandidates(around).find(isFile)
    return path === undefined ? { error: NO_GIT_BASH } : { path }
  }
  const folders = (env['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/'))
  const bash = ['/bin/bash', ...folders.map((folder) => posix.join(folder, 'bash'))].find(isFile)
  if (bash !== undefined) return { path: bash }
  const sh = ['/bin/sh', ...folders.map((folder) => posix.join(folder, 'sh'))].find(isFile)
  return sh === undefined
    ? {
        error:
          'Commands need bash, which was not found. Install it, or set TRESTLE_SHELL_PATH, and start Trestle again.',
      }
    : {
        path: sh,
        note:
          'bash is not installed, so commands run in a plain sh: arrays, ' +
          '[[ ]], <( ) and other features of bash are missing.',
      }
}

/**
 * Arguments that keep bash from reading ~/.bashrc. With a socket as its input (Node's pipes are sockets) and without
 * SHLVL, bash assumes it is a remote shell, and reads it even for `bash -c`. Other shells do not, and may refuse the
 * option.
 */
export function withoutStartupFile({ path }: Shell): string[] {
  return /^bash(?:\.exe)?$/i.test(win32.basename(path)) ? ['--norc'] : []
}

/**
 * Candidates in the order in which they are tried: next to every git.exe on PATH (including package manager shims),
 * then Git's default install folders.
 */
function gitBashCandidates({ env, isFile }: ShellSurroundings): string[] {
  const path = env['PATH'] ?? env['Path'] ?? ''
  const gits = path
    .split(';')
    .map((folder) => folder.trim().replace(/^"(.*)"$/, '$1'))
    .filter(
      (folder) => folder !== '' && (isFile(win32.join(folder, 'git.exe')) || isFile(win32.join(folder, 'git.cmd'))),
    )
  const beside = gits.flatMap((folder) => [
    // <Git>\cmd, <Git>\bin, <Git>\mingw64\bin; Scoop's shims are next to apps\git\current.
    win32.join(folder, '..', 'bin', 'bash.exe'),
    win32.join(folder, '..', '..', 'bin', 'bash.exe'),
    win32.join(folder, '..', 'apps', 'git', 'current', 'bin', 'bash.exe'),
    win32.join(folder, '..', 'usr', 'bin', 'bash.exe'),
  ])
  const local = env['LOCALAPPDATA'] ?? env['LocalAppData']
  const homes = [
    env['ProgramW6432'],
    env['ProgramFiles'],
    env['PROGRAMFILES'],
    env['ProgramFiles(x86)'],
    local && win32.join(local, 'Programs'),
  ]
  const installed = homes
    .filter((home): home is string => home !== undefined && home !== '')
    .map((home) => win32.join(home, 'Git', 'bin', 'bash.exe'))
  return [...new Set([...beside, ...installed])].filter(
    (candidate) => !/\\(?:system32|sysnative|windowsapps)\\/i.test(candidate),
  )
}

/**
 * Rewrites `> nul`, which models that know Windows write; in Git Bash it would create a file called `nul` that Windows
 * cannot delete.
 */
export function rewriteNul(command: string): string {
  return command.replace(/((?:\d|&)?>{1,2}\s*)nul(?=$|[\s;&|)])/gi, '$1/dev/null')
}

/** On Windows the folder that Git Bash shows as `/`, derived from the bash that runs commands. */
export function gitFolder(): string | undefined {
  const shell = findShell({ platform: 'win32', env: process.env, isFile })
  return 'error' in shell ? undefined : gitFolderOf(shell.path)
}

export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

/** `C:\Program Files\Git` of `…\Git\bin\bash.exe` and `…\Git\usr\bin\bash.exe`. */
export function gitFolderOf(bash: string): string {
  const folder = win32.dirname(win32.dirname(bash))
  return win32.basename(folder).toLowerCase() === 'usr' ? win32.dirname(folder) : folder
}
