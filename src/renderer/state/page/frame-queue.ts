/** How the queue waits and measures. */
export interface FrameQueueDeps {
  /** Calls back at the next frame, or soon while the page is hidden; returns the cancel function. */
  onFrame(callback: () => void): () => void
  /** Called right after a job: calls back when what the job has set is in the document, still in the same frame. */
  afterRender(callback: () => void): void
  now(): number
}

/** So long (ms) jobs of one frame may take; what comes later has to wait. The rest of a frame is layout and paint. */
const FRAME_SHARE_MS = 5
/** After a frame whose jobs took longer than this (ms), the next ones rest so many times what it was over, at most MAX_REST_MS. */
const LONG_MS = 8
const REST_SHARE = 3
const MAX_REST_MS = 250

interface Job {
  run: () => void
}

/**
 * Jobs that change what is on screen, spread over frames. Each runs once, in the order in which they were added; a frame
 * runs as many as it has time for, at least one, and a long one is followed by frames without jobs. Several sessions that
 * stream side by side thus take turns on a slow machine instead of making each frame long, and the page still scrolls and
 * takes input.
 */
export class FrameQueue {
  readonly #deps: FrameQueueDeps
  readonly #jobs = new Set<Job>()
  #isScheduled = false
  #restsUntil = Number.NEGATIVE_INFINITY

  constructor(deps: FrameQueueDeps) {
    this.#deps = deps
  }

  /** Adds a job; returns the function that takes it back. */
  add(run: () => void): () => void {
    const job = { run }
    this.#jobs.add(job)
    this.#schedule()
    return () => void this.#jobs.delete(job)
  }

  #schedule(): void {
    if (this.#isScheduled || this.#jobs.size === 0) return
    this.#isScheduled = true
    this.#deps.onFrame(() => {
      const now = this.#deps.now()
      // A job that is added by one of them has to wait for the next frame.
      this.#next(now < this.#restsUntil ? [] : [...this.#jobs], now)
    })
  }

  #next(jobs: readonly Job[], beganAt: number): void {
    const at = jobs.findIndex((job) => this.#jobs.has(job))
    const job = jobs[at]
    const now = this.#deps.now()
    if (!job || now - beganAt >= FRAME_SHARE_MS) {
      const over = now - beganAt - LONG_MS
      if (over > 0) this.#restsUntil = now + Math.min(over * REST_SHARE, MAX_REST_MS)
      this.#isScheduled = false
      this.#schedule()
      return
    }
    this.#jobs.delete(job)
    try {
      job.run()
    } finally {
      this.#deps.afterRender(() => this.#next(jobs.slice(at + 1), beganAt))
    }
  }
}
