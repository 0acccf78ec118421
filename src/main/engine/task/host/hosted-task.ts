import type { TaskPush } from '../../../../shared/model/push'
import type { Task } from '../../../../shared/model/task'
import { readOutput } from '../read-output'
import type { TaskRun } from '../task-run'
import { LastLine } from '../watch/last-line'
import { TaskWatch } from './task-watch'

const LINE_BYTES = 4096

/** One task in custody: its run, who watches it, and whose call it is. */
export class HostedTask {
  readonly run: TaskRun
  readonly taskId: string
  /** The connection that started it. */
  readonly starter: object
  /** The connection whose call waits for it, until it is moved to the background. */
  caller: object | undefined
  /** What is wrong beside its log. */
  problem: string | undefined
  private readonly watches = new Map<string, TaskWatch>()
  private lineAt = -1
  private line = ''

  constructor(taskId: string, run: TaskRun, starter: object, caller: object | undefined) {
    this.taskId = taskId
    this.run = run
    this.starter = starter
    this.caller = caller
  }

  task(): Task {
    const { log } = this.run
    if (this.lineAt !== log.total) {
      this.lineAt = log.total
      const last = new LastLine()
      for (const bytes of log.newest(0, LINE_BYTES)) last.append(bytes)
      this.line = last.read().text
    }
    return {
      ...this.run.task(),
      ...(this.line !== '' && { lastLine: this.line }),
      ...(this.problem !== undefined && { problem: this.problem }),
    }
  }

  async output(page: { before?: number; bytes: number }): ReturnType<typeof readOutput> {
    await this.run.log.flushed()
    return readOutput(this.run.log.path, page)
  }

  printed(): void {
    for (const watch of this.watches.values()) watch.printed()
  }

  /** Its status or something else about it has changed. */
  changed(): void {
    if (this.watches.size === 0) return
    const task = this.task()
    for (const watch of this.watches.values()) watch.changed(task)
  }

  /** `send` says whether the watcher can take more; when it cannot, it gets a new start later, once `isReady`. */
  watch(key: string, send: (push: TaskPush) => void, isReady: () => boolean): void {
    this.unwatch(key)
    this.watches.set(key, new TaskWatch({ log: this.run.log, task: () => this.task(), send, isReady }))
  }

  unwatch(key: string): void {
    this.watches.get(key)?.close()
    this.watches.delete(key)
  }

  close(): void {
    for (const key of this.watches.keys()) this.unwatch(key)
  }
}
