import type { Task } from '../../../shared/model/task'
import { nearest } from '../../../shared/nearest'
import type { TaskCustody } from '../task/task-custody'
import type { SessionTasks } from '../tool/session-tasks'
import type { NewsDesk } from './news-desk'
import { notFound, tailOf } from './task-tail'

/** More than are ever kept. */
const ALL = 10_000

/** What of a session its tasks need. */
interface OwningSession {
  readonly id: string
  readonly header: { folder: string }
  record(event: { type: 'task.started'; task: Task }): void
}

export interface SessionTasksDeps {
  custody: TaskCustody
  desk: Pick<NewsDesk, 'look'>
  /** Whether a person can be asked. */
  interactive: boolean
  /** Whether that person can type at terminals; default: as `interactive`. */
  canType?: boolean
}

/** See `SessionTasks`. What goes on in the background is recorded in the session, so that its end is told, whatever happens meanwhile. */
export function createSessionTasks(
  session: OwningSession,
  { custody, desk, interactive, canType = interactive }: SessionTasksDeps,
): SessionTasks {
  const { id: sessionId } = session
  const owed = (task: Task): void => {
    session.record({ type: 'task.started', task })
    // It may have ended before it was recorded.
    void desk.look(sessionId, [task.taskId])
  }
  /** When the agent sees that a task has ended, the news of it joins the very next step, not a later one. */
  const seen = async (task: Task): Promise<Task> => {
    if (task.status !== 'running') await desk.look(sessionId, [task.taskId])
    return task
  }
  const list = async ({ activeOnly, limit }: { activeOnly: boolean; limit: number }): Promise<Task[]> =>
    (await custody.list({ activeOnly, limit: ALL, sessionId })).filter((task) => task.background).slice(0, limit)

  return {
    owner: (callId) => ({ sessionId, callId, folder: session.header.folder }),
    interactive,
    canType,
    async start(start) {
      const task = await custody.start(start)
      owed(task)
      return task
    },
    moved: owed,
    list,
    async find(taskId) {
      const task = await custody.get(taskId).catch(notFound)
      if (task?.sessionId === sessionId) return { task: await seen(task) }
      if (task)
        return { problem: `The task ${taskId} belongs to another session; only the user can see and stop it, on the page of tasks.` }
      const shown = JSON.stringify(taskId.slice(0, 100))
      const known = (await list({ activeOnly: false, limit: ALL })).map((one) => one.taskId)
      if (known.length === 0) return { problem: `There is no task ${shown}: this session has no background tasks.` }
      const near = nearest(taskId, known)
      return {
        problem: `There is no task ${shown}. ${near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'TaskList with active_only false shows those of this session.'}`,
      }
    },
    wait: async (taskId, ms, signal) => seen((await custody.wait(taskId, ms, signal)).task),
    tail: (task, maxBytes) => tailOf(custody, task, maxBytes),
    stop: (taskId, reason) => custody.stop(taskId, reason),
  }
}
