import { CONTINUE } from '../../../shared/model/message'
import { statusOf } from '../../../shared/model/session'
import type { Engine } from '../../engine/engine-api'
import type { DesktopFile } from './desktop-file'
import type { WorkWatch } from './work-watch'

export interface WorkJournalOptions {
  file: DesktopFile
  work: WorkWatch
  engine: Pick<Engine, 'sessions'>
  /** What `interrupted` answers has changed. */
  onChange(): void
  log(message: string): void
}

/**
 * Keeps on disk which sessions have a turn that runs. What is still there at a start was interrupted: by a log-out, a shutdown, a crash or a power cut. It is offered for resuming until the
 * user has said yes or no.
 */
export class WorkJournal {
  readonly #options: WorkJournalOptions
  readonly #stop: () => void
  /** Left from before, and not answered yet. */
  #left: string[]
  #hasBegun = false

  constructor(options: WorkJournalOptions) {
    this.#options = options
    this.#left = [...options.file.values.working]
    this.#stop = options.work.listen(() => {
      if (this.#hasBegun) this.#forgetResumed()
      this.#write()
    })
  }

  get interrupted(): { sessionId: string; title: string }[] {
    return this.#left.flatMap((sessionId) => {
      const title = this.#interruptedTitle(sessionId)
      return title === undefined ? [] : [{ sessionId, title }]
    })
  }

  /** Looks at what was left: opening a session ends the turn that a dead process left open. */
  async begin(): Promise<void> {
    if (this.#left.length === 0) return
    for (const sessionId of this.#left) {
      // Deleted since, or open in another Trestle: then it is not for this one to resume.
      await this.#options.engine.sessions
        .open(sessionId, 1)
        .catch((error: unknown) => this.#options.log(`an interrupted session was left out: ${String(error)}`))
    }
    this.#hasBegun = true
    this.#left = this.interrupted.map(({ sessionId }) => sessionId)
    this.#write()
    this.#options.onChange()
  }

  /** Has every interrupted session continue, or forgets them. Answers how many continue. */
  async answer(resume: boolean): Promise<number> {
    const sessions = this.interrupted
    this.#left = []
    this.#write()
    this.#options.onChange()
    if (!resume) return 0
    const outcomes = await Promise.allSettled(
      sessions.map(({ sessionId }) => this.#options.engine.sessions.prompt(sessionId, [...CONTINUE])),
    )
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') this.#options.log(`a session could not be resumed: ${String(outcome.reason)}`)
    return outcomes.filter(({ status }) => status === 'fulfilled').length
  }

  /** Leaves the journal as it is: what ends from here on ends because the system does. */
  freeze(): void {
    this.#stop()
  }

  /** The user had one continue in the session itself. */
  #forgetResumed(): void {
    if (this.#left.length === 0) return
    const left = this.interrupted.map(({ sessionId }) => sessionId)
    if (left.length === this.#left.length) return
    this.#left = left
    this.#options.onChange()
  }

  #write(): void {
    const { file, work } = this.#options
    const working = [...new Set([...this.#left, ...work.work.running.map(({ sessionId }) => sessionId)])]
    if (working.join() !== file.values.working.join()) file.change({ working })
  }

  /** Undefined when there is nothing to resume: it goes on, it was deleted, or its turn had ended after all. */
  #interruptedTitle(sessionId: string): string | undefined {
    try {
      const header = this.#options.engine.sessions.header(sessionId)
      const isInterrupted = ['interrupted', 'idle'].includes(statusOf(header)) && header.turns > 0 && !header.archived
      return isInterrupted ? header.title : undefined
    } catch {
      return undefined
    }
  }
}
