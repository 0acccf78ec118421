import { isAgentId } from '../../../shared/model/session/agent'
import { CodedError } from '../../../shared/errors'
import type { Task, TaskOutputPage } from '../../../shared/model/task/task'
import { characterStart, wholeLength } from '../task/output/log-files'
import type { TaskSupervisor } from '../task/task-supervisor'
import type { AgentRuns } from './agent-runs'

const STOPPED = 'Stopped by the user.'

/** A task supervisor that also covers subagents: callers can list, await, read and stop both in the same way. */
export function withSubagentTasks(supervisor: TaskSupervisor, agents: AgentRuns): TaskSupervisor {
  const changeListeners = new Set<(task: Task) => void>()
  const removedListeners = new Set<(taskId: string) => void>()
  const agentTask = async (taskId: string): Promise<Task> => {
    const task = await agents.task(taskId)
    if (!task) throw new CodedError('task.not_found', `There is no task ${taskId}.`)
    return task
  }
  agents.onChange((task) => {
    for (const listener of changeListeners) listener(task)
    // As with commands, a task that a call waited for is removed from the list when it ends.
    if (task.status !== 'running' && !task.background) for (const listener of removedListeners) listener(task.taskId)
  })

  return {
    terminals: supervisor.terminals,
    start: (start) => supervisor.start(start),
    async list(filter) {
      const { activeOnly = false, limit, sessionId } = filter
      const [commands, all] = await Promise.all([supervisor.list(filter), agents.tasks({ activeOnly })])
      const own = all.filter(
        (task) =>
          (sessionId === undefined || task.sessionId === sessionId) && (task.background || task.status === 'running'),
      )
      return own.length === 0 ? commands : [...commands, ...own].toSorted(runningFirst).slice(0, limit)
    },
    get: (taskId) => (isAgentId(taskId) ? agentTask(taskId) : supervisor.get(taskId)),
    async output(taskId, page) {
      if (!isAgentId(taskId)) return supervisor.output(taskId, page)
      await agentTask(taskId)
      return pageOf(agents.answer(taskId), page)
    },
    async wait(taskId, ms, signal) {
      if (!isAgentId(taskId)) return supervisor.wait(taskId, ms, signal)
      const task = await agentTask(taskId)
      if (task.status === 'running') await within(agents.ended(taskId), ms, signal)
      const now = await agentTask(taskId)
      return { task: now, ended: now.status !== 'running' }
    },
    async stop(taskId, reason) {
      if (!isAgentId(taskId)) return supervisor.stop(taskId, reason)
      await agents.stop(taskId, reason ?? STOPPED)
      return agentTask(taskId)
    },
    async stopAll(filter) {
      const [{ stopped }, ended] = await Promise.all([
        supervisor.stopAll(filter),
        agents.stopAll(
          ({ background, parentId }) => background && (filter.sessionId === undefined || parentId === filter.sessionId),
          STOPPED,
        ),
      ])
      return { stopped: stopped + ended }
    },
    input: async (taskId, data) => (isAgentId(taskId) ? refuse('has no terminal') : supervisor.input(taskId, data)),
    moveToBackground: async (taskId) =>
      isAgentId(taskId) ? agents.moveToBackground(taskId) : supervisor.moveToBackground(taskId),
    orphans: () => supervisor.orphans(),
    killOrphans: (pids) => supervisor.killOrphans(pids),
    watch(taskId, listener) {
      if (!isAgentId(taskId)) return supervisor.watch(taskId, listener)
      const onChange = (task: Task): void => {
        if (task.taskId === taskId) listener({ type: 'task', task })
      }
      changeListeners.add(onChange)
      void agentTask(taskId)
        .then(
          (task) =>
            changeListeners.has(onChange) && listener({ type: 'start', task, text: agents.answer(taskId), from: 0 }),
        )
        .catch(() => undefined)
      return () => changeListeners.delete(onChange)
    },
    watchUsage: (listener) => supervisor.watchUsage(listener),
    onChange(listener) {
      changeListeners.add(listener)
      const unlisten = supervisor.onChange(listener)
      return () => {
        changeListeners.delete(listener)
        unlisten()
      }
    },
    onRemoved(listener) {
      removedListeners.add(listener)
      const unlisten = supervisor.onRemoved(listener)
      return () => {
        removedListeners.delete(listener)
        unlisten()
      }
    },
    onNotice: (listener) => supervisor.onNotice(listener),
    close: (background) => supervisor.close(background),
  }
}

/** A page of an answer, in bytes; characters are not split, as in pages of a log. */
export function pageOf(answer: string, page: { before?: number; bytes: number }): TaskOutputPage {
  const bytes = Buffer.from(answer)
  const end = Math.min(page.before ?? bytes.length, bytes.length)
  const start = Math.max(0, end - page.bytes)
  const cut = bytes.subarray(start, end)
  const from = start === 0 ? 0 : start + characterStart(cut)
  const to = Math.max(from, start + wholeLength(cut))
  return { text: bytes.toString('utf8', from, to), from, to, total: bytes.length, dropped: 0 }
}

function refuse(what: string): never {
  throw new CodedError('request.invalid', `A subagent ${what}.`)
}

async function within(end: Promise<unknown>, ms: number, signal: AbortSignal | undefined): Promise<void> {
  const over = Promise.withResolvers<void>()
  const timer = setTimeout(over.resolve, Math.min(ms, 2 ** 31 - 1))
  signal?.addEventListener('abort', () => over.resolve(), { once: true })
  if (signal?.aborted) over.resolve()
  await Promise.race([end, over.promise])
  clearTimeout(timer)
}

function runningFirst(a: Task, b: Task): number {
  return Number(b.status === 'running') - Number(a.status === 'running') || b.startedAt - a.startedAt
}
