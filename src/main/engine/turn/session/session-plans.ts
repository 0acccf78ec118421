import type { SessionHeader } from '../../../../shared/model/session/session'
import type { SessionManager } from '../../session/sessions'
import { createSessionPlan, type SessionPlan } from '../../plan/session-plan'
import type { Session } from '../../session/session'
import type { PlanView } from '../../../../shared/model/turn/plan'

/** The user's plan mode actions, and the view of the plan. */
export function createPlanActions({ home, sessions }: { home: string; sessions: SessionManager }): Plans {
  const change = (sessionId: string, act: (plan: SessionPlan) => void): Promise<SessionHeader> =>
    sessions.withSession(sessionId, async (session) => {
      act(sessionPlan(home, session))
      // Pending approvals that the new mode denies are resolved immediately.
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

/** The plan of an open session; read-only without `record`. */
export function sessionPlan(
  home: string,
  session: Pick<Session, 'id' | 'header'> & Partial<Pick<Session, 'record'>>,
): SessionPlan {
  return createSessionPlan({
    home,
    sessionId: session.id,
    header: () => session.header,
    record: (...events) => void session.record?.(...events),
  })
}

/** Plan mode for the user. See the contract of the same name. */
export interface Plans {
  enter(sessionId: string): Promise<SessionHeader>
  leave(sessionId: string): Promise<SessionHeader>
  view(sessionId: string): Promise<PlanView>
  revision(sessionId: string, of: { plan: number; revision: number }): Promise<{ text: string }>
}
