/** What an engine does in the background, such as loading code early: closing waits until it is over. */
export class BackgroundWork {
  readonly #pending = new Set<Promise<unknown>>()
  #isClosed = false

  /** No more work may be started. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** `failed` gets the error; without it, a failure is of no interest, because the work is done again when needed. */
  add(work: Promise<unknown>, failed: (error: unknown) => void = () => undefined): void {
    const over = work.catch(failed).finally(() => this.#pending.delete(over))
    this.#pending.add(over)
  }

  /** Resolves when all of it is over, also what was added meanwhile. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending)
  }
}
