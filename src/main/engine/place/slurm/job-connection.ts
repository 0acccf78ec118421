import { CodedError } from '../../../../shared/errors'
import type { Channel } from '../launcher/launcher'
import { isReadOnly } from '../remote/read-only-methods'
import { lost, WireLink } from '../remote/wire-link'
import { jobText, phaseOf, type SlurmJob } from './slurm-commands'
import { endedError } from './slurm-launcher'
import type { SlurmQueue } from './slurm-queue'

/** From the start of a step to the greeting of the engine there, in ms. */
const GREETING_MS = 60_000

export interface JobConnectionOptions {
  queue: SlurmQueue
  jobId: string
  /** Starts a client of the engine in the job. */
  attach(jobId: string): Channel
  /** Called for each new connection, before anything that waits for it continues. */
  connected(link: WireLink): void
  /** Called when the state of the job has changed. */
  changed(job: SlurmJob): void
}

/** The engine in a job: connected while the job runs, even after it was requeued, until the job is over. */
export class JobConnection {
  /** Resolves once, with the reason the job is over or the connection was closed. */
  readonly ended: Promise<Error>
  readonly #options: JobConnectionOptions
  readonly #abort = new AbortController()
  #link: WireLink | undefined
  #attaching: WireLink | undefined
  #waiting = Promise.withResolvers<WireLink>()

  constructor(options: JobConnectionOptions) {
    this.#options = options
    this.#waiting.promise.catch(() => undefined)
    this.ended = this.#follow()
      .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))))
      .then((reason) => {
        this.#abort.abort(reason)
        this.#attaching?.close(lost())
        this.#link?.close(lost())
        this.#waiting.reject(reason)
        return reason
      })
  }

  /** The connection, while there is one. */
  get link(): WireLink | undefined {
    return this.#link
  }

  /** Resolves with the connection once it is open, however long that takes. Rejects with the reason the job is over. */
  async reconnected(signal?: AbortSignal): Promise<WireLink> {
    signal?.throwIfAborted()
    if (this.#link && !this.#abort.signal.aborted) return this.#link
    if (!signal) return this.#waiting.promise
    const { promise, reject } = Promise.withResolvers<never>()
    const abort = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
    signal.addEventListener('abort', abort, { once: true })
    try {
      return await Promise.race([this.#waiting.promise, promise])
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  /** Calls a method there; a read-only call is made again if the connection is lost. */
  async call(method: string, input: unknown, signal?: AbortSignal): Promise<unknown> {
    for (;;) {
      const link = await this.reconnected(signal)
      try {
        return await link.call(method, input, signal)
      } catch (error) {
        if (!isLost(error) || !isReadOnly(method)) throw error
      }
    }
  }

  /** Stops following the job without canceling it. */
  async close(): Promise<void> {
    this.#abort.abort(new CodedError('connection.lost', 'It was closed.'))
    await this.ended
  }

  async #follow(): Promise<Error> {
    const { queue, jobId, changed } = this.#options
    const { signal } = this.#abort
    let reported = ''
    let endings = 0
    for (;;) {
      const job = await queue.next(jobId, signal)
      if (!job) return new CodedError('place.job_ended', `Job ${jobId} is no longer in the queue.`)
      const phase = phaseOf(job)
      if (phase === 'running') {
        if (!this.#link && !this.#attaching) void this.#attach()
      } else this.#link?.close(lost())
      if (phase === 'ended') {
        // A requeued job briefly passes through the end of its first run.
        endings += 1
        queue.pollSoon()
        if (endings > 1) return endedError(job)
        continue
      }
      endings = 0
      const text = jobText(job)
      if (text !== reported) changed(job)
      reported = text
    }
  }

  async #attach(): Promise<void> {
    const { queue, jobId, attach, connected } = this.#options
    let link: WireLink
    try {
      link = new WireLink(attach(jobId), () => lost())
    } catch {
      // Its program could not be started, because too many files are open: the next poll tries again.
      return
    }
    this.#attaching = link
    const timer = setTimeout(() => link.close(lost()), GREETING_MS)
    try {
      await link.hello
      this.#link = link
      connected(link)
      this.#waiting.resolve(link)
    } catch {
      // The next poll shows whether the job is still running.
      return
    } finally {
      clearTimeout(timer)
      this.#attaching = undefined
    }
    await link.ended
    this.#link = undefined
    if (this.#abort.signal.aborted) return
    this.#waiting = Promise.withResolvers<WireLink>()
    this.#waiting.promise.catch(() => undefined)
    queue.pollSoon()
  }
}

export function isLost(error: unknown): boolean {
  return error instanceof CodedError && error.code === 'connection.lost'
}
