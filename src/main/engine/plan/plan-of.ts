import type { Session } from '../session/session'
import { createSessionPlan, type SessionPlan } from './session-plan'

/** The planning of an open session. */
export function planOf(home: string, session: Session): SessionPlan {
  return createSessionPlan({
    home,
    sessionId: session.id,
    header: () => session.header,
    record: (...events) => void session.record(...events),
  })
}
