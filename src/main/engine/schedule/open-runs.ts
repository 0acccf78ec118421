import { sentence } from '../../../shared/error-text'
import { isMidCall } from '../../../shared/model/approval/approval'
import { cutText } from '../../../shared/cut-text'
import { failureOf } from '../../../shared/errors'
import type { RecordedEvent } from '../../../shared/events/event'
import type { Schedule, ScheduleRun, ScheduleRunStatus } from '../../../shared/model/assistant/schedule'
import type { SessionHeader, StopReason } from '../../../shared/model/session/session'
import { textOf } from '../../../shared/model/turn/message'
import type { SessionManager } from '../session/sessions'
import type { Duties } from '../store/lease'
import type { ScheduleRows } from '../store/rows/schedule-rows'
import type { Store } from '../store/store'
import type { ScheduleClock } from './schedule-clock'
import { endMessage, isNothingDue, noteOf, type RunLimits, runPrompt, statusOf, watchLimits } from './schedule-run'

/** How many sessions of heartbeats with nothing to report are kept. */
const KEPT_SILENT = 10
const NOTE_CHARS = 400

export interface OpenRunsDeps {
  rows: ScheduleRows
  duties: Duties
  store: Pick<Store, 'header' | 'interrupted' | 'ofTypes'>
  sessions: Pick<SessionManager, 'create' | 'prompt' | 'open' | 'change' | 'remove' | 'withSession' | 'suspend'>
  clock: ScheduleClock
  changes: {
    /** Notifies the pages of this process and the other processes. */
    report(): void
  }
  /** Notifies the user in this process; `sessionId`: the run it is about. */
  notify(message: { title: string; body: string; sessionId?: string }): void
  /** Whether requests of runs can be answered in this process; otherwise a waiting run is left to another process. */
  hasInbox: boolean
  log(message: string): void
}

/** The runs that this process works on, from the start of their session to their end. */
interface OpenRuns {
  /** Creates the session of a claimed run and starts it. Never rejects. */
  begin(schedule: Schedule, run: Omit<ScheduleRun, 'status'>): Promise<void>
  /** Ends runs whose turn has ended in another process, or with it. */
  settleOpenRuns(): Promise<void>
  /** Call after events of a session were recorded. */
  recorded(header: SessionHeader, events: readonly RecordedEvent[]): void
  /** The number of runs at work: those that wait for the user do not count. */
  workingCount(): number
  /** Resolves when no run is at work. */
  settled(): Promise<void>
  /** Runs that end from now on count as interrupted. */
  stop(): void
}

/** `ended`: called when a run has ended or waits for the user, so that another one may start. */
export function createOpenRuns(deps: OpenRunsDeps, ended: () => void): OpenRuns {
  const { rows, duties, store, sessions, clock, log } = deps
  const working = new Map<string, { limits?: RunLimits; reached?: string; waits?: true }>()
  const idle = new Set<() => void>()
  let isStopped = false

  const report = (what: string, error: unknown): void => log(`${what}: ${failureOf(error).message}`)

  async function begin(schedule: Schedule, run: Omit<ScheduleRun, 'status'>): Promise<void> {
    working.set(run.id, {})
    try {
      await start(schedule, run)
    } catch (error) {
      fail(run.id, error)
    }
  }

  async function start(schedule: Schedule, run: Omit<ScheduleRun, 'status'>): Promise<void> {
    deps.changes.report()
    const { name, folder, model, agent, mode, limits, heartbeat } = schedule
    const { taken } = rows.mailState(schedule.id)
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
  }

  function fail(runId: string, error: unknown): void {
    const { message, advice } = failureOf(error)
    try {
      const created = rows.run(runId)?.sessionId
      const hasBegun = created !== undefined && (store.header(created)?.turns ?? 0) > 0
      end(runId, isStopped ? 'interrupted' : 'failed', `${sentence(message)} ${advice}`.trim(), hasBegun)
    } catch (problem) {
      // The run stays open and is ended later, by `settleOpenRuns`.
      working.delete(runId)
      report(`A run could not be started (${message}) or ended`, problem)
    }
  }

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
    try {
      recordEnd(runId, status, note, hasBegun)
    } finally {
      if (workingCount() === 0) for (const done of idle) done()
      ended()
    }
  }

  function recordEnd(
    runId: string,
    status: Exclude<ScheduleRunStatus, 'running'>,
    note: string,
    hasBegun: boolean,
  ): void {
    const short = cutText(note.trim(), NOTE_CHARS).toWellFormed()
    const sessionId = rows.run(runId)?.sessionId
    const result = rows.endRun(runId, { at: clock.now(), status, hasBegun, ...(short !== '' && { note: short }) })
    if (result) {
      const { schedule } = result
      // Only the first failure of a streak, a pause, and the findings of a heartbeat are worth a message.
      const message = endMessage(schedule, { status, note: short })
      if (message) deps.notify({ ...message, ...(sessionId !== undefined && { sessionId }) })
      if (status === 'silent') void tidy(schedule.id, sessionId)
    }
    deps.changes.report()
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
    if (finished) {
      try {
        endAs(header, finished.stop)
      } catch (error) {
        // The run stays open and is ended later, by `settleOpenRuns`.
        report('The end of a run could not be recorded', error)
      }
      return
    }
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
    ended()
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

  return {
    begin,
    settleOpenRuns,
    recorded,
    workingCount,
    async settled() {
      if (workingCount() === 0) return
      const { promise, resolve } = Promise.withResolvers<void>()
      idle.add(resolve)
      await promise
      idle.delete(resolve)
    },
    stop() {
      isStopped = true
    },
  }
}
