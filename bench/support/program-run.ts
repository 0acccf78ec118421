/** Runs a program once against the scripted model and records timestamps, processor time and memory. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { startServer, type Answer, type Arrival } from './model-server.ts'
import { sampleTree, type TreePeak } from './process-tree.ts'

const TIME_LIMIT_MS = 300_000
/** Linux counts processor time in hundredths of a second. */
const TICKS_PER_S = 100

export interface ProgramRun {
  /** When the process was started, in terms of `performance.now()`, like the arrivals. */
  startedAt: number
  endedAt: number
  arrivals: Arrival[]
  /** Processor time of the process and of all children it waited for. */
  cpuSeconds: number
  /** Its stdout. */
  answer: string
  /** Only with `sample`. */
  peak?: TreePeak
}

/** How to start a program. Its environment is exactly `env`. */
export interface ProgramStart {
  command: string
  args: readonly string[]
  env: NodeJS.ProcessEnv
  cwd?: string
}

export interface ProgramOptions {
  answers: (n: number) => Answer | undefined
  /** Latency of each model answer in ms; default: 0. */
  thinkMs?: number
  /**
   * Samples the memory of the process tree, which costs time: do not use it when measuring time. A number: the
   * interval, in ms.
   */
  sample?: boolean | number
  /** Configures the program for the server at `baseUrl` (it ends in `/v1`); called before the clock starts. */
  start: (baseUrl: string) => ProgramStart
}

/** Fails with the end of its stderr if the program does not exit with 0 within 5 minutes. */
export async function runProgram({ answers, thinkMs, sample = false, start }: ProgramOptions): Promise<ProgramRun> {
  const server = await startServer(answers, thinkMs)
  let sampler: ReturnType<typeof sampleTree> | undefined
  try {
    const { command, args, env, cwd } = start(server.baseUrl)
    const cpuBefore = childrenCpuSeconds()
    const startedAt = performance.now()
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'], ...(cwd !== undefined && { cwd }) })
    const output = { stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
    sampler =
      sample !== false && child.pid !== undefined
        ? sampleTree(child.pid, sample === true ? undefined : sample)
        : undefined
    const code = await ended(child)
    if (code !== 0) throw new Error(`${command} ended with ${code}: ${output.stderr.slice(-2000)}`)
    const endedAt = performance.now()
    const peak = sampler?.stop()
    return {
      startedAt,
      endedAt,
      arrivals: server.arrivals,
      cpuSeconds: childrenCpuSeconds() - cpuBefore,
      answer: output.stdout,
      ...(peak && { peak }),
    }
  } finally {
    sampler?.stop()
    await server.close()
  }
}

async function ended(child: ChildProcess): Promise<number | string> {
  const timer = setTimeout(() => child.kill('SIGKILL'), TIME_LIMIT_MS)
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  clearTimeout(timer)
  return code ?? signal ?? 'nothing'
}

/** Processor time of all children of this process that have ended and been waited for, and of their children. */
function childrenCpuSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_S
}
