import type { PermissionMode } from '../approval/approval'
import type { MailFilter } from './mail'

/** Limits of schedules; larger values are rejected with an error that names the limit. */
export const SCHEDULE_LIMITS = { nameChars: 80, promptChars: 20_000, schedules: 500, minEveryMs: 60_000 } as const

/** When a schedule runs. Times are ms since the epoch, `hh:mm` is a time of day in the schedule's zone. */
export type ScheduleTime =
  /** A cron pattern with five fields: minute, hour, day of the month, month, day of the week. */
  | { kind: 'cron'; cron: string }
  | { kind: 'once'; at: number }
  /** Counted from `from`, so that it does not drift. */
  | { kind: 'every'; everyMs: number; from: number }
  /** When a message arrives that matches the filter; without an account, in any. */
  | { kind: 'mail'; account?: string; filter: MailFilter }

/** Which mail starts a schedule, as entered. Empty texts count as absent. */
export interface ScheduleMail extends MailFilter {
  /** Default: every account. */
  account?: string
}

/** When a heartbeat stays silent. `from` can be later than `to`: across midnight. */
export interface QuietHours {
  from: string
  to: string
}

export interface ScheduleRunLimits {
  /** Model requests. */
  steps?: number
  /** Minutes of work; waiting for the user does not count. */
  minutes?: number
  /** Tokens sent and received. */
  tokens?: number
}

/** What a schedule does, and when. */
export interface ScheduleSpec {
  name: string
  time: ScheduleTime
  /** IANA name, such as Europe/Berlin. */
  zone: string
  prompt: string
  /** Absent: without a project, in a private folder. */
  folder?: string
  /** Absent: the default agent. */
  agent?: string
  /** Absent: the default model. */
  model?: string
  mode: PermissionMode
  limits: ScheduleRunLimits
  /** It reports only what needs attention, and nothing during these hours. */
  heartbeat?: { quiet?: QuietHours }
}

/**
 * `running`: also while it waits for the user. `silent`: a heartbeat with nothing to report. `stopped`: by the user.
 * `interrupted`: its process ended during the run.
 */
export type ScheduleRunStatus = 'running' | 'done' | 'silent' | 'failed' | 'stopped' | 'interrupted'

/** The schedule of a session that is one of its runs. */
export interface SessionSchedule {
  scheduleId: string
  runId: string
  /** The name of the schedule at that time. */
  name: string
  limits: ScheduleRunLimits
  heartbeat?: true
}

/** One run of a schedule. Times are ms since the epoch. */
export interface ScheduleRun {
  id: string
  scheduleId: string
  dueAt: number
  startedAt: number
  endedAt?: number
  status: ScheduleRunStatus
  /** Earlier due times that this run replaces, because no schedules ran then. */
  missed: number
  /** Absent: the session could not be created. */
  sessionId?: string
  /** Why it failed, or the start of its answer. */
  note?: string
}

export interface Schedule extends ScheduleSpec {
  id: string
  /**
   * Undefined: there is no further run, or it waits for mail. In the past while a due run waits for another one to end.
   */
  nextAt?: number
  /** By the user, or after failures. */
  isPaused: boolean
  /** Failed runs in a row. */
  failures: number
  createdAt: number
  updatedAt: number
  deletedAt?: number
  lastRun?: ScheduleRun
  /** The session whose agent created it; absent: created by the user. */
  createdIn?: string
  /**
   * What is stored of it cannot be read: only its name, its runs and its times of change are known. It is paused until
   * it is saved again.
   */
  isDamaged?: true
}

/** The input to create or change a schedule, with its time and quiet hours as the user writes them. */
export interface ScheduleInput extends Omit<ScheduleSpec, 'time' | 'zone' | 'heartbeat' | 'mode' | 'limits'> {
  /** Cron, a time, "every 2 h", "weekdays at 9:00" or "new mail". */
  time: string
  /** Only for "new mail": which messages; default: all. */
  mail?: ScheduleMail
  /** Default: the zone of this machine. */
  zone?: string
  /** Default: Ask first. */
  mode?: PermissionMode
  limits?: ScheduleRunLimits
  /** Default: false. */
  heartbeat?: boolean
  /** `22:00-07:00`; only for a heartbeat. */
  quiet?: string
}

/**
 * Whether schedules run: in this process, in another one, in none at the moment, or not at all because the feature is
 * off.
 */
export interface ScheduleService {
  runs: 'here' | 'elsewhere' | 'nowhere' | 'off'
  /** The other process, if any. */
  where?: string
}

export interface ScheduleOverview {
  schedules: Schedule[]
  service: ScheduleService
}

export interface ScheduleHistory {
  /** The newest first. */
  runs: ScheduleRun[]
  total: number
}

/** A time as it was interpreted, with the next due times. */
export interface TimePreview {
  time: ScheduleTime
  zone: string
  next: number[]
}

/** A due time in the calendar. */
export interface PlannedRun {
  scheduleId: string
  at: number
}

/** Failed runs in a row after which a schedule pauses. */
export const MAX_FAILURES = 5

const DAY_NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const UNITS = [
  [604_800_000, 'week'],
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
] as const

/**
 * When it runs, as text: "Every day at 02:00", "Every 2 hours", or the cron pattern if it has no simple description.
 */
export function timeText(time: ScheduleTime, zone: string): string {
  if (time.kind === 'once') return `Once, ${momentText(time.at, zone)}`
  if (time.kind === 'mail') return mailText(time)
  return time.kind === 'every' ? everyText(time.everyMs) : cronText(time.cron)
}

/** When a stored schedule runs, as text. */
export function whenText({ isDamaged, time, zone }: Pick<Schedule, 'isDamaged' | 'time' | 'zone'>): string {
  return isDamaged ? 'Damaged: save it again, or delete it' : timeText(time, zone)
}

/** The text for the next run of a schedule without a next time. */
export function noNextText(time: ScheduleTime): string {
  return time.kind === 'mail' ? 'when mail arrives' : 'no further run'
}

/** The time as editable text. */
export function timeSource(time: ScheduleTime, zone: string): string {
  if (time.kind === 'once') return momentText(time.at, zone).replace(' ', 'T')
  if (time.kind === 'mail') return NEW_MAIL
  return time.kind === 'every' ? everyText(time.everyMs).toLowerCase() : time.cron
}

/** The time of a schedule that mail starts, as text. */
export const NEW_MAIL = 'new mail'

/** Which mail starts it, as input; undefined for other times. */
export function mailSource(time: ScheduleTime): ScheduleMail | undefined {
  if (time.kind !== 'mail') return undefined
  return { ...time.filter, ...(time.account !== undefined && { account: time.account }) }
}

/**
 * The input with a changed time or mail: a schedule that mail starts needs no time, and setting another time removes
 * the mail.
 */
export function withTime(before: ScheduleInput, { time, mail, ...changes }: Partial<ScheduleInput>): ScheduleInput {
  const { mail: mailBefore, ...rest } = before
  const isMail =
    time === undefined ? mail !== undefined || mailBefore !== undefined : time.trim().toLowerCase() === NEW_MAIL
  const merged = isMail ? (mail ?? mailBefore) : mail
  return {
    ...rest,
    ...changes,
    time: time ?? (mail ? NEW_MAIL : before.time),
    ...(merged && { mail: merged }),
  }
}

function mailText({ account, filter }: Extract<ScheduleTime, { kind: 'mail' }>): string {
  const { folder, from, subject, text } = filter
  const parts = [
    from !== undefined && `from “${from}”`,
    subject !== undefined && `about “${subject}”`,
    text !== undefined && `with “${text}”`,
    folder !== undefined && `in the folder ${folder}`,
    account !== undefined && `for ${account}`,
  ]
  return ['When mail arrives', ...parts].filter((part) => part !== false).join(' ')
}

function everyText(everyMs: number): string {
  const [ms, unit] = UNITS.find(([size]) => everyMs % size === 0) ?? UNITS[3]
  const count = Math.round(everyMs / ms)
  return count === 1 ? `Every ${unit}` : `Every ${count} ${unit}s`
}

function cronText(cron: string): string {
  const match = /^(\d{1,2}) (\d{1,2}) \* \* (\*|1-5|0,6|[0-6])$/.exec(cron)
  if (!match) return `Cron ${cron}`
  const [, minute = '', hour = '', days = ''] = match
  const named: Record<string, string> = { '*': 'day', '1-5': 'weekday', '0,6': 'Saturday and Sunday' }
  return `Every ${named[days] ?? DAY_NAMES[Number(days)]} at ${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** `2026-12-01 09:00` in the zone's local time; in UTC, which is then named, if this machine does not know the zone. */
export function momentText(at: number, zone: string): string {
  const format = formatOf(zone)
  return format ? format.format(at) : `${formatOf('UTC')!.format(at)} UTC`
}

/** Undefined for an unknown zone, such as that of a schedule from a machine that knows more of them. */
function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  const known = formats.get(zone)
  if (known) return known
  try {
    const format = new Intl.DateTimeFormat('sv-SE', {
      timeZone: zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    })
    formats.set(zone, format)
    return format
  } catch {
    return undefined
  }
}

export function quietText({ from, to }: QuietHours): string {
  return `${from}-${to}`
}

export const RUN_STATUS_TEXT: Readonly<Record<ScheduleRunStatus, string>> = {
  running: 'Running',
  done: 'Done',
  silent: 'Nothing to report',
  failed: 'Failed',
  stopped: 'Stopped',
  interrupted: 'Interrupted',
}
