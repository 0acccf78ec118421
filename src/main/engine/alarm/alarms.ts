import { CodedError } from '../../../shared/errors'
import { ALARM_LIMITS, type Alarm, SNOOZE_MINUTES } from '../../../shared/model/alarm'
import type { AlarmRows } from '../store/alarm-rows'
import { alarmTime, WHEN_FORMS } from './alarm-time'

/** What an alarm needs of time; tests have their own. */
export interface AlarmClock {
  now(): number
  /** Runs it once after so many ms; returns the function that cancels it. */
  after(ms: number, run: () => void): () => void
}

export const systemAlarmClock: AlarmClock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** How often the table is looked at, for alarms of other processes, clocks that jump, and a laptop that slept. */
const LOOK_MS = 10_000
/** An alarm that rings later than this is missed. */
const LATE_MS = 60_000
/** An alarm that rings for so long without being stopped is missed. */
const RINGS_MS = 10 * 60_000
/** How long those that ended are kept. */
const KEPT_MS = 30 * 86_400_000

export interface Alarms {
  /** `when`: see `alarmTime`. Throws `alarm.time` and `alarm.full`. */
  set(when: string, label: string, sessionId?: string): Alarm
  list(active: boolean): Alarm[]
  /** Lets it ring again later, also one that was missed. */
  snooze(id: string, minutes?: number): Alarm
  /** Ends the ringing. */
  stop(id: string): Alarm
  cancel(id: string): Alarm
  /** Undoes `cancel`, while its time is not past. */
  restore(id: string): Alarm
  /**
   * Rings from now on, unless another process of this home was faster; missed ones are reported at once. Returns the
   * function that ends it.
   */
  watch(): () => void
}

/** What the user does with alarms, in any host. Failures are `CodedError`s. */
export type AlarmActions = Omit<Alarms, 'watch'>

export interface AlarmsDeps {
  rows: AlarmRows
  clock: AlarmClock
  newId(): string
  /** Called in exactly one process for each alarm. */
  ring(alarm: Alarm): void
  /** Likewise, once for all that were missed. */
  missed(alarms: readonly Alarm[]): void
  /** The list has changed. */
  changed(): void
}

export function createAlarms({ rows, clock, newId, ring, missed, changed }: AlarmsDeps): Alarms {
  const here = new Set<string>()
  /** Looks again at once: the next alarm may be another one. */
  let again: (() => void) | undefined

  const shown = (alarm: Alarm): Alarm =>
    alarm.status === 'ringing' && here.has(alarm.id) ? { ...alarm, ringsHere: true } : alarm

  function required(id: string): Alarm {
    const alarm = rows.get(id)
    if (!alarm) throw new CodedError('alarm.not_found', `There is no alarm ${id}.`)
    return alarm
  }

  function change(id: string, from: readonly Alarm['status'][], to: Parameters<AlarmRows['change']>[2]): Alarm {
    required(id)
    if (!rows.change(id, from, to)) {
      const { label, status } = required(id)
      throw new CodedError('alarm.ended', `The alarm ${JSON.stringify(label)} ${STATUS_TEXT[status]}.`)
    }
    here.delete(id)
    again?.()
    changed()
    return required(id)
  }

  function look(): void {
    const now = clock.now()
    const due = rows.takeDue({ now, late: now - LATE_MS, unnoticed: now - RINGS_MS })
    for (const { id } of due.missed) here.delete(id)
    for (const { id } of due.ringing) here.add(id)
    for (const alarm of due.ringing) ring(shown(alarm))
    if (due.missed.length > 0) missed(due.missed)
    if (due.ringing.length + due.missed.length > 0) changed()
  }

  return {
    set(when, label, sessionId) {
      const now = clock.now()
      const at = alarmTime(when, now)
      if (at === undefined)
        throw new CodedError('alarm.time', `${JSON.stringify(when)} is not a time. Give one like ${WHEN_FORMS}.`)
      if (at <= now) throw new CodedError('alarm.time', `${JSON.stringify(when)} is in the past.`)
      if (at > now + ALARM_LIMITS.daysAhead * 86_400_000)
        throw new CodedError('alarm.time', `${JSON.stringify(when)} is more than a year ahead.`)
      if (rows.countActive() >= ALARM_LIMITS.active)
        throw new CodedError('alarm.full', `There are ${ALARM_LIMITS.active} alarms already.`)
      const id = newId()
      rows.purge(now - KEPT_MS)
      rows.add({ id, label, at, createdAt: now, ...(sessionId !== undefined && { sessionId }) })
      again?.()
      changed()
      return required(id)
    },
    list: (active) => rows.list(active, 500).map(shown),
    snooze: (id, minutes = SNOOZE_MINUTES) =>
      change(id, ['ringing', 'missed'], { status: 'pending', at: clock.now() + minutes * 60_000 }),
    stop: (id) => change(id, ['ringing'], { status: 'done' }),
    cancel: (id) => change(id, ['pending'], { status: 'cancelled' }),
    restore(id) {
      const { at, label } = required(id)
      if (at <= clock.now())
        throw new CodedError('alarm.ended', `The time of the alarm ${JSON.stringify(label)} is past.`)
      return change(id, ['cancelled'], { status: 'pending' })
    },
    watch() {
      let cancel: (() => void) | undefined
      const next = (): void => {
        cancel?.()
        const at = rows.nextAt()
        const wait = at === undefined ? LOOK_MS : Math.min(LOOK_MS, Math.max(0, at - clock.now()))
        cancel = clock.after(wait, tick)
      }
      const tick = (): void => {
        look()
        next()
      }
      again = next
      tick()
      return () => {
        again = undefined
        cancel?.()
      }
    },
  }
}

const STATUS_TEXT: Readonly<Record<Alarm['status'], string>> = {
  pending: 'has not rung yet',
  ringing: 'is ringing',
  missed: 'was missed',
  done: 'has been stopped',
  cancelled: 'was cancelled',
}
