import type { PermissionMode } from '../../../../shared/model/approval/approval'
import { isLost, type JobConnection } from './job-connection'

/** What a subagent may do, as it is here at this moment. */
export interface CurrentPermissions {
  mode: PermissionMode
  /** Plan mode is on. */
  plans: boolean
  /** See `jobConfig`. */
  config: string
}

export interface JobPermissionsDeps {
  connection: Pick<JobConnection, 'call'>
  current(): Promise<CurrentPermissions>
  /** Replaces the configuration of the engine in the job. */
  write(config: string): void
  /** The configuration that the engine there starts with. */
  written: string
}

/**
 * Keeps what the engine in a job allows as it is here: a job may wait for hours and run for days, and meanwhile the
 * user takes permissions back.
 */
export class JobPermissions {
  /** Rejects when a change cannot be applied there: then the subagent must end. */
  readonly failed: Promise<never>
  readonly #deps: JobPermissionsDeps
  readonly #fail: (error: unknown) => void
  #sessionId: string | undefined
  #applied: { mode?: PermissionMode; plans: boolean; config: string }
  #applying: Promise<void> | undefined
  #isOutdated = false

  constructor(deps: JobPermissionsDeps) {
    this.#deps = deps
    this.#applied = { plans: false, config: deps.written }
    const { promise, reject } = Promise.withResolvers<never>()
    promise.catch(() => undefined)
    this.failed = promise
    this.#fail = reject
  }

  /** Resolves once the session there may do what it may do here; from then on, changes are applied to it. */
  begin(sessionId: string): Promise<void> {
    this.#sessionId = sessionId
    return this.#apply()
  }

  /** Something has changed here that may matter. */
  changed(): void {
    if (this.#sessionId === undefined) return
    this.#isOutdated = true
    this.#applying ??= this.#applyChanges().finally(() => {
      this.#applying = undefined
    })
    this.#applying.catch(this.#fail)
  }

  async #applyChanges(): Promise<void> {
    while (this.#isOutdated) {
      this.#isOutdated = false
      await this.#apply()
    }
  }

  async #apply(): Promise<void> {
    const { mode, plans, config } = await this.#deps.current()
    const sessionId = this.#sessionId!
    if (config !== this.#applied.config) {
      this.#deps.write(config)
      // Changes nothing, but has the file read: on a shared file system no engine sees it change.
      await this.#call('settings.setSandbox', {})
      this.#applied.config = config
    }
    if (mode !== this.#applied.mode) await this.#call('session.change', { sessionId, mode })
    this.#applied.mode = mode
    if (plans !== this.#applied.plans) await this.#call(plans ? 'plan.enter' : 'plan.leave', { sessionId })
    this.#applied.plans = plans
  }

  /** Each of these calls can be made twice. */
  async #call(method: string, input: unknown): Promise<void> {
    for (;;) {
      try {
        await this.#deps.connection.call(method, input)
        return
      } catch (error) {
        if (!isLost(error)) throw error
      }
    }
  }
}
