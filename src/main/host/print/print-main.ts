import { CodedError } from '../../../shared/errors'
import type { SessionEvent } from '../../../shared/events/event'
import type { Parsed } from '../../console/parse-command'
import { oneLine } from '../../console/output'
import { inTerminal, reportStart, reportBackground } from '../../console/report'
import { createEngine } from '../../engine/engine'
import type { Engine } from '../../engine/engine-api'
import { growSlowly, resetV8Flag, setV8Flag } from '../../engine/runtime/v8-flags'
import { taskHostProgram } from '../../engine/task/client/task-host-program'
import { readServerFiles, type SessionServers } from '../../console/mcp-config-file'
import { DeniedCalls } from './print-output'
import { printOptions, promptOf, type PrintOptions } from './print-options'
import {
  interruptible,
  printOutput,
  reportCompaction,
  reportEffort,
  reportEnd,
  reportFailure,
  reportNotification,
  reportUntrusted,
  usageSince,
  writeResult,
  type TurnFinished,
} from './print-report'
import { chooseSession, undoStart, type PrintSessions } from './print-session'

/**
 * `trestle print`: one turn without a UI. Returns the exit code: 0 completed, 1 error, 3 completed with calls denied, 4
 * spending limit reached, 130 interrupted.
 */
export async function printMain(parsed: Parsed, version: string): Promise<number> {
  const options = printOptions(parsed)
  const servers = await readServerFiles('print', parsed.values['mcp-config-file'])
  if (!servers) return 2
  // Starting commands (fork) is also faster with less memory.
  growSlowly()
  // Startup produces no garbage: looking for some takes 20 ms, often just before the first request.
  setV8Flag('--no-incremental-marking')
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
    const prompt = await promptOf(options)
    if (options.place !== undefined) {
      collectGarbage()
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

/** A turn with fewer steps ends before there is garbage worth collecting. */
const SHORT_STEPS = 4

function collectGarbage(): void {
  resetV8Flag('--no-incremental-marking')
}

/** Warnings are printed in every format; progress only in the text format. */
function reportNotices(engine: Engine, format: PrintOptions['format']): void {
  engine.onChange((change) => {
    if (change.kind === 'notice' && change.about === 'mcp' && (change.tone === 'warning' || format === 'text'))
      process.stderr.write(`trestle: ${oneLine(change.text)}\n`)
  })
}

async function printTurn(
  engine: Engine,
  options: PrintOptions,
  { prompt, servers, result }: { prompt: string; servers: SessionServers; result: { isWritten: boolean } },
): Promise<number> {
  const sessions = sessionsOf(engine)
  const chosen = await chooseSession(sessions, options)
  const { sessionId, folder } = chosen.header
  if (Object.keys(servers).length > 0) engine.mcp.useInSession(sessionId, servers)
  reportUntrusted(await engine.trust.view(folder), folder)
  const output = printOutput(options.format)
  const isInterrupted = interruptible(() => engine.sessions.stop(sessionId))
  engine.onChange((change) => {
    if (change.kind === 'notification') reportNotification(output, change.notification)
  })
  const denied = new DeniedCalls((id, listener) => engine.sessions.listen(id, listener))
  const finished = new Promise<TurnFinished>((resolve) => {
    engine.sessions.listen(sessionId, (event: SessionEvent) => {
      output.event(event)
      denied.onEvent(event)
      reportCompaction(event)
      if (event.type === 'step.started' && event.n === SHORT_STEPS) collectGarbage()
      if (event.type === 'turn.finished') resolve(event)
    })
  })
  if (options.effort !== undefined)
    reportEffort(engine.settings.view(), engine.sessions.header(sessionId), options.effort)
  try {
    // For this turn only: a continued session keeps its own setting.
    await engine.sessions.prompt(
      sessionId,
      [{ type: 'text', text: prompt }],
      options.effort === undefined ? {} : { effort: options.effort },
    )
  } catch (error) {
    await undoStart(sessions, chosen)
    throw error
  }
  const end = await finished
  const usage = usageSince(chosen.spent, engine.sessions.header(sessionId).spent)
  result.isWritten = true
  await writeResult(output, sessionId, end, { denials: denied.list, usage })
  await reportSessionBackground(engine, sessionId)
  return reportEnd(end, denied, isInterrupted())
}

function sessionsOf({ sessions, inbox, plans, worktrees }: Engine): PrintSessions {
  return {
    list: sessions.list,
    create: sessions.create,
    async open(sessionId) {
      // Opening the session cancels them.
      const cancelled = inbox
        .list()
        .filter((entry) => entry.sessionId === sessionId && entry.elsewhere === undefined).length
      return { header: (await sessions.open(sessionId, 1)).header, cancelled }
    },
    change: sessions.change,
    remove: sessions.remove,
    enterPlan: plans.enter,
    leavePlan: plans.leave,
    removeWorktree: async (worktreeId) => (await worktrees()).remove(worktreeId),
  }
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
      (ending.length === 1
        ? 'trestle: a command that took longer than its time limit is '
        : `trestle: ${ending.length} commands that took longer than their time limit are `) +
        `stopped with this program: ${what}. To keep one running, let the agent start it in the background.\n`,
    )
  }
  const agents = running.filter(({ agent }) => agent)
  if (agents.length === 0) return
  const names = agents.map(({ taskId, description = '' }) => `${taskId} (${description})`).join(', ')
  process.stderr.write(
    `trestle: ${agents.length === 1 ? 'a subagent ends' : `${agents.length} subagents end`} with this program, ` +
      `unfinished: ${names}. ` +
      `The agent is notified when the session continues, and can resume ${agents.length === 1 ? 'it' : 'them'}.\n`,
  )
}
