import { realpathSync } from 'node:fs'
import type { SessionEvent } from '../../../shared/events/event'
import { isRecorded } from '../../../shared/events/event'
import { CodedError, failureOf } from '../../../shared/errors'
import type { TrestleClient } from '../../../shared/contract'
import { oneLine } from '../../console/output'
import type { Parsed } from '../../console/parse-command'
import { inTerminal } from '../../console/report'
import { resolveHome } from '../../engine/config/home'
import { agentTrace } from '../../engine/runtime/agent-trace'
import { attachEngine, findEngine } from '../../role/attach'
import { differentInEngine } from '../../role/environment-check'
import { EngineLink } from '../../role/engine-link'
import { connectWire } from '../../wire/wire-client'
import { DeniedCalls, type PrintOutput } from './print-output'
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
 * `trestle print` in the engine of the home, if one runs: the turn runs in that engine, and nothing is asked. Returns
 * the exit code like `printMain`; undefined when no engine runs, or when the options or the environment require a
 * separate process.
 */
export async function joinPrint(parsed: Parsed, version: string): Promise<number | undefined> {
  const { values } = parsed
  if (values['own-process'] === true || values['mcp-config-file'] !== undefined) return undefined
  // The agent runs in the engine of the place.
  if (values['place'] !== undefined) return undefined
  const options = printOptions(parsed)
  const home = realpathSync(resolveHome())
  // Started by an agent's command: the shared engine would give that command more access than it has.
  if ((await agentTrace({ home, orphans: false })) !== undefined) return undefined
  const found = await findEngine({ home, version }).catch((error: unknown) => {
    process.stderr.write(`trestle: this runs in a process of its own: ${oneLine(failureOf(error).message)}\n`)
    return undefined
  })
  if (!found) return undefined
  const wire = connectWire(found.socket)
  // Variables set only for this command do not exist in another process.
  if ((await differentInEngine(wire.client, found.key))?.length !== 0) {
    wire.close()
    return undefined
  }
  const link = new EngineLink({
    first: wire,
    // The turn continues in the next engine.
    open: async () => (await attachEngine({ home, version })).socket,
  })
  const result = { isWritten: false }
  try {
    return await joinedTurn(link, options, await promptOf(options), result)
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
  const sessions = sessionsOf(client)
  const chosen = await chooseSession(sessions, options)
  const { sessionId } = chosen.header
  const trust = client.trust.get({ folder: chosen.header.folder })
  if (options.effort !== undefined) reportEffort(await client.settings.get(), chosen.header, options.effort)
  const output = printOutput(options.format)
  const isInterrupted = interruptible(() => client.session.stop({ sessionId }))
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
    await undoStart(sessions, chosen)
    throw error
  }
  void printNotifications(client, sessionId, output).catch(() => {})
  reportUntrusted(await trust, chosen.header.folder)
  const end = await finished.promise
  await agents.caughtUp(client)
  const { header } = await client.session.open({ sessionId, limit: 1 })
  const usage = usageSince(chosen.spent, header.spent)
  result.isWritten = true
  await writeResult(output, sessionId, end, { denials: denied.list, usage })
  if (header.news.length > 0)
    process.stderr.write(
      'trestle: ' +
        `${header.news.length === 1 ? 'a background task runs' : `${header.news.length} background tasks run`} ` +
        `on: ${header.news.map(({ taskId }) => taskId).join(', ')}. ` +
        'See them with "trestle task list", stop one with "trestle task stop ID".\n',
    )
  return reportEnd(end, denied, isInterrupted())
}

/** The subagents of the turn, and how far the events of each were read. */
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

  /** Resolves when all of their events have been read. */
  async caughtUp(client: TrestleClient): Promise<void> {
    for (const agentId of this.#reached.keys()) {
      const { header } = await client.session.open({ sessionId: agentId, limit: 1 })
      while (this.#reached.get(agentId)! < header.seq) await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}

/** Prints the notifications of the session's agent while it runs. */
async function printNotifications(client: TrestleClient, sessionId: string, output: PrintOutput): Promise<void> {
  for await (const push of await client.push.app())
    if (push.type === 'notification' && push.notification.sessionId === sessionId)
      reportNotification(output, push.notification)
}

function sessionsOf(client: TrestleClient): PrintSessions {
  const { session, plan } = client
  return {
    list: (filter) => session.list(filter),
    async create({ addedFolders = [], schedule: _none, ...input }) {
      const made = await session.create(input)
      return addedFolders.length > 0 ? session.change({ sessionId: made.sessionId, addedFolders }) : made
    },
    async open(sessionId) {
      const { header } = await session.open({ sessionId, limit: 1 })
      const cancelled = header.approvals.length
      if (cancelled === 0) return { header, cancelled }
      await session.stop({ sessionId })
      return { header: (await session.open({ sessionId, limit: 1 })).header, cancelled }
    },
    change: (sessionId, change) => session.change({ sessionId, ...change }),
    remove: (sessionId) => session.remove({ sessionId }),
    enterPlan: (sessionId) => plan.enter({ sessionId }),
    leavePlan: (sessionId) => plan.leave({ sessionId }),
    removeWorktree: (worktreeId) => client.worktree.remove({ worktreeId }),
  }
}
