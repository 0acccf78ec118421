import { CodedError, failureOf } from '../../../shared/errors'
import type { RecordedEvent } from '../../../shared/events/event'
import type { Schedule, ScheduleRun, ScheduleService } from '../../../shared/model/assistant/schedule'
import type { SessionHeader } from '../../../shared/model/session/session'
import { createOpenRuns, type OpenRunsDeps } from './open-runs'
import { requireReadable } from '../store/rows/schedule-body'
import type { ClaimedRun } from '../store/rows/schedule-rows'
import { createMailWatches, type MailSource } from './mail-watches'
import { dueRun, isQuiet, nextAfterJump, nextRun, quietEnd } from './timetable'

/** The duty of the process that runs the schedules of a home. */
const DUTY = 'schedules'
/**
 * The longest wait, in ms: timers stand still while the machine sleeps, the clock may jump, and notifications from
 * other processes may get lost.
 */
const MAX_WAIT_MS = 10_000
const MIN_WAIT_MS = 50
/** Maximum number of concurrent runs; those that wait for the user do not count. */
const MAX_WORKING = 4

/** Listeners to changes of schedules or their runs. */
interface ScheduleChanges {
  /**
   * Notifies the pages of this process and, unless another process made the change (`byOther`), the other processes.
   */
  report(byOther?: boolean): void
  /** Calls back when another process has changed them. Returns the function that unsubscribes. */
  listen(listener: () => void): () => void
}

export interface SchedulerDeps extends OpenRunsDeps {
  newId(prefix: string): string
  changes: ScheduleChanges
  /** Shows the notifications of other processes since the last call: a service has no window for them. */
  tellOthers(): void
  /** The mail that starts schedules. */
  mail: MailSource
}

/** Runs schedules when they are due, in one process of a home at a time. */
export interface Scheduler {
  /** Starts running due schedules. */
  begin(): void
  /** Checks again after schedules have changed. */
  wake(): void
  /** Stops running due schedules until `begin`; open runs continue. */
  rest(): void
  /** Runs a schedule now, in this process. Throws `schedule.running` while one of its runs is open. */
  runNow(schedule: Schedule): Promise<ScheduleRun>
  /** Call after events of a session were recorded. */
  recorded(header: SessionHeader, events: readonly RecordedEvent[]): void
  service(): ScheduleService
  /** Resolves when no run of this process is at work: each has ended or waits for the user. */
  settled(): Promise<void>
  /** Starts no more runs. Runs that end from now on count as interrupted. */
  stop(): void
}

export function createScheduler(deps: SchedulerDeps): Scheduler {
  const { rows, duties, clock, log } = deps
  let cancelTimer: (() => void) | undefined
  let stopListening: (() => void) | undefined
  let lastTick = Number.NEGATIVE_INFINITY
  let stamp = ''
  let isActive = false
  let isStopped = false
  let isTicking = false
  let isWanted = false

  const runs = createOpenRuns(deps, () => void tick())
  const mail = createMailWatches({ rows, source: deps.mail, clock, arrived: () => void tick(), notify: deps.notify })
  const report = (what: string, error: unknown): void => log(`${what}: ${failureOf(error).message}`)

  /** Checks what is due, and once more if requested in the meantime. */
  async function tick(): Promise<void> {
    if (!isActive) return
    if (isTicking) {
      isWanted = true
      return
    }
    isTicking = true
    cancelTimer?.()
    let wait = MAX_WAIT_MS
    try {
      do {
        isWanted = false
        const isMine = duties.take(DUTY)
        if (isMine) wait = await runDue()
        if (isMine && isActive) mail.follow()
        else mail.stop()
        noticeChanges()
      } while (wantsMore())
    } catch (error) {
      report('Schedules could not be read', error)
    } finally {
      isTicking = false
      if (isActive) cancelTimer = clock.after(wait, () => void tick())
    }
  }

  function wantsMore(): boolean {
    return isWanted && isActive
  }

  /** Starts what is due. Returns how long to wait, in ms. */
  async function runDue(): Promise<number> {
    const now = clock.now()
    if (now < lastTick || lastTick === Number.NEGATIVE_INFINITY) afterJump(now)
    lastTick = now
    await runs.settleOpenRuns()
    let isFull = false
    for (const schedule of rows.due(now)) {
      if (!isActive) break
      isFull = runs.workingCount() >= MAX_WORKING
      if (isFull) break
      orPause(schedule, now, () => startDue(schedule, now))
    }
    const next = isFull ? undefined : rows.nextWake()
    return next === undefined ? MAX_WAIT_MS : Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, next - clock.now()))
  }

  /**
   * After the clock was a day or more ahead, due times are computed again from now; a smaller step back does not repeat
   * runs.
   */
  function afterJump(now: number): void {
    for (const schedule of rows.list(false)) {
      if (schedule.nextAt === undefined || schedule.time.kind === 'once') continue
      const { id, nextAt } = schedule
      orPause(schedule, now, () => {
        const next = nextAfterJump(schedule, nextAt, now)
        if (next !== nextAt) rows.setNext(id, next)
      })
    }
  }

  /**
   * Pauses a schedule that is damaged or whose times cannot be computed, so that the others run: its time zone may be
   * unknown here if the home came from another machine.
   */
  function orPause(schedule: Schedule, now: number, work: () => void): void {
    try {
      work()
    } catch (error) {
      if (!(error instanceof CodedError) || !['schedule.time', 'schedule.damaged'].includes(error.code)) throw error
      report(`The schedule ${JSON.stringify(schedule.name)} was paused`, error)
      rows.setPaused(schedule.id, true, { at: now, nextAt: undefined })
      deps.notify({ title: `“${schedule.name}” is paused`, body: `It cannot be used: ${error.message}` })
    }
  }

  function startDue(schedule: Schedule, now: number): void {
    const { id, nextAt = now, heartbeat, zone } = schedule
    requireReadable(schedule)
    const { dueAt, missed, next } = dueRun(schedule, nextAt, now)
    if (heartbeat?.quiet && isQuiet(heartbeat.quiet, now, zone)) {
      const isMail = schedule.time.kind === 'mail'
      rows.setNext(id, isMail ? quietEnd(heartbeat.quiet, now, zone) : nextRun(schedule, now))
      return
    }
    const run = newRun(id, dueAt, now, missed)
    // Another process has changed or started it in the meantime.
    if (!rows.claim(run, { nextAt }, next)) return
    void runs.begin(schedule, run)
  }

  function newRun(scheduleId: string, dueAt: number, startedAt: number, missed: number): ClaimedRun {
    return { id: deps.newId('run'), scheduleId, dueAt, startedAt, missed, owner: duties.owner }
  }

  /** Notifies the pages of this process of changes by other processes. */
  function noticeChanges(): void {
    const now = rows.stamp()
    if (stamp !== '' && now !== stamp) deps.changes.report(true)
    stamp = now
    if (deps.hasInbox) deps.tellOthers()
  }

  function rest(): void {
    mail.stop()
    if (isActive) duties.release(DUTY)
    isActive = false
    cancelTimer?.()
    stopListening?.()
    stopListening = undefined
  }

  return {
    begin() {
      isActive = !isStopped
      if (isActive) stopListening ??= deps.changes.listen(() => void tick())
      void tick()
    },
    wake: () => void tick(),
    rest,
    async runNow(schedule) {
      requireReadable(schedule)
      const now = clock.now()
      const run = newRun(schedule.id, now, now, 0)
      const { nextAt } = schedule
      const next = nextAt === undefined || nextAt > now ? nextAt : nextRun(schedule, now)
      await runs.settleOpenRuns()
      if (!rows.claim(run, {}, next))
        throw new CodedError('schedule.running', `“${schedule.name}” has a run that has not ended.`)
      await runs.begin(schedule, run)
      return rows.run(run.id) ?? { ...run, status: 'failed' }
    },
    recorded: runs.recorded,
    service() {
      if (isActive && duties.take(DUTY)) return { runs: 'here' }
      const where = duties.elsewhere(DUTY)
      return where === undefined ? { runs: 'nowhere' } : { runs: 'elsewhere', where }
    },
    settled: runs.settled,
    stop() {
      isStopped = true
      runs.stop()
      rest()
    },
  }
}
