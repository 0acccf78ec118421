import { accessSync, chmodSync, constants, mkdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { CodedError } from '../../../shared/model/errors'

/**
 * The folder everything of Trestle lives in: `wanted`, else TRESTLE_HOME, else `~/.trestle`. Makes it when missing, for the user alone
 * (0700), and takes rights of others away from `~/.trestle`. Returns an absolute path. CodedError `home.unusable` when it is not a folder
 * that can be written.
 */
export function resolveHome(wanted?: string, env: NodeJS.ProcessEnv = process.env): string {
  const userHome = homedir()
  const standard = join(userHome, '.trestle')
  const chosen = wanted || env['TRESTLE_HOME'] || standard
  const isInUserHome = chosen === standard || chosen === '~' || /^~[/\\]/.test(chosen)
  // It would be a folder in the project, which could then bring settings of its own.
  if (isInUserHome && !isAbsolute(userHome))
    throw new CodedError('home.unusable', `HOME is ${JSON.stringify(userHome)}, which is no absolute path.`)
  const home = resolve(chosen.startsWith('~') && isInUserHome ? join(userHome, chosen.slice(1)) : chosen)
  try {
    makeFolder(home)
    const stats = statSync(home)
    if (!stats.isDirectory()) throw new CodedError('home.unusable', `${home} is a file, not a folder.`)
    const { mode } = stats
    // Only our own place: TRESTLE_HOME may name a folder that is shared on purpose, and every file in it that matters is 0600 anyway.
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

const MOST_SHOWN = 200

function shortened(path: string): string {
  return path.length > MOST_SHOWN ? `${path.slice(0, MOST_SHOWN)}…` : path
}

/** With the folders above it. One by one, since Node's own way never ends where the system denies that a folder is there (/proc). */
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })) return
  makeFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}
