import type { SessionSummary } from '../../../shared/model/session'
import type { Engine } from '../../engine/engine-api'

export interface Work {
  /** Sessions of this process with a turn that runs. */
  running: readonly SessionSummary[]
  /** Sessions with a request that is pending. */
  waiting: readonly SessionSummary[]
}

/** More sessions than this are not looked at when the app starts. */
const MOST_SESSIONS = 10_000

/** What the sessions of this process are doing, kept up to date without asking the store again. */
export class WorkWatch {
  readonly #busy = new Map<string, SessionSummary>()
  readonly #listeners = new Set<(work: Work) => void>()
  readonly #stop: () => void

  constructor(engine: Pick<Engine, 'sessions' | 'onChange'>) {
    // A turn that a dead process left open still counts as running in the list; in this process nothing runs yet.
    for (const summary of engine.sessions.list({ limit: MOST_SESSIONS })) if (summary.status === 'waiting') this.#take(summary)
    this.#stop = engine.onChange((change) => {
      if (change.kind === 'session' && this.#take(change.summary)) this.#tell()
      else if (change.kind === 'session.removed' && this.#busy.delete(change.sessionId)) this.#tell()
    })
  }

  get work(): Work {
    const all = [...this.#busy.values()]
    return { running: all.filter(({ status }) => status === 'running'), waiting: all.filter(({ status }) => status === 'waiting') }
  }

  /** Calls `listener` whenever a session begins or stops working or waiting. Returns how to stop. */
  listen(listener: (work: Work) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    this.#stop()
    this.#listeners.clear()
  }

  /** Whether anything that is shown of it has changed. */
  #take(summary: SessionSummary): boolean {
    const before = this.#busy.get(summary.sessionId)
    const isBusy = (summary.status === 'running' || summary.status === 'waiting') && summary.elsewhere === undefined
    if (isBusy) this.#busy.set(summary.sessionId, summary)
    else this.#busy.delete(summary.sessionId)
    return before?.status !== (isBusy ? summary.status : undefined) || (isBusy && before?.title !== summary.title)
  }

  #tell(): void {
    const { work } = this
    for (const listener of this.#listeners) listener(work)
  }
}
