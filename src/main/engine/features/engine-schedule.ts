import type { PermissionMode } from '../../../shared/model/approval/approval'
import type { RecordedEvent } from '../../../shared/events/event'
import { NOTIFICATION_LIMITS } from '../../../shared/model/assistant/notification'
import type { ScheduleOverview, ScheduleRun } from '../../../shared/model/assistant/schedule'
import { isScratchFolder } from '../../../shared/model/project/scratch-folder'
import { CodedError, failureOf } from '../../../shared/errors'
import { projectOf } from '../config/worktree-record'
import type { EngineDevice } from './engine-device'
import type { EngineFoundation } from '../foundation/engine-foundation'
import type { EngineMail } from './engine-mail'
import type { Agents } from '../agent/agents'
import { createChangeSignal } from '../schedule/change-signal'
import type { ScheduleAuthor, Schedules, ScheduleActions } from '../schedule/schedules'
import type { Scheduler } from '../schedule/scheduler'
import type { Session } from '../session/session'
import type { SessionManager } from '../session/sessions'
import type { ScheduleRows } from '../store/rows/schedule-rows'
import { scheduleTools } from '../tool/schedule/schedule-tools'
import type { Tool } from '../tool/tool'
import { cutText } from '../../../shared/cut-text'

/** What schedules need from the complete engine. */
export interface ScheduleHost {
  sessions: SessionManager
  agents: Pick<Agents, 'choose'>
  /** Whether runs may start in this process. */
  interactive: boolean
  hasInbox: boolean
}

export interface EngineSchedule {
  /** Without a session: the tools for descriptions only. */
  tools(session?: Session): readonly Tool[]
  /** Starts running due schedules, while the feature is on. */
  begin(host: ScheduleHost): void
  settingsChanged(): void
  /** Call after events of a session were recorded. */
  recorded(session: Session, events: readonly RecordedEvent[]): void
  actions: ScheduleActions
  /** Starts no more runs; call it before the sessions are closed. */
  stop(): void
}

/** Parts that are loaded on first use. */
interface Parts {
  rows: ScheduleRows
  schedules: Schedules
}

/**
 * The schedules of an engine. The code is loaded and a timer runs only while the feature is on or schedules are used.
 */
export function createEngineSchedule(
  foundation: EngineFoundation,
  { device, mail }: { device: Pick<EngineDevice, 'notifyUser' | 'showOthers'>; mail: Pick<EngineMail, 'watch'> },
): EngineSchedule {
  const { background, database, duties, store, settings, now, newId, notify, log, effectiveHeader } = foundation
  let host: ScheduleHost | undefined
  let loading: Promise<Parts> | undefined
  let scheduler: Promise<Scheduler> | undefined
  let running: Scheduler | undefined
  let isClosed = false

  const mailAccounts = (): string[] => Object.keys(settings().mail.accounts)
  const signal = createChangeSignal(foundation.home)
  const changed = (byOther = false): void => {
    notify({ kind: 'schedules' })
    if (!byOther) signal.notify()
  }
  const parts = (): Promise<Parts> =>
    (loading ??= Promise.all([import('../schedule/schedules'), import('../store/rows/schedule-rows')]).then(
      ([{ createSchedules }, { createScheduleRows }]) => {
        const rows = createScheduleRows(database)
        const schedules = createSchedules({
          rows,
          now,
          newId,
          checkAgent: async (agent, folder) => {
            await host?.agents.choose({ name: agent }, folder ?? foundation.home)
          },
          mailAccounts,
          async checkModel(model) {
            await foundation.catalog.resolve(model)
          },
        })
        return { rows, schedules }
      },
    ))
  const schedulerOf = (of: ScheduleHost): Promise<Scheduler> =>
    (scheduler ??= Promise.all([parts(), import('../schedule/scheduler'), import('../schedule/schedule-clock')]).then(
      ([{ rows }, { createScheduler }, { systemScheduleClock }]) => {
        running = createScheduler({
          rows,
          duties,
          store,
          sessions: of.sessions,
          clock: systemScheduleClock,
          newId,
          changes: { report: changed, listen: signal.listen },
          notify({ title, body, ...about }) {
            try {
              device.notifyUser({
                title: cutText(title, NOTIFICATION_LIMITS.titleChars).toWellFormed(),
                body: cutText(body, NOTIFICATION_LIMITS.bodyChars).toWellFormed(),
                source: 'schedule',
                ...about,
              })
            } catch (error) {
              // For example on a full disk. Timers also call this, and a failure there would crash the process.
              log(`${title}: ${body} This could not be kept: ${failureOf(error).message}`)
            }
            signal.notify()
          },
          tellOthers: device.showOthers,
          mail: { accounts: () => (settings().features.mail ? mailAccounts() : undefined), watch: mail.watch },
          hasInbox: of.hasInbox,
          log,
        })
        if (isClosed) running.stop()
        return running
      },
    ))

  /** Starts or stops running schedules when the feature is turned on or off. */
  function apply(): void {
    if (isClosed || !host?.interactive) return
    const isOn = settings().features.scheduling
    if (!isOn && !scheduler) return
    background.add(
      schedulerOf(host).then((made) => (isOn ? made.begin() : made.rest())),
      report,
    )
  }
  function report(error: unknown): void {
    log(`Schedules could not start: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  }

  /** After a change of the schedules, makes pages read them again and resets the timer. */
  const did = <Result>(result: Result): Result => {
    changed()
    running?.wake()
    return result
  }
  async function runNow(idOrName: string): Promise<ScheduleRun> {
    const { schedules } = await parts()
    const schedule = schedules.find(idOrName)
    if (!host?.interactive)
      throw new CodedError(
        'request.invalid',
        'A run needs a Trestle that stays open: the app, trestle serve, or trestle schedule run.',
      )
    return (await schedulerOf(host)).runNow(schedule)
  }
  async function service(): Promise<ScheduleOverview['service']> {
    if (!settings().features.scheduling) return { runs: 'off' }
    if (host?.interactive) return (await schedulerOf(host)).service()
    const where = duties.elsewhere('schedules')
    return where === undefined ? { runs: 'nowhere' } : { runs: 'elsewhere', where }
  }

  return {
    tools: (session) =>
      scheduleTools({
        schedules: async () => (await parts()).schedules,
        author: (): ScheduleAuthor & { mode: PermissionMode } => ({
          mode: session ? effectiveHeader(session).mode : 'ask',
          ...(session && { sessionId: session.id }),
        }),
        folder: () => {
          const folder = session && effectiveHeader(session).folder
          return folder === undefined || isScratchFolder(folder) ? undefined : projectOf(foundation.home, folder)
        },
        did,
        runNow,
        now,
      }),
    begin(of) {
      host = of
      apply()
    },
    settingsChanged() {
      apply()
      if (loading) notify({ kind: 'schedules' })
    },
    recorded(session, events) {
      const { header } = session
      if (!header.schedule || !host?.interactive) return
      if (running) running.recorded(header, events)
      else if (!isClosed)
        background.add(
          schedulerOf(host).then((made) => made.recorded(header, events)),
          report,
        )
    },
    actions: {
      overview: async (deleted) => ({ schedules: (await parts()).schedules.list(deleted), service: await service() }),
      get: async (id) => (await parts()).schedules.find(id),
      history: async (id, offset, limit) => (await parts()).schedules.history(id, offset, limit),
      planned: async (from, until) => (await parts()).schedules.planned(from, until),
      check: async (input) => (await parts()).schedules.check(input),
      create: async (input) => did(await (await parts()).schedules.create(input, {})),
      change: async (id, input) => did(await (await parts()).schedules.change(id, input, {})),
      setPaused: async (id, isPaused) => did((await parts()).schedules.setPaused(id, isPaused, {})),
      remove: async (id) => did((await parts()).schedules.remove(id)),
      restore: async (id) => did((await parts()).schedules.restore(id)),
      runNow,
      settled: async () => (await scheduler)?.settled(),
    },
    stop() {
      isClosed = true
      running?.stop()
    },
  }
}
