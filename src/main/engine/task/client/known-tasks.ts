import type { Task, TaskOutputPage } from '../../../../shared/model/task'
import { outputSize } from '../output/log-files'
import { isHostAlive, markLost, readRecord, taskIds, type TaskRecord } from '../task-record'
import type { TaskPush } from '../../../../shared/events/push'
import type { HostConnection } from './host-connection'

const MAX_REMEMBERED = 2_000

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

  /** All tasks except those in `than`. */
  async others(than: ReadonlyMap<string, unknown>): Promise<Task[]> {
    const tasks: Task[] = []
    for (const taskId of await taskIds(this.home)) {
      if (than.has(taskId)) continue
      const task = await this.get(taskId)
      if (task) tasks.push(task)
    }
    return tasks
  }

  /** It has just ended, or its record was removed. */
  forget(taskId: string): void {
    this.ended.delete(taskId)
  }

  private async read(taskId: string): Promise<Task | undefined> {
    const record = await readRecord(this.home, taskId)
    return record && this.asItIs(record)
  }

  /** Marks a running task as lost, on disk too, if its host is dead. */
  private async asItIs(record: TaskRecord): Promise<Task> {
    if (record.task.status !== 'running') return this.remember(record.task)
    if (await isHostAlive(this.home, record))
      return { ...record.task, outputBytes: await outputSize(record.task.outputPath) }
    // It may have ended properly right before its host did.
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

/** How much of an ended task is pushed; the rest is read page by page. */
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
  // An unknown task stays silent, like one that prints nothing.
  begin().catch(() => {})
  return () => {
    isStopped = true
    unsubscribe()
    stopPushes?.()
  }
}
