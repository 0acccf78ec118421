import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, relative, sep } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { resolveHome } from '../../engine/config/home'
import { taskHostProgram } from '../../engine/task/client/task-host-program'
import { serviceDefinition, type ServiceDefinition } from './service-definition'

interface ServiceOptions {
  /** Skips the question. */
  yes: boolean
  json: boolean
}

/**
 * `trestle schedule install`: shows the service that runs schedules in the background, and after consent writes and
 * starts it. Returns the exit code.
 */
export async function installService({ yes, json }: ServiceOptions): Promise<number> {
  const service = await thisService()
  const { file, text, start, system } = service
  if (!json) process.stdout.write(`${file} (${system}):\n\n${text}\nThen it is started with:\n${lines(start)}\n`)
  if (!yes && !(await confirm('Write it and start it?'))) {
    if (json) process.stdout.write(`${JSON.stringify({ file, text, written: false, started: false })}\n`)
    else process.stdout.write('Nothing was written. --yes writes it without asking.\n')
    return process.stdin.isTTY ? 1 : 2
  }
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text, { mode: 0o600 })
  const problem = runAll(start)
  if (json) process.stdout.write(`${JSON.stringify({ file, text, written: true, started: problem === undefined })}\n`)
  else if (problem === undefined)
    process.stdout.write('It runs now, and starts at every login. trestle schedule uninstall removes it.\n')
  if (problem !== undefined)
    process.stderr.write(
      `trestle: ${file} was written, but it could not be started: ${problem}\nStart it yourself with:\n${lines(start)}`,
    )
  return problem === undefined ? 0 : 1
}

/** `trestle schedule uninstall`: stops the service and deletes its definition. Returns the exit code. */
export async function uninstallService({ yes, json }: ServiceOptions): Promise<number> {
  const { file, stop } = await thisService()
  if (!existsSync(file)) {
    process.stdout.write(
      json ? `${JSON.stringify({ file, removed: false })}\n` : `There is no service: ${file} does not exist.\n`,
    )
    return 0
  }
  if (!json) process.stdout.write(`It is stopped with:\n${lines(stop)}Then ${file} is deleted.\n`)
  if (!yes && !(await confirm('Do that?'))) {
    if (!json) process.stdout.write('Nothing was changed. --yes does it without asking.\n')
    return process.stdin.isTTY ? 1 : 2
  }
  const problem = runAll(stop)
  rmSync(file, { force: true })
  if (json) process.stdout.write(`${JSON.stringify({ file, removed: true })}\n`)
  else process.stdout.write('The service is removed. Schedules run while Trestle is open.\n')
  if (problem !== undefined) process.stderr.write(`trestle: stopping it failed: ${problem}\n`)
  return 0
}

async function thisService(): Promise<ServiceDefinition> {
  const home = realpathSync(resolveHome())
  const { env, platform } = process
  return serviceDefinition({
    platform,
    userHome: homedir(),
    configHome: env['XDG_CONFIG_HOME'],
    home,
    command: [...(await cliCommand(home)), 'schedule', 'run'],
    path: env['PATH'] ?? '',
    uid: process.getuid?.() ?? 0,
  })
}

/** The command that starts this program without the app: the command line next to the task host. */
async function cliCommand(home: string): Promise<string[]> {
  const words = [...(await taskHostProgram().program(home))]
  const runtime = join(home, 'runtime')
  return words.map((word) => {
    const own = word.replace(/task-host\.(js|ts)$/, 'cli.$1')
    // A link that survives updates of the app.
    const [name, ...rest] =
      own.startsWith(runtime + sep) && process.platform !== 'win32' ? relative(runtime, own).split(sep) : []
    return name === undefined ? own : join(runtime, 'current', ...rest)
  })
}

/** Asks the user at this terminal; false without a terminal. */
async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false
  const reader = createInterface({ input: process.stdin, output: process.stdout })
  try {
    const closed = new Promise<string>((resolve) => reader.once('close', () => resolve('')))
    const answer = await Promise.race([reader.question(`${question} [y/N] `), closed])
    return /^y(?:es)?$/i.test(answer.trim())
  } finally {
    reader.close()
  }
}

/** Runs the commands in order; returns the error, if any. */
function runAll(commands: readonly (readonly string[])[]): string | undefined {
  for (const [command = '', ...words] of commands) {
    const { status, error, stderr } = spawnSync(command, words, { encoding: 'utf8', timeout: 30_000 })
    if (error) return `${command}: ${error.message}`
    if (status !== 0) return `${command} ended with ${status}: ${stderr.trim()}`
  }
  return undefined
}

function lines(commands: readonly (readonly string[])[]): string {
  return commands
    .map((words) => `  ${words.map((word) => (/\s/.test(word) ? `"${word}"` : word)).join(' ')}\n`)
    .join('')
}
