/** A sink that reports when it has written a text: xterm's `write`. */
export type Write = (text: string, done: () => void) => void

/** Maximum number of characters queued for the terminal; beyond it only the newest are kept. */
const MAX_WAITING = 1024 * 1024
const KEPT = 256 * 1024

/**
 * Writes text, one chunk at a time, and drops the middle when output arrives faster than the terminal can render it.
 */
export class BoundedWriter {
  readonly #write: Write
  #waiting = ''
  #skipped = 0
  #busy = false
  /** Jobs that run or wait to. */
  #holds = 0
  #lastHold: Promise<void> = Promise.resolve()
  #stopped = false
  #whenIdle: (() => void) | undefined

  constructor(write: Write) {
    this.#write = write
  }

  write(text: string): void {
    this.#waiting += text
    if (this.#waiting.length > MAX_WAITING) {
      const cut = this.#waiting.indexOf('\n', this.#waiting.length - KEPT) + 1 || this.#waiting.length - KEPT
      this.#skipped += cut
      this.#waiting = this.#waiting.slice(cut)
    }
    this.#next()
  }

  /** Drops the queue. */
  clear(): void {
    this.#waiting = ''
    this.#skipped = 0
  }

  /** Runs `job` after the current write and earlier jobs; nothing else is written while it runs. */
  async hold(job: () => Promise<void>): Promise<void> {
    const earlier = this.#lastHold
    const { promise, resolve: release } = Promise.withResolvers<void>()
    this.#lastHold = promise
    this.#holds += 1
    try {
      await earlier
      if (this.#busy) await new Promise<void>((resolve) => (this.#whenIdle = resolve))
      if (!this.#stopped) await job()
    } finally {
      this.#holds -= 1
      release()
      this.#next()
    }
  }

  stop(): void {
    this.#stopped = true
    this.clear()
    this.#whenIdle?.()
  }

  #next(): void {
    if (this.#busy || this.#holds > 0 || this.#stopped || this.#waiting === '') return
    const note =
      this.#skipped > 0
        ? `\u001b[0m\n\u001b[2m… ${this.#skipped.toLocaleString()} characters are only in the log …\u001b[0m\n`
        : ''
    const text = note + this.#waiting
    this.#waiting = ''
    this.#skipped = 0
    this.#busy = true
    this.#write(text, () => {
      this.#busy = false
      this.#whenIdle?.()
      this.#next()
    })
  }
}
