import { CodedError, type Failure } from '../../../../shared/errors'
import type { LiveEvent, RecordedEvent } from '../../../../shared/events/event'
import type { UserPart } from '../../../../shared/model/turn/message'
import type { TurnEnd } from '../../loop/turn'
import type { Session } from '../../session/session'
import { followRemoteSession } from '../remote/follow-session'
import { replyOnce } from '../remote/reply-once'
import { isLost, type JobConnection } from './job-connection'
import type { JobPermissions } from './job-permissions'

export interface MirroredTurn {
  turnId: string
  parts: readonly UserPart[]
  /** The text of earlier turns, for an engine that does not know them; can be empty. */
  earlier(): string
  /** The input for creating the session there, if the job has none from an earlier turn. */
  create: Record<string, unknown>
  connection: Pick<JobConnection, 'call' | 'reconnected'>
  /** Applied to the session there before its prompt. */
  permissions: Pick<JobPermissions, 'begin'>
  /** Saves rules that the user created for all sessions. */
  keepRules(patterns: readonly string[]): Promise<void>
}

/** The events of a turn that are recorded here unchanged. Checkpoints and the prompt belong to the engine there. */
const MIRRORED = new Set([
  'step.started',
  'step.retried',
  'step.finished',
  'tool.started',
  'tool.judged',
  'tool.finished',
  'approval.requested',
  'approval.resolved',
  'todos.changed',
  'model.fell_back',
])
const LIVE = new Set(['text.delta', 'thinking.delta', 'tool.drafting', 'tool.progress'])

/**
 * Runs a turn of a session in the engine of a job, and records its events here: each once and in order, however often
 * the connection is lost. Answers to its requests are passed on. Rejects with the reason the job is over.
 */
export async function mirrorTurn(session: Session, turn: MirroredTurn, signal: AbortSignal): Promise<TurnEnd> {
  const { connection, turnId } = turn
  const { sessionId, seq } = await sessionThere(turn, signal)
  await turn.permissions.begin(sessionId)
  const since = await promptOnce(turn, sessionId, seq, signal)
  const following = new AbortController()
  const stop = (): void => void connection.call('session.stop', { sessionId }).catch(() => undefined)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const steer = (): void => {
    for (const { parts, promptId } of session.takeSteering()) {
      session.record({ type: 'turn.steered', turnId, parts, by: 'user', ...(promptId !== undefined && { promptId }) })
      void connection.call('session.steer', { sessionId, parts }).catch(() => undefined)
    }
  }
  const unlisten = session.listen((event) => {
    if (event.type === 'prompt.joins') queueMicrotask(steer)
  })
  session.relay = {
    async reply({ rule, ...answer }) {
      if (rule?.scope === 'user') await turn.keepRules(rule.pattern.split('\n'))
      await replyOnce(connection, { sessionId, ...answer, ...(rule && { rule: { ...rule, scope: 'session' } }) })
    },
    choices: async (approvalId) => (await connection.call('approval.choices', { sessionId, approvalId })) as never,
    proposal: async (approvalId, edited) =>
      ((await connection.call('approval.proposal', { sessionId, approvalId, ...(edited && { edited }) })) ??
        undefined) as never,
  }
  try {
    for await (const push of followRemoteSession(connection, { sessionId, since }, { signal: following.signal })) {
      const { events } = push as { events?: readonly (RecordedEvent | LiveEvent)[] }
      for (const event of events ?? []) {
        const end = recordEvent(session, turnId, event)
        if (end) return end
      }
    }
    throw new CodedError('place.job_ended', 'The session in the job no longer exists.')
  } finally {
    following.abort()
    unlisten()
    signal.removeEventListener('abort', stop)
    delete session.relay
  }
}

/** Records an event of the turn there; returns the end of the turn, if that is the event. */
function recordEvent(session: Session, turnId: string, event: RecordedEvent | LiveEvent): TurnEnd | undefined {
  if (LIVE.has(event.type)) {
    session.live({ ...event, sessionId: session.id } as LiveEvent)
    return undefined
  }
  if (event.type === 'turn.finished') {
    const { stop, steps, failure } = event
    if (stop === 'interrupted') throw new CodedError('place.job_ended', 'The engine in the job was interrupted.')
    return { stop, steps, ...(failure && { failure: asFailure(failure) }) }
  }
  if (!MIRRORED.has(event.type)) return undefined
  const {
    sessionId: _session,
    seq: _seq,
    at: _at,
    checkpoint: _checkpoint,
    ...body
  } = event as RecordedEvent & {
    checkpoint?: number
  }
  const mirrored = 'turnId' in body ? { ...body, turnId } : body
  session.record(
    mirrored.type === 'approval.requested' ? { ...mirrored, approval: { ...mirrored.approval, turnId } } : mirrored,
  )
  return undefined
}

function asFailure(failure: Failure): Failure {
  return new CodedError(failure.code, failure.message).failure
}

/** The session in the job: from an earlier turn, or a new one. */
async function sessionThere(
  { connection, create }: MirroredTurn,
  signal: AbortSignal,
): Promise<{ sessionId: string; seq: number }> {
  for (;;) {
    const [found] = (await connection.call('session.list', { limit: 1 }, signal)) as {
      sessionId: string
    }[]
    if (found) {
      const opened = await connection.call('session.open', { sessionId: found.sessionId, limit: 1 }, signal)
      return (opened as { header: { sessionId: string; seq: number } }).header
    }
    try {
      return (await connection.call('session.create', create, signal)) as { sessionId: string; seq: number }
    } catch (error) {
      // The list shows whether it was created.
      if (!isLost(error)) throw error
    }
  }
}

/** Sends the prompt once, even if the connection is lost: the log there shows whether it arrived. */
async function promptOnce(
  { connection, parts, earlier }: MirroredTurn,
  sessionId: string,
  seq: number,
  signal: AbortSignal,
): Promise<number> {
  for (;;) {
    const { events } = (await connection.call('session.open', { sessionId, limit: 5000 }, signal)) as {
      events: RecordedEvent[]
    }
    if (events.some((event) => event.seq > seq && event.type === 'turn.started')) return seq
    const before = events.some((event) => event.type === 'turn.started') ? '' : earlier()
    const all = before === '' ? parts : [{ type: 'text', text: before }, ...parts]
    try {
      await connection.call('session.prompt', { sessionId, parts: all }, signal)
      return seq
    } catch (error) {
      if (!isLost(error)) throw error
    }
  }
}
