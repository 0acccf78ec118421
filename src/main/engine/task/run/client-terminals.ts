import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorText } from '../../../../shared/error-text'
import type { Task } from '../../../../shared/model/task/task'
import type { CommandToWrap, WrappedCommand } from '../../sandbox/bubblewrap/wrap-command'
import { SUPERVISOR_VARIABLE, supervisorTag } from '../../process/process-tag'
import { outputText } from '../output/output-text'
import { newTaskId, shellOfThisMachine } from './task-starter'
import { foregroundLog } from '../task-record'
import type { TaskEnd, TaskStart, TerminalTasks } from '../task-supervisor'

/** How a command ended, as reported by its terminal. */
export interface TerminalExit {
  exitCode?: number
  signal?: string
}

/** One command in a terminal of the client. Failures reject with an Error whose message is for the user. */
export interface ClientTerminal {
  ended(): Promise<TerminalExit>
  /** `truncated`: the beginning is missing. */
  output(): Promise<{ text: string; truncated: boolean }>
  kill(): Promise<void>
  /** Ends what is still running; the terminal stays visible. */
  release(): Promise<void>
}

/** A client that runs commands in terminals of its own, such as an editor. */
export interface ClientTerminalProvider {
  /** Identifies the client across its sessions. Absent: the provider itself. */
  client?: object
  /** Rejects, with a message for the user, if the command is not run. */
  create(command: {
    command: string
    args: readonly string[]
    cwd: string
    /** Added to the environment that commands have there. */
    env: Readonly<Record<string, string>>
    /** Maximum bytes of output to keep, the newest. */
    maxBytes: number
    callId?: string
  }): Promise<ClientTerminal>
}

export interface ClientTerminalsOptions {
  home: string
  env: () => Record<string, string>
  /** The whole environment of a sandboxed command: no variable of the client reaches the sandbox. */
  sandboxEnv: () => Record<string, string>
  /** How long a client may take to open a terminal, in ms; default 30 s. */
  openMs?: number
}

const KEPT_BYTES = 1024 * 1024
const OPEN_MS = 30_000
/** How long a terminal may take to report the result after it was asked to end its command. */
const RESULT_MS = 2_000
/** `run` returns this soon after a stop. */
const STOPPED_MS = 200
const CUT = 'The terminal kept only the end of the output.'

/**
 * Runs commands in terminals that a client provides. Time limit, stop and output limit are the same as elsewhere; the
 * process itself is the client's.
 */
export function clientTerminals(
  provider: ClientTerminalProvider,
  { home, env, sandboxEnv, openMs = OPEN_MS }: ClientTerminalsOptions,
): Pick<TerminalTasks, 'run'> {
  return {
    async run(start, maxChars) {
      const { signal, timeoutMs, command, cwd, callId } = start
      signal.throwIfAborted()
      const startedAt = Date.now()
      const clock = performance.now()
      // A program that reads stdin gets end of file immediately, as in our own terminals.
      const shell = { command: shellOfThisMachine().path, args: ['-c', `exec </dev/null\n${command}`] }
      const tag = { [SUPERVISOR_VARIABLE]: supervisorTag(home) }
      // Whether sandboxing works in the client's terminals was tested before the policy was chosen.
      const wrapped =
        start.sandbox &&
        (await wrap({ ...shell, policy: start.sandbox, cwd, env: { ...sandboxEnv(), ...tag, PWD: cwd } }))
      const opening = provider.create({
        command: wrapped?.command ?? shell.command,
        args: wrapped?.args ?? shell.args,
        cwd,
        // We don't supervise this task, but its processes are tagged as an agent's.
        env: wrapped?.env ?? { ...env(), ...tag },
        maxBytes: KEPT_BYTES,
        ...(callId !== undefined && { callId }),
      })
      const opened = await firstOf(opening, openMs, signal)
      if (opened.kind !== 'ended') {
        // A command that starts later finds its sandbox gone, and fails.
        wrapped?.close()
        void endLate(opening)
        if (opened.kind === 'lost') throw opened.error
        if (opened.kind === 'timed_out')
          throw new Error(`no terminal was opened for it within ${openMs / 1000} seconds.`)
        return endOf(start, { home, outcome: opened, output: undefined, startedAt, clock, maxChars })
      }
      const terminal = opened.value
      const ended = terminal.ended()
      ended.catch(() => undefined)
      const first = await firstOf(ended, timeoutMs, signal)
      const outcome = first.kind === 'ended' || first.kind === 'lost' ? first : await killEarly(terminal, ended, first)
      const output = await within(outcome.kind === 'stopped' ? STOPPED_MS : RESULT_MS, terminal.output())
      const problem = wrapped?.problem()
      void terminal
        .release()
        .catch(() => undefined)
        .finally(() => wrapped?.close())
      if (problem !== undefined) throw new Error(problem)
      const end = await endOf(start, { home, outcome, output, startedAt, clock, maxChars })
      return wrapped ? { ...end, deniedHosts: wrapped.deniedHosts() } : end
    },
  }
}

async function wrap(command: Omit<CommandToWrap, 'sharesTemporary'>): Promise<WrappedCommand> {
  const { wrapCommand } = await import('../../sandbox/bubblewrap/wrap-command')
  return wrapCommand({ ...command, sharesTemporary: true })
}

/** How waiting for the client ended. */
type Outcome<Value> =
  | { kind: 'ended'; value: Value }
  | { kind: 'timed_out' }
  | { kind: 'stopped' }
  | { kind: 'lost'; error: unknown }

async function firstOf<Value>(
  ended: Promise<Value>,
  timeoutMs: number | null,
  signal: AbortSignal,
): Promise<Outcome<Value>> {
  let timer: NodeJS.Timeout | undefined
  const over = new AbortController()
  try {
    return await Promise.race([
      ended.then(
        (value): Outcome<Value> => ({ kind: 'ended', value }),
        (error: unknown): Outcome<Value> => ({ kind: 'lost', error }),
      ),
      new Promise<Outcome<Value>>((resolve) => {
        if (timeoutMs !== null) timer = setTimeout(() => resolve({ kind: 'timed_out' }), timeoutMs)
        const stop = (): void => resolve({ kind: 'stopped' })
        if (signal.aborted) stop()
        else signal.addEventListener('abort', stop, { once: true, signal: over.signal })
      }),
    ])
  } finally {
    clearTimeout(timer)
    over.abort()
  }
}

/** Ends a terminal that opens after the call has ended. */
async function endLate(opening: Promise<ClientTerminal>): Promise<void> {
  try {
    const terminal = await opening
    await terminal.kill().catch(() => undefined)
    await terminal.release()
  } catch {
    // It did not open, or the client has ended it.
  }
}

async function killEarly(
  terminal: ClientTerminal,
  ended: Promise<TerminalExit>,
  outcome: Outcome<TerminalExit>,
): Promise<Outcome<TerminalExit>> {
  const killed = terminal.kill().then(
    () => ended,
    () => undefined,
  )
  await within(outcome.kind === 'stopped' ? STOPPED_MS : RESULT_MS, killed)
  return outcome
}

/** Undefined if it takes longer, or fails. */
async function within<Result>(ms: number, work: Promise<Result>): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), ms)))
  try {
    return await Promise.race([work.catch(() => undefined), late])
  } finally {
    clearTimeout(timer)
  }
}

interface Ending {
  home: string
  outcome: Outcome<TerminalExit>
  output: { text: string; truncated: boolean } | undefined
  startedAt: number
  /** When it started, on the monotonic clock. */
  clock: number
  maxChars: number
}

async function endOf(start: TaskStart, ending: Ending): Promise<TaskEnd> {
  const { home, outcome, output, startedAt, clock, maxChars } = ending
  const {
    signal: _signal,
    onOutput: _onOutput,
    canAnswer: _canAnswer,
    timeoutMs: _limit,
    sandbox: _sandbox,
    ...of
  } = start
  const taskId = newTaskId()
  const outputPath = foregroundLog(home, taskId)
  const bytes = Buffer.from(output?.text ?? '')
  const text = outputText(
    { head: [bytes], dropped: 0, tail: [] },
    bytes.length,
    maxChars,
    `All that was kept of it: ${outputPath}`,
  )
  const notes =
    outcome.kind === 'lost'
      ? [`The terminal was closed: ${errorText(outcome.error)}`]
      : output
        ? []
        : ['The terminal did not say what was printed.']
  const problem = await keepLog(outputPath, bytes)
  if (problem !== undefined) notes.push(problem)
  if (output?.truncated) notes.push(CUT)
  const endedAt = Date.now()
  return {
    ...text,
    truncated: text.truncated || output?.truncated === true,
    task: {
      ...of,
      taskId,
      ...statusOf(outcome),
      startedAt,
      endedAt,
      outputPath,
      outputBytes: bytes.length,
      background: false,
    },
    durationMs: Math.round(performance.now() - clock),
    leftRunning: [],
    notes,
  }
}

async function keepLog(path: string, bytes: Buffer): Promise<string | undefined> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(path, bytes, { mode: 0o600 })
    return undefined
  } catch (error) {
    return `The output could not be kept in a file: ${errorText(error)}`
  }
}

function statusOf(outcome: Outcome<TerminalExit>): Pick<Task, 'status' | 'exitCode' | 'signal'> {
  if (outcome.kind !== 'ended') return { status: outcome.kind }
  const { exitCode, signal } = outcome.value
  return {
    status: exitCode === 0 ? 'completed' : 'failed',
    ...(exitCode !== undefined && { exitCode }),
    ...(signal !== undefined && { signal }),
  }
}
