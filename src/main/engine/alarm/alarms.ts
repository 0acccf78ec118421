import { CodedError } from '../../../shared/errors'
import {
  ALARM_LIMITS,
  type Alarm,
  SNOOZE_MINUTES,
  type NotificationPage,
} from '../../../shared/model/assistant/notification'
import type { AlarmRows } from '../store/rows/alarm-rows'

/** The user's actions on the list of notifications, in any host. Without ids: all of them. */
export interface NotificationActions {
  list(offset: number, limit: number): NotificationPage
  /** Returns how many were unread. */
  markRead(ids?: readonly number[]): number
  /** Returns the ids of the cleared notifications, which can be restored for 30 days. */
  clear(ids?: readonly number[]): number[]
  restore(ids: readonly number[]): number
}

const UNIT_MS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 }

/** Examples of times, for errors and help. */
const WHEN_FORMS = '"18:30", "2026-12-01 09:00", "25m", "1h30m" or "90s"'

/**
 * When an alarm rings, in ms since the epoch: a time of day (the next one), a date and time (on this machine's clock
 * unless it has an offset), or a duration from now. Undefined for any other text.
 */
export function alarmTime(text: string, now: number): number | undefined {
  const when = text.trim().replace(/^in /i, '')
  return whileFromNow(when, now) ?? timeOfDay(when, now) ?? dateAndTime(when)
}

function whileFromNow(text: string, now: number): number | undefined {
  const compact = text
    .toLowerCase()
    .replaceAll(/\s+/g, '')
    .replaceAll(
      /(\d)(d(?:ays?)?|h(?:(?:ou)?rs?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)(?![a-z])/g,
      (_, last: string, unit: string) => last + unit.charAt(0),
    )
  if (!/^(?:\d{1,9}d)?(?:\d{1,9}h)?(?:\d{1,9}m)?(?:\d{1,9}s)?$/.test(compact) || compact === '') return undefined
  const ms = [...compact.matchAll(/(\d+)([dhms])/g)].reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (UNIT_MS[unit] ?? 0),
    0,
  )
  return ms > 0 ? now + ms : undefined
}

function timeOfDay(text: string, now: number): number | undefined {
  const [, hours, minutes, seconds = '0'] = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(text) ?? []
  if (hours === undefined || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined
  const at = new Date(now)
  at.setHours(Number(hours), Number(minutes), Number(seconds), 0)
  // The same time tomorrow, even if a day has 23 or 25 hours.
  if (at.getTime() <= now) at.setDate(at.getDate() + 1)
  return at.getTime()
}

function dateAndTime(text: string): number | undefined {
  const [, date, time, offset = ''] =
    /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?(Z|[+-]\d{2}:\d{2})?$/i.exec(text) ?? []
  if (date === undefined) return undefined
  // A day that does not exist, such as February 30, would become a day of the next month.
  const day = new Date(`${date}T00:00:00Z`)
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== date) return undefined
  const at = Date.parse(`${date}T${time}${offset.toUpperCase()}`)
  return Number.isNaN(at) ? undefined : at
}

/** The clock that alarms use; tests have their own. */
export interface AlarmClock {
  now(): number
  /** Calls the function once after this many ms; returns the function that cancels it. */
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

/** How often the table is checked, because other processes may set alarms, clocks may jump, and laptops may sleep. */
const LOOK_MS = 10_000
/** An alarm that would ring later than this counts as missed. */
const LATE_MS = 60_000
/** An alarm that rings for this long without being stopped counts as missed. */
const RINGS_MS = 10 * 60_000
/** How long ended alarms are kept. */
const KEPT_MS = 30 * 86_400_000

export interface Alarms {
  /** `when`: see `alarmTime`. Throws `alarm.time` and `alarm.full`. */
  set(when: string, label: string, sessionId?: string): Alarm
  list(active: boolean): Alarm[]
  /** Lets an alarm ring again later, including a missed one. */
  snooze(id: string, minutes?: number): Alarm
  /** Stops the ringing. */
  stop(id: string): Alarm
  cancel(id: string): Alarm
  /** Undoes `cancel`, unless its time has passed. */
  restore(id: string): Alarm
  /**
   * Starts ringing alarms, unless another process of this home was faster; missed ones are reported immediately.
   * Returns the function that stops it.
   */
  watch(): () => void
}

/** The user's actions on alarms, in any host. Failures are `CodedError`s. */
export type AlarmActions = Omit<Alarms, 'watch'>

interface AlarmsDeps {
  rows: AlarmRows
  clock: AlarmClock
  newId(): string
  /** Called in exactly one process for each alarm. */
  ring(alarm: Alarm): void
  /** Called in exactly one process, once for all missed alarms. */
  missed(alarms: readonly Alarm[]): void
  /** Called when the list has changed. */
  changed(): void
  /** Called when a check of the alarms failed, for example on a full disk; it is repeated soon. */
  failed(error: unknown): void
}

export function createAlarms({ rows, clock, newId, ring, missed, changed, failed }: AlarmsDeps): Alarms {
  const here = new Set<string>()
  /** Checks again immediately, because the next alarm may have changed. */
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

  /** Keeps a failed notification from preventing other alarms from ringing. */
  function attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      failed(error)
    }
  }

  function look(): void {
    const now = clock.now()
    const due = rows.takeDue({ now, late: now - LATE_MS, unnoticed: now - RINGS_MS })
    for (const { id } of due.missed) here.delete(id)
    for (const { id } of due.ringing) here.add(id)
    for (const alarm of due.ringing) attempt(() => ring(shown(alarm)))
    if (due.missed.length > 0) attempt(() => missed(due.missed))
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
        let wait = LOOK_MS
        attempt(() => {
          const at = rows.nextAt()
          if (at !== undefined) wait = Math.min(LOOK_MS, Math.max(0, at - clock.now()))
        })
        cancel = clock.after(wait, tick)
      }
      const tick = (): void => {
        let isDone = false
        attempt(() => {
          look()
          isDone = true
        })
        if (isDone) return next()
        // Not immediately: due alarms would be checked again without a pause.
        cancel?.()
        cancel = clock.after(LOOK_MS, tick)
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
