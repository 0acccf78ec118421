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

/** First and longest time between two looks at the queue, in ms: a scheduler is shared by many. */
export const LOOKS: readonly [first: number, longest: number] = [250, 5000]

/** The queue of a scheduler, as this user's jobs are in it. One look serves all who wait for a job. */
export class SlurmQueue {
  readonly #shell: PlaceShell
  readonly #looks: readonly [first: number, longest: number]
  #pause: number
  #next: Promise<Map<string, SlurmJob>> | undefined
  #submitting: Promise<unknown> = Promise.resolve()

  constructor(shell: PlaceShell, looks = LOOKS) {
    this.#shell = shell
    this.#looks = looks
    this.#pause = looks[0]
  }

  /** Submits a job; returns its number. Jobs get into the queue in the order of the calls. */
  submit(launch: SlurmLaunch, request: JobRequest | Promise<JobRequest>, given: PrepareOptions = {}): Promise<string> {
    const submitted = this.#submitting.then(async () => {
      const script = submitScript(launch, await request)
      given.signal?.throwIfAborted()
      const { stdout, stderr, exitCode } = await runScript(this.#shell, script, given)
      const jobId = /^(\d+)/m.exec(stdout)?.[1]
      if (exitCode !== 0 || jobId === undefined) throw schedulerFailure(stderr, exitCode)
      this.hurry()
      return jobId
    })
    this.#submitting = submitted.catch(() => undefined)
    return submitted
  }

  /** The user's jobs as they are now. */
  async list(given: PrepareOptions = {}): Promise<SlurmJob[]> {
    const { stdout, stderr, exitCode } = await runScript(this.#shell, LIST_JOBS, given)
    if (exitCode !== 0) throw schedulerFailure(stderr, exitCode)
    return parseJobs(stdout)
  }

  /** The newest job of this name that waits or runs. */
  async findActive(name: string, given: PrepareOptions = {}): Promise<SlurmJob | undefined> {
    return (await this.list(given))
      .filter((job) => job.name === name && phaseOf(job) !== 'ended')
      .toSorted((a, b) => Number(a.jobId) - Number(b.jobId))
      .at(-1)
  }

  /**
   * A job at the next look. Undefined when it is no longer listed, and the scheduler knows nothing else of it. A look
   * that fails is made again: what the scheduler does not say ends no job.
   */
  async next(jobId: string, signal?: AbortSignal): Promise<SlurmJob | undefined> {
    for (;;) {
      signal?.throwIfAborted()
      const jobs = await untilAborted((this.#next ??= this.#look()), signal).catch((error: unknown) => {
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

  /** Something has happened: the next looks follow soon. */
  hurry(): void {
    this.#pause = this.#looks[0]
  }

  async #look(): Promise<Map<string, SlurmJob>> {
    await new Promise((resolve) => setTimeout(resolve, this.#pause))
    this.#next = undefined
    this.#pause = Math.min(this.#looks[1], this.#pause * 1.5)
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
