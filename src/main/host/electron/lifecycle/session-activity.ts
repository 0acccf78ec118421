import { type SessionSummary, statusOf } from '../../../../shared/model/session/session'
import type { Engine } from '../../../engine/engine-api'
import { CONTINUE_PROMPT } from '../../../../shared/model/turn/message'
import type { DesktopFile } from '../platform/desktop-file'

export interface SessionActivity {
  /** Sessions of this process with a running turn. */
  running: readonly SessionSummary[]
  /** Sessions with a request that is pending. */
  waiting: readonly SessionSummary[]
}

/** Maximum sessions checked at startup. */
const MAX_SESSIONS = 10_000

/** The activity of this process's sessions, updated without reading the store again. */
export class ActivityMonitor {
  readonly #busy = new Map<string, SessionSummary>()
  readonly #listeners = new Set<(activity: SessionActivity) => void>()
  readonly #stop: () => void

  constructor(engine: Pick<Engine, 'sessions' | 'onChange'>) {
    // The list still shows turns of crashed processes as running; nothing runs in this process yet.
    for (const summary of engine.sessions.list({ limit: MAX_SESSIONS }))
      if (summary.status === 'waiting') this.#update(summary)
    this.#stop = engine.onChange((change) => {
      if (change.kind === 'session' && this.#update(change.summary)) this.#notify()
      else if (change.kind === 'session.removed' && this.#busy.delete(change.sessionId)) this.#notify()
    })
  }

  get work(): SessionActivity {
    const all = [...this.#busy.values()]
    return {
      running: all.filter(({ status }) => status === 'running'),
      waiting: all.filter(({ status }) => status === 'waiting'),
    }
  }

  /** Calls `listener` whenever a session starts or stops working or waiting. Returns a function that unsubscribes. */
  onChange(listener: (work: SessionActivity) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    this.#stop()
    this.#listeners.clear()
  }

  /** Whether any visible property has changed. */
  #update(summary: SessionSummary): boolean {
    const before = this.#busy.get(summary.sessionId)
    const isBusy = (summary.status === 'running' || summary.status === 'waiting') && summary.elsewhere === undefined
    if (isBusy) this.#busy.set(summary.sessionId, summary)
    else this.#busy.delete(summary.sessionId)
    return before?.status !== (isBusy ? summary.status : undefined) || (isBusy && before?.title !== summary.title)
  }

  #notify(): void {
    const { work } = this
    for (const listener of this.#listeners) listener(work)
  }
}

export interface InterruptedSessionsOptions {
  file: DesktopFile
  work: ActivityMonitor
  engine: Pick<Engine, 'sessions'>
  /** Called when the result of `interrupted` has changed. */
  onChange(): void
  log(message: string): void
}

/**
 * Saves which sessions have a running turn. Entries found at startup were interrupted by a logout, a shutdown, a crash
 * or a power cut. They are offered for resuming until the user decides.
 */
export class InterruptedSessions {
  readonly #options: InterruptedSessionsOptions
  readonly #stop: () => void
  /** Interrupted sessions the user has not decided about. */
  #pending: string[]
  #hasBegun = false

  constructor(options: InterruptedSessionsOptions) {
    this.#options = options
    this.#pending = [...options.file.values.working]
    this.#stop = options.work.onChange(() => {
      if (this.#hasBegun) this.#forgetResumed()
      this.#write()
    })
  }

  get list(): { sessionId: string; title: string }[] {
    return this.#pending.flatMap((sessionId) => {
      const title = this.#interruptedTitle(sessionId)
      return title === undefined ? [] : [{ sessionId, title }]
    })
  }

  /** Checks the saved entries: opening a session ends the turn that a crashed process left open. */
  async load(): Promise<void> {
    if (this.#pending.length === 0) return
    for (const sessionId of this.#pending) {
      // Deleted in the meantime, or open in another Trestle, which then resumes it.
      await this.#options.engine.sessions
        .open(sessionId, 1)
        .catch((error: unknown) => this.#options.log(`an interrupted session was left out: ${String(error)}`))
    }
    this.#hasBegun = true
    this.#pending = this.list.map(({ sessionId }) => sessionId)
    this.#write()
    this.#options.onChange()
  }

  /** Resumes or dismisses all interrupted sessions. Returns how many are resumed. */
  async resumeOrForget(resume: boolean): Promise<number> {
    const sessions = this.list
    this.#pending = []
    this.#write()
    this.#options.onChange()
    if (!resume) return 0
    const outcomes = await Promise.allSettled(
      sessions.map(({ sessionId }) => this.#options.engine.sessions.prompt(sessionId, [...CONTINUE_PROMPT])),
    )
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') this.#options.log(`a session could not be resumed: ${String(outcome.reason)}`)
    return outcomes.filter(({ status }) => status === 'fulfilled').length
  }

  /** Freezes the journal: turns that end from now on end because of the shutdown. */
  freeze(): void {
    this.#stop()
  }

  /** The user continued one of them in the session. */
  #forgetResumed(): void {
    if (this.#pending.length === 0) return
    const left = this.list.map(({ sessionId }) => sessionId)
    if (left.length === this.#pending.length) return
    this.#pending = left
    this.#options.onChange()
  }

  #write(): void {
    const { file, work } = this.#options
    const working = [...new Set([...this.#pending, ...work.work.running.map(({ sessionId }) => sessionId)])]
    if (working.join() !== file.values.working.join()) file.change({ working })
  }

  /** Undefined when there is nothing to resume: it is running, was deleted, or its turn had ended. */
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
