import { realpath } from 'node:fs/promises'
import { setFlagsFromString } from 'node:v8'
import type { Effort } from '../../../shared/model/effort'
import { CodedError, type Failure } from '../../../shared/errors'
import type { RecordedEvent, SessionEvent } from '../../../shared/events/event'
import { notificationLine } from '../../../shared/model/notification'
import type { SessionHeader } from '../../../shared/model/session'
import { sessionEffort } from '../../../shared/configuration/session-model'
import { UsageError, type Parsed } from '../../console/parse-command'
import { oneLine } from '../../console/output'
import { latestSession } from '../../console/project-sessions'
import { inTerminal, terminalFailure, reportStart, reportBackground } from '../../console/report'
import { createEngine } from '../../engine/engine'
import type { Engine } from '../../engine/engine-api'
import { taskHostProgram } from '../../engine/task/client/task-host-program'
import { readServerFiles, type SessionServers } from '../../console/mcp-config-file'
import { DeniedCalls, createPrintOutput } from './print-output'
import { printOptions, type PrintOptions, readStdin } from './print-options'

/**
 * `trestle print`: one turn without a UI. Returns the exit code: 0 completed, 1 error, 3 completed with calls denied,
 * 4 a spending limit is reached, 130 interrupted.
 */
export async function printMain(parsed: Parsed, version: string): Promise<number> {
  const options = printOptions(parsed)
  const servers = await readServerFiles('print', parsed.values['mcp-config-file'])
  if (!servers) return 2
  // A heap that grows slowly costs little CPU and saves 20 to 60 MB; starting commands (fork) is faster with less
  // memory.
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--heap-growing-percent=20')
  let engine: Engine | undefined
  const result = { isWritten: false }
  try {
    engine = await createEngine({
      version,
      watch: false,
      taskHost: taskHostProgram(),
      runsQueue: false,
      ...(options.maxSteps !== undefined && { maxSteps: options.maxSteps }),
    })
    reportStart(engine)
    reportNotices(engine, options.format)
    const piped = await readStdin()
    const prompt = [options.prompt, piped].filter((text) => text.trim() !== '').join('\n\n')
    if (prompt === '') throw new UsageError('There is no prompt: trestle print "what to do".', 'print')
    if (options.place !== undefined) {
      const { printOnPlace } = await import('./print-on-place')
      return await printOnPlace(engine, options, prompt, options.place)
    }
    return await printTurn(engine, options, { prompt, servers, result })
  } catch (error) {
    // JSON output contains the reason why no turn started; the message for people goes to stderr.
    if (options.format !== 'text' && error instanceof CodedError && !result.isWritten)
      await reportFailure(options.format, inTerminal(error.failure))
    throw error
  } finally {
    await engine?.close()
  }
}

/** The result of a turn that could not start. */
async function reportFailure(format: PrintOptions['format'], failure: Failure): Promise<void> {
  const usage = { input: 0, output: 0, cached: 0, thinking: 0 }
  await createPrintOutput(format, process.stdout).finish({
    type: 'result',
    stop: 'error',
    answer: '',
    failure,
    steps: 0,
    denials: [],
    durationMs: 0,
    usage,
  })
}

/** Warnings are printed in every format; progress only in the text format. */
function reportNotices(engine: Engine, format: PrintOptions['format']): void {
  engine.onChange((change) => {
    if (change.kind === 'notice' && change.about === 'mcp' && (change.tone === 'warning' || format === 'text'))
      process.stderr.write(`trestle: ${oneLine(change.text)}\n`)
  })
}

/** The model's context has changed, which is reported in every format. */
function reportCompaction(event: SessionEvent): void {
  if (event.type !== 'compaction.finished') return
  process.stderr.write(
    `trestle: the conversation was compacted from about ${event.before} to ${event.after} tokens; the whole of it stays in the session.\n`,
  )
}

/** The exit code of a turn that completed with calls denied, and of one that a spending limit has ended. */
const CALLS_DENIED = 3
const LIMIT_REACHED = 4

type TurnFinished = RecordedEvent & { type: 'turn.finished' }

async function printTurn(
  engine: Engine,
  options: PrintOptions,
  { prompt, servers, result }: { prompt: string; servers: SessionServers; result: { isWritten: boolean } },
): Promise<number> {
  const chosen = await chooseSession(engine, options)
  const { sessionId, folder, spent: before } = chosen
  if (Object.keys(servers).length > 0) engine.mcp.useInSession(sessionId, servers)
  await reportUntrusted(engine, folder)
  const output = createPrintOutput(
    options.format,
    process.stdout,
    options.format === 'text' && process.stderr.isTTY ? process.stderr : undefined,
    options.format === 'stream-json' ? undefined : process.stderr,
  )
  let interrupted = false
  const interrupt = (): void => {
    // A second signal exits at once; everything recorded so far is safe.
    if (interrupted) process.exit(130)
    interrupted = true
    void engine.sessions.stop(sessionId)
  }
  // SIGHUP: the terminal was closed, or the connection to it was lost.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt)
  // The reader of the output is gone: end the turn.
  process.stdout.on('error', () => {
    if (!interrupted) interrupt()
  })
  engine.onChange((change) => {
    if (change.kind !== 'notification') return
    output.notification(change.notification)
    process.stderr.write(`trestle: notification: ${oneLine(notificationLine(change.notification))}\n`)
  })
  const denied = new DeniedCalls((id, listener) => engine.sessions.listen(id, listener))
  const finished = new Promise<TurnFinished>((resolve) => {
    engine.sessions.listen(sessionId, (event: SessionEvent) => {
      output.event(event)
      denied.onEvent(event)
      reportCompaction(event)
      if (event.type === 'turn.finished') resolve(event)
    })
  })
  if (options.effort !== undefined) reportEffort(engine, engine.sessions.header(sessionId), options.effort)
  try {
    // For this turn only: a continued session keeps its own setting.
    await engine.sessions.prompt(
      sessionId,
      [{ type: 'text', text: prompt }],
      options.effort === undefined ? {} : { effort: options.effort },
    )
  } catch (error) {
    await undoStart(engine, chosen)
    throw error
  }
  const end = await finished
  const { spent } = engine.sessions.header(sessionId)
  const usage = {
    input: spent.input - before.input,
    output: spent.output - before.output,
    cached: spent.cached - before.cached,
    thinking: spent.thinking - before.thinking,
    ...(spent.cost !== undefined && { cost: rounded(spent.cost - (before.cost ?? 0)) }),
    ...(spent.isCostPartial && { isCostPartial: true as const }),
  }
  const { stop, failure, steps, durationMs } = end
  result.isWritten = true
  await output.finish({
    type: 'result',
    sessionId,
    stop,
    answer: output.answer(),
    steps,
    denials: denied.list,
    durationMs,
    usage,
    ...(failure && { failure: inTerminal(failure) }),
  })
  await reportSessionBackground(engine, sessionId)
  process.stderr.write(denied.toText())
  if (failure) process.stderr.write(terminalFailure(failure))
  if (interrupted || stop === 'cancelled') return 130
  if (stop === 'max_turn_requests')
    process.stderr.write(
      `trestle: the turn was ended after ${steps} ${steps === 1 ? 'step' : 'steps'}; the answer is what the model had so far.\n`,
    )
  if (stop === 'repetition')
    process.stderr.write(
      `trestle: the turn was ended after ${steps} steps, because the model kept making the same call with the same result.\n`,
    )
  if (stop === 'max_tokens') process.stderr.write('trestle: the answer was cut off at the output limit of the model.\n')
  if (failure?.code === 'budget.reached') return LIMIT_REACHED
  if (stop !== 'end_turn') return 1
  return denied.list.length > 0 ? CALLS_DENIED : 0
}

/** Rounds to a hundredth of a cent, to hide floating-point noise. */
function rounded(dollars: number): number {
  return Math.round(dollars * 10_000) / 10_000
}

const PARTS = { rules: 'rules', hooks: 'hooks', mcp: 'MCP servers', agents: 'agent specs' } as const

/** Warns that a project's rules, hooks and servers are off until the user trusts them; print mode cannot ask. */
async function reportUntrusted(engine: Engine, folder: string): Promise<void> {
  const { state, parts } = await engine.trust.view(folder)
  if (state === 'nothing' || state === 'trusted') return
  const why = {
    asked: "you haven't trusted them yet",
    changed: 'they have changed since you trusted them',
    refused: "you didn't trust them",
  }[state]
  const what = [...new Set(parts.map(({ kind }) => PARTS[kind]))].join(', ')
  process.stderr.write(
    `trestle: the settings of ${folder} (${what}) are off: ${why}. Review them with "trestle permission show", then run "trestle permission trust".\n`,
  )
}

/** Warns when the model does not support the requested effort. */
function reportEffort(engine: Engine, header: SessionHeader, effort: Effort): void {
  const settings = engine.settings.view()
  const id = header.model ?? settings.defaultModel
  const { offered, chosen } = sessionEffort(settings, { ...header, effort })
  // For a model in no list, only the request tells.
  if (chosen === effort || !settings.models.some((model) => model.id === id)) return
  const what =
    offered.length === 0
      ? 'has no reasoning effort setting, so --effort is ignored'
      : `does not support effort "${effort}"; using "${chosen}"`
  process.stderr.write(`trestle: ${id} ${what}.\n`)
}

/** The session of a print run. */
interface ChosenSession extends SessionHeader {
  /** Created by this run. */
  isNew: boolean
  /** The worktree that was made for it. */
  worktreeId?: string
  /** The model of a continued session before `--model` changed it. */
  earlierModel?: string | undefined
}

async function chooseSession(engine: Engine, options: PrintOptions): Promise<ChosenSession> {
  const session = await sessionFor(engine, options)
  const { sessionId, plan } = session
  // Plan mode is separate from the permission modes: choosing one of those ends it.
  if (options.mode === 'plan') return { ...session, ...(await engine.plans.enter(sessionId)) }
  return options.mode && plan?.active ? { ...session, ...(await engine.plans.leave(sessionId)) } : session
}

/**
 * A turn that could not start leaves no empty session, which `--continue` would take for the latest conversation, and
 * no model that cannot be used.
 */
async function undoStart(
  { sessions, worktrees }: Engine,
  { sessionId, worktreeId, isNew, model, earlierModel }: ChosenSession,
): Promise<void> {
  try {
    if (isNew) {
      await sessions.remove(sessionId)
      if (worktreeId !== undefined) await (await worktrees()).remove(worktreeId)
    } else if (earlierModel !== undefined && earlierModel !== model)
      await sessions.change(sessionId, { model: earlierModel })
  } catch {
    // The reason why the turn could not start is what the user has to know.
  }
}

async function sessionFor(engine: Engine, options: PrintOptions): Promise<ChosenSession> {
  const { sessions } = engine
  const { cwd, noProject, addDirs, model, agent, worktree } = options
  const mode = options.mode === 'plan' ? undefined : options.mode
  let { sessionId } = options
  if (options.continueLatest) sessionId = await latestSession(sessions, cwd)
  if (sessionId === undefined) {
    const header = await sessions.create({
      ...(!noProject && { folder: cwd }),
      addedFolders: addDirs,
      ...(worktree && { worktree }),
      ...(model !== undefined && { model }),
      ...(mode && { mode }),
      ...(agent && { agent }),
    })
    const made = worktree && sessions.list({}).find((one) => one.sessionId === header.sessionId)?.worktree
    if (made)
      process.stderr.write(`trestle: working in ${oneLine(header.folder)}, branch ${oneLine(made.branch ?? '')}\n`)
    return { ...header, isNew: true, ...(made && { worktreeId: made.worktreeId }) }
  }
  const waited = engine.inbox
    .list()
    .filter((entry) => entry.sessionId === sessionId && entry.elsewhere === undefined).length
  const { header } = await sessions.open(sessionId, 1)
  if (waited > 0) {
    const what =
      waited === 1
        ? '1 request that waited for an answer was cancelled'
        : `${waited} requests that waited for an answer were cancelled`
    process.stderr.write(`trestle: ${what}: print mode cannot ask.\n`)
  }
  const addedFolders = [
    ...new Set([...header.addedFolders, ...(await Promise.all(addDirs.map((dir) => realpath(dir))))]),
  ]
  const change = {
    ...(model !== undefined && model !== header.model && { model }),
    ...(mode && mode !== header.mode && { mode }),
    ...(agent && { agent }),
    ...(addedFolders.length > header.addedFolders.length && { addedFolders }),
  }
  const changed = Object.keys(change).length > 0 ? await sessions.change(sessionId, change) : header
  return { ...changed, isNew: false, earlierModel: header.model }
}

/** Prints to stderr which background work of the session continues or ends when the program exits. */
async function reportSessionBackground(engine: Engine, sessionId: string): Promise<void> {
  const { news } = engine.sessions.header(sessionId)
  if (news.length === 0) return
  const running = (await engine.tasks.list({ activeOnly: true })).filter(
    (task) => task.sessionId === sessionId && news.some(({ taskId }) => taskId === task.taskId),
  )
  const commands = running.filter(({ agent }) => !agent)
  reportBackground(
    engine,
    commands.filter(({ taskId }) => !engine.tasks.endsHere(taskId)),
  )
  const ending = commands.filter(({ taskId }) => engine.tasks.endsHere(taskId))
  if (ending.length > 0) {
    const what = ending
      .map(({ taskId, description, command }) => `${taskId} (${oneLine(description ?? command)})`)
      .join(', ')
    process.stderr.write(
      `trestle: ${ending.length === 1 ? 'a command that took longer than its time limit is' : `${ending.length} commands that took longer than their time limit are`} stopped with this program: ${what}. To keep one running, let the agent start it in the background.\n`,
    )
  }
  const agents = running.filter(({ agent }) => agent)
  if (agents.length === 0) return
  const names = agents.map(({ taskId, description = '' }) => `${taskId} (${description})`).join(', ')
  process.stderr.write(
    `trestle: ${agents.length === 1 ? 'a subagent ends' : `${agents.length} subagents end`} with this program, unfinished: ${names}. The agent is notified when the session continues, and can resume ${agents.length === 1 ? 'it' : 'them'}.\n`,
  )
}
