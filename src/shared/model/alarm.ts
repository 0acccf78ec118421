/** Limits of alarms; more is refused with an error that says so. */
export const ALARM_LIMITS = { labelChars: 200, active: 100, daysAhead: 366, snoozeMinutes: 1440 } as const

/** How long a snoozed alarm stays silent when no other time is given. */
export const SNOOZE_MINUTES = 5

/**
 * `pending`: it will ring; `ringing`: until the user stops it; `missed`: it was not noticed, or Trestle was not running; `done`: the user stopped it;
 * `cancelled`: it never rang.
 */
export type AlarmStatus = 'pending' | 'ringing' | 'missed' | 'done' | 'cancelled'

/** An alarm or a countdown. Times are ms since the epoch. */
export interface Alarm {
  id: string
  label: string
  /** When it rings. */
  at: number
  status: AlarmStatus
  createdAt: number
  /** The session that set it; absent: the user did. */
  sessionId?: string
  /** It rings in this process. */
  ringsHere?: true
}
