import { setTimeout as pause } from 'node:timers/promises'
import { errorText } from '../../../../shared/error-text'
import type { ProcessIdentity } from '../../process/process-identity'
import { writeRecord } from '../task-record'
import type { HostedTask } from './hosted-task'

const SAVE_AGAIN_MS = 5_000
/** How long records are written without a pause, and how long the pause is. */
const SAVE_STRETCH_MS = 8
const SAVE_PAUSE_MS = 5

/** Writes the records of tasks. A failed write is reported as a problem of the task, and retried. */
export class RecordWriter {
  private readonly unsaved = new Set<HostedTask>()
  private again: NodeJS.Timeout | undefined
  private saving: Promise<void> | undefined

  private readonly home: string
  private readonly identity: ProcessIdentity
  /** Called when the record of a waiting task has been written. */
  private readonly onSaved: (hosted: HostedTask) => void

  constructor(home: string, identity: ProcessIdentity, onSaved: (hosted: HostedTask) => void) {
    this.home = home
    this.identity = identity
    this.onSaved = onSaved
  }

  isWaiting(hosted: HostedTask): boolean {
    return this.unsaved.has(hosted)
  }

  save(hosted: HostedTask): void {
    try {
      writeRecord(this.home, { version: 1, task: hosted.task(), host: this.identity })
      hosted.problem = undefined
      if (this.unsaved.delete(hosted)) this.onSaved(hosted)
    } catch (error) {
      hosted.problem = `Its record could not be saved (${errorText(error)}).`
      this.unsaved.add(hosted)
      this.again ??= setTimeout(() => {
        this.again = undefined
        for (const each of this.unsaved) this.save(each)
      }, SAVE_AGAIN_MS)
    }
  }

  /**
   * Writes immediately, unless many tasks end at the same time: then a few at a time, so that nothing else waits for
   * the disk.
   */
  saveSoon(hosted: HostedTask): void {
    this.unsaved.add(hosted)
    this.saving ??= this.saveAll().finally(() => (this.saving = undefined))
  }

  /** Resolves when everything that can be written has been. */
  async saved(): Promise<void> {
    await this.saving
  }

  private async saveAll(): Promise<void> {
    const tried = new Set<HostedTask>()
    for (
      let next = [...this.unsaved];
      next.length > 0;
      next = [...this.unsaved].filter((hosted) => !tried.has(hosted))
    ) {
      const until = performance.now() + SAVE_STRETCH_MS
      for (const hosted of next) {
        this.save(hosted)
        tried.add(hosted)
        if (performance.now() > until) break
      }
      await pause(SAVE_PAUSE_MS)
    }
  }
}
