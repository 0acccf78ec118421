import { useLayout } from './layout-state'
import { followMarks, keep, marksAfter, useSessionMarks } from './session-marks'
import { useSessions, type SessionsState } from './sessions-state'

/** Keeps the marks true to what the user sees: a session on a page in front is read, one that ends elsewhere becomes unread. Returns how to stop. */
export function followShown(): () => void {
  const lookNow = (): void => look(useSessions.getState(), useSessions.getState())
  // From the first visit on: what ends while no page is open is unread at the next.
  keep(useSessionMarks.getState())
  const stops = [useSessions.subscribe(look), useLayout.subscribe(lookNow), followMarks()]
  document.addEventListener('visibilitychange', lookNow)
  return () => {
    document.removeEventListener('visibilitychange', lookNow)
    for (const stop of stops) stop()
  }
}

function look(now: SessionsState, before: SessionsState): void {
  const { view } = useLayout.getState()
  const shown = view.kind === 'session' && document.visibilityState === 'visible' ? view.sessionId : undefined
  const marks = useSessionMarks.getState()
  const next = marksAfter(marks, before, now, shown)
  if (next !== marks) keep(next)
}
