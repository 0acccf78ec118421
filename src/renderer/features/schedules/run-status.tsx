import type { ScheduleRun } from '../../../shared/model/schedule'
import { RUN_STATUS_TEXT } from '../../../shared/model/schedule-text'
import { useSessions } from '../../state/session/sessions-state'
import { Badge, type Tone } from '../../ui/badge'

const TONES: Record<ScheduleRun['status'], Tone> = {
  running: 'run',
  done: 'done',
  silent: 'plain',
  failed: 'fail',
  stopped: 'plain',
  interrupted: 'plain',
}

/** How a run is or ended. */
export function RunStatus({ run }: { run: Pick<ScheduleRun, 'status' | 'sessionId'> }) {
  const waits = useSessions(
    (state) => run.sessionId !== undefined && (state.sessions.get(run.sessionId)?.waiting ?? 0) > 0,
  )
  if (run.status === 'running' && waits) return <Badge tone="wait">Waits for you</Badge>
  return <Badge tone={TONES[run.status]}>{RUN_STATUS_TEXT[run.status]}</Badge>
}
