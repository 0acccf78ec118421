import { accessSync, chmodSync, constants, mkdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { CodedError } from '../../../shared/model/errors'

/**
 * The folder everything of Trestle lives in: `wanted`, else TRESTLE_HOME, else `~/.trestle`. Makes it when missing, for the user alone
 * (0700), and takes rights of others away from `~/.trestle`. Returns an absolute path. CodedError `home.unusable` when it is not a folder
 * that can be written.
 */
export function resolveHome(wanted?: string, env: NodeJS.ProcessEnv = process.env): string {
  const standard = join(homedir(), '.trestle')
  const chosen = wanted || env['TRESTLE_HOME'] || standard
  const home = resolve(chosen === '~' || /^~[/\\]/.test(chosen) ? join(homedir(), chosen.slice(1)) : chosen)
  try {
    makeFolder(home)
    const { mode } = statSync(home)
    // Only our own place: TRESTLE_HOME may name a folder that is shared on purpose, and every file in it that matters is 0600 anyway.
    if (process.platform !== 'win32' && home === standard && (mode & 0o077) !== 0) chmodSync(home, 0o700)
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CodedError('home.unusable', `Trestle cannot use the folder ${home}: ${reason}`, { cause: error })
  }
  return home
}

/** With the folders above it. One by one, since Node's own way never ends where the system denies that a folder is there (/proc). */
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })) return
  makeFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}
