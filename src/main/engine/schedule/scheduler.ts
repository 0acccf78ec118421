import { isMidCall } from '../../../shared/model/approval/approval'
import { CodedError, failureOf } from '../../../shared/errors'
import type { RecordedEvent } from '../../../shared/events/event'
import { textOf } from '../../../shared/model/turn/message'
import type {
  Schedule,
  ScheduleRun,
  ScheduleRunStatus,
  ScheduleService,
} from '../../../shared/model/assistant/schedule'
import type { SessionHeader, StopReason } from '../../../shared/model/session/session'
import type { SessionManager } from '../session/sessions'
import type { Duties } from '../store/lease'
import { requireReadable } from '../store/rows/schedule-body'
import type { ClaimedRun, ScheduleRows } from '../store/rows/schedule-rows'
import type { Store } from '../store/store'
import type { ScheduleClock } from './schedule-clock'
import { watchLimits, type RunLimits, endMessage, noteOf, statusOf, isNothingDue, runPrompt } from './schedule-run'
import { createMailWatches, type MailSource } from './mail-watches'
import { dueRun, isQuiet, nextAfterJump, nextRun, quietEnd } from './timetable'
import { cutText } from '../../../shared/cut-text'

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
/** How many sessions of heartbeats with nothing to report are kept. */
const KEPT_SILENT = 10
const NOTE_CHARS = 400

/** Listeners to changes of schedules or their runs. */
interface ScheduleChanges {
  /**
   * Notifies the pages of this process and, unless another process made the change (`byOther`), the other processes.
   */
  report(byOther?: boolean): void
  /** Calls back when another process has changed them. Returns the function that unsubscribes. */
  listen(listener: () => void): () => void
}

export interface SchedulerDeps {
  rows: ScheduleRows
  duties: Duties
  store: Pick<Store, 'header' | 'interrupted' | 'ofTypes'>
  sessions: Pick<SessionManager, 'create' | 'prompt' | 'open' | 'change' | 'remove' | 'withSession' | 'suspend'>
  clock: ScheduleClock
  newId(prefix: string): string
  changes: ScheduleChanges
  /** Notifies the user in this process; `sessionId`: the run it is about. */
  notify(message: { title: string; body: string; sessionId?: string }): void
  /** Shows the notifications of other processes since the last call: a service has no window for them. */
  tellOthers(): void
  /** The mail that starts schedules. */
  mail: MailSource
  /** Whether requests of runs can be answered in this process; otherwise a waiting run is left to another process. */
  hasInbox: boolean
  log(message: string): void
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
  const { rows, duties, store, sessions, clock, log } = deps
  /** The runs that this process works on. */
  const working = new Map<string, { limits?: RunLimits; reached?: string; waits?: true }>()
  const idle = new Set<() => void>()
  let cancelTimer: (() => void) | undefined
  let stopListening: (() => void) | undefined
  let lastTick = Number.NEGATIVE_INFINITY
  let stamp = ''
  let isActive = false
  let isStopped = false
  let isTicking = false
  let isWanted = false

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
    await settleOpenRuns()
    let isFull = false
    for (const schedule of rows.due(now)) {
      if (!isActive) break
      isFull = workingCount() >= MAX_WORKING
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
    void begin(schedule, run)
  }

  function newRun(scheduleId: string, dueAt: number, startedAt: number, missed: number): ClaimedRun {
    return { id: deps.newId('run'), scheduleId, dueAt, startedAt, missed, owner: duties.owner }
  }

  /** Creates the session of a claimed run and starts it. Never rejects. */
  async function begin(schedule: Schedule, run: Omit<ScheduleRun, 'status'>): Promise<void> {
    working.set(run.id, {})
    deps.changes.report()
    const { name, folder, model, agent, mode, limits, heartbeat } = schedule
    const { taken } = rows.mailState(schedule.id)
    try {
      const { sessionId } = await sessions.create({
        mode,
        schedule: { scheduleId: schedule.id, runId: run.id, name, limits, ...(heartbeat && { heartbeat: true }) },
        ...(folder !== undefined && { folder }),
        ...(model !== undefined && { model }),
        ...(agent !== undefined && { agent: { name: agent } }),
      })
      rows.setSession(run.id, sessionId)
      deps.changes.report()
      if (isStopped) throw new Error('Trestle was closed.')
      await sessions.prompt(sessionId, [{ type: 'text', text: runPrompt(schedule, run, taken) }])
    } catch (error) {
      const { message, advice } = failureOf(error)
      const created = rows.run(run.id)?.sessionId
      const hasBegun = created !== undefined && (store.header(created)?.turns ?? 0) > 0
      end(run.id, isStopped ? 'interrupted' : 'failed', `${message} ${advice}`.trim(), hasBegun)
    }
  }

  /** Ends runs whose turn has ended in another process, or with it. */
  async function settleOpenRuns(): Promise<void> {
    const all = rows.openRuns()
    const open = all.filter(({ id }) => !working.has(id))
    for (const { id, sessionId } of all) {
      const header = working.get(id)?.waits && sessionId !== undefined ? store.header(sessionId) : undefined
      if (header) await leave(header)
    }
    if (open.length === 0) return
    const dead = new Set(store.interrupted())
    for (const { id, sessionId, owner } of open) {
      const header = sessionId === undefined ? undefined : store.header(sessionId)
      if (sessionId !== undefined && !header) end(id, 'stopped', 'Its session was deleted.')
      else if (!header || header.turns === 0) {
        if (!duties.lives(owner) || owner === duties.owner)
          end(id, 'interrupted', 'Trestle exited before the run started.', false)
      } else if (header.turnId === undefined) endAs(header, header.lastStop)
      else if (dead.has(header.sessionId) && header.approvals.every(isMidCall)) {
        // Opening it records the end of its turn.
        await sessions.open(header.sessionId, 1)
        const after = store.header(header.sessionId)
        if (after?.turnId === undefined) endAs(after ?? header, after?.lastStop)
      }
    }
  }

  function endAs(header: SessionHeader, stop: StopReason | undefined): void {
    const { schedule, lastFailure } = header
    if (!schedule) return
    const reached = working.get(schedule.runId)?.reached
    const answer = answerOf(header.sessionId)
    const status = statusOf(stop, { reached, isStopped })
    const isSilent = status === 'done' && schedule.heartbeat === true && isNothingDue(answer)
    const note = reached ?? (status === 'failed' ? noteOf(stop, lastFailure) : answer)
    end(schedule.runId, isSilent ? 'silent' : status, isSilent ? undefined : note)
  }

  function answerOf(sessionId: string): string {
    const step = store.ofTypes(sessionId, ['step.finished']).at(-1)
    return step ? textOf(step.parts) : ''
  }

  /** Ends a run, with the consequences: messages, a pause, and the next run. */
  function end(runId: string, status: Exclude<ScheduleRunStatus, 'running'>, note = '', hasBegun = true): void {
    working.get(runId)?.limits?.end()
    working.delete(runId)
    const short = cutText(note.trim(), NOTE_CHARS).toWellFormed()
    const sessionId = rows.run(runId)?.sessionId
    const ended = rows.endRun(runId, { at: clock.now(), status, hasBegun, ...(short !== '' && { note: short }) })
    if (ended) {
      const { schedule } = ended
      // Only the first failure of a streak, a pause, and the findings of a heartbeat are worth a message.
      const message = endMessage(schedule, { status, note: short })
      if (message) deps.notify({ ...message, ...(sessionId !== undefined && { sessionId }) })
      if (status === 'silent') void tidy(schedule.id, sessionId)
    }
    deps.changes.report()
    if (workingCount() === 0) for (const done of idle) done()
    void tick()
  }

  /** Removes the session of a silent run from the lists, and deletes older ones. */
  async function tidy(scheduleId: string, sessionId: string | undefined): Promise<void> {
    try {
      if (sessionId !== undefined) await sessions.change(sessionId, { archived: true })
      for (const old of rows.takeSilentSessions(scheduleId, KEPT_SILENT)) await sessions.remove(old)
    } catch (error) {
      report('The session of a heartbeat could not be archived', error)
    }
  }

  function recorded(header: SessionHeader, events: readonly RecordedEvent[]): void {
    const runId = header.schedule?.runId
    // Turns after the first are the user's.
    if (!header.schedule || runId === undefined || header.turns !== 1) return
    const finished = events.find((event) => event.type === 'turn.finished')
    if (finished) return endAs(header, finished.stop)
    if (header.turnId === undefined) return
    const run = working.get(runId) ?? {}
    working.set(runId, run)
    const { sessionId, schedule, approvals } = header
    run.limits ??= watchLimits(schedule.limits, clock, (reached) => {
      run.reached = reached
      sessions
        .withSession(sessionId, (session) => session.stop(reached))
        .catch((error: unknown) => report('A run could not be stopped', error))
    })
    run.limits.changed(header)
    const waits = approvals.length > 0
    const hasChanged = waits !== (run.waits === true)
    if (waits) run.waits = true
    else delete run.waits
    if (hasChanged) deps.changes.report()
    if (!waits) return
    void leave(header)
    if (!hasChanged) return
    if (workingCount() === 0) for (const done of idle) done()
    void tick()
  }

  /**
   * In a process without an inbox, releases the session of a waiting run; the process where the user answers continues
   * it.
   */
  async function leave({ sessionId, schedule }: SessionHeader): Promise<void> {
    if (deps.hasInbox || !schedule) return
    try {
      if (!(await sessions.suspend(sessionId))) return
      working.get(schedule.runId)?.limits?.end()
      working.delete(schedule.runId)
      if (workingCount() === 0) for (const done of idle) done()
    } catch (error) {
      report('A run could not be left to another process', error)
    }
  }

  function workingCount(): number {
    return [...working.values()].filter(({ waits }) => !waits).length
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
      await settleOpenRuns()
      if (!rows.claim(run, {}, next))
        throw new CodedError('schedule.running', `“${schedule.name}” has a run that has not ended.`)
      await begin(schedule, run)
      return rows.run(run.id) ?? { ...run, status: 'failed' }
    },
    recorded,
    service() {
      if (isActive && duties.take(DUTY)) return { runs: 'here' }
      const where = duties.elsewhere(DUTY)
      return where === undefined ? { runs: 'nowhere' } : { runs: 'elsewhere', where }
    },
    async settled() {
      if (workingCount() === 0) return
      const { promise, resolve } = Promise.withResolvers<void>()
      idle.add(resolve)
      await promise
      idle.delete(resolve)
    },
    stop() {
      isStopped = true
      rest()
    },
  }
}
