import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { version } from '../../../package.json'
import { CodedError, failureOf } from '../../shared/errors'
import { COMMANDS, type CommandName } from './commands'
import { guardOutput, watchOutput } from '../console/output'
import { helpText } from './help'
import { parseCommand, UsageError, didYouMean } from '../console/parse-command'
import { terminalFailure } from '../console/report'
import { nearest } from '../../shared/nearest'
import { codeUseOf } from '../engine/runtime/code-cache'
import { probeSandboxSupport } from '../engine/sandbox/sandbox-support'

/** Runs the `trestle` program with these arguments; sets `process.exitCode`. */
export async function main(args: readonly string[]): Promise<void> {
  guardOutput(process)
  const output = watchOutput(process.stdout, process.exit)
  try {
    process.exitCode = await run(args)
  } catch (error) {
    process.exitCode = await reportError(error, args)
  }
  // A stream reports a failed write asynchronously.
  await new Promise((resolve) => setImmediate(resolve))
  const problem = output.problem()
  if (problem === undefined) return
  process.stderr.write(`trestle: the output could not be written: ${problem}\n`)
  process.exitCode = 1
}

async function run(args: readonly string[]): Promise<number> {
  const asked = whichCommand(args)
  if (asked.command === 'version') return say(`trestle ${version}\n`)
  if (asked.command === 'help') return say(helpText(asked.about))
  // Not for an engine, which uses less memory without these modules, nor for a program that only connects to one, which
  // is ready sooner.
  if (codeUseOf(asked.command) === 'work' && asked.command !== 'engine' && !mayAttach(asked))
    loadBuiltIns(asked.command === 'serve' ? OF_THE_WEB : [])
  if (/[\\/]runtime[\\/]/.test(import.meta.filename)) {
    const { markRuntimeInUse } = await import('../engine/runtime/runtimes-in-use')
    markRuntimeInUse(import.meta.filename)
  }
  const { command, rest, hint } = asked
  if (hint !== undefined) process.stderr.write(`trestle: ${hint}\n`)
  const parsed = parseCommand(command, COMMANDS[command], rest)
  if (parsed.values['help'] === true) return say(helpText(command))
  if (INTERACTIVE_COMMANDS.has(command)) {
    const { agentTrace } = await import('../engine/runtime/agent-trace')
    const { resolveHome } = await import('../engine/config/home')
    const trace = await agentTrace({ home: realpathSync(resolveHome()), orphans: false })
    if (trace !== undefined) return refuseAgent(command, trace)
  }
  switch (command) {
    case 'print': {
      if (hasEngineKey()) {
        const { joinPrint } = await import('../host/print/join-print')
        const joined = await joinPrint(parsed, version)
        if (joined !== undefined) return joined
        loadBuiltIns()
      }
      void probeSandboxSupport()
      const { printMain } = await import('../host/print/print-main')
      return printMain(parsed, version)
    }
    case 'acp': {
      if (parsed.values['setup'] === true) {
        const { setUpMain } = await import('../host/models/set-up-model')
        return setUpMain(parsed, version)
      }
      const { acpMain } = await import('../host/acp/acp-main')
      return acpMain(parsed, version)
    }
    case 'chat': {
      const { chatMain } = await import('../host/chat/chat-main')
      return chatMain(parsed, version)
    }
    case 'engine': {
      const { engineMain } = await import('../host/engine/engine-main')
      return engineMain(parsed, version)
    }
    case 'wire': {
      if (parsed.values['attach'] === true) {
        const { attachMain } = await import('../host/wire/attach-main')
        return attachMain(parsed, version)
      }
      const { wireMain } = await import('../host/wire/wire-main')
      return wireMain(parsed, version)
    }
    case 'agent': {
      const { agentMain } = await import('../host/commands/agent-main')
      return agentMain(parsed)
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
      const { permissionMain } = await import('../host/commands/permission/permission-main')
      return permissionMain(parsed)
    }
    case 'sandbox': {
      const { sandboxMain } = await import('../host/commands/permission/sandbox-main')
      return sandboxMain(parsed)
    }
    case 'mcp': {
      const { mcpMain } = await import('../host/mcp/mcp-main')
      return mcpMain(parsed, version)
    }
    case 'mail': {
      const { mailMain } = await import('../host/commands/assistant/mail-main')
      return mailMain(parsed, version)
    }
    case 'worktree': {
      const { worktreeMain } = await import('../host/commands/worktree-main')
      return worktreeMain(parsed, version)
    }
    case 'place': {
      const { placeMain } = await import('../host/commands/place-main')
      return placeMain(parsed, version)
    }
    case 'device': {
      const { deviceMain } = await import('../host/commands/device-main')
      return deviceMain(parsed)
    }
    case 'usage': {
      const { usageMain } = await import('../host/commands/usage-main')
      return usageMain(parsed, version)
    }
    case 'memory': {
      const { memoryMain } = await import('../host/commands/assistant/memory-main')
      return memoryMain(parsed, version)
    }
    case 'alarm': {
      const { alarmMain } = await import('../host/commands/assistant/alarm-main')
      return alarmMain(parsed, version)
    }
    case 'notification': {
      const { notificationMain } = await import('../host/commands/assistant/notification-main')
      return notificationMain(parsed, version)
    }
    case 'schedule': {
      const { scheduleMain } = await import('../host/schedule/schedule-main')
      return scheduleMain(parsed, version)
    }
    case 'plugin': {
      const { pluginMain } = await import('../host/commands/plugin-main')
      return pluginMain(parsed)
    }
    case 'provider': {
      const { providerMain } = await import('../host/models/provider-main')
      return providerMain(parsed, version)
    }
    case 'model': {
      const { modelMain } = await import('../host/models/model-main')
      return modelMain(parsed, version)
    }
    case 'completion': {
      const { completionScript } = await import('./completion')
      return say(completionScript(parsed))
    }
    case 'models': {
      const { modelsMain } = await import('../host/models/model-main')
      return modelsMain(parsed)
    }
    case 'settings': {
      const { settingsMain } = await import('../host/commands/settings-main')
      return settingsMain(parsed)
    }
    case 'doctor': {
      const { doctorMain } = await import('../host/commands/doctor-main')
      return doctorMain(parsed, version)
    }
    case 'serve': {
      const { serveMain } = await import('../host/web/serve-main')
      return serveMain(parsed, version)
    }
    default: {
      const { desktopMain } = await import('../desktop/run-electron')
      return desktopMain(parsed, version)
    }
  }
}

/** Node modules that every turn loads. */
const BUILT_IN = [
  'node:http',
  'node:fs/promises',
  'node:child_process',
  'node:v8',
  'node:crypto',
  'node:stream/web',
  'node:perf_hooks',
  'node:timers/promises',
  'node:tty',
] as const

/** Additional Node modules of the web host. */
const OF_THE_WEB: readonly string[] = [
  'node:https',
  'node:zlib',
  'node:dns',
  'node:cluster',
  'node:assert',
  'node:http2',
]

/**
 * Loads Node's own modules before V8 flags are changed (engine/runtime/v8-flags.ts): their precompiled code is valid
 * only for the flags Node was started with.
 */
function loadBuiltIns(more: readonly string[] = []): void {
  for (const name of [...BUILT_IN, ...more]) process.getBuiltinModule(name)
  // Provider packages and zod read this global, which loads another Node module.
  Reflect.get(globalThis, 'navigator')
}

/** Whether the engine of the home may do all the work of a command, so that this process only connects to it. */
function mayAttach({ command, rest }: { command: CommandName; rest: readonly string[] }): boolean {
  return command === 'print' ? hasEngineKey() : command === 'wire' && rest.includes('--attach')
}

/** Whether this home ever had an engine that others can connect to. Without one, startup does not look for it. */
function hasEngineKey(): boolean {
  return existsSync(join(process.env['TRESTLE_HOME'] || join(homedir(), '.trestle'), 'run', 'engine.key'))
}

/** Commands whose user can approve, trust and configure; an agent must not start them. */
const INTERACTIVE_COMMANDS: ReadonlySet<string> = new Set(['desktop', 'serve', 'chat', 'acp', 'wire'])

function refuseAgent(command: CommandName, trace: string): number {
  process.stderr.write(
    `trestle: ${command} cannot be started by an agent's command, ` +
      `since it could decide in your place (${trace}). Start it yourself, or use trestle print.\n`,
  )
  return 2
}

function say(text: string): number {
  process.stdout.write(text)
  return 0
}

/** Whether to print the failure as JSON too. Arguments after `--` belong to another program. */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return (end < 0 ? args : args.slice(0, end)).includes('--json')
}

async function reportError(error: unknown, args: readonly string[]): Promise<number> {
  if (wantsJson(args)) {
    const { errorAsJson } = await import('../console/report')
    process.stdout.write(errorAsJson(error))
  }
  if (error instanceof UsageError) {
    process.stderr.write(`trestle: ${error.message}\nSee trestle ${error.command ? `${error.command} ` : ''}--help.\n`)
    return 2
  }
  if (error instanceof CodedError) {
    const { code, message } = error.failure
    // Its title and advice are written for form fields; the message alone says what to do.
    process.stderr.write(code === 'request.invalid' ? `trestle: ${message}\n` : terminalFailure(error.failure))
    return 1
  }
  if (error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd') {
    process.stderr.write(
      'trestle: The current folder no longer exists. Change to one that does, or name one with --cwd.\n',
    )
    return 1
  }
  const failure = failureOf(error)
  if (failure.code !== 'internal') {
    process.stderr.write(terminalFailure(failure))
    return 1
  }
  process.stderr.write(`trestle: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  return 1
}

/** A parsed command line. `about`: the command to show help for; `hint` is printed to stderr. */
export type CommandRequest =
  | { command: 'version' }
  | { command: 'help'; about?: CommandName }
  | { command: CommandName; rest: readonly string[]; hint?: string }

const CONTINUE_HINT = 'After --print, -c TEXT is the prompt. To continue the latest session, use --continue.'

/** Finds the command, which need not come first, and its arguments; throws a `UsageError`. */
export function whichCommand(args: readonly string[]): CommandRequest {
  const [first, ...rest] = args
  if (first === undefined) return { command: 'desktop', rest }
  if (first === '--version' || first === '-v' || first === 'version') return { command: 'version' }
  if (first === '--help' || first === '-h') return { command: 'help' }
  if (first === 'help') return help(rest[0])
  if (first === '--acp') return { command: 'acp', rest }
  if (Object.hasOwn(COMMANDS, first)) return { command: first as CommandName, rest }
  if (!first.startsWith('-')) {
    const meant = nearest(first, [...Object.keys(COMMANDS), 'help', 'version'], 1)
    throw new UsageError(
      `Unknown command "${first}".${didYouMean(meant)} To run a prompt: trestle print "${first} ..."`,
    )
  }
  // `trestle --model x -p "..."`: the options of print may come first.
  const at = args.findIndex((word) => word === '-p' || word === '--print')
  if (at >= 0) return print(args.toSpliced(at, 1), args[at] === '--print')
  // Options without a command are options of chat.
  if (isOptionOf('chat', first)) return { command: 'chat', rest: args }
  const options = Object.values(COMMANDS).flatMap((spec) => Object.keys(spec.options).map((name) => `--${name}`))
  throw new UsageError(
    `Unknown option ${first}.${didYouMean(nearest(first, ['--version', '--help', '--print', ...options]))}`,
  )
}

function help(about: string | undefined): CommandRequest {
  if (about === undefined || about === 'help') return { command: 'help' }
  if (Object.hasOwn(COMMANDS, about)) return { command: 'help', about: about as CommandName }
  throw new UsageError(`There is no command "${about}".${didYouMean(nearest(about, Object.keys(COMMANDS), 1))}`)
}

/** Other programs take a prompt as `--print -c TEXT`; a `-c` without text still continues the latest session. */
function print(rest: readonly string[], isLong: boolean): CommandRequest {
  const at = isLong ? rest.indexOf('-c') : -1
  const text = at < 0 ? undefined : rest[at + 1]
  if (text === undefined || text.startsWith('-')) return { command: 'print', rest }
  return { command: 'print', rest: rest.toSpliced(at, 1), hint: CONTINUE_HINT }
}

function isOptionOf(command: CommandName, word: string): boolean {
  const { options } = COMMANDS[command]
  const [name = ''] = word.slice(2).split('=')
  if (word.startsWith('--')) return name !== 'help' && Object.hasOwn(options, name)
  return Object.values(options).some(({ short }) => short !== undefined && word === `-${short}`)
}
