import { spawn } from 'node:child_process'
import { mkdirSync, realpathSync } from 'node:fs'
import type { Socket } from 'node:net'
import { CodedError } from '../../shared/errors'
import { spawnedOrThrow } from '../engine/process/spawn'
import { dialEngine } from './engine-endpoint'
import { greetEngine, type EngineGreeting } from './handshake'

/** An authenticated connection to the engine of a home. It carries the lines of the wire. */
export interface EngineSocket {
  socket: Socket
  engine: EngineGreeting
  /** The key that both sides have proved to have. */
  key: string
}

export interface AttachOptions {
  home: string
  /** Version of this program. */
  version: string
}

/** Connects to the engine of this home; undefined if none runs. */
export async function findEngine({ home, version }: AttachOptions): Promise<EngineSocket | undefined> {
  const dialed = await dialEngine(home)
  if (!dialed) return undefined
  const { socket, key } = dialed
  // The users of the socket handle its close.
  socket.on('error', () => socket.destroy())
  try {
    return { socket, engine: await greetEngine(socket, { key, version }), key }
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/** How often to start the engine, or find it closing, before reporting a failure. */
const MAX_TRIES = 5

/** Connects to the engine of this home and starts one if none runs. Rejects with a CodedError. */
export async function attachEngine(
  options: AttachOptions,
  start: (home: string) => Promise<void> = startEngine,
): Promise<EngineSocket> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const found = await findEngine(options).catch((error: unknown) => {
      // An engine that is closing does not answer; its successor does.
      if (!(error instanceof CodedError) || error.code !== 'engine.unavailable') throw error
      return undefined
    })
    if (found) return found
    await start(options.home)
  }
  throw new CodedError('engine.unavailable', 'The engine ended right after its start.')
}

/**
 * Variable of an engine that reads the environment of the login shell, because its starter has no terminal environment.
 */
export const READS_LOGIN_SHELL = 'TRESTLE_LOGIN_SHELL'

async function programOf(home: string): Promise<readonly string[]> {
  const { engineProgram } = await import('./engine-program')
  return engineProgram(realpathSync(home))
}

/** Generous: on a busy machine a start can take many times as long, and a start that hangs is rare. */
const START_LIMIT_MS = 60_000
const MAX_ERROR_CHARS = 2000

/**
 * Starts an engine that outlives this process; resolves when it, or one that started sooner, listens. `env`: additional
 * variables. `program`: its command, if already known.
 */
export async function startEngine(
  home: string,
  env: Record<string, string> = {},
  program?: readonly string[],
): Promise<void> {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const [command = '', ...args] = program ?? (await programOf(home))
  const child = spawnedOrThrow(
    spawn(command, args, {
      cwd: home,
      env: { ...process.env, ...env, TRESTLE_HOME: home },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      windowsHide: true,
    }),
  )
  await new Promise<void>((resolve, reject) => {
    let [out, problem] = ['', '']
    const settle = (failure?: string): void => {
      clearTimeout(timer)
      child.stdout.destroy()
      child.stderr.destroy()
      child.unref()
      if (failure === undefined) resolve()
      else reject(new CodedError('engine.unavailable', `The engine could not be started: ${failure}.`))
    }
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      settle(`it did not listen within ${START_LIMIT_MS / 1000} s`)
    }, START_LIMIT_MS)
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
      if (out.includes('\n')) settle()
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => (problem = (problem + text).slice(-MAX_ERROR_CHARS)))
    child.once('error', (error) => settle(error.message))
    child.once('close', (code, signal) =>
      settle(problem.trim().replace(/\.$/, '') || `it ended with ${code ?? signal}`),
    )
  })
}

/**
 * Connects to the engine of this home for a program that could also run in its own process. If none runs, starts one if
 * the user has enabled that (`shared` of `[engine]`); otherwise undefined.
 */
export async function findSharedEngine(options: AttachOptions): Promise<EngineSocket | undefined> {
  const found = await findEngine(options)
  if (found) return found
  const { openConfig } = await import('../engine/config/config')
  const config = await openConfig({ home: options.home })
  config.close()
  if (!config.settings.engine.shared) return undefined
  const { agentTrace } = await import('../engine/runtime/agent-trace')
  // What an agent's command starts must end with that command.
  return (await agentTrace({ home: options.home, orphans: false })) === undefined ? attachEngine(options) : undefined
}
