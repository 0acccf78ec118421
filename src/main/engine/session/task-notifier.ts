import { setTimeout as pause } from 'node:timers/promises'
import { CodedError, failureOf } from '../../../shared/errors'
import type { TaskSupervisor } from '../task/task-supervisor'
import type { Session } from './session'
import type { SessionManager } from './sessions'
import type { Store } from '../store/store'
import {
  prepareLostNotification,
  prepareNotification,
  TAIL_BYTES,
  type PreparedNotification,
  ignoreTaskNotFound,
  outputTail,
} from './task-notifications'

/** When a session is held by another process, its news is that one's to tell; whether it did is looked at this often, in ms. */
const RETRY_MS = 5_000
/** How long others that end at about the same time are waited for, in ms. */
const BATCH_MS = 50
/** How long one question for the end of a task waits, in ms. */
const WAIT_MS = 3_600_000
/** After a start, so that it is never delayed. */
const START_DELAY_MS = 200

export interface TaskNotifierDeps {
  supervisor: Pick<TaskSupervisor, 'get' | 'list' | 'output' | 'wait' | 'onChange'>
  store: Pick<Store, 'header' | 'owedNews'>
  sessions: Pick<SessionManager, 'withSession' | 'isLoaded'>
  /** Whether sessions get their news without being opened, and start turns for it. */
  startsTurns: boolean
  /** How often sessions that another process has are looked at; default 5 s. */
  retryMs?: number
  now(): number
  log(message: string): void
}

/** Brings the news of background tasks to their sessions. What is owed stands in the header of the session; a session tells it exactly once. */
export interface TaskNotifier {
  /** Looks whether these tasks of a session are to be told of now; resolves when what is has been handed to the session. Never rejects. */
  deliver(sessionId: string, taskIds: readonly string[]): Promise<void>
  /** Prepares everything that is due, for the turn that begins. Never rejects. */
  prepareForTurn(session: Session): Promise<void>
  /** A session was loaded: what it is owed is looked at, and what a dead process had begun in it. */
  sessionOpened(session: Session): void
  /** Begins to listen, and looks for what ended while no Trestle ran. */
  start(): void
  close(): void
}

export function createTaskNotifier(deps: TaskNotifierDeps): TaskNotifier {
  const { supervisor, store, sessions, startsTurns, retryMs = RETRY_MS, log } = deps
  /** Sessions that another process had. */
  const elsewhere = new Set<string>()
  const adoptions = new WeakMap<Session, Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  let unlisten: (() => void) | undefined
  /** Tasks whose end is waited for one by one: a process that does not look at all of them is not told of every change. */
  const awaited = new Set<string>()
  const closing = new AbortController()
  const isClosed = (): boolean => closing.signal.aborted

  const prepare = async (taskId: string, now: boolean): Promise<PreparedNotification | undefined> => {
    const task = await supervisor.get(taskId).catch(ignoreTaskNotFound)
    if (!task) return prepareLostNotification(taskId, deps.now())
    return task.status === 'running' && !now
      ? undefined
      : prepareNotification(task, await outputTail(supervisor, task, TAIL_BYTES))
  }

  const prepareDue = async (session: Session, taskIds?: readonly string[]): Promise<void> => {
    const owed = session.header.news.filter(({ taskId }) => taskIds === undefined || taskIds.includes(taskId))
    // A task that somebody asked about and that has ended is owed twice, and told once.
    const due = new Map(
      owed.map(({ taskId }) => [taskId, owed.some((one) => one.taskId === taskId && one.now === true)]),
    )
    // One question instead of one for each.
    const active = due.size > 1 ? await supervisor.list({ activeOnly: true, sessionId: session.id }) : []
    const running = new Set(active.map(({ taskId }) => taskId))
    for (const [taskId, now] of due) {
      try {
        const prepared = running.has(taskId) && !now ? undefined : await prepare(taskId, now)
        if (prepared) session.notifications.add(prepared)
        else if (!startsTurns) void safely(awaitEnd(session.id, taskId))
      } catch (error) {
        // It stays owed and is looked at again with the next turn or start.
        log(`The news of ${taskId} could not be prepared: ${failureOf(error).message}`)
      }
    }
  }

  const awaitEnd = async (sessionId: string, taskId: string): Promise<void> => {
    if (awaited.has(taskId)) return
    awaited.add(taskId)
    try {
      for (;;) {
        const { ended } = await supervisor.wait(taskId, WAIT_MS, closing.signal)
        if (ended || isClosed()) break
      }
    } finally {
      awaited.delete(taskId)
    }
    if (!isClosed() && sessions.isLoaded(sessionId)) await visit(sessionId, [taskId])
  }

  const attend = async (session: Session, taskIds?: readonly string[]): Promise<void> => {
    await adoptions.get(session)
    await prepareDue(session, taskIds)
    // A running turn takes it before its next step, or starts the next with it.
    if (!startsTurns || session.busy) return
    // Tasks that end together, as when all are stopped, are told of together.
    await pause(BATCH_MS)
    if (!isClosed()) await session.deliverNotifications()
  }

  /** Looks at a session that need not be loaded. */
  const visit = async (sessionId: string, taskIds?: readonly string[]): Promise<void> => {
    const owed = store.header(sessionId)
    if (!owed || owed.news.length === 0) return void elsewhere.delete(sessionId)
    try {
      await sessions.withSession(sessionId, (session) => attend(session, taskIds))
      elsewhere.delete(sessionId)
    } catch (error) {
      if (!(error instanceof CodedError && error.code === 'session.elsewhere')) throw error
      elsewhere.add(sessionId)
      timer ??= setInterval(again, retryMs).unref()
    }
  }

  const lookAtAll = async (): Promise<void> => {
    if (!isClosed()) for (const sessionId of store.owedNews()) void safely(visit(sessionId))
  }

  const again = (): void => {
    for (const sessionId of elsewhere) void safely(visit(sessionId))
    if (elsewhere.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  /** Calls that a dead process was about to start in the background: what runs of them is owed to the agent too. */
  const adopt = async (session: Session): Promise<void> => {
    const own = await supervisor.list({ sessionId: session.id })
    for (const task of own) {
      if (task.background && task.callId !== undefined && session.cutOffCalls.has(task.callId))
        session.record({ type: 'task.started', task })
    }
  }

  const safely = async (work: Promise<void>): Promise<void> => {
    try {
      await work
    } catch (error) {
      if (!isClosed()) log(`The news of a task could not be told: ${failureOf(error).message}`)
    }
  }

  return {
    deliver: (sessionId, taskIds) => safely(visit(sessionId, taskIds)),
    async prepareForTurn(session) {
      await adoptions.get(session)?.catch(() => undefined)
      if (session.header.news.length > 0) await safely(prepareDue(session))
    },
    sessionOpened(session) {
      if (session.cutOffCalls.size > 0) adoptions.set(session, adopt(session))
      else if (session.header.news.length === 0) return
      void safely(sessions.withSession(session.id, (held) => attend(held)))
    },
    start() {
      unlisten = supervisor.onChange(({ taskId, sessionId, background, status }) => {
        if (status === 'running' || !background || sessionId === undefined || isClosed()) return
        if (startsTurns || sessions.isLoaded(sessionId)) void safely(visit(sessionId, [taskId]))
      })
      if (!startsTurns) return
      setTimeout(() => void safely(lookAtAll()), START_DELAY_MS).unref()
    },
    close() {
      closing.abort()
      unlisten?.()
      clearInterval(timer)
    },
  }
}
