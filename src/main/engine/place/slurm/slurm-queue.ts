import { CodedError } from '../../../../shared/errors'
import type { PlaceShell, PrepareOptions } from '../launcher/launcher'
import { quoted, runScript } from '../launcher/shell-run'
import {
  describeJob,
  LIST_JOBS,
  parseDescription,
  parseJobs,
  phaseOf,
  schedulerFailure,
  submitScript,
  type JobRequest,
  type SlurmJob,
  type SlurmLaunch,
} from './slurm-commands'

/** First and longest interval between two polls of the queue, in ms. Many users share a scheduler. */
export const POLL_MS: readonly [first: number, longest: number] = [250, 5000]

/** This user's jobs in the queue of a scheduler. One poll serves all callers that wait for a job. */
export class SlurmQueue {
  readonly #shell: PlaceShell
  readonly #pollMs: readonly [first: number, longest: number]
  #pause: number
  #next: Promise<Map<string, SlurmJob>> | undefined
  #submitting: Promise<unknown> = Promise.resolve()

  constructor(shell: PlaceShell, pollMs = POLL_MS) {
    this.#shell = shell
    this.#pollMs = pollMs
    this.#pause = pollMs[0]
  }

  /** Submits a job; returns its number. Jobs are queued in the order of the calls. */
  submit(launch: SlurmLaunch, request: JobRequest | Promise<JobRequest>, given: PrepareOptions = {}): Promise<string> {
    const submitted = this.#submitting.then(async () => {
      const script = submitScript(launch, await request)
      given.signal?.throwIfAborted()
      const { stdout, stderr, exitCode } = await runScript(this.#shell, script, given)
      const jobId = /^(\d+)/m.exec(stdout)?.[1]
      if (exitCode !== 0 || jobId === undefined) throw schedulerFailure(stderr, exitCode)
      this.pollSoon()
      return jobId
    })
    this.#submitting = submitted.catch(() => undefined)
    return submitted
  }

  /** The user's current jobs. */
  async list(given: PrepareOptions = {}): Promise<SlurmJob[]> {
    const { stdout, stderr, exitCode } = await runScript(this.#shell, LIST_JOBS, given)
    if (exitCode !== 0) throw schedulerFailure(stderr, exitCode)
    return parseJobs(stdout)
  }

  /** The newest job with this name that is waiting or running. */
  async findActive(name: string, given: PrepareOptions = {}): Promise<SlurmJob | undefined> {
    return (await this.list(given))
      .filter((job) => job.name === name && phaseOf(job) !== 'ended')
      .toSorted((a, b) => Number(a.jobId) - Number(b.jobId))
      .at(-1)
  }

  /**
   * A job at the next poll. Undefined if it is no longer listed and the scheduler has no other record of it. A failed
   * poll is retried, because it doesn't mean that a job has ended.
   */
  async next(jobId: string, signal?: AbortSignal): Promise<SlurmJob | undefined> {
    for (;;) {
      signal?.throwIfAborted()
      const jobs = await untilAborted((this.#next ??= this.#poll()), signal).catch((error: unknown) => {
        signal?.throwIfAborted()
        if (error instanceof CodedError && error.code === 'place.unsupported') throw error
        return undefined
      })
      if (!jobs) continue
      return jobs.get(jobId) ?? (await this.describe(jobId))
    }
  }

  /** What the scheduler or its accounting still knows about a job. */
  async describe(jobId: string, given: PrepareOptions = {}): Promise<SlurmJob | undefined> {
    return parseDescription(jobId, (await runScript(this.#shell, describeJob(jobId), given)).stdout)
  }

  /** Cancels jobs; those that have ended are ignored. */
  async cancel(jobIds: readonly string[]): Promise<void> {
    if (jobIds.length > 0) await runScript(this.#shell, `scancel ${jobIds.map(quoted).join(' ')}`)
  }

  /** Call when something has happened, to poll soon. */
  pollSoon(): void {
    this.#pause = this.#pollMs[0]
  }

  async #poll(): Promise<Map<string, SlurmJob>> {
    await new Promise((resolve) => setTimeout(resolve, this.#pause))
    this.#next = undefined
    this.#pause = Math.min(this.#pollMs[1], this.#pause * 1.5)
    return new Map((await this.list()).map((job) => [job.jobId, job]))
  }
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
