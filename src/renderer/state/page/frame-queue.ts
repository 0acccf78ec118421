/** How the queue waits and measures. */
export interface FrameQueueDeps {
  /** Calls back at the next frame, or soon while the page is hidden; returns the cancel function. */
  onFrame(callback: () => void): () => void
  /** Called right after a job: calls back when the job's changes are in the document, still in the same frame. */
  afterRender(callback: () => void): void
  now(): number
}

/** After a job that took longer than LONG_MS, the queue rests for REST_SHARE times the excess, at most MAX_REST_MS. */
const LONG_MS = 8
const REST_SHARE = 3
const MAX_REST_MS = 250

interface Job {
  run: () => void
}

/**
 * Runs jobs that change the screen, one per frame, in the order they were added, because each also makes the browser
 * lay out and paint its part of the page. Sessions that stream side by side take turns, and the page still scrolls and
 * accepts input. A long job is followed by frames without a job.
 */
export class FrameQueue {
  readonly #deps: FrameQueueDeps
  readonly #jobs = new Set<Job>()
  #isScheduled = false
  #restsUntil = Number.NEGATIVE_INFINITY

  constructor(deps: FrameQueueDeps) {
    this.#deps = deps
  }

  /** Adds a job; returns the function that cancels it. */
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
      this.#isScheduled = false
      const now = this.#deps.now()
      const [job] = this.#jobs
      try {
        if (job && now >= this.#restsUntil) this.#run(job, now)
      } finally {
        this.#schedule()
      }
    })
  }

  #run(job: Job, beganAt: number): void {
    this.#jobs.delete(job)
    try {
      job.run()
    } finally {
      this.#deps.afterRender(() => {
        const now = this.#deps.now()
        const over = now - beganAt - LONG_MS
        if (over > 0) this.#restsUntil = now + Math.min(over * REST_SHARE, MAX_REST_MS)
      })
    }
  }
}
