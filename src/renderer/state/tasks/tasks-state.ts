import { create } from 'zustand'
import type { Failure } from '../../../shared/errors'
import type { Task } from '../../../shared/model/task/task'
import type { TrestleClient } from '../../../shared/contract'
import { failureFrom } from '../../client/failure-from'
import { useLayout } from '../page/layout-state'
import { jumpToCall } from '../session/session-view'

export interface TasksState {
  tasks: ReadonlyMap<string, Task>
  /** Task of a tool call, by `callKey`. */
  byCall: ReadonlyMap<string, string>
  /**
   * Running tasks that wait for input at their terminal, the longest waiting first. Stays the same array while
   * unchanged.
   */
  waiting: readonly Task[]
  /** Number of running tasks. */
  running: number
  /** False until the first complete list has arrived. */
  loaded: boolean
  /** Why the list could not be read. */
  failure?: Failure
}

export const NO_TASKS: TasksState = { tasks: new Map(), byCall: new Map(), waiting: [], running: 0, loaded: false }

/** Maximum number kept in the page: the oldest ended tasks are dropped first. */
const MAX_TASKS = 3000

export function callKey(sessionId: string, callId: string): string {
  return `${sessionId}/${callId}`
}

/** Whether a task is listed: a foreground command is listed while it runs; afterwards its call shows it. */
export function isListed(task: Task): boolean {
  return task.background !== false || task.status === 'running'
}

/** Applies changed and removed tasks. Pure. */
export function withTasks(state: TasksState, changed: readonly Task[], removed: readonly string[]): TasksState {
  if (changed.length === 0 && removed.length === 0) return state
  const tasks = new Map(state.tasks)
  const byCall = new Map(state.byCall)
  for (const task of changed) {
    tasks.set(task.taskId, task)
    if (task.sessionId !== undefined && task.callId !== undefined)
      byCall.set(callKey(task.sessionId, task.callId), task.taskId)
  }
  const forget = (taskId: string): void => {
    const { sessionId, callId } = tasks.get(taskId) ?? {}
    if (sessionId !== undefined && callId !== undefined) byCall.delete(callKey(sessionId, callId))
    tasks.delete(taskId)
  }
  for (const taskId of removed) forget(taskId)
  for (const { taskId } of surplus(tasks)) forget(taskId)
  return { ...state, tasks, byCall, ...summed(tasks, state.waiting) }
}

/**
 * Applies a complete list: tasks missing from it are removed, except changes received `since` the list was requested.
 * Pure.
 */
export function withTaskList(state: TasksState, list: readonly Task[], since: ReadonlySet<string>): TasksState {
  const listed = new Set(list.map(({ taskId }) => taskId))
  const gone = [...state.tasks.keys()].filter((taskId) => !listed.has(taskId) && !since.has(taskId))
  const { failure: _failure, ...rest } = withTasks(
    state,
    list.filter(({ taskId }) => !since.has(taskId)),
    gone,
  )
  return { ...rest, loaded: true }
}

function summed(tasks: ReadonlyMap<string, Task>, before: readonly Task[]): Pick<TasksState, 'waiting' | 'running'> {
  let running = 0
  const waiting: Task[] = []
  for (const task of tasks.values()) {
    if (task.status !== 'running') continue
    running += 1
    if (task.prompt) waiting.push(task)
  }
  waiting.sort((a, b) => (a.prompt?.since ?? 0) - (b.prompt?.since ?? 0))
  const same = waiting.length === before.length && waiting.every((task, n) => isSamePrompt(task, before[n]))
  return { running, waiting: same ? before : waiting }
}

function isSamePrompt(task: Task, before: Task | undefined): boolean {
  return (
    task.taskId === before?.taskId &&
    task.prompt?.text === before.prompt?.text &&
    task.prompt?.since === before.prompt?.since
  )
}

/** The oldest ended tasks above the maximum. */
function surplus(tasks: ReadonlyMap<string, Task>): Task[] {
  if (tasks.size <= MAX_TASKS) return []
  const ended = [...tasks.values()]
    .filter(({ status }) => status !== 'running')
    .sort((a, b) => a.startedAt - b.startedAt)
  return ended.slice(0, tasks.size - MAX_TASKS)
}

/** Every task this window knows, updated only by the engine. */
export const useTasks = create<TasksState>()(() => NO_TASKS)

/** One task; re-renders when it changes. */
export function useTask(taskId: string | undefined): Task | undefined {
  return useTasks((state) => (taskId === undefined ? undefined : state.tasks.get(taskId)))
}

/** The task that a tool call started. */
export function useTaskOfCall(sessionId: string, callId: string): Task | undefined {
  return useTasks((state) => state.tasks.get(state.byCall.get(callKey(sessionId, callId)) ?? ''))
}

/** The first of a session's commands that waits for input at its terminal. */
export function useWaitingTask(sessionId: string): Task | undefined {
  return useTasks((state) => state.waiting.find((task) => task.sessionId === sessionId))
}

/** Number of running tasks of a session. */
export function useRunningCount(sessionId: string): number {
  return useTasks(({ tasks }) => {
    let count = 0
    for (const task of tasks.values()) if (task.sessionId === sessionId && task.status === 'running') count += 1
    return count
  })
}

/** Number of tasks requested: running ones come first, so all of those are included. */
const LIST_LIMIT = 2000
/** Minimum ms between two state changes: with hundreds of tasks printing, something changes all the time. */
const PAUSE_MS = 100

/** Keeps the tasks of this window in sync with the engine: the complete list once per connection, then changes. */
export class TaskFollower {
  readonly #client: TrestleClient
  #asked = 0
  /** Changes received since the list was requested: newer than the list. */
  #since = new Set<string>()
  #changed = new Map<string, Task>()
  #removed = new Set<string>()
  #pausing = false

  constructor(client: TrestleClient) {
    this.#client = client
  }

  /** A new subscription has started: request what changed while disconnected. */
  async onSubscribed(): Promise<void> {
    this.#asked += 1
    const asked = this.#asked
    this.#since = new Set()
    try {
      const list = await this.#client.task.list({ limit: LIST_LIMIT })
      if (asked === this.#asked) useTasks.setState((state) => withTaskList(state, list, this.#since), true)
    } catch (error) {
      const failure = failureFrom(error)
      // The subscription restarts automatically and requests the list again.
      if (asked === this.#asked && failure.code !== 'connection.lost') useTasks.setState({ failure })
    }
  }

  onChanged(changed: readonly Task[], removed: readonly string[]): void {
    for (const task of changed) {
      this.#since.add(task.taskId)
      this.#removed.delete(task.taskId)
      this.#changed.set(task.taskId, task)
    }
    for (const taskId of removed) {
      this.#since.add(taskId)
      this.#changed.delete(taskId)
      this.#removed.add(taskId)
    }
    if (!this.#pausing) this.#pass()
  }

  #pass(): void {
    this.#pausing = this.#changed.size > 0 || this.#removed.size > 0
    if (!this.#pausing) return
    const [changed, removed] = [[...this.#changed.values()], [...this.#removed]]
    this.#changed.clear()
    this.#removed.clear()
    useTasks.setState((state) => withTasks(state, changed, removed))
    setTimeout(() => this.#pass(), PAUSE_MS)
  }
}

/** Focusable terminals on screen, the newest last. */
const terminals = new Map<string, (() => void)[]>()

/** The task whose terminal takes the focus as soon as it appears. */
export const useTerminalToFocus = create<{ taskId: string | undefined }>()(() => ({ taskId: undefined }))

/**
 * Registers a terminal on screen; focuses it if that was requested before it appeared. Returns the unregister function.
 */
export function registerTerminal(taskId: string, focus: () => void): () => void {
  terminals.set(taskId, [...(terminals.get(taskId) ?? []), focus])
  if (useTerminalToFocus.getState().taskId === taskId) {
    useTerminalToFocus.setState({ taskId: undefined })
    focus()
  }
  return () => {
    const left = (terminals.get(taskId) ?? []).filter((candidate) => candidate !== focus)
    if (left.length > 0) terminals.set(taskId, left)
    else terminals.delete(taskId)
  }
}

/** Focuses the terminal of a task: on screen, or else in its card of the open session, or else on the tasks page. */
export function answerTask(task: Task): void {
  const focus = terminals.get(task.taskId)?.at(-1)
  if (focus) {
    focus()
    return
  }
  useTerminalToFocus.setState({ taskId: task.taskId })
  const { view, openTasks } = useLayout.getState()
  const here = view.kind === 'session' && view.sessionId === task.sessionId && task.callId !== undefined
  if (here && jumpToCall(view.sessionId, task.callId ?? '')) return
  openTasks(task.taskId)
}
