import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Grace period after SIGTERM, before SIGKILL. */
const GRACE_MS = 5000
/** Output beyond this is an error of the program. */
const MAX_BYTES = 256 * 1024 * 1024

export interface ProgramRun {
  code: number | null
  stdout: string
  stderr: string
  isTimedOut: boolean
}

export interface ProgramOptions {
  cwd: string
  env: Record<string, string>
  timeLimitMs: number
}

/** Runs this Node with these arguments to its end, or to its time limit. */
export async function runNode(args: readonly string[], { cwd, env, timeLimitMs }: ProgramOptions): Promise<ProgramRun> {
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let isTimedOut = false
  let bytes = 0
  const collect = (stream: NodeJS.ReadableStream): Buffer[] => {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MAX_BYTES) child.kill('SIGKILL')
      else chunks.push(chunk)
    })
    return chunks
  }
  const out = collect(child.stdout)
  const err = collect(child.stderr)
  const stop = (): void => {
    isTimedOut = true
    child.kill('SIGTERM')
  }
  const timer = setTimeout(stop, timeLimitMs)
  const lastTimer = setTimeout(() => child.kill('SIGKILL'), timeLimitMs + GRACE_MS)
  // Interrupting the runner also ends its child processes.
  const interrupted = (): void => void child.kill('SIGTERM')
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted)
  try {
    const [code] = (await once(child, 'close')) as [number | null]
    return {
      code,
      stdout: Buffer.concat(out).toString('utf8'),
      stderr: Buffer.concat(err).toString('utf8'),
      isTimedOut,
    }
  } finally {
    clearTimeout(timer)
    clearTimeout(lastTimer)
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted)
  }
}
