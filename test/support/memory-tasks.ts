import { stripVTControlCharacters } from 'node:util'
import { CodedError } from '../../src/shared/errors'
import type { TaskPush, UsagePush } from '../../src/shared/events/push'
import type { Orphan, Task, TaskUsage } from '../../src/shared/model/task/task'
import type { EngineChange } from '../../src/main/engine/foundation/engine-options'
import type { Tasks } from '../../src/main/engine/session/session-tasks'

interface Kept {
  task: Task
  output: string
  watchers: Set<(push: TaskPush) => void>
}

/** Maximum newest output in the `start` of a watcher. */
const START_CHARS = 64 * 1024

export interface MemoryTasks extends Tasks {
  /** Adds or changes a task, and notifies all watchers. */
  put(task: Partial<Task> & { taskId: string }): Task
  /**
   * Appends to the output of a task. `told`: also sends the record with its new last line, as the engine does once a
   * second.
   */
  print(taskId: string, text: string, told?: boolean): void
  /** Sends usage to its watchers. */
  use(usage: TaskUsage[]): void
  remove(taskId: string): void
  leave(orphans: Orphan[]): void
  /** Input that was typed into a task, in order. */
  typed(taskId: string): string[]
  /** Every call that changes something, as `verb taskId`. */
  readonly calls: readonly string[]
  /** Number of watchers of usage, or of one task, to detect leaks. */
  readonly usageWatchers: number
  watchers(taskId: string): number
}

/**
 * Tasks with plain maps, for tests of the API and the interface: no processes, but the promises of `Tasks` (`start`
 * first, then changes).
 */
export function memoryTasks(changed: (change: EngineChange) => void, now: () => number = Date.now): MemoryTasks {
  const kept = new Map<string, Kept>()
  const usageWatchers = new Set<(push: UsagePush) => void>()
  const typed = new Map<string, string[]>()
  const calls: string[] = []
  let orphans: Orphan[] = []

  const get = (taskId: string): Kept => {
    const found = kept.get(taskId)
    if (!found) throw new CodedError('task.not_found', `There is no task ${taskId}.`)
    return found
  }
  const tell = (entry: Kept): void => {
    for (const watcher of entry.watchers) watcher({ type: 'task', task: entry.task })
    changed({ kind: 'task', task: entry.task })
  }
  const put: MemoryTasks['put'] = (task) => {
    const entry: Kept = kept.get(task.taskId) ?? {
      task: {
        taskId: task.taskId,
        command: 'true',
        cwd: '/project',
        status: 'running',
        background: true,
        startedAt: now(),
        outputPath: `/home/tasks/${task.taskId}.log`,
        outputBytes: 0,
      },
      output: '',
      watchers: new Set(),
    }
    entry.task = { ...entry.task, ...task }
    if (task.prompt === undefined && 'prompt' in task) delete entry.task.prompt
    kept.set(task.taskId, entry)
    tell(entry)
    return entry.task
  }
  const end = (taskId: string, change: Partial<Task>): Task => {
    const entry = get(taskId)
    return entry.task.status === 'running' ? put({ taskId, endedAt: now(), ...change }) : entry.task
  }

  return {
    async list({ activeOnly = false, limit = 500 }) {
      return [...kept.values()]
        .map(({ task }) => task)
        .filter((task) => !activeOnly || task.status === 'running')
        .toSorted(
          (a, b) => Number(b.status === 'running') - Number(a.status === 'running') || b.startedAt - a.startedAt,
        )
        .slice(0, limit)
    },
    get: async (taskId) => get(taskId).task,
    async output(taskId, { before, bytes }) {
      const { output } = get(taskId)
      const to = Math.min(before ?? output.length, output.length)
      const from = Math.max(0, to - bytes)
      return { text: output.slice(from, to), from, to, total: output.length, dropped: 0 }
    },
    async stop(taskId, reason) {
      calls.push(`stop ${taskId}`)
      return end(taskId, { status: 'stopped', signal: 'SIGTERM', stopReason: reason ?? 'Stopped by the user' })
    },
    async stopAll({ sessionId }) {
      calls.push(`stopAll ${sessionId ?? 'everywhere'}`)
      const running = [...kept.values()].filter(
        ({ task }) => task.status === 'running' && (sessionId === undefined || task.sessionId === sessionId),
      )
      for (const { task } of running) end(task.taskId, { status: 'stopped', signal: 'SIGTERM' })
      return { stopped: running.length }
    },
    async restart(taskId) {
      calls.push(`restart ${taskId}`)
      const { exitCode: _exitCode, endedAt: _endedAt, signal: _signal, stopReason: _reason, ...task } = get(taskId).task
      return put({ ...task, taskId: `${taskId}-again`, status: 'running', startedAt: now(), background: true })
    },
    async input(taskId, data) {
      get(taskId)
      typed.set(taskId, [...(typed.get(taskId) ?? []), data])
    },
    async moveToBackground(taskId) {
      calls.push(`moveToBackground ${taskId}`)
      return put({ taskId, background: true })
    },
    async sendToSession(taskId) {
      calls.push(`sendToSession ${taskId}`)
      return { sessionId: get(taskId).task.sessionId ?? '' }
    },
    onExit: () => 'keep',
    endsHere: () => false,
    orphans: async () => orphans,
    async killOrphans(pids) {
      const stopped = orphans.filter(({ pid }) => pids === undefined || pids.includes(pid))
      orphans = orphans.filter((orphan) => !stopped.includes(orphan))
      calls.push(`killOrphans ${pids?.join(',') ?? 'all'}`)
      return { stopped: stopped.length }
    },
    watch(taskId, listener) {
      const entry = get(taskId)
      const from = Math.max(0, entry.output.length - START_CHARS)
      entry.watchers.add(listener)
      listener({ type: 'start', task: entry.task, text: entry.output.slice(from), from })
      return () => entry.watchers.delete(listener)
    },
    watchUsage(listener) {
      usageWatchers.add(listener)
      return () => usageWatchers.delete(listener)
    },
    put,
    print(taskId, text, told = true) {
      const entry = get(taskId)
      entry.output += text
      for (const watcher of entry.watchers) watcher({ type: 'output', text })
      const lastLine = stripVTControlCharacters(text).trimEnd().split('\n').at(-1)
      entry.task = {
        ...entry.task,
        outputBytes: entry.output.length,
        ...(lastLine && { lastLine: lastLine.slice(0, 200) }),
      }
      if (told) tell(entry)
    },
    use(usage) {
      for (const watcher of usageWatchers) watcher({ at: now(), usage })
    },
    remove(taskId) {
      kept.delete(taskId)
      changed({ kind: 'task.removed', taskId })
    },
    leave(left) {
      orphans = left
    },
    typed: (taskId) => typed.get(taskId) ?? [],
    get calls() {
      return calls
    },
    get usageWatchers() {
      return usageWatchers.size
    },
    watchers: (taskId) => kept.get(taskId)?.watchers.size ?? 0,
  }
}
