/** Limits of a notification; longer texts are rejected. */
export const NOTIFICATION_LIMITS = { titleChars: 100, bodyChars: 1000, kept: 1000 } as const

/**
 * The source of a notification: an agent with a tool, an alarm, a schedule, a worktree that was removed or not
 * prepared, or the engine after a crash.
 */
export type NotificationSource = 'agent' | 'alarm' | 'schedule' | 'worktree' | 'engine'

export interface NewNotification {
  title: string
  /** Can be empty. */
  body: string
  source: NotificationSource
  /** The session that it concerns. */
  sessionId?: string
}

/** A notification to the user. Times are ms since the epoch. */
export interface UserNotification extends NewNotification {
  id: number
  at: number
  /** Absent: unread. */
  readAt?: number
}

/** A part of the list, newest first. */
export interface NotificationPage {
  notifications: UserNotification[]
  /** In the whole list. */
  total: number
  unread: number
}

/** A notification in one line, for terminals: `Title: body`. */
export function notificationLine({ title, body }: Pick<UserNotification, 'title' | 'body'>): string {
  return body === '' ? title : `${title}: ${body}`
}

/** Limits of alarms; larger values are rejected with an error that names the limit. */
export const ALARM_LIMITS = { labelChars: 200, active: 100, daysAhead: 366, snoozeMinutes: 1440 } as const

/** How long a snoozed alarm stays silent by default. */
export const SNOOZE_MINUTES = 5

/**
 * `pending`: it will ring; `ringing`: until the user stops it; `missed`: the user did not notice it, or Trestle was not
 * running; `done`: the user stopped it; `cancelled`: it never rang.
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
  /** The session that set it; absent: set by the user. */
  sessionId?: string
  /** It rings in this process. */
  ringsHere?: true
}
