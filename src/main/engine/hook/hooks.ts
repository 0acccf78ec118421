import { realpath } from 'node:fs/promises'
import { CodedError, failureOf } from '../../../shared/errors'
import type { RecordedEvent } from '../../../shared/events/event'
import type { HookEvent, HookList, HookRun } from '../../../shared/configuration/customize/customizations'
import { textOf, type UserPart } from '../../../shared/model/turn/message'
import type { SessionHeader } from '../../../shared/model/session/session'
import type { Hook } from '../config/agent-settings/hook-settings'
import type { WriteHooks } from '../tool/edit/write-changes'
import { blockedBy, createTurnHooks, type HookedTurn } from './turn-hooks'
import { createHookRunner, type HookRunnerDeps } from './hook-runner'

/** The part of a session that hooks need. */
interface HookedSession {
  readonly id: string
  readonly header: Pick<SessionHeader, 'folder' | 'turns' | 'agent'>
}

/** Runs the user's hooks on events. */
export interface Hooks {
  list(folder: string): Promise<HookList>
  /** Runs a hook once with sample input, even if it is turned off; a project's hook only if the project is trusted. */
  test(folder: string, hook: Pick<Hook, 'event' | 'command'>): Promise<HookRun>
  /** The hooks of a new turn; undefined if no hooks are configured for it. */
  forTurn(
    session: HookedSession,
    turnId: string,
    signal: AbortSignal,
    configured: readonly Hook[],
  ): HookedTurn | undefined
  /** The write hooks of a session's running turn. */
  writesOf(session: HookedSession): WriteHooks | undefined
  /** Call when the user sends a message; throws `hook.blocked` if a hook blocks it. */
  submit(session: HookedSession, parts: readonly UserPart[]): Promise<void>
  /** Runs hooks on recorded events in the background; returns immediately. */
  recorded(session: HookedSession, events: readonly RecordedEvent[]): void
  /** Runs hooks that only watch an event in the background; returns immediately. */
  observe(session: HookedSession, event: HookEvent, subject: string, payload: Record<string, unknown>): void
  /** Call when a session was deleted. */
  removed(sessionId: string): void
  /**
   * Runs the hooks for the end of sessions, and waits for running hooks: briefly when a window is closing, otherwise up
   * to their time limit.
   */
  close(): Promise<void>
}

/** How long closing the app waits for hooks. */
const CLOSE_TIMEOUT_MS = 5_000
/** Longer than any time limit. */
const NO_TIMEOUT_MS = 3_600_000
const NEVER_ABORTED = new AbortController().signal

export interface HooksDeps extends HookRunnerDeps {
  interactive: boolean
  log(message: string): void
}

export function createHooks(deps: HooksDeps): Hooks {
  const runner = createHookRunner(deps)
  const turns = new WeakMap<HookedSession, HookedTurn>()
  /** Sessions that had a turn here, with their folders. */
  const started = new Map<string, string>()

  let isClosing = false

  const observeIn = (
    sessionId: string,
    folder: string,
    event: HookEvent,
    subject: string,
    payload: Record<string, unknown>,
  ): void =>
    void runner
      .run({ event, sessionId, folder, subject, payload }, NEVER_ABORTED)
      .catch((error: unknown) => deps.log(`The hooks on ${event} could not be run: ${failureOf(error).message}`))
  const observe: Hooks['observe'] = ({ id, header }, event, subject, payload) =>
    observeIn(id, header.folder, event, subject, payload)

  const end = (sessionId: string, reason: 'archived' | 'deleted' | 'closed'): void => {
    const folder = started.get(sessionId)
    if (folder === undefined) return
    started.delete(sessionId)
    observeIn(sessionId, folder, 'SessionEnd', reason, { reason })
  }

  return {
    async list(given) {
      const folder = await realpath(given).catch(() => given)
      const hooks = await deps.hooksOf(folder)
      return { hooks: hooks.map(({ pluginRoot: _root, ...shown }) => shown), runs: runner.runs() }
    },

    async test(given, { event, command }) {
      const folder = await realpath(given).catch(() => given)
      const hook = (await deps.hooksOf(folder)).find((one) => one.event === event && one.command === command)
      if (!hook) throw new CodedError('customize.not_found', 'There is no such hook in this folder.')
      const { sampleTrigger } = await import('./sample-trigger')
      return runner.test(hook, sampleTrigger(hook, folder))
    },

    forTurn(session, turnId, signal, configured) {
      turns.delete(session)
      if (!configured.some((hook) => !hook.isOff)) return undefined
      const { id, header } = session
      if (!started.has(id)) {
        started.set(id, header.folder)
        const source = header.turns > 1 ? 'resumed' : 'new'
        observe(session, 'SessionStart', source, { source })
      }
      const turn = createTurnHooks(runner, { sessionId: id, folder: header.folder, turnId, signal })
      turns.set(session, turn)
      return turn
    },

    writesOf: (session) => turns.get(session)?.writes,

    async submit({ id, header }, parts) {
      const prompt = textOf(parts)
      const occasion = {
        event: 'UserPromptSubmit',
        sessionId: id,
        folder: header.folder,
        subject: prompt,
        payload: { prompt },
      } as const
      const reason = blockedBy(await runner.run(occasion, NEVER_ABORTED))
      if (reason !== undefined) throw new CodedError('hook.blocked', reason)
      if (isClosing) throw new CodedError('hook.blocked', 'Trestle was closed before its hooks had checked this.')
    },

    recorded(session, events) {
      for (const event of events) {
        if (event.type === 'approval.requested') {
          const { tool, summary, reason } = event.approval
          observe(session, 'Notification', 'approval', {
            type: 'approval',
            title: `${tool} waits for an approval`,
            message: summary,
            reason,
          })
        } else if ((event.type === 'turn.started' || (event.type === 'turn.steered' && !event.again)) && event.news) {
          for (const { taskId, command, description, status, exitCode } of event.news) {
            if (status === 'running') continue
            const about = { task_id: taskId, command, description, status, exit_code: exitCode }
            observe(session, 'TaskFinished', status, about)
            observe(session, 'Notification', `task.${status}`, {
              type: `task.${status}`,
              title: `A task is ${status}`,
              message: command,
              ...about,
            })
          }
        } else if (event.type === 'compaction.started') {
          const { reason, instruction, tokens } = event
          observe(session, 'PreCompact', reason, { reason, instruction, tokens })
        } else if (event.type === 'agent.ended' && session.header.agent) {
          const { agentType, description, parentId } = session.header.agent
          const about = {
            agent_id: session.id,
            agent_type: agentType,
            parent_session_id: parentId,
            description,
            status: event.status,
          }
          observe(session, 'SubagentStop', agentType, about)
        } else if (event.type === 'session.changed' && event.archived) end(session.id, 'archived')
      }
    },

    observe,
    removed: (sessionId) => end(sessionId, 'deleted'),

    async close() {
      isClosing = true
      for (const sessionId of started.keys()) end(sessionId, 'closed')
      await runner.close(deps.interactive ? CLOSE_TIMEOUT_MS : NO_TIMEOUT_MS)
    },
  }
}
