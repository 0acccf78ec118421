import {
  appendFileSync,
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { isSecretVariable, maskSecretValues } from '../environment/command-env'
import { errorCode } from '../../../shared/error-text'

/** Maximum size of a file, and the number of older files to keep. */
const MAX_BYTES = 1 << 20
const OLDER_FILES = 3
const TAIL_BYTES = 64 * 1024
const MAX_MESSAGE_CHARS = 500

/** Logs errors; `info` logs context that helps to understand them. */
export interface AppLog {
  (message: string): void
  info(message: string): void
  readonly file: string
}

export interface AppLogOptions {
  home: string
  /** Removes secrets from a message. */
  redact(message: string): string
  now?: () => number
  mostBytes?: number
}

/** The log file of a home. */
export function logFile(home: string): string {
  return join(home, 'logs', 'trestle.log')
}

/**
 * The log of a home, for all processes that use it: at 1 MB it becomes `trestle.1.log`, and three older ones are kept.
 * Only the user can read it. Writing never throws; messages that cannot be written go to stderr.
 */
export function openAppLog({ home, redact, now = Date.now, mostBytes = MAX_BYTES }: AppLogOptions): AppLog {
  const file = logFile(home)
  const write = (level: 'error' | 'info', message: string): void => {
    const text = redact(message).replaceAll(/\r?\n/g, '\n  ')
    const line = `${new Date(now()).toISOString()} ${level} ${process.pid} ${text}\n`
    try {
      mkdirSync(join(home, 'logs'), { recursive: true, mode: 0o700 })
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > mostBytes) rotate(home)
      appendFileSync(file, line, { mode: 0o600 })
      if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
    } catch {
      process.stderr.write(line)
    }
  }
  return Object.assign((message: string) => write('error', message), {
    info: (message: string) => write('info', message),
    file,
  })
}

/** The latest errors in the log, oldest first; each shortened to its first line. */
export function recentErrors(home: string, most = 20): { at: string; message: string }[] {
  return tailOf(logFile(home))
    .split('\n')
    .flatMap((line) => {
      const [, at, message] = /^(\d{4}-\S+Z) error \d+ (.*)$/.exec(line) ?? []
      return at !== undefined && message !== undefined ? [{ at, message: message.slice(0, MAX_MESSAGE_CHARS) }] : []
    })
    .slice(-most)
}

function rotate(home: string): void {
  const older = (number: number): string => join(home, 'logs', `trestle.${number}.log`)
  rmSync(older(OLDER_FILES), { force: true })
  for (let number = OLDER_FILES - 1; number >= 1; number -= 1) moveIfThere(older(number), older(number + 1))
  moveIfThere(logFile(home), older(1))
}

/** Ignores a missing file: another process may rotate at the same time. */
function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
}

function tailOf(file: string): string {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size === 0) return ''
  const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES))
  const descriptor = openSync(file, 'r')
  try {
    const read = readSync(descriptor, bytes, 0, bytes.length, size - bytes.length)
    return bytes.subarray(0, read).toString('utf8')
  } finally {
    closeSync(descriptor)
  }
}

/** Redacting shorter values would remove harmless words from messages. */
const MIN_SECRET_CHARS = 8
const MASK = '[redacted]'

/**
 * Removes from a text everything that looks like a key or password, the values of secret environment variables, and the
 * `known` keys, which are stored or configured.
 */
export function createRedact({
  env,
  known = () => [],
}: {
  env: NodeJS.ProcessEnv
  known?: () => readonly string[]
}): (text: string) => string {
  return (text) => {
    const ofEnv = Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && isSecretVariable(name, value) ? [value] : [],
    )
    const secrets = [...ofEnv, ...known()]
      .filter((value) => value.length >= MIN_SECRET_CHARS)
      .toSorted((a, b) => b.length - a.length)
    let redacted = text
    for (const secret of new Set(secrets)) redacted = redacted.replaceAll(secret, MASK)
    return maskSecretValues(redacted, MASK)
  }
}
