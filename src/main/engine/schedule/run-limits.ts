import type { ScheduleRunLimits } from '../../../shared/model/schedule'
import type { SessionHeader } from '../../../shared/model/session'
import type { ScheduleClock } from './schedule-clock'

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
