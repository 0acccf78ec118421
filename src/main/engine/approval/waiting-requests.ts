import { CodedError } from '../../../shared/errors'
import type { Approval, ApprovalOutcome, EditedProposal, PersonAnswer } from '../../../shared/model/approval/approval'
import type { EventBody } from '../../../shared/events/event'
import type { GateAnswer, GateCall } from '../loop/call-lifecycle'
import { isSuspended, stopMessage } from '../loop/turn-context'
import type { RuleOffer } from './choices/rule-offers'

export interface WaitingRequestsDeps {
  record(...events: EventBody[]): void
  /** Whether a request is still pending, according to the log. */
  isOpen(approvalId: string): boolean
  /** How a request that is no longer pending ended, as a sentence. */
  describeResolution(approvalId: string): string | undefined
}

/** A request whose call is waiting at the gate. */
export interface Waiting {
  approval: Approval
  request: GateCall
  /** What "always" can cover. */
  offers: readonly RuleOffer[]
  signal: AbortSignal
  /** An answer to it is being processed. */
  answering?: boolean
  settle(answer: GateAnswer | Promise<GateAnswer>): void
}

export interface Resolution {
  feedback?: string
  chosen?: string
  reason?: string
  rule?: ApprovalAnswer['rule']
  edited?: true
}

/** The pending requests of a session; each ends once. */
export class WaitingRequests {
  readonly #deps: WaitingRequestsDeps
  readonly #waiting = new Map<string, Waiting>()
  /** Requests from an earlier process, until their calls reach the gate again. */
  readonly #expected = new Map<string, { arrived: Promise<void>; arrive(): void }>()

  constructor(deps: WaitingRequestsDeps) {
    this.#deps = deps
  }

  all(): Waiting[] {
    return [...this.#waiting.values()]
  }

  has(entry: Waiting): boolean {
    return this.#waiting.get(entry.approval.approvalId) === entry
  }

  /**
   * Waits for the request's end. Stopping the turn cancels it; suspending leaves it pending in the log. Both reject.
   */
  add(waiting: Omit<Waiting, 'settle'>): { entry: Waiting; answer: Promise<GateAnswer> } {
    const { approval, signal } = waiting
    const { promise: answer, resolve, reject } = Promise.withResolvers<GateAnswer>()
    const cancel = (): void => {
      this.#waiting.delete(approval.approvalId)
      reject(new Error('stopped'))
      if (isSuspended(signal)) return
      try {
        this.#record(approval, 'cancelled', { reason: stopMessage(signal) })
      } catch {
        // The disk is full, for example. The end of the turn, which follows, also ends its requests.
      }
    }
    const settle = (given: GateAnswer | Promise<GateAnswer>): void => {
      signal.removeEventListener('abort', cancel)
      resolve(given)
    }
    const entry: Waiting = { ...waiting, settle }
    this.#waiting.set(approval.approvalId, entry)
    signal.addEventListener('abort', cancel, { once: true })
    this.#expected.get(approval.approvalId)?.arrive()
    return { entry, answer }
  }

  /** The pending request; throws `approval.gone` with how it ended if it is no longer pending. */
  async find(approvalId: string): Promise<Waiting> {
    await this.#expected.get(approvalId)?.arrived
    const entry = this.#waiting.get(approvalId)
    if (!entry) throw this.#gone(approvalId)
    return entry
  }

  /** Processes an answer. Other answers are refused in the meantime, but the turn can be stopped. */
  async answer(entry: Waiting, work: () => Promise<void>): Promise<void> {
    if (!this.has(entry)) throw this.#gone(entry.approval.approvalId)
    if (entry.answering) throw new CodedError('approval.gone', 'Another answer to it is being carried out.')
    entry.answering = true
    try {
      await work()
    } finally {
      entry.answering = false
    }
  }

  /**
   * Throws `approval.gone` when the request ended while its answer was processed; `done` is what had already been done.
   */
  assertWaiting(entry: Waiting, done?: string): void {
    if (!this.has(entry)) throw this.#gone(entry.approval.approvalId, done)
  }

  /** A request whose end cannot be recorded stays pending. `answer` can be a function that asks again. */
  end(
    entry: Waiting,
    outcome: ApprovalOutcome,
    resolution: Resolution,
    answer: GateAnswer | (() => Promise<GateAnswer>),
  ): void {
    this.#record(entry.approval, outcome, resolution)
    this.#waiting.delete(entry.approval.approvalId)
    entry.settle(typeof answer === 'function' ? answer() : answer)
  }

  expect(asked: readonly Approval[]): void {
    for (const { arrive } of this.#expected.values()) arrive()
    this.#expected.clear()
    for (const { approvalId } of asked) {
      const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
      this.#expected.set(approvalId, { arrived, arrive })
    }
  }

  withdraw(asked: Approval, reason: string): void {
    try {
      if (!this.#deps.isOpen(asked.approvalId)) return
      this.#waiting.delete(asked.approvalId)
      this.#record(asked, 'cancelled', { reason })
    } finally {
      this.#expected.get(asked.approvalId)?.arrive()
    }
  }

  #gone(approvalId: string, more?: string): CodedError {
    const how = this.#deps.describeResolution(approvalId) ?? 'It is no longer pending.'
    return new CodedError('approval.gone', more === undefined ? how : `${how} ${more}`)
  }

  #record({ approvalId, callId }: Approval, outcome: ApprovalOutcome, resolution: Resolution): void {
    this.#deps.record({ type: 'approval.resolved', approvalId, callId, outcome, ...resolution })
  }
}

/** The answer to a pending approval. `rule` is for `allow_always`: one of its `RuleChoice`s. */
export interface ApprovalAnswer extends PersonAnswer {
  approvalId: string
  /** The text that the call should write instead of what it proposed. */
  edited?: EditedProposal
  rule?: { pattern: string; scope: 'session' | 'user' }
}
