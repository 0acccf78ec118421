import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import { PERMISSION_MODES } from '../../model/approval/approval'
import {
  SCHEDULE_LIMITS,
  type PlannedRun,
  type Schedule,
  type ScheduleHistory,
  type ScheduleOverview,
  type ScheduleRun,
  type TimePreview,
} from '../../model/assistant/schedule'

const id = z.string().min(1).max(100)
const when = {
  /** Cron, a date and time, "every 2 h", "weekdays at 9:00" or "new mail". */
  time: z.string().trim().min(1).max(200),
  /** Which messages start it, only for "new mail"; absent or empty: all. */
  mail: z
    .strictObject({
      account: z.string().trim().max(100).optional(),
      folder: z.string().trim().max(500).optional(),
      from: z.string().trim().max(200).optional(),
      subject: z.string().trim().max(200).optional(),
      text: z.string().trim().max(200).optional(),
    })
    .optional(),
  /** IANA name; absent: the zone of the machine that Trestle runs on. */
  zone: z.string().trim().max(100).optional(),
  /** Reports only what needs attention. */
  heartbeat: z.boolean().optional(),
  /** When a heartbeat stays silent, e.g. `22:00-07:00`. */
  quiet: z.string().trim().max(20).optional(),
}
const content = z.strictObject({
  ...when,
  name: z.string().trim().min(1).max(SCHEDULE_LIMITS.nameChars),
  prompt: z.string().trim().min(1).max(SCHEDULE_LIMITS.promptChars),
  /** Absent: each run works in a private folder. */
  folder: z.string().min(1).optional(),
  agent: z.string().min(1).max(100).optional(),
  model: z.string().min(1).max(200).optional(),
  mode: z.enum(PERMISSION_MODES).optional(),
  limits: z
    .strictObject({
      steps: z.int().min(1).max(1000).optional(),
      minutes: z.int().min(1).max(10_080).optional(),
      tokens: z.int().min(1000).max(1_000_000_000).optional(),
    })
    .optional(),
})

/** Prompts that run at set times, each run in its own session. */
export const scheduleContract = {
  /** All schedules, or the deleted ones, and whether they run. */
  list: oc.input(z.strictObject({ deleted: z.boolean().optional() })).output(type<ScheduleOverview>()),
  history: oc
    .input(z.strictObject({ id, offset: z.int().min(0).default(0), limit: z.int().min(1).max(500).default(50) }))
    .output(type<ScheduleHistory>()),
  /**
   * Due times from now on, between two times in ms since the epoch; for a schedule that runs very often, the first
   * ones.
   */
  planned: oc.input(z.strictObject({ from: z.number(), until: z.number() })).output(type<PlannedRun[]>()),
  /** The interpreted time, and the next due times; `schedule.time` with the reason for an invalid time. */
  check: oc.input(z.strictObject(when)).output(type<TimePreview>()),
  create: oc.input(content).output(type<Schedule>()),
  /** Replaces everything except the history. */
  change: oc.input(content.extend({ id })).output(type<Schedule>()),
  setPaused: oc.input(z.strictObject({ id, paused: z.boolean() })).output(type<Schedule>()),
  /** It can be restored for 30 days; its sessions stay. */
  remove: oc.input(z.strictObject({ id })).output(type<Schedule>()),
  restore: oc.input(z.strictObject({ id })).output(type<Schedule>()),
  /** Starts a run; `schedule.running` while another one is open. */
  runNow: oc.input(z.strictObject({ id })).output(type<ScheduleRun>()),
}
