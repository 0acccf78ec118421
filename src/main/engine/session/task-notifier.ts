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
} from './input/task-notifications'

/** How often to check whether the process that holds a session has sent its notifications, in ms. */
const RETRY_MS = 5_000
/** How long to wait for other tasks that end at about the same time, in ms. */
const BATCH_MS = 50
/** How long a single wait for the end of a task lasts, in ms. */
const WAIT_MS = 3_600_000
/** How often a session is searched for tasks of a dead process when it is opened. */
const SEARCHES = 12
/** Runs this long after a start, so that the start is not delayed. */
const START_DELAY_MS = 200

export interface TaskNotifierDeps {
  supervisor: Pick<TaskSupervisor, 'get' | 'list' | 'output' | 'wait' | 'onChange'>
  store: Pick<Store, 'header' | 'owedNews'>
  sessions: Pick<SessionManager, 'withSession' | 'isLoaded'>
  /** Whether sessions are notified without being opened, and start turns for it. */
  startsTurns: boolean
  /** How often to check sessions that another process holds; default 5 s. */
  retryMs?: number
  now(): number
  log(message: string): void
}

/**
 * Notifies sessions of their background tasks. A session's header lists the tasks that are still due; each is sent
 * exactly once.
 */
export interface TaskNotifier {
  /**
   * Checks whether these tasks of a session are due now; resolves when those that are have been handed to the session.
   * Never rejects.
   */
  deliver(sessionId: string, taskIds: readonly string[]): Promise<void>
  /** Prepares everything that is due for the turn that starts. Never rejects. */
  prepareForTurn(session: Session): Promise<void>
  /** Call when a session was loaded: checks what is due, and adopts tasks that a dead process had started in it. */
  sessionOpened(session: Session): void
  /** Starts listening, and looks for tasks that ended while no Trestle ran. */
  start(): void
  close(): void
}

export function createTaskNotifier(deps: TaskNotifierDeps): TaskNotifier {
  const { supervisor, store, sessions, startsTurns, retryMs = RETRY_MS, log } = deps
  /** Sessions that another process held when they were last checked. */
  const elsewhere = new Set<string>()
  const adoptions = new WeakMap<Session, Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  let unlisten: (() => void) | undefined
  /** Tasks whose end is awaited one by one: a process that does not watch all tasks is not notified of every change. */
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
    // A task that the user sent to the session and that has also ended is listed twice but sent once.
    const due = new Map(
      owed.map(({ taskId }) => [taskId, owed.some((one) => one.taskId === taskId && one.now === true)]),
    )
    // One query instead of one per task.
    const active = due.size > 1 ? await supervisor.list({ activeOnly: true, sessionId: session.id }) : []
    const running = new Set(active.map(({ taskId }) => taskId))
    for (const [taskId, now] of due) {
      try {
        const prepared = running.has(taskId) && !now ? undefined : await prepare(taskId, now)
        if (prepared) session.notifications.add(prepared)
        else if (!startsTurns) void safely(awaitEnd(session.id, taskId))
      } catch (error) {
        // It stays due, and is tried again with the next turn or start.
        log(`The notification of ${taskId} could not be prepared: ${failureOf(error).message}`)
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
    await adopted(session)
    await prepareDue(session, taskIds)
    // A running turn takes it before its next step, or starts the next turn with it.
    if (!startsTurns || session.busy) return
    // Tasks that end together, for example when all are stopped, share one message.
    await pause(BATCH_MS)
    if (!isClosed()) await session.deliverNotifications()
  }

  /** Checks a session, which need not be loaded. */
  const visit = async (sessionId: string, taskIds?: readonly string[]): Promise<void> => {
    const owed = store.header(sessionId)
    if (!owed || owed.news.length === 0) return void elsewhere.delete(sessionId)
    try {
      await sessions.withSession(sessionId, (session) => attend(session, taskIds))
      elsewhere.delete(sessionId)
    } catch (error) {
      if (!(error instanceof CodedError && error.code === 'session.elsewhere')) throw error
      elsewhere.add(sessionId)
      timer ??= setInterval(revisit, retryMs).unref()
    }
  }

  const visitAll = async (): Promise<void> => {
    if (!isClosed()) for (const sessionId of store.owedNews()) void safely(visit(sessionId))
  }

  const revisit = (): void => {
    for (const sessionId of elsewhere) void safely(visit(sessionId))
    if (elsewhere.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  /**
   * Records tasks that a dead process started in the background but could not record: the agent is notified of these
   * too.
   */
  const adopt = async (session: Session): Promise<void> => {
    const own = await supervisor.list({ sessionId: session.id })
    for (const task of own) {
      if (task.background && task.callId !== undefined && session.cutOffCalls.has(task.callId))
        session.record({ type: 'task.started', task })
    }
  }

  /** Adopts them once; after a failure, the next notification tries again. Never rejects. */
  const adopted = (session: Session): Promise<void> => {
    if (session.cutOffCalls.size === 0) return Promise.resolve()
    const known = adoptions.get(session)
    if (known) return known
    const adopting = adopt(session).catch((error: unknown) => {
      adoptions.delete(session)
      if (!isClosed()) log(`Tasks of an earlier process could not be found: ${failureOf(error).message}`)
    })
    adoptions.set(session, adopting)
    return adopting
  }

  /**
   * Keeps a session open until its tasks have been found, or for a minute: only as long as it is open is it known which
   * of its calls were cut off.
   */
  const attendOpened = async (session: Session): Promise<void> => {
    await adopted(session)
    const isMissing = (): boolean => session.cutOffCalls.size > 0 && !adoptions.has(session)
    for (let searches = 1; searches < SEARCHES && isMissing() && sessions.isLoaded(session.id); searches += 1) {
      await pause(retryMs, undefined, { signal: closing.signal, ref: false })
      await adopted(session)
    }
    await attend(session)
  }

  const safely = async (work: Promise<void>): Promise<void> => {
    try {
      await work
    } catch (error) {
      if (!isClosed()) log(`A task notification could not be delivered: ${failureOf(error).message}`)
    }
  }

  return {
    deliver: (sessionId, taskIds) => safely(visit(sessionId, taskIds)),
    async prepareForTurn(session) {
      await adopted(session)
      if (session.header.news.length > 0) await safely(prepareDue(session))
    },
    sessionOpened(session) {
      if (session.cutOffCalls.size === 0 && session.header.news.length === 0) return
      void safely(sessions.withSession(session.id, attendOpened))
    },
    start() {
      unlisten = supervisor.onChange(({ taskId, sessionId, background, status }) => {
        if (status === 'running' || !background || sessionId === undefined || isClosed()) return
        if (startsTurns || sessions.isLoaded(sessionId)) void safely(visit(sessionId, [taskId]))
      })
      if (!startsTurns) return
      setTimeout(() => void safely(visitAll()), START_DELAY_MS).unref()
    },
    close() {
      closing.abort()
      unlisten?.()
      clearInterval(timer)
    },
  }
}
