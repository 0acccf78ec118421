import type { RecordedEvent } from '../../shared/events/event'
import { failureOf } from '../../shared/errors'
import { isAgentId } from '../../shared/model/session/agent'
import type { Agents } from './agent/agents'
import type { OpenInbox } from './approval/inbox'
import type { CheckpointManager } from './checkpoint/checkpoints'
import type { Reviews } from './review/reviews'
import type { EngineExecution } from './foundation/engine-execution'
import type { EngineFeatures } from './features/engine-features'
import type { EngineFoundation } from './foundation/engine-foundation'
import type { EngineMcp } from './mcp/engine-mcp'
import { summaryOf, type SessionManager } from './session/sessions'
import type { TaskNotifier } from './session/task-notifier'
import type { TitleGenerator } from './session/input/title'
import type { StoreBackups } from './store/backup/store-backups'
import type { TurnKeeper } from './session/kept-turns'
import type { SessionTools } from './turn/session/session-tools'

/** The parts that react to session events. */
export interface SessionFollowers {
  sessions: SessionManager
  notify: EngineFoundation['notify']
  tools: Pick<SessionTools, 'forgetReads'>
  inbox: OpenInbox
  agents: Agents
  notifier: TaskNotifier
  hooks: EngineExecution['hooks']
  features: Pick<EngineFeatures, 'schedule' | 'worktrees'>
  sandboxes: EngineExecution['sandboxes']
  /** Absent without a UI. */
  titles: TitleGenerator | undefined
  mcp: EngineMcp
  checkpoints: CheckpointManager
  reviews: Pick<Reviews, 'removed'>
  background: EngineFoundation['background']
  log(message: string): void
  backups: StoreBackups
  /** Absent in an engine that does not keep its turns. */
  keeper: TurnKeeper | undefined
}

/** Passes session events to the other parts, in this order. A part that fails does not keep them from the others. */
export function followSessions(parts: SessionFollowers): void {
  const { sessions, notify, tools, inbox, agents, notifier, hooks, features } = parts
  const { sandboxes, titles, mcp, checkpoints, reviews, backups, keeper, background, log } = parts
  const passOn = (...calls: (() => void)[]): void => {
    for (const call of calls) {
      try {
        call()
      } catch (error) {
        log(`An event of a session could not be handled: ${failureOf(error).message}`)
      }
    }
  }
  sessions.follow({
    recorded(session, before, events) {
      passOn(
        () => keeper?.recorded(session, events),
        () => {
          if (events.some((event) => event.type === 'checkpoint.restored' && event.conversation))
            tools.forgetReads(session)
        },
        () => {
          // A subagent is not among the user's sessions: it is listed as a task.
          if (!isAgentId(session.id))
            notify({
              kind: 'session',
              summary: summaryOf(session.header, features.worktrees.of(session.header.folder)),
            })
        },
        () => inbox.sessionChanged(before, session.header),
        () => agents.onRecorded(session.header, before),
        () => hooks.recorded(session, events),
        () => features.schedule.recorded(session, events),
        () => features.worktrees.recorded(session, events),
        () => titles?.onRecorded(session.header, before, events),
        () => mcp.onRecorded(session.header, before, events),
        () => {
          if (events.some(changesSandbox)) void sandboxes.sync(session)
        },
        () => {
          if (events.some(({ type }) => type === 'turn.finished')) backups.takeIfDue()
        },
      )
    },
    opened: (session) => passOn(() => notifier.sessionOpened(session)),
    removed(sessionId) {
      passOn(
        () => keeper?.removed(sessionId),
        () => hooks.removed(sessionId),
        () => mcp.leave(sessionId),
        () => checkpoints.removed(sessionId),
        () =>
          background.add(reviews.removed(sessionId), (error) =>
            log(`Notes of a review could not be removed: ${failureOf(error).message}`),
          ),
        () => {
          if (isAgentId(sessionId)) notify({ kind: 'task.removed', taskId: sessionId })
          else notify({ kind: 'session.removed', sessionId })
        },
        () => notify({ kind: 'inbox' }),
      )
    },
  })
}

/** Whether this event can change the sandbox that commands run in. */
function changesSandbox(event: RecordedEvent): boolean {
  if (event.type === 'session.changed')
    return event.mode !== undefined || event.addedFolders !== undefined || event.folder !== undefined
  return event.type === 'plan.entered' || event.type === 'plan.left' || event.type === 'plan.resolved'
}
