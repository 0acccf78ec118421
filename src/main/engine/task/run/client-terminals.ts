import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { errorText } from '../../../../shared/error-text'
import type { Task } from '../../../../shared/model/task/task'
import { type CommandToWrap, type WrappedCommand, wrapCommand } from '../../sandbox/bubblewrap/wrap-command'
import { SUPERVISOR_VARIABLE, supervisorTag } from '../../process/process-tag'
import { outputText } from '../output/output-text'
import { newTaskId, shellOfThisMachine } from './task-starter'
import { foregroundLog } from '../task-record'
import type { TaskEnd, TaskStart, TerminalTasks } from '../task-supervisor'
import { sandboxSupport } from '../../sandbox/sandbox-support'
import type { SandboxPolicy } from '../../sandbox/sandbox-policy'

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
}

const KEPT_BYTES = 1024 * 1024
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
  { home, env, sandboxEnv }: ClientTerminalsOptions,
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
      const terminal = await provider
        .create({
          command: wrapped?.command ?? shell.command,
          args: wrapped?.args ?? shell.args,
          cwd,
          // We don't supervise this task, but its processes are tagged as an agent's.
          env: wrapped?.env ?? { ...env(), ...tag },
          maxBytes: KEPT_BYTES,
          ...(callId !== undefined && { callId }),
        })
        .catch((error: unknown) => {
          wrapped?.close()
          throw error
        })
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

type Outcome =
  | { kind: 'ended'; exit: TerminalExit }
  | { kind: 'timed_out' }
  | { kind: 'stopped' }
  | { kind: 'lost'; why: string }

async function firstOf(ended: Promise<TerminalExit>, timeoutMs: number | null, signal: AbortSignal): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined
  const over = new AbortController()
  try {
    return await Promise.race([
      ended.then(
        (exit): Outcome => ({ kind: 'ended', exit }),
        (error: unknown): Outcome => ({ kind: 'lost', why: errorText(error) }),
      ),
      new Promise<Outcome>((resolve) => {
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

async function killEarly(terminal: ClientTerminal, ended: Promise<TerminalExit>, outcome: Outcome): Promise<Outcome> {
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
  outcome: Outcome
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
      ? [`The terminal was closed: ${outcome.why}`]
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

function statusOf(outcome: Outcome): Pick<Task, 'status' | 'exitCode' | 'signal'> {
  if (outcome.kind !== 'ended') return { status: outcome.kind }
  const { exitCode, signal } = outcome.exit
  return {
    status: exitCode === 0 ? 'completed' : 'failed',
    ...(exitCode !== undefined && { exitCode }),
    ...(signal !== undefined && { signal }),
  }
}

/** A client that hasn't run a small program within this time is not tried again. */
const PROBE_MS = 5_000

/** Whether commands in terminals of clients can be sandboxed. */
export interface ClientSandboxes {
  /**
   * Tests each client once: a sandboxed program reads a random word from a file here, and the client reports the
   * output.
   */
  isSupported(provider: ClientTerminalProvider, cwd: string): Promise<boolean>
  /** The result of that test; undefined before it has finished. */
  knownSupport(provider: ClientTerminalProvider): boolean | undefined
}

export function createClientSandboxes({ home, userHome }: { home: string; userHome: string }): ClientSandboxes {
  const tried = new WeakMap<object, { result?: boolean; trial: Promise<boolean> }>()
  return {
    knownSupport: (provider) => tried.get(provider.client ?? provider)?.result,
    isSupported(provider, cwd) {
      const client = provider.client ?? provider
      const before = tried.get(client)
      if (before) return before.trial
      const entry: { result?: boolean; trial: Promise<boolean> } = {
        trial: testSandbox(provider, { home, userHome, cwd })
          .catch(() => false)
          .then((result) => (entry.result = result)),
      }
      tried.set(client, entry)
      return entry.trial
    },
  }
}

async function testSandbox(
  provider: ClientTerminalProvider,
  { home, userHome, cwd }: { home: string; userHome: string; cwd: string },
): Promise<boolean> {
  if (sandboxSupport().kind === 'none') return false
  mkdirSync(join(home, 'run'), { recursive: true, mode: 0o700 })
  const root = mkdtempSync(join(home, 'run', 'editor-'))
  try {
    const word = randomBytes(16).toString('hex')
    writeFileSync(join(root, 'word'), word, { mode: 0o600 })
    const nothing = { folders: [], write: [], read: [], protect: [], hosts: [], sockets: [] }
    const policy: SandboxPolicy = {
      level: 'read-only',
      network: 'none',
      scope: 'editor',
      root,
      ...nothing,
      home,
      userHome,
    }
    const wrapped = wrapCommand({
      policy,
      command: '/bin/sh',
      args: ['-c', 'read -r word <word; echo "$word"'],
      cwd: root,
      env: { PATH: '/usr/bin:/bin' },
    })
    try {
      return (await printed(provider, wrapped, cwd)).trim() === word
    } finally {
      wrapped.close()
    }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

async function printed(
  provider: ClientTerminalProvider,
  program: Pick<ReturnType<typeof wrapCommand>, 'command' | 'args' | 'env'>,
  cwd: string,
): Promise<string> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The client did not answer in time.')), PROBE_MS)
  })
  const { command, args, env } = program
  const terminal = provider.create({ command, args, env, cwd, maxBytes: 1_000 })
  // Also releases a terminal that opens too late.
  const release = (): void => void terminal.then((each) => each.release()).catch(() => undefined)
  try {
    const opened = await Promise.race([terminal, late])
    await Promise.race([opened.ended(), late])
    return (await Promise.race([opened.output(), late])).text
  } finally {
    clearTimeout(timer)
    late.catch(() => undefined)
    release()
  }
}
