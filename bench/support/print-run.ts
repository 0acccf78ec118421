/** Runs the built program in print mode against a scripted model and records timestamps. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { startServer, type Answer, type Arrival } from './model-server.ts'
import { configure, makeScratch, type Scratch } from './scratch.ts'
import { sampleTree, type TreePeak } from './process-tree.ts'

const CLI = join(import.meta.dirname, '..', '..', 'out', 'main', 'cli.js')
/**
 * Without the folders that npm adds: a language server in them would be started and its time counted, but only where
 * its sandbox is available.
 */
const PATH_OF_USER = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !/[\\/]node_modules[\\/]/.test(`${folder}/`))
  .join(delimiter)
const TIME_LIMIT_MS = 300_000
/** Linux counts processor time in hundredths of a second. */
const TICKS_PER_S = 100

export interface PrintRun {
  /** When the process was started, as of `performance.now()`; the arrivals are on the same clock. */
  startedAt: number
  endedAt: number
  arrivals: Arrival[]
  /** Processor time of the process and of all it waited for. */
  cpuSeconds: number
  /** Its stdout. */
  answer: string
  /** Only with `sample`. */
  peak?: TreePeak
}

export interface PrintOptions {
  answers: (n: number) => Answer | undefined
  /** Default: a new one, removed afterwards. Its home then has no database yet. */
  scratch?: Scratch
  /** Latency of each model answer in ms; default: 0. */
  thinkMs?: number
  /** `stream-json`: the events, one a line. Default: the last answer. */
  format?: 'text' | 'stream-json'
  /** Watch the memory of the process tree: costs time, so not together with measuring time. */
  sample?: boolean
}

export async function printRun({
  answers,
  scratch: given,
  thinkMs,
  format = 'text',
  sample = false,
}: PrintOptions): Promise<PrintRun> {
  if (!existsSync(CLI)) throw new Error('The program is not built: npm run build')
  const scratch = given ?? makeScratch()
  const server = await startServer(answers, thinkMs)
  configure(scratch.home, server.baseUrl)
  const cpuBefore = childrenCpuSeconds()
  const startedAt = performance.now()
  const { HOME = '' } = process.env
  const args = [
    CLI,
    'print',
    'Do what the script says.',
    '--cwd',
    scratch.project,
    '--model',
    'bench/scripted',
    '--permission-mode',
    'auto',
    '--output-format',
    format,
  ]
  const child = spawn(process.execPath, args, {
    env: { PATH: PATH_OF_USER, HOME, TRESTLE_KEY_STORE: 'file', TRESTLE_HOME: scratch.home },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
  const sampler = sample && child.pid !== undefined ? sampleTree(child.pid) : undefined
  try {
    const code = await ended(child)
    if (code !== 0) throw new Error(`print ended with ${code}: ${output.stderr.slice(-2000)}`)
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
    if (!given) scratch.remove()
  }
}

/** From the last byte of each answer to the whole next request, in ms. */
export function stepTimes(arrivals: readonly Arrival[]): number[] {
  return arrivals.slice(1).map((arrival, index) => arrival.at - arrivals[index]!.answeredAt)
}

async function ended(child: ChildProcess): Promise<number | string> {
  const timer = setTimeout(() => child.kill('SIGKILL'), TIME_LIMIT_MS)
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  clearTimeout(timer)
  return code ?? signal ?? 'nothing'
}

/** Processor time of all children of this process that have ended and been waited for, and of theirs. */
function childrenCpuSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_S
}
