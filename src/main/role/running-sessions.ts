import type { Engine } from '../engine/engine-api'

/** Counts the sessions whose turn runs in this process, from what the engine reports. */
export class RunningSessions {
  readonly #ids = new Set<string>()
  readonly #listeners = new Set<() => void>()
  readonly #stop: () => void

  constructor(engine: Pick<Engine, 'onChange'>) {
    this.#stop = engine.onChange((change) => {
      const before = this.#ids.size
      if (change.kind === 'session.removed') this.#ids.delete(change.sessionId)
      else if (change.kind === 'session') {
        const { sessionId, status, elsewhere } = change.summary
        if (status === 'running' && elsewhere === undefined) this.#ids.add(sessionId)
        else this.#ids.delete(sessionId)
      }
      if (before !== this.#ids.size) for (const listener of this.#listeners) listener()
    })
  }

  get count(): number {
    return this.#ids.size
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener)
  }

  close(): void {
    this.#stop()
    this.#listeners.clear()
  }
}
