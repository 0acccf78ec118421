import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const CLI = join(import.meta.dirname, '..', '..', 'out', 'main', 'cli.js')

export interface CliRun {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

export interface CliOptions {
  home: string
  cwd?: string
  env?: Record<string, string>
  /** The program; default: the built one. */
  program?: string
  /** A command that is started instead and runs this command. */
  within?: (command: readonly string[]) => readonly string[]
  /** The piped input; default: nothing, and stdin is closed. */
  stdin?: string
}

/** Starts the built program, as a user's shell would. */
export function startCli(
  args: readonly string[],
  { home, cwd, env = {}, program = CLI, within = (command) => command }: CliOptions,
): ChildProcessWithoutNullStreams {
  if (!existsSync(program)) throw new Error('The program is not built: npm run build')
  const { PATH = '', HOME = '' } = process.env
  const [command, ...rest] = within([process.execPath, program, ...args])
  return spawn(command!, rest, { cwd, env: { PATH, HOME, TRESTLE_HOME: home, TRESTLE_KEY_STORE: 'file', ...env } })
}

/** Runs the built program until it exits. */
export async function runCli(args: readonly string[], options: CliOptions): Promise<CliRun> {
  const child = startCli(args, options)
  child.stdin.end(options.stdin ?? '')
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (...end) => resolve(end))
  })
  return { code, signal, stdout: Buffer.concat(out).toString('utf8'), stderr: Buffer.concat(err).toString('utf8') }
}
