import { realpath, stat } from 'node:fs/promises'
import { CodedError } from '../../../shared/errors'
import { nearest } from '../../../shared/nearest'
import { PERMISSION_MODES, type PermissionMode } from '../../../shared/model/approval/approval'
import {
  SCHEDULE_LIMITS,
  type PlannedRun,
  type Schedule,
  type ScheduleHistory,
  type ScheduleInput,
  type ScheduleMail,
  type ScheduleSpec,
  type ScheduleTime,
  type TimePreview,
  type ScheduleOverview,
  type ScheduleRun,
  NEW_MAIL,
  timeSource,
} from '../../../shared/model/assistant/schedule'
import { requireReadable } from '../store/rows/schedule-body'
import type { ScheduleRows } from '../store/rows/schedule-rows'
import { readQuiet, readTime, readZone } from './read-time'
import { nextRun, plannedRuns } from './timetable'

/** The user's actions on schedules, in any host. Failures are `CodedError`s. */
export interface ScheduleActions {
  overview(deleted?: boolean): Promise<ScheduleOverview>
  /** By id, or by a unique name. */
  get(idOrName: string): Promise<Schedule>
  history(id: string, offset: number, limit: number): Promise<ScheduleHistory>
  planned(from: number, until: number): Promise<PlannedRun[]>
  /** How a time was parsed, with the next due times. */
  check(input: Pick<ScheduleInput, 'time' | 'mail' | 'zone' | 'heartbeat' | 'quiet'>): Promise<TimePreview>
  create(input: ScheduleInput): Promise<Schedule>
  change(id: string, input: ScheduleInput): Promise<Schedule>
  setPaused(id: string, isPaused: boolean): Promise<Schedule>
  remove(id: string): Promise<Schedule>
  restore(id: string): Promise<Schedule>
  /** Starts a run in this process. */
  runNow(id: string): Promise<ScheduleRun>
  /** Resolves when no run of this process is at work: each has ended or waits for the user. */
  settled(): Promise<void>
}

/** How long a deleted schedule can be restored. */
const KEEP_DELETED_MS = 30 * 24 * 60 * 60 * 1000
const PREVIEWED = 3
/**
 * Maximum number of due times of one schedule in a calendar: enough for a schedule that runs every minute on the
 * longest day, of 25 hours.
 */
const MAX_PLANNED = 1_500

/** Who creates or changes a schedule. */
export interface ScheduleAuthor {
  /** The most permissive mode it can set; absent: any, for the user. */
  mode?: PermissionMode
  sessionId?: string
}

export interface SchedulesDeps {
  rows: ScheduleRows
  now(): number
  newId(prefix: string): string
  /** Throws a `CodedError` when the agent cannot be used in the folder. */
  checkAgent(agent: string, folder: string | undefined): Promise<void>
  /** The ids of the user's mail accounts. */
  mailAccounts(): readonly string[]
  /** Throws a `CodedError` for a model that cannot be used. */
  checkModel(model: string): Promise<void>
}

/** The schedules, for users and agents to manage. Failures are `CodedError`s. */
export interface Schedules {
  list(deleted?: boolean): Schedule[]
  /** By id, or by a unique name. */
  find(idOrName: string): Schedule
  check(input: Pick<ScheduleInput, 'time' | 'mail' | 'zone' | 'heartbeat' | 'quiet'>): TimePreview
  /** Validates and parses a schedule, without saving it. */
  read(input: ScheduleInput, author: ScheduleAuthor, before?: Schedule): Promise<ScheduleSpec>
  create(input: ScheduleInput, author: ScheduleAuthor): Promise<Schedule>
  change(id: string, input: ScheduleInput, author: ScheduleAuthor): Promise<Schedule>
  setPaused(id: string, isPaused: boolean, author: ScheduleAuthor): Schedule
  remove(id: string): Schedule
  restore(id: string): Schedule
  /** Throws `schedule.mode` if the mode permits more than the author's. */
  assertMode(mode: PermissionMode, author: ScheduleAuthor): void
  history(id: string, offset: number, limit: number): ScheduleHistory
  /** All due times from now on in these days, for a calendar. */
  planned(from: number, until: number): PlannedRun[]
}

export function createSchedules(deps: SchedulesDeps): Schedules {
  const { rows, now, newId } = deps

  function find(idOrName: string): Schedule {
    const byId = rows.get(idOrName)
    if (byId && byId.deletedAt === undefined) return byId
    const all = rows.list(false)
    const named = all.filter(({ name }) => name.toLowerCase() === idOrName.trim().toLowerCase())
    const [only] = named
    if (only && named.length === 1) return only
    if (named.length > 1)
      throw new CodedError(
        'schedule.not_found',
        `${named.length} schedules are called ${JSON.stringify(idOrName)}; ` +
          `name one by its id: ${named.map(({ id }) => id).join(', ')}.`,
      )
    const [near] = nearest(
      idOrName,
      all.map(({ name }) => name),
      1,
    )
    throw new CodedError(
      'schedule.not_found',
      'There is no schedule ' +
        `${JSON.stringify(idOrName)}.${near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`}`,
    )
  }

  function times(input: Pick<ScheduleInput, 'time' | 'mail' | 'zone' | 'heartbeat' | 'quiet'>, before?: Schedule) {
    const zone = readZone(input.zone)
    const isHeartbeat = input.heartbeat ?? false
    if (input.quiet !== undefined && input.quiet.trim() !== '' && !isHeartbeat)
      throw new CodedError('schedule.time', 'Only a heartbeat has quiet hours.')
    const quiet = input.quiet?.trim() ? readQuiet(input.quiet) : undefined
    // An unchanged time is kept, even if it has passed.
    const mail = mailTime(input)
    const isKept =
      before?.zone === zone && before.time.kind !== 'mail' && input.time === timeSource(before.time, before.zone)
    const read = isKept ? before.time : (mail ?? readTime(input.time, zone, now()))
    // An unchanged interval keeps its start.
    const isSame = read.kind === 'every' && before?.time.kind === 'every' && read.everyMs === before.time.everyMs
    return {
      zone,
      time: isSame ? before.time : read,
      ...(isHeartbeat && { heartbeat: { ...(quiet && { quiet }) } }),
    }
  }

  /** The time of a schedule that mail starts; undefined for other schedules. */
  function mailTime({ time, mail }: Pick<ScheduleInput, 'time' | 'mail'>): ScheduleTime | undefined {
    const filled = Object.entries(mail ?? {}).flatMap(([key, value]: [string, string]) =>
      value.trim() === '' ? [] : [[key, value.trim()]],
    )
    if (time.trim().toLowerCase() !== NEW_MAIL) {
      if (filled.length === 0) return undefined
      throw new CodedError('schedule.time', `Which mail starts it can only be chosen with the time "${NEW_MAIL}".`)
    }
    const { account, ...filter }: ScheduleMail = Object.fromEntries(filled)
    const known = deps.mailAccounts()
    if (known.length === 0)
      throw new CodedError('mail.account', 'No mail account is set up, so no mail can start a schedule.')
    if (account !== undefined && !known.includes(account))
      throw new CodedError(
        'mail.account',
        `There is no mail account ${JSON.stringify(account)}. There are: ${known.join(', ')}.`,
      )
    return { kind: 'mail', filter, ...(account !== undefined && { account }) }
  }

  async function read(input: ScheduleInput, author: ScheduleAuthor, before?: Schedule): Promise<ScheduleSpec> {
    const { name, prompt, mode = 'ask', limits = {} } = input
    assertMode(mode, author)
    const when = times(input, before)
    if (when.time.kind !== 'mail' && when.time !== before?.time && nextRun(when, now()) === undefined)
      throw new CodedError('schedule.time', 'It would never run.')
    const folder = input.folder ? await realFolder(input.folder) : undefined
    if (input.agent) await deps.checkAgent(input.agent, folder)
    if (input.model) await deps.checkModel(input.model)
    return {
      name: name.trim(),
      ...when,
      prompt: prompt.trim(),
      mode,
      limits,
      ...(folder !== undefined && { folder }),
      ...(input.agent && { agent: input.agent }),
      ...(input.model && { model: input.model }),
    }
  }

  return {
    list: (deleted = false) => rows.list(deleted),
    find,
    read,
    assertMode,
    check(input) {
      const when = times(input)
      return { time: when.time, zone: when.zone, next: plannedRuns(when, now(), Number.POSITIVE_INFINITY, PREVIEWED) }
    },
    async create(input, author) {
      // A time that passes during the checks is due, not missed.
      const asked = now()
      const spec = await read(input, author)
      if (rows.count() >= SCHEDULE_LIMITS.schedules)
        throw new CodedError('schedule.limit', `There can be at most ${SCHEDULE_LIMITS.schedules} schedules.`)
      rows.purge(now() - KEEP_DELETED_MS)
      const { sessionId: createdIn } = author
      const change = { at: now(), nextAt: nextRun(spec, asked), ...(createdIn !== undefined && { createdIn }) }
      return rows.insert(newId('schedule'), spec, change)
    },
    async change(id, input, author) {
      const asked = now()
      const before = find(id)
      const spec = await read(input, author, before.isDamaged ? undefined : before)
      return rows.update(before.id, spec, { at: now(), nextAt: nextRun(spec, asked) })
    },
    setPaused(id, isPaused, author) {
      const schedule = find(id)
      // Resuming a schedule starts runs in its mode.
      if (!isPaused) {
        requireReadable(schedule)
        assertMode(schedule.mode, author)
      }
      return rows.setPaused(schedule.id, isPaused, { at: now(), nextAt: nextRun(schedule, now()) })
    },
    remove: (id) => rows.remove(find(id).id, now()),
    restore(id) {
      const schedule =
        rows.get(id) ?? rows.list(true).find(({ name }) => name.toLowerCase() === id.trim().toLowerCase())
      if (!schedule) throw new CodedError('schedule.not_found', `There is no deleted schedule ${JSON.stringify(id)}.`)
      if (schedule.deletedAt === undefined) return schedule
      return rows.restore(schedule.id, { at: now(), nextAt: nextRun(schedule, now()) })
    },
    history: (id, offset, limit) => rows.history((rows.get(id) ?? find(id)).id, offset, limit),
    planned(from, until) {
      const start = Math.max(from, now()) - 1
      return rows
        .list(false)
        .filter(({ isPaused, nextAt }) => !isPaused && nextAt !== undefined)
        .flatMap((schedule) => {
          try {
            return plannedRuns(schedule, start, until, MAX_PLANNED).map((at) => ({ scheduleId: schedule.id, at }))
          } catch {
            // Its time zone is unknown here; the scheduler pauses it.
            return []
          }
        })
        .toSorted((a, b) => a.at - b.at)
    },
  }
}

function assertMode(mode: PermissionMode, author: ScheduleAuthor): void {
  if (author.mode !== undefined && rankOf(mode) > rankOf(author.mode))
    throw new CodedError(
      'schedule.mode',
      `The mode ${mode} allows more without asking than this session, which is in ${author.mode}.`,
    )
}

function rankOf(mode: PermissionMode): number {
  return PERMISSION_MODES.indexOf(mode)
}

async function realFolder(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined)
  if (real === undefined || !(await stat(real)).isDirectory())
    throw new CodedError('session.folder_missing', `There is no folder ${path}.`)
  return real
}
