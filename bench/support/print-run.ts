/** Runs the built program in print mode against a scripted model and records timestamps. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Answer, Arrival } from './model-server.ts'
import { runProgram, type ProgramRun, type ProgramStart } from './program-run.ts'
import type { WireFormat } from './response-lines.ts'
import { configure, makeScratch, type Scratch } from './scratch.ts'

const CLI = join(import.meta.dirname, '..', '..', 'out', 'main', 'cli.js')
/**
 * Without the folders that npm adds: a language server in them would be started and measured, but only if its sandbox
 * is available.
 */
export const PATH_OF_USER = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !/[\\/]node_modules[\\/]/.test(`${folder}/`))
  .join(delimiter)

export type PrintRun = ProgramRun

export interface PrintOptions {
  answers: (n: number) => Answer | undefined
  /** Default: a new one, which is removed afterwards. Its home has no database yet. */
  scratch?: Scratch
  /** Latency of each model answer in ms; default: 0. */
  thinkMs?: number
  /** `stream-json`: the events, one per line. Default: the last answer. */
  format?: 'text' | 'stream-json'
  /** Samples the memory of the process tree, which costs time: do not use it when measuring time. */
  sample?: boolean
  /** The provider's format. Default: Chat Completions. */
  wire?: WireFormat
}

export async function printRun({
  answers,
  scratch: given,
  thinkMs,
  format = 'text',
  sample = false,
  wire,
}: PrintOptions): Promise<PrintRun> {
  if (!existsSync(CLI)) throw new Error('The program is not built: npm run build')
  const scratch = given ?? makeScratch()
  try {
    return await runProgram({
      answers,
      ...(thinkMs !== undefined && { thinkMs }),
      sample,
      start: (baseUrl) => trestleStart(scratch, baseUrl, { format, ...(wire && { wire }) }),
    })
  } finally {
    if (!given) scratch.remove()
  }
}

/** Configures the scratch home for the server and returns how to start the built program with the prompt. */
export function trestleStart(
  scratch: Scratch,
  baseUrl: string,
  { format = 'text', wire }: Pick<PrintOptions, 'format' | 'wire'> = {},
): ProgramStart {
  configure(scratch.home, baseUrl, wire)
  const { HOME = '' } = process.env
  return {
    command: process.execPath,
    args: [
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
    ],
    env: { PATH: PATH_OF_USER, HOME, TRESTLE_KEY_STORE: 'file', TRESTLE_HOME: scratch.home },
  }
}

/** From the last byte of each answer to the complete next request, in ms. */
export function stepTimes(arrivals: readonly Arrival[]): number[] {
  return arrivals.slice(1).map((arrival, index) => arrival.at - arrivals[index]!.answeredAt)
}
