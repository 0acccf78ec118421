import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import {
  ALARM_LIMITS,
  type Alarm,
  NOTIFICATION_LIMITS,
  type NotificationPage,
} from '../../model/assistant/notification'

const alarm = z.strictObject({ id: z.string().min(1) })

/** Alarms and countdowns, of the user and of agents. */
export const alarmContract = {
  /**
   * `active`: only those that are ringing or will ring, the next one first; otherwise all of the last 30 days, the
   * latest first.
   */
  list: oc.input(z.strictObject({ active: z.boolean().default(true) })).output(type<Alarm[]>()),
  /**
   * `when`: a time of day, a date and time, or a duration: "18:30", "2026-12-01 09:00", "1h30m". `alarm.time` for
   * anything else.
   */
  set: oc
    .input(
      z.strictObject({
        when: z.string().trim().min(1).max(100),
        label: z.string().trim().min(1).max(ALARM_LIMITS.labelChars),
      }),
    )
    .output(type<Alarm>()),
  /** Makes a ringing or missed alarm ring again after some minutes; default: 5. */
  snooze: oc
    .input(alarm.extend({ minutes: z.int().min(1).max(ALARM_LIMITS.snoozeMinutes).optional() }))
    .output(type<Alarm>()),
  /** Stops the ringing. */
  stop: oc.input(alarm).output(type<Alarm>()),
  cancel: oc.input(alarm).output(type<Alarm>()),
  /** Undoes `cancel`, as long as its time is not past. */
  restore: oc.input(alarm).output(type<Alarm>()),
}

const ids = z.array(z.int().min(1)).max(NOTIFICATION_LIMITS.kept)

/** Notifications to the user. */
export const notificationContract = {
  /** Newest first. */
  list: oc
    .input(
      z.strictObject({
        offset: z.int().min(0).default(0),
        limit: z.int().min(0).max(NOTIFICATION_LIMITS.kept).default(200),
      }),
    )
    .output(type<NotificationPage>()),
  /** Without `ids`: all. Returns how many were unread. */
  markRead: oc.input(z.strictObject({ ids: ids.optional() })).output(type<number>()),
  /** Without `ids`: all. Returns the ids of the cleared ones; they can be restored for 30 days. */
  clear: oc.input(z.strictObject({ ids: ids.optional() })).output(type<number[]>()),
  restore: oc.input(z.strictObject({ ids })).output(type<number>()),
}
