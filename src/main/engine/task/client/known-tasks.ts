import { setTimeout as sleep } from 'node:timers/promises'
import type { Task, TaskOutputPage } from '../../../../shared/model/task/task'
import { outputSize, readOutput } from '../output/log-files'
import { foregroundLog, isHostAlive, markLost, readRecord, taskIds, type TaskRecord } from '../task-record'
import type { TaskPush } from '../../../../shared/events/push'
import type { HostConnection } from './host-connection'

const MAX_REMEMBERED = 2_000
const POLL_MS = 20

/** The tasks on disk. Records of ended tasks never change, so each is read once. */
export class KnownTasks {
  private readonly home: string
  private readonly onLost: (task: Task) => void
  private readonly ended = new Map<string, Task>()
  /** Reads in progress, so that a loss is reported only once. */
  private readonly reading = new Map<string, Promise<Task | undefined>>()

  constructor(home: string, onLost: (task: Task) => void) {
    this.home = home
    this.onLost = onLost
  }

  async get(taskId: string): Promise<Task | undefined> {
    const known = this.ended.get(taskId)
    if (known) return known
    let reading = this.reading.get(taskId)
    if (!reading) {
      reading = this.read(taskId).finally(() => this.reading.delete(taskId))
      this.reading.set(taskId, reading)
    }
    return reading
  }

  /** All tasks except those in `excluded`. */
  async allExcept(excluded: ReadonlyMap<string, unknown>): Promise<Task[]> {
    const tasks: Task[] = []
    for (const taskId of await taskIds(this.home)) {
      if (excluded.has(taskId)) continue
      const task = await this.get(taskId)
      if (task) tasks.push(task)
    }
    return tasks
  }

  /** A page of a task's log, also of a foreground command without a record; undefined if the log is missing. */
  async output(taskId: string, page: { before?: number; bytes: number }): Promise<TaskOutputPage | undefined> {
    const task = await this.get(taskId)
    if (task) return readOutput(task.outputPath, page)
    if (!/^[a-z]+-[0-9a-z]{8}$/.test(taskId)) return undefined
    const found = await readOutput(foregroundLog(this.home, taskId), page)
    return found.total === 0 ? undefined : found
  }

  /** The tasks of a dead host that are lost; waits up to `limitMs` for its death to be detected. */
  async lostAmong(ids: readonly string[], limitMs: number): Promise<Task[]> {
    const lost: Task[] = []
    const until = performance.now() + limitMs
    for (const taskId of ids) {
      let task = await this.get(taskId)
      while (task?.status === 'running' && performance.now() < until) {
        await sleep(POLL_MS)
        task = await this.get(taskId)
      }
      if (task?.status === 'lost') lost.push(task)
    }
    return lost
  }

  /** Call when the task has just ended or its record was removed. */
  forget(taskId: string): void {
    this.ended.delete(taskId)
  }

  private async read(taskId: string): Promise<Task | undefined> {
    const record = await readRecord(this.home, taskId)
    return record && this.currentState(record)
  }

  /** Marks a running task as lost, on disk too, if its host is dead. */
  private async currentState(record: TaskRecord): Promise<Task> {
    if (record.task.status !== 'running') return this.remember(record.task)
    if (await isHostAlive(this.home, record))
      return { ...record.task, outputBytes: await outputSize(record.task.outputPath) }
    // It may have ended normally right before its host did.
    const again = (await readRecord(this.home, record.task.taskId)) ?? record
    if (again.task.status !== 'running') return this.remember(again.task)
    const task = await markLost(this.home, again)
    this.remember(task)
    this.onLost(task)
    return task
  }

  private remember(task: Task): Task {
    if (this.ended.size >= MAX_REMEMBERED) this.ended.clear()
    this.ended.set(task.taskId, task)
    return task
  }
}

/** How much output of an ended task is pushed; the rest is read page by page. */
const TAIL_BYTES = 128 * 1024

export interface WatchSources {
  find: () => Promise<HostConnection | undefined>
  get: (taskId: string) => Promise<Task>
  output: (taskId: string, page: { bytes: number }) => Promise<TaskOutputPage>
  onLost: (listener: () => void) => () => void
}

/** See `TaskSupervisor.watch`. A running task is watched in its host, any other is shown from disk. */
export function watchTask(sources: WatchSources, taskId: string, listener: (push: TaskPush) => void): () => void {
  let isStopped = false
  let stopPushes: (() => void) | undefined
  const send = (push: TaskPush): void => {
    if (!isStopped) listener(push)
  }
  const begin = async (): Promise<void> => {
    const stop = await (await sources.find())?.watch(taskId, send)
    if (isStopped) stop?.()
    else if (stop) stopPushes = stop
    else {
      const task = await sources.get(taskId)
      const { text, from } = await sources.output(taskId, { bytes: TAIL_BYTES })
      send({ type: 'start', task, text, from })
    }
  }
  const unsubscribe = sources.onLost(() => {
    stopPushes = undefined
    void sources.get(taskId).then(
      (task) => send({ type: 'task', task }),
      () => {},
    )
  })
  // Nothing is pushed for an unknown task, as for one that prints nothing.
  begin().catch(() => {})
  return () => {
    isStopped = true
    unsubscribe()
    stopPushes?.()
  }
}
