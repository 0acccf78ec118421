import type { Task } from '../../src/shared/model/task/task'
import type { BackgroundStart, TaskSupervisor, TerminalTasks } from '../../src/main/engine/task/task-supervisor'
import { memoryTasks, type MemoryTasks } from './memory-tasks'

export interface MemorySupervisor extends TaskSupervisor, Pick<MemoryTasks, 'put' | 'print' | 'remove'> {
  /** The requested starts. */
  readonly started: readonly BackgroundStart[]
  /** Ends a task, as its program would. */
  end(taskId: string, change: Partial<Task>): void
}

/**
 * A task supervisor with plain maps: background tasks get the ids bash-00000001 and so on, and run until the test ends
 * them. Without `follows`, changes are not reported.
 */
export function memorySupervisor(terminals: TerminalTasks = nothingRuns, { follows = true } = {}): MemorySupervisor {
  const listeners = new Set<(task: Task) => void>()
  const started: BackgroundStart[] = []
  const tasks = memoryTasks((change) => {
    if (change.kind === 'task') for (const listener of listeners) listener(change.task)
  })
  const { restart: _restart, sendToSession: _send, list, ...rest } = tasks
  const onChange = (listener: (task: Task) => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    ...rest,
    terminals,
    started,
    list: async ({ sessionId, limit = 500, ...filter }) =>
      (await list(filter)).filter((task) => sessionId === undefined || task.sessionId === sessionId).slice(0, limit),
    async start(start) {
      started.push(start)
      const { timeoutMs, ...known } = start
      const taskId = `bash-${String(started.length).padStart(8, '0')}`
      return tasks.put({ taskId, pid: 4000 + started.length, ...known, ...(timeoutMs !== null && { timeoutMs }) })
    },
    async wait(taskId, ms, signal) {
      const task = await tasks.get(taskId)
      if (task.status !== 'running') return { task, ended: true }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        const done = (): void => {
          clearTimeout(timer)
          unlisten()
          resolve()
        }
        const unlisten = onChange((changed) => {
          if (changed.taskId === taskId && changed.status !== 'running') done()
        })
        if (signal?.aborted) done()
        signal?.addEventListener('abort', done, { once: true })
      })
      const now = await tasks.get(taskId)
      return { task: now, ended: now.status !== 'running' }
    },
    end: (taskId, change) => void tasks.put({ taskId, endedAt: Date.now(), ...change }),
    onChange: follows ? onChange : () => () => undefined,
    onRemoved: () => () => undefined,
    onNotice: () => () => undefined,
    close: async () => undefined,
  }
}

const nothingRuns: TerminalTasks = {
  run: () => Promise.reject(new Error('nothing runs here')),
  warm: () => undefined,
  close: async () => undefined,
}
