import { spawn } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { CodedError } from '../../../../shared/model/errors'
import { hasHostPlace, hostPlace } from '../host/host-place'
import { withoutMasters } from '../leader-by-spawn'

const START_MS = 10_000
const MOST_ERROR_CHARS = 2_000

/** How the task host is started: a program and its first arguments, which may have to be put in place first; the home is added. */
export interface TaskHostProgram {
  program: readonly string[] | ((home: string) => Promise<readonly string[]>)
  env?: Record<string, string>
}

/** No task host could be started. Trying again at once would end the same way. */
export class HostStartError extends CodedError {
  constructor(message: string, options?: { cause?: unknown }) {
    super('task.host_unavailable', message, options)
  }
}

export interface HostSocket {
  socket: Socket
  token: string
}

/** Connects to the host of this home, if there is one. */
export async function findTaskHost(home: string): Promise<HostSocket | undefined> {
  if (!hasHostPlace(home)) return undefined
  const place = hostPlace(home)
  const newest = place.newest()
  const socket = newest && (await dial(newest.path))
  return socket && { socket, token: place.token }
}

/** Connects to the host of this home; starts one when there is none. CodedError `task.host_unavailable` when that fails. */
export async function connectTaskHost(
  home: string,
  { program, env = {} }: TaskHostProgram,
  commandEnv: Record<string, string>,
): Promise<HostSocket> {
  const found = await findTaskHost(home)
  if (found) return found
  const path = await startTaskHost(home, await commandOf(program, home), { ...commandEnv, ...env })
  const socket = await dial(path)
  if (!socket) throw new CodedError('task.host_unavailable', 'The task host has ended right after its start.')
  return { socket, token: hostPlace(home).token }
}

async function commandOf(program: TaskHostProgram['program'], home: string): Promise<readonly string[]> {
  if (typeof program !== 'function') return program
  try {
    return await program(home)
  } catch (error) {
    throw new HostStartError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

function dial(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.removeAllListeners('error')
      resolve(socket)
    })
    socket.once('error', () => resolve(undefined))
  })
}

/** Starts a host that outlives us, and waits until it (or one that was quicker) listens. Returns where. */
function startTaskHost(home: string, program: readonly string[], env: Record<string, string>): Promise<string> {
  const [command = '', ...args] = program
  return new Promise((resolve, reject) => {
    const child = withoutMasters(
      (stdio) => spawn(command, [...args, home], { cwd: home, env, stdio, detached: true, windowsHide: true }),
      ['ignore', 'pipe', 'pipe'],
    )
    let [out, problem] = ['', '']
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      fail(`it did not answer within ${START_MS / 1000} s`)
    }, START_MS)
    const letGo = (): void => {
      clearTimeout(timer)
      child.stdout?.destroy()
      child.stderr?.destroy()
      child.unref()
    }
    const fail = (reason: string): void => {
      letGo()
      reject(new HostStartError(`The task host could not be started: ${reason}.`))
    }
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out += text
      if (!out.includes('\n')) return
      letGo()
      resolve((JSON.parse(out.slice(0, out.indexOf('\n'))) as { path: string }).path)
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (problem = (problem + text).slice(0, MOST_ERROR_CHARS)))
    child.once('error', (error: NodeJS.ErrnoException) =>
      fail(error.code === 'EACCES' ? `${command} may not be run (is its disk mounted noexec?)` : error.message),
    )
    child.once('close', (code, signal) => fail(problem.trim() || `it ended with ${code ?? signal}`))
  })
}
