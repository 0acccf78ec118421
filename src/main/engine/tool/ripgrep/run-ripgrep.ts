import { Launcher } from './launcher'
import { LineCutter } from './line-cutter'
import { ripgrepPath } from './ripgrep-path'
import { startProgram, type RunningProgram } from './start-program'

const DEFAULT_TIMEOUT_MS = 20_000
const DEFAULT_MAX_BYTES = 10 * 1024 * 1024
const MAX_ERROR_BYTES = 64 * 1024

/** For calls of one step, which run side by side; beyond these ripgrep is started directly. */
const MOST_LAUNCHERS = 4
const launchers: Launcher[] = []

export interface RipgrepOptions {
  cwd: string
  signal?: AbortSignal
  /** Default 20 s. */
  timeoutMs?: number
  /** Most bytes of output kept; ripgrep is stopped when there is more. Default 10 MiB. */
  maxBytes?: number
  /** Search on one thread: quicker where little is to be searched, since starting threads takes over 1 ms. Results still come as they are found. */
  singleThread?: boolean
  /** It prints lines with their columns: long ones are cut as they come, see `LineCutter`. `maxBytes` counts what is left. */
  cutsLines?: boolean
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
 * Runs ripgrep without configuration file, input or our environment. Memory is bounded by `maxBytes`; the process is gone when this returns. When the
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

async function runOnce(program: string, args: string[], options: RipgrepOptions, deadline: number, direct = false): Promise<RipgrepRun> {
  const { cwd, signal, maxBytes = DEFAULT_MAX_BYTES } = options
  if (signal?.aborted) return { output: Buffer.alloc(0), errors: '', exitCode: undefined, stopped: 'aborted' }
  let stopped: RipgrepRun['stopped']
  const stop = (reason: NonNullable<RipgrepRun['stopped']>): void => {
    stopped ??= reason
    running.kill()
  }
  const output = collector(maxBytes, () => stop('output_limit'))
  const errors = collector(MAX_ERROR_BYTES, () => {})
  const cutter = options.cutsLines ? new LineCutter(output.take) : undefined
  const into = { output: cutter ? (chunk: Buffer) => cutter.push(chunk) : output.take, errors: errors.take }
  const launched = direct ? undefined : launch(program, args, cwd, into)
  const running = launched ?? startProgram(program, args, cwd, into)
  const timer = setTimeout(() => stop('timeout'), Math.max(0, deadline - performance.now()))
  const onAbort = (): void => stop('aborted')
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    const code = await running.ended
    // Not ripgrep's: the launcher found no such program, or may not run it.
    if (launched && !stopped && (code === 126 || code === 127)) return await runOnce(program, args, options, deadline, true)
    cutter?.end()
    const exitCode = stopped ? undefined : (code ?? 2)
    return { output: output.all(), errors: errors.all().toString('utf8'), exitCode, ...(stopped && { stopped }) }
  } catch (error) {
    if (!launched) throw error
    return await runOnce(program, args, options, deadline, true)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

function launch(...start: Parameters<Launcher['start']>): RunningProgram | undefined {
  for (const launcher of launchers) {
    const running = launcher.start(...start)
    if (running) return running
  }
  if (launchers.length >= MOST_LAUNCHERS) return undefined
  const launcher = new Launcher()
  launchers.push(launcher)
  return launcher.start(...start)
}

/** Keeps so many bytes and says once when there are more. */
function collector(maxBytes: number, onFull: () => void) {
  const chunks: Buffer[] = []
  let room = maxBytes
  return {
    take(chunk: Buffer): void {
      if (room > 0) chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
      if (chunk.length > room) onFull()
      room = Math.max(0, room - chunk.length)
    },
    all: (): Buffer => (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)),
  }
}
