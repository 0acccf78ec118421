import { accessSync, chmodSync, constants, mkdirSync, statSync, existsSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve, win32 } from 'node:path'
import { execFile } from 'node:child_process'
import { CodedError } from '../../../shared/errors'
import { pathFlavor } from '../workspace/path/path-flavor'
import { cutText } from '../../../shared/cut-text'

/**
 * The folder everything of Trestle lives in: `wanted`, else TRESTLE_HOME, else `~/.trestle`. Makes it when missing, for
 * the user alone (0700), and takes rights of others away from `~/.trestle`. Returns an absolute path. CodedError
 * `home.unusable` when it is not a folder that can be written.
 */
export function resolveHome(wanted?: string, env: NodeJS.ProcessEnv = process.env): string {
  const userHome = homedir()
  const standard = join(userHome, '.trestle')
  const chosen = wanted || env['TRESTLE_HOME'] || standard
  const isInUserHome = chosen === standard || chosen === '~' || /^~[/\\]/.test(chosen)
  // It would be a folder in the project, which could then bring settings of its own.
  if (isInUserHome && !isAbsolute(userHome))
    throw new CodedError('home.unusable', `HOME is ${JSON.stringify(userHome)}, which is not an absolute path.`)
  const home = resolve(chosen.startsWith('~') && isInUserHome ? join(userHome, chosen.slice(1)) : chosen)
  try {
    makeFolder(home)
    const stats = statSync(home)
    if (!stats.isDirectory()) throw new CodedError('home.unusable', `${home} is a file, not a folder.`)
    const { mode } = stats
    // Only our own place: TRESTLE_HOME may name a folder that is shared on purpose, and every file in it that matters
    // is 0600 anyway.
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

/** What the system's errors mean here. */
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
 * With the folders above it. One by one, since Node's own way never ends where the system denies that a folder is there
 * (/proc).
 */
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })) return
  makeFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

/** Runs a program of the system; the exit code, or undefined when it could not be run. */
export type RunProgram = (program: string, args: readonly string[]) => Promise<number | undefined>

export interface PrivateFolderOptions {
  platform?: NodeJS.Platform
  env?: NodeJS.ProcessEnv
  userHome?: string
  run?: RunProgram
}

/** Says that it was done, so that it costs nothing at the next start. */
const MARKER_FILE = '.private'
/** The system itself, which backs up and indexes. */
const SYSTEM_SID = '*S-1-5-18'

/**
 * On Windows modes mean nothing. Below the user's own folder everything is private anyway; a home elsewhere
 * (`D:\trestle`) is readable by all users until it gets an access list of its own, once. Returns why that is not so, as
 * a sentence.
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
  // With an empty name not even the user could read it afterwards.
  const code = user === '' ? undefined : await run(icacls, [folder, '/inheritance:r', '/grant:r', ...grants, '/Q'])
  if (code !== 0)
    return (
      `Other users of this computer may be able to read ${folder}, where your sessions and keys are, ` +
      `because its access list could not be changed. Choose a folder below ${userHome} for TRESTLE_HOME.`
    )
  try {
    writeFileSync(join(folder, MARKER_FILE), '')
  } catch {
    // Then it is done once more at the next start.
  }
  return undefined
}

const runProgram: RunProgram = (program, args) =>
  new Promise((resolve) => {
    execFile(program, [...args], { windowsHide: true, timeout: 10_000 }, (error) =>
      resolve(error === null ? 0 : typeof error.code === 'number' ? error.code : undefined),
    )
  })
