import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect, type Server, type Socket } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { CodedError, type ErrorCode } from '../../../shared/errors'
import { identityOf } from './process-identity'
import { errorCode } from '../../../shared/error-text'

/** The maximum length of a socket path, minus space for the number. */
const LONGEST_PATH = 92

/**
 * The address of a process that runs once per home. Its sockets are numbered, and the highest number counts: a name is
 * never reused, so a process that finds a dead holder cannot remove the name of its successor. Processes in different
 * pid namespaces (another machine or container on the same home) have separate ones.
 */
export interface HomeEndpoint {
  folder: string
  /** A secret shared by both sides, read from a file that only the user can read. */
  token: string
  /** The current socket. */
  newest(): { path: string; number: number } | undefined
  /** The socket path of the holder with this number. */
  pathOf(number: number): string
}

export interface HomeEndpointOptions {
  home: string
  /** The file of the token, in `run/`. */
  tokenFile: string
  /** Sets sockets of one kind apart; at most 4 characters. */
  kind: string
  /** The error code to use when there is no safe location. */
  code: ErrorCode
}

/** Creates missing folders and the token. Throws a CodedError with `code` if there is no safe location. */
export function homeEndpoint({ home, tokenFile, kind, code }: HomeEndpointOptions): HomeEndpoint {
  const folder = socketFolder(home, code)
  const token = sharedToken(join(privateFolder(join(home, 'run'), code), tokenFile), { code })
  const prefix = `${short(identityOf(process.pid).machine.split('|')[1] ?? '')}-${kind}.`
  const pathOf = (number: number): string =>
    // The name cannot be guessed, and it disappears when its holder exits.
    process.platform === 'win32' ? `\\\\.\\pipe\\trestle-${short(token)}-${kind}` : join(folder, `${prefix}${number}`)
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

/** Undefined if we got the endpoint and `server` listens there; otherwise the path of the live holder. */
export async function claimEndpoint(endpoint: HomeEndpoint, server: Server): Promise<string | undefined> {
  for (;;) {
    const newest = endpoint.newest()
    if (newest && (await answers(newest.path))) return newest.path
    if (process.platform === 'win32') {
      if (await listens(server, endpoint.pathOf(1))) return undefined
      continue
    }
    const number = (newest?.number ?? 0) + 1
    const own = `${endpoint.pathOf(number)}.${process.pid}`
    rmSync(own, { force: true })
    if (!(await listens(server, own))) throw new Error(`Nothing can listen at ${own}.`)
    try {
      chmodSync(own, 0o600)
      // The server already listens when it becomes visible, and only one process gets the name.
      claim(own, endpoint.pathOf(number))
      if (newest) rmSync(newest.path, { force: true })
      return undefined
    } catch (error) {
      await new Promise((resolve) => server.close(resolve))
      if (!isThere(error)) throw error
    }
  }
}

/** A connection to the socket at this path; undefined if nothing listens there. */
export function dial(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.removeAllListeners('error')
      resolve(socket)
    })
    socket.once('error', () => resolve(undefined))
  })
}

/** Throws EEXIST if another process already has the name. */
function claim(own: string, name: string): void {
  try {
    linkSync(own, name)
    rmSync(own, { force: true })
  } catch (error) {
    const code = errorCode(error)
    // The file system cannot link sockets: if two processes start at exactly the same time, the first one cannot be
    // found and exits when idle.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EISDIR'].includes(String(code)) || existsSync(name)) throw error
    renameSync(own, name)
  }
}

function listens(server: Server, path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error)
    server.once('error', failed)
    server.listen(path, () => {
      server.off('error', failed)
      resolve(true)
    })
  })
}

async function answers(path: string): Promise<boolean> {
  const socket = await dial(path)
  socket?.destroy()
  return socket !== undefined
}

function socketFolder(home: string, code: ErrorCode): string {
  const folder = join(home, 'run')
  if (process.platform === 'win32' || folder.length + 30 <= LONGEST_PATH) return privateFolder(folder, code)
  const inTemp = join(tmpdir(), `trestle-${userInfo().uid}`)
  const base = inTemp.length + 40 <= LONGEST_PATH ? inTemp : `/tmp/trestle-${userInfo().uid}`
  privateFolder(base, code)
  return privateFolder(join(base, short(home)), code)
}

/**
 * Ensures that the folder is private: in a folder that another user created or can write to, that user could
 * impersonate the holder.
 */
function privateFolder(path: string, code: ErrorCode): string {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  if (process.platform === 'win32') return path
  const { uid, mode } = lstatSync(path)
  if (!lstatSync(path).isDirectory() || uid !== userInfo().uid)
    throw new CodedError(code, `${path} belongs to another user.`)
  if ((mode & 0o077) !== 0) chmodSync(path, 0o700)
  return path
}

const TOKEN_CHARS = 64
/** Without hard links, a token file is briefly empty before it is written. */
const MAX_LOOKS = 100

/**
 * The secret in this file, created by the first process. `link` and `write` can be replaced to test file systems with
 * limitations.
 */
export function sharedToken(
  file: string,
  {
    link = linkSync,
    write = writeFileSync,
    code = 'task.host_unavailable',
  }: { link?: typeof linkSync; write?: typeof writeFileSync; code?: ErrorCode } = {},
): string {
  const known = readToken(file)
  if (known !== undefined) return known
  const token = randomBytes(TOKEN_CHARS / 2).toString('hex')
  const temporary = `${file}.${randomBytes(6).toString('hex')}`
  write(temporary, token, { mode: 0o600, flag: 'wx' })
  try {
    // The file appears with its full content, whichever process is first.
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
  throw new CodedError(code, `${file} is damaged. Remove it and start Trestle again.`)
}

/** exFAT and some network file systems have no hard links. */
function makeWithoutLinks(file: string, token: string, write: typeof writeFileSync): void {
  try {
    write(file, token, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (!isThere(error)) throw error
  }
}

/** Undefined if the file is missing or not written yet. */
function readToken(file: string): string | undefined {
  try {
    const token = readFileSync(file, 'utf8')
    return token.length === TOKEN_CHARS ? token : undefined
  } catch {
    return undefined
  }
}

function isThere(error: unknown): boolean {
  return errorCode(error) === 'EEXIST'
}

function short(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
