import type { Task, Orphan, TaskOutputPage } from '../../../shared/model/task/task'
import { nearest } from '../../../shared/nearest'
import type { TaskSupervisor } from '../task/task-supervisor'
import type { SessionTasks } from '../tool/session-services'
import type { TaskNotifier } from './task-notifier'
import { ignoreTaskNotFound, outputTail } from './input/task-notifications'
import { isAgentId } from '../../../shared/model/session/agent'
import { CodedError } from '../../../shared/errors'
import type { SessionManager } from './sessions'
import type { TaskPush, UsagePush } from '../../../shared/events/push'

/** More tasks than are ever kept. */
const ALL = 10_000

/** What tasks need of their session. */
interface OwningSession {
  readonly id: string
  readonly header: { folder: string }
  record(event: { type: 'task.started'; task: Task }): void
}

export interface SessionTasksDeps {
  supervisor: TaskSupervisor
  notifier: Pick<TaskNotifier, 'deliver'>
  /** Whether a user can be asked. */
  interactive: boolean
  /** Whether the user can type into terminals; default: `interactive`. */
  canType?: boolean
}

/**
 * See `SessionTasks`. Background tasks are recorded in the session, so that the agent is notified of their end even
 * after a restart.
 */
export function createSessionTasks(
  session: OwningSession,
  { supervisor, notifier, interactive, canType = interactive }: SessionTasksDeps,
): SessionTasks {
  const { id: sessionId } = session
  const recordTask = (task: Task): void => {
    session.record({ type: 'task.started', task })
    // It may have ended before it was recorded.
    void notifier.deliver(sessionId, [task.taskId])
  }
  /** When the agent reads a task that has ended, its notification joins the very next step. */
  const notifyIfEnded = async (task: Task): Promise<Task> => {
    if (task.status !== 'running') await notifier.deliver(sessionId, [task.taskId])
    return task
  }
  const list = async ({ activeOnly, limit }: { activeOnly: boolean; limit: number }): Promise<Task[]> =>
    (await supervisor.list({ activeOnly, limit: ALL, sessionId })).filter((task) => task.background).slice(0, limit)

  return {
    owner: (callId) => ({ sessionId, callId, folder: session.header.folder }),
    interactive,
    canType,
    async start(start) {
      const task = await supervisor.start(start)
      recordTask(task)
      return task
    },
    moved: recordTask,
    list,
    async find(taskId) {
      const task = await supervisor.get(taskId).catch(ignoreTaskNotFound)
      if (task?.sessionId === sessionId) return { task: await notifyIfEnded(task) }
      if (task)
        return {
          problem:
            `The task ${taskId} belongs to another session; ` +
            'only the user can see and stop it, on the page of tasks.',
        }
      const shown = JSON.stringify(taskId.slice(0, 100))
      const known = (await list({ activeOnly: false, limit: ALL })).map((one) => one.taskId)
      if (known.length === 0) return { problem: `There is no task ${shown}: this session has no background tasks.` }
      const near = nearest(taskId, known)
      return {
        problem:
          `There is no task ${shown}. ` +
          (near.length > 0
            ? `Did you mean ${near.join(' or ')}?`
            : 'TaskList with active_only false shows those of this session.'),
      }
    },
    wait: async (taskId, ms, signal) => notifyIfEnded((await supervisor.wait(taskId, ms, signal)).task),
    tail: (task, maxBytes) => outputTail(supervisor, task, maxBytes),
    stop: (taskId, reason) => supervisor.stop(taskId, reason),
  }
}

export interface TaskActionsDeps {
  supervisor: TaskSupervisor
  sessions: Pick<SessionManager, 'withSession'>
  notifier: Pick<TaskNotifier, 'deliver'>
  onExit: Tasks['onExit']
  endsHere: Tasks['endsHere']
}

/** What the user can do with tasks: the supervisor's actions, and those that involve a task's session. */
export function createTaskActions({ supervisor, sessions, notifier, onExit, endsHere }: TaskActionsDeps): Tasks {
  return {
    onExit,
    endsHere,
    list: (filter) => supervisor.list(filter),
    get: (taskId) => supervisor.get(taskId),
    output: (taskId, page) => supervisor.output(taskId, page),
    stop: (taskId, reason) => supervisor.stop(taskId, reason),
    stopAll: (filter) => supervisor.stopAll(filter),
    input: (taskId, data) => supervisor.input(taskId, data),
    moveToBackground: (taskId) => supervisor.moveToBackground(taskId),
    orphans: () => supervisor.orphans(),
    killOrphans: (pids) => supervisor.killOrphans(pids),
    watch: (taskId, listener) => supervisor.watch(taskId, listener),
    watchUsage: (listener) => supervisor.watchUsage(listener),
    async restart(taskId) {
      if (isAgentId(taskId))
        throw new CodedError(
          'request.invalid',
          'A subagent is given more work by its agent; it cannot be started again by hand.',
        )
      const { command, cwd, folder, sessionId, description, timeoutMs = null } = await supervisor.get(taskId)
      const start = {
        command,
        cwd,
        timeoutMs,
        ...(description !== undefined && { description }),
        ...(folder !== undefined && { folder }),
      }
      if (sessionId === undefined) return supervisor.start(start)
      return sessions.withSession(sessionId, async (session) => {
        const task = await supervisor.start({ ...start, sessionId })
        session.record({ type: 'task.started', task })
        void notifier.deliver(sessionId, [task.taskId])
        return task
      })
    },
    async sendToSession(taskId) {
      const { sessionId } = await supervisor.get(taskId)
      if (sessionId === undefined)
        throw new CodedError('session.not_found', `The task ${taskId} belongs to no session.`)
      await sessions.withSession(sessionId, (session) => {
        session.record({ type: 'news.requested', taskId })
        void notifier.deliver(sessionId, [taskId])
      })
      return { sessionId }
    },
  }
}

/** Tasks of all sessions, run by this process or another one with the same home. See the contract of the same name. */
export interface Tasks {
  list(filter: { activeOnly?: boolean; limit?: number }): Promise<Task[]>
  get(taskId: string): Promise<Task>
  output(taskId: string, page: { before?: number; bytes: number }): Promise<TaskOutputPage>
  stop(taskId: string, reason?: string): Promise<Task>
  stopAll(filter: { sessionId?: string }): Promise<{ stopped: number }>
  restart(taskId: string): Promise<Task>
  input(taskId: string, data: string): Promise<void>
  moveToBackground(taskId: string): Promise<Task>
  sendToSession(taskId: string): Promise<{ sessionId: string }>
  orphans(): Promise<Orphan[]>
  killOrphans(pids?: readonly number[]): Promise<{ stopped: number }>
  /**
   * Calls `listener` with a `start` and then with every change, until the returned function is called. It must be quick
   * and must not throw.
   */
  watch(taskId: string, listener: (push: TaskPush) => void): () => void
  /** Whether this process runs the task itself, so that the task ends with the process. */
  endsHere(taskId: string): boolean
  /** What happens to background tasks when this engine is closed, according to the settings. */
  onExit(): 'keep' | 'stop' | 'ask'
  /** Measures once a second while there are listeners. */
  watchUsage(listener: (push: UsagePush) => void): () => void
}
