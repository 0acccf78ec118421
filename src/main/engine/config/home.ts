import { accessSync, chmodSync, constants, mkdirSync, statSync, existsSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve, win32 } from 'node:path'
import { execFile } from 'node:child_process'
import { CodedError } from '../../../shared/errors'
import { pathFlavor } from '../workspace/path/path-flavor'
import { cutText } from '../../../shared/cut-text'

/**
 * The folder with all of Trestle's data: `wanted`, otherwise TRESTLE_HOME, otherwise `~/.trestle`. Creates it if
 * missing, only for the user (0700), and removes other users' permissions from `~/.trestle`. Returns an absolute path.
 * Throws CodedError `home.unusable` if it is not a writable folder.
 */
export function resolveHome(wanted?: string, env: NodeJS.ProcessEnv = process.env): string {
  const userHome = homedir()
  const standard = join(userHome, '.trestle')
  const chosen = wanted || env['TRESTLE_HOME'] || standard
  const isInUserHome = chosen === standard || chosen === '~' || /^~[/\\]/.test(chosen)
  // It would be a folder in the project, which could then supply its own settings.
  if (isInUserHome && !isAbsolute(userHome))
    throw new CodedError('home.unusable', `HOME is ${JSON.stringify(userHome)}, which is not an absolute path.`)
  const home = resolve(chosen.startsWith('~') && isInUserHome ? join(userHome, chosen.slice(1)) : chosen)
  try {
    makeFolder(home)
    const stats = statSync(home)
    if (!stats.isDirectory()) throw new CodedError('home.unusable', `${home} is a file, not a folder.`)
    const { mode } = stats
    // Only our default folder: TRESTLE_HOME may name a folder that is shared on purpose, and all sensitive files in it
    // are 0600 anyway.
    if (process.platform !== 'win32' && home === standard && (mode & 0o077) !== 0) chmodSync(home, 0o700)
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    if (error instanceof CodedError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    const reason = (code !== undefined && REASONS[code]) || message
    throw new CodedError('home.unusable', `${shortened(home)}: ${reason}`, { cause: error })
  }
  return home
}

/** Messages for the system's errors. */
const REASONS: Record<string, string> = {
  EACCES: 'you have no permission to use it.',
  EPERM: 'you have no permission to use it.',
  EROFS: 'its file system is read-only.',
  ENOTDIR: 'a part of the path is a file, not a folder.',
  ENAMETOOLONG: 'the path is too long.',
  ELOOP: 'its symbolic links form a loop.',
  ENOENT: 'it does not exist and cannot be made there.',
  ENOSPC: 'it cannot be made, since the disk is full.',
}

const MAX_SHOWN_PATH_CHARS = 200

function shortened(path: string): string {
  return path.length > MAX_SHOWN_PATH_CHARS ? `${cutText(path, MAX_SHOWN_PATH_CHARS)}…` : path
}

/**
 * Creates a folder and its parents one by one, because Node's `recursive` never returns in file systems such as /proc,
 * where folders cannot be created.
 */
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })) return
  makeFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

/** Runs a system program; resolves with its exit code, or undefined if it could not be run. */
export type RunProgram = (program: string, args: readonly string[]) => Promise<number | undefined>

export interface PrivateFolderOptions {
  platform?: NodeJS.Platform
  env?: NodeJS.ProcessEnv
  userHome?: string
  run?: RunProgram
}

/** Marks that it was done, so that the next start need not repeat it. */
const MARKER_FILE = '.private'
/** The system itself, which backs up and indexes. */
const SYSTEM_SID = '*S-1-5-18'

/**
 * Makes a home private on Windows, where file modes have no effect. Everything below the user's own folder is private
 * anyway; a home elsewhere (`D:\trestle`) is readable by all users until it gets its own access list, once. Returns a
 * sentence if that failed.
 */
export async function keepFolderPrivate(
  folder: string,
  { platform = process.platform, env = process.env, userHome = homedir(), run = runProgram }: PrivateFolderOptions = {},
): Promise<string | undefined> {
  if (platform !== 'win32' || pathFlavor('win32').isWithin(folder, userHome) || existsSync(join(folder, MARKER_FILE)))
    return undefined
  const user = [env['USERDOMAIN'], env['USERNAME']].filter(Boolean).join('\\')
  const icacls = win32.join(env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'icacls.exe')
  const grants = [user, SYSTEM_SID].map((who) => `${who}:(OI)(CI)F`)
  // With an empty name, not even the user could read it afterwards.
  const code = user === '' ? undefined : await run(icacls, [folder, '/inheritance:r', '/grant:r', ...grants, '/Q'])
  if (code !== 0)
    return (
      `Other users of this computer may be able to read ${folder}, where your sessions and keys are, ` +
      `because its access list could not be changed. Choose a folder below ${userHome} for TRESTLE_HOME.`
    )
  try {
    writeFileSync(join(folder, MARKER_FILE), '')
  } catch {
    // It is repeated at the next start.
  }
  return undefined
}

const runProgram: RunProgram = (program, args) =>
  new Promise((resolve) => {
    execFile(program, [...args], { windowsHide: true, timeout: 10_000 }, (error) =>
      resolve(error === null ? 0 : typeof error.code === 'number' ? error.code : undefined),
    )
  })
