import type { Session } from '../session/session'
import { createSessionPlan, type SessionPlan } from './session-plan'

/** The planning of an open session; without `record` only to look at. */
export function planOf(home: string, session: Pick<Session, 'id' | 'header'> & Partial<Pick<Session, 'record'>>): SessionPlan {
  return createSessionPlan({
    home,
    sessionId: session.id,
    header: () => session.header,
    record: (...events) => void session.record?.(...events),
  })
}
