/** An engine's background work, such as loading code early; closing waits for it. */
export class BackgroundWork {
  readonly #pending = new Set<Promise<unknown>>()
  #isClosed = false

  /** Whether it is closed: no more work may be started. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** `failed` gets the error; without it, failures are ignored, because the work is repeated when needed. */
  add(work: Promise<unknown>, failed: (error: unknown) => void = () => undefined): void {
    const over = work.catch(failed).finally(() => this.#pending.delete(over))
    this.#pending.add(over)
  }

  /** Resolves when all work has ended, including work added in the meantime. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending)
  }
}
