import { realpathSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { version } from '../../../package.json'
import { nearest } from '../../shared/nearest'
import { CodedError } from '../../shared/model/errors'
import { COMMANDS, type CommandName } from './commands'
import { guardOutput } from './guard-terminal'
import { helpText } from './help'
import { didYouMean, parseCommand, UsageError } from './parse'

/** Runs the `trestle` program with these words; sets `process.exitCode`. */
export async function main(args: readonly string[]): Promise<void> {
  // Functions are compiled ahead, once, and kept in the cache: compiling each at its first call makes the first steps of a turn 8 ms slower.
  setFlagsFromString('--no-lazy')
  enableCompileCache()
  guardOutput(process)
  try {
    process.exitCode = await run(args)
  } catch (error) {
    process.exitCode = await report(error, args)
  }
}

async function run(args: readonly string[]): Promise<number> {
  const { command, rest } = split(args)
  if (command === 'version') return say(`trestle ${version}\n`)
  if (command === 'help') return say(helpText())
  const parsed = parseCommand(command, COMMANDS[command], rest)
  if (parsed.values['help'] === true) return say(helpText(command))
  if (WITH_INTERFACE.has(command)) {
    const { agentTrace } = await import('../engine/task/watch/agent-trace')
    const { resolveHome } = await import('../engine/config/home')
    const trace = await agentTrace({ home: realpathSync(resolveHome()), orphans: false })
    if (trace !== undefined) return refuse(command, trace)
  }
  switch (command) {
    case 'print': {
      const { printMain } = await import('../host/print/print-main')
      return printMain(parsed, version)
    }
    case 'acp': {
      const { acpMain } = await import('../host/acp/acp-main')
      return acpMain(parsed, version)
    }
    case 'chat': {
      const { chatMain } = await import('../host/chat/chat-main')
      return chatMain(parsed, version)
    }
    case 'wire': {
      const { wireMain } = await import('../host/wire/wire-main')
      return wireMain(version)
    }
    case 'session': {
      const { sessionMain } = await import('../host/session/session-main')
      return sessionMain(parsed, version)
    }
    case 'task': {
      const { taskMain } = await import('../host/task/task-main')
      return taskMain(parsed)
    }
    case 'permission': {
      const { permissionMain } = await import('../host/permission/permission-main')
      return permissionMain(parsed)
    }
    case 'sandbox': {
      const { sandboxMain } = await import('../host/sandbox/sandbox-main')
      return sandboxMain(parsed)
    }
    case 'mcp': {
      const { mcpMain } = await import('../host/mcp/mcp-main')
      return mcpMain(parsed, version)
    }
    case 'models': {
      const { modelsMain } = await import('../host/models/models-main')
      return modelsMain(parsed)
    }
    case 'settings': {
      const { settingsMain } = await import('../host/settings/settings-main')
      return settingsMain(parsed)
    }
    case 'serve': {
      const { serveMain } = await import('../host/web/serve-main')
      return serveMain(parsed, version)
    }
    default: {
      const { desktopMain } = await import('../desktop-main')
      return desktopMain(parsed, version)
    }
  }
}

function split(args: readonly string[]): { command: CommandName | 'version' | 'help'; rest: readonly string[] } {
  const [first, ...rest] = args
  if (first === undefined) return { command: 'desktop', rest }
  if (first === '--version' || first === '-v') return { command: 'version', rest }
  if (first === '--help' || first === '-h' || first === 'help') return { command: 'help', rest }
  if (first === '-p' || first === '--print') return { command: 'print', rest }
  if (Object.hasOwn(COMMANDS, first)) return { command: first as CommandName, rest }
  const options = Object.values(COMMANDS).flatMap((spec) => Object.keys(spec.options).map((name) => `--${name}`))
  if (first.startsWith('-')) {
    // `trestle --model x -p "..."`: the options of print may come first.
    const at = args.findIndex((word) => word === '-p' || word === '--print')
    if (at > 0) return { command: 'print', rest: args.toSpliced(at, 1) }
    throw new UsageError(`Unknown option ${first}.${didYouMean(nearest(first, ['--version', '--help', '--print', ...options]))}`)
  }
  const meant = nearest(first, Object.keys(COMMANDS), 1)
  throw new UsageError(`Unknown command "${first}".${didYouMean(meant)} To run a prompt: trestle print "${first} ..."`)
}

/** Whoever is at one of these decides for the user: what is allowed, trusted and set. */
const WITH_INTERFACE: ReadonlySet<string> = new Set(['desktop', 'serve', 'chat', 'acp', 'wire'])

function refuse(command: CommandName, trace: string): number {
  process.stderr.write(
    `trestle: ${command} cannot be started by an agent's command, since it could decide in your place (${trace}). Start it yourself, or use trestle print.\n`,
  )
  return 2
}

function say(text: string): number {
  process.stdout.write(text)
  return 0
}

/** Whether the failure is wanted as JSON too. What stands after `--` are words of another program. */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return (end < 0 ? args : args.slice(0, end)).includes('--json')
}

async function report(error: unknown, args: readonly string[]): Promise<number> {
  if (wantsJson(args)) {
    const { errorAsJson } = await import('./error-as-json')
    process.stdout.write(errorAsJson(error))
  }
  if (error instanceof UsageError) {
    process.stderr.write(`trestle: ${error.message}\nSee trestle ${error.command ? `${error.command} ` : ''}--help.\n`)
    return 2
  }
  if (error instanceof CodedError) {
    const { code, title, message, advice } = error.failure
    if (code === 'request.invalid') {
      // Its title and advice are for fields of a form; the message says what to do.
      process.stderr.write(`trestle: ${message}\n`)
      return 1
    }
    process.stderr.write(`trestle: ${title}: ${message}\n${advice}\n`)
    return 1
  }
  process.stderr.write(`trestle: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  return 1
}
