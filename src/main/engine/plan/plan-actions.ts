import type { SessionHeader } from '../../../shared/model/session'
import type { Plans } from '../engine-api'
import type { HeldSessions } from '../session/sessions'
import { planOf } from './plan-of'
import { createSessionPlan, type SessionPlan } from './session-plan'

/** What the user does with plan mode, and what is shown of it. */
export function createPlanActions({ home, sessions }: { home: string; sessions: HeldSessions }): Plans {
  const change = (sessionId: string, act: (plan: SessionPlan) => void): Promise<SessionHeader> =>
    sessions.withSession(sessionId, async (session) => {
      act(planOf(home, session))
      // What waits for an approval and may not happen any more is settled at once.
      await session.approvals.reconsider()
      return session.header
    })
  const read = (sessionId: string): SessionPlan =>
    createSessionPlan({
      home,
      sessionId,
      header: () => sessions.header(sessionId),
      record: () => {
        throw new Error('A plan that is only looked at records nothing.')
      },
    })
  return {
    enter: (sessionId) => change(sessionId, (plan) => plan.enter('user')),
    leave: (sessionId) => change(sessionId, (plan) => plan.leave()),
    view: async (sessionId) => read(sessionId).view(),
    revision: async (sessionId, of) => {
      sessions.header(sessionId)
      return { text: await read(sessionId).revisionText(of) }
    },
  }
}
