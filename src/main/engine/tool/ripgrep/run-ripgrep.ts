import { spawn, type ChildProcess } from 'node:child_process'
import { ripgrepPath } from './ripgrep-path'

const DEFAULT_TIMEOUT_MS = 20_000
const DEFAULT_MAX_BYTES = 10 * 1024 * 1024
const MAX_ERROR_BYTES = 64 * 1024

export interface RipgrepOptions {
  cwd: string
  signal?: AbortSignal
  /** Default 20 s. */
  timeoutMs?: number
  /** Most bytes of output kept; ripgrep is stopped when there is more. Default 10 MiB. */
  maxBytes?: number
  /** Search on one thread: quicker where little is to be searched, since starting threads takes over 1 ms. Results still come as they are found. */
  singleThread?: boolean
  /** The program to run; default: the ripgrep that came with Trestle. */
  program?: string
}

export interface RipgrepRun {
  output: Buffer
  /** What it complained about, at most 64 KiB. */
  errors: string
  /** 0: found, 1: nothing found, 2: failed, perhaps only in part. Undefined when it was stopped. */
  exitCode: number | undefined
  /** Why it was stopped before its end; `output` is then partial and may end in the middle of a record. */
  stopped?: 'timeout' | 'output_limit' | 'aborted'
}

/**
 * Runs ripgrep without a shell, configuration file or input. Memory is bounded by `maxBytes`; the process is gone when this returns. When the
 * system had no thread or process left it is tried once more on one thread. Rejects only when ripgrep cannot be started at all.
 */
export async function runRipgrep(args: readonly string[], options: RipgrepOptions): Promise<RipgrepRun> {
  const program = options.program ?? (await ripgrepPath())
  const deadline = performance.now() + (options.timeoutMs ?? DEFAULT_TIMEOUT_MS)
  const once = (single: boolean): Promise<RipgrepRun> =>
    runOnce(program, ['--no-config', ...(single ? ['-j1', '--line-buffered'] : []), ...args], options, deadline)
  try {
    const first = await once(options.singleThread ?? false)
    return first.exitCode === 2 && outOfThreads(first.errors) ? await once(true) : first
  } catch (error) {
    if (!(error instanceof Error) || !outOfThreads(error.message)) throw error
    return once(true)
  }
}

function outOfThreads(message: string): boolean {
  return /EAGAIN|os error 11\b|Resource temporarily unavailable/.test(message)
}

function runOnce(program: string, args: string[], options: RipgrepOptions, deadline: number): Promise<RipgrepRun> {
  const { cwd, signal, maxBytes = DEFAULT_MAX_BYTES } = options
  if (signal?.aborted) return Promise.resolve({ output: Buffer.alloc(0), errors: '', exitCode: undefined, stopped: 'aborted' })
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: environment(), stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true })
    let stopped: RipgrepRun['stopped']
    const stop = (reason: NonNullable<RipgrepRun['stopped']>): void => {
      stopped ??= reason
      child.kill('SIGKILL')
    }
    const output = collect(child.stdout, maxBytes, () => stop('output_limit'))
    const errors = collect(child.stderr, MAX_ERROR_BYTES, () => {})
    const timer = setTimeout(() => stop('timeout'), Math.max(0, deadline - performance.now()))
    const onAbort = (): void => stop('aborted')
    signal?.addEventListener('abort', onAbort, { once: true })
    const done = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
    child.once('error', (error) => {
      done()
      if (child.pid === undefined) reject(error)
    })
    child.once('close', (code) => {
      done()
      if (child.pid === undefined) return
      resolve({
        output: Buffer.concat(output.chunks),
        errors: Buffer.concat(errors.chunks).toString('utf8'),
        exitCode: stopped ? undefined : (code ?? 2),
        ...(stopped && { stopped }),
      })
    })
  })
}

function collect(stream: NonNullable<ChildProcess['stdout']>, maxBytes: number, onFull: () => void): { chunks: Buffer[] } {
  const chunks: Buffer[] = []
  let room = maxBytes
  stream.on('data', (chunk: Buffer) => {
    if (room > 0) chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    if (chunk.length > room) onFull()
    room = Math.max(0, room - chunk.length)
  })
  // A pipe broken by the kill is no news.
  stream.on('error', () => {})
  return { chunks }
}

/** Nothing of ours is passed on but what Windows needs to start a program at all. */
function environment(): NodeJS.ProcessEnv {
  const root = process.platform === 'win32' ? process.env['SystemRoot'] : undefined
  return root === undefined ? {} : { SystemRoot: root }
}
