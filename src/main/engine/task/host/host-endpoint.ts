import { type Socket } from 'node:net'
import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { CodedError } from '../../../../shared/errors'
import { identityOf } from '../../process/process-identity'
import { PROTOCOL } from './task-protocol'

/** The maximum length of a socket path, minus space for the number. */
const LONGEST_PATH = 92

/**
 * Where the task host of a home listens. The sockets of one protocol are numbered, and the highest number counts: a
 * name is never reused, so a process that finds a dead host cannot remove the name of its successor. Processes in
 * different pid namespaces (another machine or container on the same home) have separate hosts.
 */
export interface HostEndpoint {
  folder: string
  /** Shared by both sides: read from a file that only the user can read. */
  token: string
  /** The current socket. */
  newest(): { path: string; number: number } | undefined
  /** Where the host with this number listens. */
  pathOf(number: number): string
}

/** Creates what is missing. Throws CodedError `task.host_unavailable` if there is no safe location. */
export function hostEndpoint(home: string): HostEndpoint {
  const folder = socketFolder(home)
  const token = sharedToken(join(privateFolder(join(home, 'run')), 'task-host.token'))
  const prefix = `${short(identityOf(process.pid).machine.split('|')[1] ?? '')}-${PROTOCOL}.`
  const pathOf = (number: number): string =>
    // The name cannot be guessed, and it disappears with its host.
    process.platform === 'win32'
      ? `\\\\.\\pipe\\trestle-${short(token)}-${PROTOCOL}`
      : join(folder, `${prefix}${number}`)
  return {
    folder,
    token,
    pathOf,
    newest() {
      if (process.platform === 'win32') return { path: pathOf(1), number: 1 }
      const numbers = readdirSync(folder).flatMap((name) => {
        const number = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : Number.NaN
        return Number.isInteger(number) ? [number] : []
      })
      return numbers.length === 0 ? undefined : { path: pathOf(Math.max(...numbers)), number: Math.max(...numbers) }
    },
  }
}

/** Whether this home ever had a host; creates nothing. */
export function hasHostEndpoint(home: string): boolean {
  return existsSync(join(home, 'run', 'task-host.token'))
}

function socketFolder(home: string): string {
  const folder = join(home, 'run')
  if (process.platform === 'win32' || folder.length + 30 <= LONGEST_PATH) return privateFolder(folder)
  const inTemp = join(tmpdir(), `trestle-${userInfo().uid}`)
  const base = inTemp.length + 40 <= LONGEST_PATH ? inTemp : `/tmp/trestle-${userInfo().uid}`
  privateFolder(base)
  return privateFolder(join(base, short(home)))
}

/** Private to us: through a folder that another user created, or can write to, they could impersonate the host. */
function privateFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  if (process.platform === 'win32') return path
  const { uid, mode } = lstatSync(path)
  if (!lstatSync(path).isDirectory() || uid !== userInfo().uid)
    throw new CodedError('task.host_unavailable', `${path} belongs to another user.`)
  if ((mode & 0o077) !== 0) chmodSync(path, 0o700)
  return path
}

const TOKEN_CHARS = 64
/** Without links, a token file exists for a moment before it is written. */
const MAX_LOOKS = 100

/**
 * The secret in this file, created by the first process. `link` and `write` can be replaced to test file systems with
 * limitations.
 */
export function sharedToken(file: string, { link = linkSync, write = writeFileSync } = {}): string {
  const known = readToken(file)
  if (known !== undefined) return known
  const token = randomBytes(TOKEN_CHARS / 2).toString('hex')
  const temporary = `${file}.${randomBytes(6).toString('hex')}`
  write(temporary, token, { mode: 0o600, flag: 'wx' })
  try {
    // Complete from the first moment, whichever process is first.
    link(temporary, file)
  } catch (error) {
    if (!isThere(error)) makeWithoutLinks(file, token, write)
  } finally {
    rmSync(temporary, { force: true })
  }
  for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
    const found = readToken(file)
    if (found !== undefined) return found
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
  }
  throw new CodedError('task.host_unavailable', `${file} is damaged. Remove it and start Trestle again.`)
}

/** exFAT and some network file systems have no links. */
function makeWithoutLinks(file: string, token: string, write: typeof writeFileSync): void {
  try {
    write(file, token, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (!isThere(error)) throw error
  }
}

/** Undefined if it is missing, or not written yet. */
function readToken(file: string): string | undefined {
  try {
    const token = readFileSync(file, 'utf8')
    return token.length === TOKEN_CHARS ? token : undefined
  } catch {
    return undefined
  }
}

function isThere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST'
}

function short(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

export interface HostSocket {
  socket: Socket
  token: string
}
