import { failureOf } from '../../../shared/errors'
import { isMidCall } from '../../../shared/model/approval/approval'
import type { RecordedEvent } from '../../../shared/events/event'
import type { SessionHeader } from '../../../shared/model/session/session'
import type { KeptTurnRows, NotedEnvironment } from '../store/rows/kept-turn-rows'
import type { Session } from './session'
import type { SessionManager } from './sessions'

/** A turn is continued after up to this many crashes, and abandoned after the next one. */
const MAX_CRASHES = 2
/** After this many finished steps, the turn is assumed not to cause the crashes. */
const STEPS_WITHOUT_CRASH = 5

/** The turns of a home's engine process, which outlive it. */
export interface KeptTurns {
  /**
   * Continues every kept turn that no living process runs. `own`: the environment of this process; a turn whose process
   * died in a different environment is ended instead, because its commands would see different variables. Continues
   * nothing after `handOver`.
   */
  continueOpen(own?: OwnEnvironment): Promise<ContinuedTurns>
  /**
   * Leaves all work to the next engine process: each session at its next step, or in the middle of one when `limit`
   * aborts. Call it once, when no client can reach this engine any longer.
   */
  handOver(limit: AbortSignal): Promise<void>
}

/** The environment of this process. */
export interface OwnEnvironment {
  /** In the form recorded with its turns. */
  noted: NotedEnvironment
  /**
   * The variables that differ from another process's environment, as part of a sentence; undefined without differences.
   */
  different(before: NotedEnvironment): string | undefined
}

export interface ContinuedTurns {
  /** The notifications to the user, one sentence each. */
  messages: string[]
  /** Number of turns still running in another process, which may leave them. */
  elsewhere: number
}

export interface KeptTurnsDeps {
  rows: KeptTurnRows
  header(sessionId: string): SessionHeader | undefined
  sessions: Pick<SessionManager, 'withSession' | 'handOver' | 'unattended'>
  /** Notifies the user, now or when they next look. */
  notify(title: string, body: string, sessionId?: string): void
}

/** Absent in an engine that does not keep its turns. */
export interface TurnKeeper extends KeptTurns {
  /** Keeps track of open turns; called after their events are recorded. */
  recorded(session: Session, events: readonly RecordedEvent[]): void
  removed(sessionId: string): void
  /** Whether the open turn of a session should be continued. */
  keeps(sessionId: string): boolean
}

/** The outcome for the turns checked. */
interface Outcome {
  /** Titles of the sessions that continue after a crash. */
  afterCrash: { sessionId: string; title: string }[]
  failed: { sessionId: string; title: string; why: string }[]
  elsewhere: number
}

export function createKeptTurns({ rows, header, sessions, notify }: KeptTurnsDeps): TurnKeeper {
  /** Number of steps finished since a turn was continued after a crash, by session. */
  const stepsSince = new Map<string, number>()
  let environment: OwnEnvironment | undefined
  let isHandedOver = false

  function stepFinished(sessionId: string): void {
    const steps = stepsSince.get(sessionId)
    if (steps === undefined) return
    stepsSince.set(sessionId, steps + 1)
    if (steps + 1 < STEPS_WITHOUT_CRASH) return
    stepsSince.delete(sessionId)
    const kept = rows.get(sessionId)
    if (kept) rows.put({ ...kept, crashes: 0 })
  }

  async function continueOne(sessionId: string, result: Outcome): Promise<void> {
    // It belongs to the next engine; this one would stop it again when it closes.
    if (isHandedOver) return
    const kept = rows.get(sessionId)
    const found = header(sessionId)
    if (!kept || !found) return rows.remove(sessionId)
    const { title } = found
    const waits = found.approvals.some((approval) => !isMidCall(approval))
    const { left: wasLeft, ...turn } = kept
    try {
      if (kept.unattended && found.turnId !== undefined) sessions.unattended.begin(sessionId, kept.unattended)
      await sessions.withSession(sessionId, async (session) => {
        // It already runs in this process, or continues once its requests are answered.
        if (session.isWorking) return
        // It ended before it was left; listeners are notified now.
        if (session.header.turnId === undefined && session.header.queue.length === 0) return rows.remove(sessionId)
        const different = !wasLeft && turn.environment && environment?.different(turn.environment)
        if (different)
          return end(
            session,
            title,
            result,
            `Trestle stopped while it ran, and has other environment variables now: ${different}.`,
          )
        if (waits) return
        const crashes = wasLeft ? turn.crashes : turn.crashes + 1
        if (crashes > MAX_CRASHES)
          return end(session, title, result, `Trestle stopped ${MAX_CRASHES + 1} times while it ran.`)
        rows.put({ ...turn, crashes, ...(environment && { environment: environment.noted }) })
        if (crashes > 0) stepsSince.set(sessionId, 0)
        await session.continueTurn()
        if (!wasLeft && session.busy) result.afterCrash.push({ sessionId, title })
      })
    } catch (error) {
      const { code, message } = failureOf(error)
      if (code === 'session.elsewhere') result.elsewhere += 1
      else result.failed.push({ sessionId, title, why: message })
    }
  }

  function report({ afterCrash, failed }: Outcome): string[] {
    const messages: string[] = []
    const say = (title: string, body: string, sessionId?: string): void => {
      messages.push(`${title}. ${body}`)
      notify(title, body, sessionId)
    }
    const names = afterCrash.map(({ title }) => `“${title}”`).join(', ')
    if (afterCrash.length > 0)
      say(
        'Trestle stopped unexpectedly and has restarted',
        `${names} ${afterCrash.length === 1 ? 'continues' : 'continue'}. Only the step that was running is repeated.`,
        afterCrash[0]?.sessionId,
      )
    for (const { sessionId, title, why } of failed)
      say('A session could not be continued', `“${title}”: ${why} Send a message in it to continue.`, sessionId)
    return messages
  }

  async function end(session: Session, title: string, result: Outcome, why: string): Promise<void> {
    await session.stop(why)
    rows.remove(session.id)
    result.failed.push({ sessionId: session.id, title, why })
  }

  return {
    keeps: (sessionId) => rows.get(sessionId) !== undefined,
    recorded(session, events) {
      if (session.header.agent) return
      for (const { type } of events) {
        const unattended = sessions.unattended.of(session.header)
        if (type === 'step.finished') stepFinished(session.id)
        else if (type === 'turn.started')
          rows.put({
            sessionId: session.id,
            crashes: 0,
            ...(unattended && { unattended }),
            ...(environment && { environment: environment.noted }),
          })
        // A session that is left stays listed for the next process, which starts its queued prompts.
        else if (type === 'turn.finished' && !session.isLeaving) {
          stepsSince.delete(session.id)
          rows.remove(session.id)
        }
      }
    },
    removed: (sessionId) => rows.remove(sessionId),
    async continueOpen(own) {
      environment = own
      const outcome: Outcome = { afterCrash: [], failed: [], elsewhere: 0 }
      for (const { sessionId } of rows.all()) await continueOne(sessionId, outcome)
      return { messages: report(outcome), elsewhere: outcome.elsewhere }
    },
    handOver(limit) {
      isHandedOver = true
      return sessions.handOver(limit, ({ id }) => {
        const kept = rows.get(id)
        if (kept) rows.put({ ...kept, left: true })
      })
    },
  }
}
