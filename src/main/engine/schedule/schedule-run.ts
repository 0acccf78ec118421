import { sentence } from '../../../shared/error-text'
import {
  MAX_FAILURES,
  type Schedule,
  type ScheduleRun,
  type ScheduleRunStatus,
  type ScheduleRunLimits,
  momentText,
} from '../../../shared/model/assistant/schedule'
import type { SessionHeader, StopReason } from '../../../shared/model/session/session'
import type { ScheduleClock } from './schedule-clock'

/**
 * Notifications about the end of a run: the first failure of a streak, a pause, and what a heartbeat found.
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

/** The status of a run, from how its turn ended. `reached`: a limit of the run; `isStopped`: Trestle is closing. */
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

/** Why a turn failed, with advice. */
export function noteOf(stop: StopReason | undefined, failure: SessionHeader['lastFailure']): string {
  if (failure) return `${sentence(failure.message)} ${failure.advice}`
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

/** Watches the time and tokens of one run; its steps are limited by the turn itself. */
export interface RunLimits {
  /** Call after each change of the header. */
  changed(header: Pick<SessionHeader, 'approvals' | 'spent'>): void
  end(): void
}

const MINUTE_MS = 60_000

/**
 * `onReached` is called once, with the reason as a sentence. Time in which the run waits for the user does not count.
 */
export function watchLimits(
  limits: ScheduleRunLimits,
  clock: ScheduleClock,
  onReached: (why: string) => void,
): RunLimits {
  let left = (limits.minutes ?? 0) * MINUTE_MS
  let running: { since: number; cancel: () => void } | undefined
  let isOver = false

  const reach = (why: string): void => {
    if (isOver) return
    end()
    onReached(why)
  }
  const pause = (): void => {
    if (!running) return
    running.cancel()
    left -= Math.max(0, clock.now() - running.since)
    running = undefined
  }
  const run = (): void => {
    if (running || isOver || limits.minutes === undefined) return
    const timesOut = (): void => reach(`It reached its limit of ${limits.minutes} min.`)
    running = { since: clock.now(), cancel: clock.after(Math.max(0, left), timesOut) }
  }
  function end(): void {
    isOver = true
    pause()
  }
  run()
  return {
    changed({ approvals, spent }) {
      if (isOver) return
      if (limits.tokens !== undefined && spent.input + spent.output > limits.tokens)
        return reach(`It reached its limit of ${limits.tokens.toLocaleString('en')} tokens.`)
      if (approvals.length > 0) pause()
      else run()
    },
    end,
  }
}

/** The agent's answer when a heartbeat has nothing to report. */
export const NOTHING_DUE = 'NOTHING_DUE'

/** The message that starts a run: the user's prompt, and what the agent needs to know about the run. */
export function runPrompt(
  schedule: Schedule,
  { dueAt, missed }: Pick<ScheduleRun, 'dueAt' | 'missed'>,
  mail: readonly string[] = [],
): string {
  const earlier =
    missed === 0
      ? ''
      : ` It also covers ${missed === 1 ? 'an earlier run that was' : `${missed} earlier runs that were`} missed.`
  const about =
    `(This is a run of the schedule ${JSON.stringify(schedule.name)}, due ${momentText(dueAt, schedule.zone)} ` +
    `${schedule.zone}.${earlier}${schedule.time.kind === 'mail' ? mailNote(mail) : ''} ` +
    'The user may not be present: requests for approval wait in the inbox.'
  const report = schedule.heartbeat
    ? ` If there is nothing that the user needs to know or do, answer with ${NOTHING_DUE} alone. ` +
      'Otherwise answer with one short message for the user.'
    : ''
  const note = `${about}${report})`
  // A prompt written by an agent must not come first, where it could be a user command, such as a skill that only the
  // user may start.
  return schedule.createdIn === undefined ? `${schedule.prompt}\n\n${note}` : `${note}\n\n${schedule.prompt}`
}

/** The mail that started a run: only the message ids, never the senders' text. */
function mailNote(ids: readonly string[]): string {
  if (ids.length === 0) return ' No new message waits for it; the user has started it.'
  const what = ids.length === 1 ? 'A new message has arrived' : `${ids.length} new messages have arrived`
  return ` ${what}; read with MailRead: ${ids.map((id) => JSON.stringify(id)).join(', ')}.`
}

/** Whether a heartbeat's answer means that there is nothing to report. */
export function isNothingDue(answer: string): boolean {
  return answer.trim().replaceAll(/[*`"'.\s]/g, '') === NOTHING_DUE
}
