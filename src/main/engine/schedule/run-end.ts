import { MAX_FAILURES, type Schedule, type ScheduleRun, type ScheduleRunStatus } from '../../../shared/model/schedule'
import type { SessionHeader, StopReason } from '../../../shared/model/session'

/**
 * What the user is told of the end of a run: the first failure of a streak, that it pauses, and what a heartbeat found.
 * Otherwise nothing.
 */
export function endMessage(
  { name, failures, isPaused, heartbeat }: Schedule,
  { status, note = '' }: Pick<ScheduleRun, 'status' | 'note'>,
): { title: string; body: string } | undefined {
  if (status === 'done' && heartbeat) return { title: name, body: note }
  if (status !== 'failed') return undefined
  if (isPaused && failures >= MAX_FAILURES)
    return {
      title: `“${name}” is paused`,
      body: `It has failed ${failures} times in a row: ${note} Fix the cause, then resume it on the Schedules page.`,
    }
  if (failures > 1) return undefined
  return {
    title: `“${name}” failed`,
    body: `${note} Open its session to see what happened; it is tried again when it is next due.`,
  }
}

/** How a run ended, by how its turn did. `reached`: a limit of the run; `isStopped`: Trestle is closing. */
export function statusOf(
  stop: StopReason | undefined,
  { reached, isStopped }: { reached: string | undefined; isStopped: boolean },
): Exclude<ScheduleRunStatus, 'running' | 'silent'> {
  if (reached !== undefined) return 'failed'
  switch (stop) {
    case 'end_turn':
      return 'done'
    case 'cancelled':
      return isStopped ? 'interrupted' : 'stopped'
    case 'interrupted':
    case undefined:
      return 'interrupted'
    default:
      return 'failed'
  }
}

/** Why a turn has failed, with advice. */
export function noteOf(stop: StopReason | undefined, failure: SessionHeader['lastFailure']): string {
  if (failure) return `${failure.message} ${failure.advice}`
  switch (stop) {
    case 'max_turn_requests':
      return 'It reached its limit of steps.'
    case 'repetition':
      return 'The model repeated the same call.'
    case 'max_tokens':
      return 'The answer reached the output limit of the model.'
    default:
      return 'The turn failed.'
  }
}
