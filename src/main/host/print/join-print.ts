import { realpath } from 'node:fs/promises'
import { realpathSync } from 'node:fs'
import { notificationLine } from '../../../shared/model/notification'
import type { SessionEvent } from '../../../shared/events/event'
import { isRecorded } from '../../../shared/events/event'
import { CodedError, failureOf } from '../../../shared/errors'
import type { SessionHeader } from '../../../shared/model/session'
import type { TrestleClient } from '../../../shared/contract'
import { oneLine } from '../../console/output'
import { UsageError, type Parsed } from '../../console/parse-command'
import { latestSession } from '../../console/project-sessions'
import { inTerminal } from '../../console/report'
import { resolveHome } from '../../engine/config/home'
import { agentTrace } from '../../engine/runtime/agent-trace'
import { attachEngine, findEngine } from '../../role/attach'
import { differentInEngine } from '../../role/environment-check'
import { EngineLink } from '../../role/engine-link'
import { connectWire } from '../../wire/wire-client'
import { DeniedCalls } from './print-output'
import { printOptions, readStdin, type PrintOptions } from './print-options'
import {
  INTERRUPTED,
  printOutput,
  reportCancelled,
  reportCompaction,
  reportEffort,
  reportEnd,
  reportFailure,
  reportUntrusted,
  usageSince,
  writeResult,
  type TurnFinished,
} from './print-report'

/**
 * `trestle print` in the engine of the home, if one runs: the turn is a turn of that engine, and asks nothing. Returns
 * the exit code, as `printMain`; undefined when there is no engine to join, or the options or the environment need a
 * process of its own.
 */
export async function joinPrint(parsed: Parsed, version: string): Promise<number | undefined> {
  const { values } = parsed
  if (values['own-process'] === true || values['mcp-config-file'] !== undefined) return undefined
  // The agent is in the engine of the place.
  if (values['place'] !== undefined) return undefined
  const options = printOptions(parsed)
  const home = realpathSync(resolveHome())
  // A command of an agent stays within what that command may do.
  if ((await agentTrace({ home, orphans: false })) !== undefined) return undefined
  const found = await findEngine({ home, version }).catch((error: unknown) => {
    process.stderr.write(`trestle: this runs in a process of its own: ${oneLine(failureOf(error).message)}\n`)
    return undefined
  })
  if (!found) return undefined
  const wire = connectWire(found.socket)
  // What was set for this command only is in no other process.
  if ((await differentInEngine(wire.client, found.key))?.length !== 0) {
    wire.close()
    return undefined
  }
  const link = new EngineLink({
    first: wire,
    // A turn continues in the next engine.
    open: async () => (await attachEngine({ home, version })).socket,
  })
  const result = { isWritten: false }
  try {
    const piped = await readStdin()
    const prompt = [options.prompt, piped].filter((text) => text.trim() !== '').join('\n\n')
    if (prompt === '') throw new UsageError('There is no prompt: trestle print "what to do".', 'print')
    return await joinedTurn(link, options, prompt, result)
  } catch (error) {
    if (options.format !== 'text' && error instanceof CodedError && !result.isWritten)
      await reportFailure(options.format, inTerminal(error.failure))
    throw error
  } finally {
    link.close()
  }
}

async function joinedTurn(
  link: EngineLink,
  options: PrintOptions,
  prompt: string,
  result: { isWritten: boolean },
): Promise<number> {
  const { client } = link
  const chosen = await chooseSession(client, options)
  const { sessionId } = chosen.header
  const trust = client.trust.get({ folder: chosen.header.folder })
  if (options.effort !== undefined) reportEffort(await client.settings.get(), chosen.header, options.effort)
  const output = printOutput(options.format)
  let interrupted = false
  const interrupt = (): void => {
    if (interrupted) process.exit(INTERRUPTED)
    interrupted = true
    client.session.stop({ sessionId }).catch(() => process.exit(INTERRUPTED))
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt)
  process.stdout.on('error', () => {
    if (!interrupted) interrupt()
  })
  const agents = new FollowedAgents(link)
  const denied = new DeniedCalls((agentId, listener) => agents.follow(agentId, listener))
  const finished = Promise.withResolvers<TurnFinished>()
  link.follow(sessionId, chosen.header.seq, {
    event(event) {
      output.event(event)
      denied.onEvent(event)
      reportCompaction(event)
      if (event.type === 'turn.finished') finished.resolve(event)
    },
    failed: finished.reject,
  })
  try {
    await client.session.prompt({
      sessionId,
      parts: [{ type: 'text', text: prompt }],
      ...(options.effort !== undefined && { effort: options.effort }),
      unattended: options.maxSteps === undefined ? {} : { maxSteps: options.maxSteps },
    })
  } catch (error) {
    await undoStart(client, chosen)
    throw error
  }
  void printNotifications(client, sessionId, output.notification).catch(() => {})
  reportUntrusted(await trust, chosen.header.folder)
  const end = await finished.promise
  await agents.caughtUp(client)
  const { header } = await client.session.open({ sessionId, limit: 1 })
  const usage = usageSince(chosen.spent, header.spent)
  result.isWritten = true
  await writeResult(output, sessionId, end, { denials: denied.list, usage })
  if (header.news.length > 0)
    process.stderr.write(
      `trestle: ${header.news.length === 1 ? 'a background task runs' : `${header.news.length} background tasks run`} on: ${header.news.map(({ taskId }) => taskId).join(', ')}. See them with "trestle task list", stop one with "trestle task stop ID".\n`,
    )
  return reportEnd(end, denied, interrupted)
}

/** Subagents of the turn, and up to which event each was followed. */
class FollowedAgents {
  readonly #link: EngineLink
  readonly #reached = new Map<string, number>()
  #wake: () => void = () => {}

  constructor(link: EngineLink) {
    this.#link = link
  }

  follow(agentId: string, listener: (event: SessionEvent) => void): () => void {
    this.#reached.set(agentId, 0)
    return this.#link.follow(agentId, 0, {
      event: (event) => {
        listener(event)
        if (!isRecorded(event)) return
        this.#reached.set(agentId, event.seq)
        this.#wake()
      },
    })
  }

  /** Resolves when everything that has happened in them has been read. */
  async caughtUp(client: TrestleClient): Promise<void> {
    for (const agentId of this.#reached.keys()) {
      const { header } = await client.session.open({ sessionId: agentId, limit: 1 })
      while (this.#reached.get(agentId)! < header.seq) await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}

/** Notifications of the session's agent, while it runs. */
async function printNotifications(
  client: TrestleClient,
  sessionId: string,
  show: (notification: Parameters<ReturnType<typeof printOutput>['notification']>[0]) => void,
): Promise<void> {
  for await (const push of await client.push.app()) {
    if (push.type !== 'notification' || push.notification.sessionId !== sessionId) continue
    show(push.notification)
    process.stderr.write(`trestle: notification: ${oneLine(notificationLine(push.notification))}\n`)
  }
}

/** The session of a print run, as the turn starts. */
interface ChosenSession {
  header: SessionHeader
  /** What it had spent before. */
  spent: SessionHeader['spent']
  isNew: boolean
  worktreeId?: string
  /** The model of a continued session before `--model` changed it. */
  earlierModel?: string | undefined
}

async function chooseSession(client: TrestleClient, options: PrintOptions): Promise<ChosenSession> {
  const chosen = await sessionFor(client, options)
  const { sessionId, plan } = chosen.header
  if (options.mode === 'plan') return { ...chosen, header: await client.plan.enter({ sessionId }) }
  return options.mode && plan?.active ? { ...chosen, header: await client.plan.leave({ sessionId }) } : chosen
}

async function sessionFor(client: TrestleClient, options: PrintOptions): Promise<ChosenSession> {
  const { cwd, noProject, addDirs, model, agent, worktree } = options
  const mode = options.mode === 'plan' ? undefined : options.mode
  let { sessionId } = options
  if (options.continueLatest)
    sessionId = await latestSession({ list: async (filter) => client.session.list(filter) }, cwd)
  if (sessionId === undefined) {
    const created = await client.session.create({
      ...(!noProject && { folder: cwd }),
      ...(worktree && { worktree }),
      ...(model !== undefined && { model }),
      ...(mode && { mode }),
      ...(agent && { agent }),
    })
    const { sessionId: id } = created
    const header = addDirs.length > 0 ? await client.session.change({ sessionId: id, addedFolders: addDirs }) : created
    const made = worktree && (await client.session.list({})).find((one) => one.sessionId === header.sessionId)?.worktree
    if (made)
      process.stderr.write(`trestle: working in ${oneLine(header.folder)}, branch ${oneLine(made.branch ?? '')}\n`)
    return { header, spent: header.spent, isNew: true, ...(made && { worktreeId: made.worktreeId }) }
  }
  const { header } = await client.session.open({ sessionId, limit: 1 })
  if (header.approvals.length > 0) await client.session.stop({ sessionId })
  reportCancelled(header.approvals.length)
  const addedFolders = [
    ...new Set([...header.addedFolders, ...(await Promise.all(addDirs.map((dir) => realpath(dir))))]),
  ]
  const change = {
    ...(model !== undefined && model !== header.model && { model }),
    ...(mode && mode !== header.mode && { mode }),
    ...(agent && { agent }),
    ...(addedFolders.length > header.addedFolders.length && { addedFolders }),
  }
  const isChanged = Object.keys(change).length > 0 || header.approvals.length > 0
  const current = isChanged ? await client.session.change({ sessionId, ...change }) : header
  return { header: current, spent: header.spent, isNew: false, earlierModel: header.model }
}

/** A turn that could not start leaves no empty session behind, and no model that cannot be used. */
async function undoStart(
  client: TrestleClient,
  { header: { sessionId, model }, worktreeId, isNew, earlierModel }: ChosenSession,
): Promise<void> {
  try {
    if (isNew) {
      await client.session.remove({ sessionId })
      if (worktreeId !== undefined) await client.worktree.remove({ worktreeId })
    } else if (earlierModel !== undefined && earlierModel !== model)
      await client.session.change({ sessionId, model: earlierModel })
  } catch {
    // The reason why the turn could not start is what the user has to know.
  }
}
