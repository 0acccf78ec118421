import { isAgentId } from '../../../shared/model/agent'
import { CodedError } from '../../../shared/model/errors'
import type { Tasks } from '../engine-api'
import type { TaskCustody } from '../task/task-custody'
import type { NewsDesk } from './news-desk'
import type { HeldSessions } from './sessions'

export interface TaskActionsDeps {
  custody: TaskCustody
  sessions: Pick<HeldSessions, 'withSession'>
  desk: Pick<NewsDesk, 'look'>
  onExit: Tasks['onExit']
  endsHere: Tasks['endsHere']
}

/** What a person can do with tasks: what custody offers, and what the session of a task takes part in. */
export function createTaskActions({ custody, sessions, desk, onExit, endsHere }: TaskActionsDeps): Tasks {
  return {
    onExit,
    endsHere,
    list: (filter) => custody.list(filter),
    get: (taskId) => custody.get(taskId),
    output: (taskId, page) => custody.output(taskId, page),
    stop: (taskId, reason) => custody.stop(taskId, reason),
    stopAll: (filter) => custody.stopAll(filter),
    input: (taskId, data) => custody.input(taskId, data),
    moveToBackground: (taskId) => custody.moveToBackground(taskId),
    orphans: () => custody.orphans(),
    killOrphans: (pids) => custody.killOrphans(pids),
    watch: (taskId, listener) => custody.watch(taskId, listener),
    watchUsage: (listener) => custody.watchUsage(listener),
    async restart(taskId) {
      if (isAgentId(taskId))
        throw new CodedError('request.invalid', 'A subagent is given more work by its agent; it cannot be started again by hand.')
      const { command, cwd, folder, sessionId, description, timeoutMs = null } = await custody.get(taskId)
      const start = {
        command,
        cwd,
        timeoutMs,
        ...(description !== undefined && { description }),
        ...(folder !== undefined && { folder }),
      }
      if (sessionId === undefined) return custody.start(start)
      return sessions.withSession(sessionId, async (session) => {
        const task = await custody.start({ ...start, sessionId })
        session.record({ type: 'task.started', task })
        void desk.look(sessionId, [task.taskId])
        return task
      })
    },
    async sendToSession(taskId) {
      const { sessionId } = await custody.get(taskId)
      if (sessionId === undefined) throw new CodedError('session.not_found', `The task ${taskId} belongs to no session.`)
      await sessions.withSession(sessionId, (session) => {
        session.record({ type: 'news.requested', taskId })
        void desk.look(sessionId, [taskId])
      })
      return { sessionId }
    },
  }
}
