import type { Approval, ApprovalOption } from '../../../shared/model/approval/approval'
import { CodedError } from '../../../shared/errors'
import type { EventBody } from '../../../shared/events/event'
import { visibleLine, visibleText } from '../../../shared/visible-text'
import { isSuspended, stopMessage } from '../loop/turn-context'
import type { CallAnswer, CallQuestion } from '../tool/tool'
import { visiblePreview } from './visible-preview'
import type { ApprovalAnswer } from './waiting-requests'

export interface CallQuestionsDeps {
  record(...events: EventBody[]): void
  canAsk(): boolean
  now(): number
  newId(prefix: string): string
}

/** The running call that asks. */
export interface AskingCall {
  turnId: string
  callId: string
  tool: string
}

interface WaitingQuestion {
  approval: Approval
  question: CallQuestion
  settle(answer: CallAnswer): void
}

const CLOSED = 'Trestle was closed before it was answered.'

/** Questions that running calls ask the user. Several can be pending; each is answered once and ends with its call. */
export class CallQuestions {
  readonly #deps: CallQuestionsDeps
  readonly #waiting = new Map<string, WaitingQuestion>()

  constructor(deps: CallQuestionsDeps) {
    this.#deps = deps
  }

  /**
   * Resolves with the user's answer, or with why there is no answer: no user is available, `signal` aborted or the
   * turn was stopped. Never rejects.
   */
  async ask(call: AskingCall, question: CallQuestion, turn: AbortSignal, signal?: AbortSignal): Promise<CallAnswer> {
    if (!this.#deps.canAsk()) return { none: 'unattended', why: 'No user is available to answer.' }
    const ends = signal ? AbortSignal.any([turn, signal]) : turn
    if (ends.aborted) return { none: 'ended', why: endOf(turn, signal) }
    const { asks, options } = question
    const [summary, reason, preview] = [
      visibleLine(question.summary),
      visibleText(question.reason),
      visiblePreview(question.preview),
    ]
    const approvalId = this.#deps.newId('approval')
    const approval: Approval = {
      approvalId,
      ...call,
      summary,
      reason,
      preview,
      options,
      asks,
      requestedAt: this.#deps.now(),
    }
    this.#deps.record({ type: 'approval.requested', approval })
    const { promise, resolve } = Promise.withResolvers<CallAnswer>()
    const withdraw = (): void => {
      this.#waiting.delete(approvalId)
      const why = endOf(turn, signal)
      resolve({ none: 'ended', why })
      try {
        this.#deps.record({
          type: 'approval.resolved',
          approvalId,
          callId: call.callId,
          outcome: 'cancelled',
          reason: why,
        })
      } catch {
        // The disk is full, for example. The end of the turn also ends its questions.
      }
    }
    this.#waiting.set(approvalId, {
      approval,
      question,
      settle(answer) {
        ends.removeEventListener('abort', withdraw)
        resolve(answer)
      },
    })
    ends.addEventListener('abort', withdraw, { once: true })
    return promise
  }

  /**
   * Returns false when no such question is pending. Throws `request.invalid` with the reason for an invalid answer; the
   * question stays pending.
   */
  reply({ approvalId, optionId, feedback, values }: ApprovalAnswer): boolean {
    const entry = this.#waiting.get(approvalId)
    if (!entry) return false
    const { approval, question } = entry
    const option = chosen(approval.options, optionId)
    const answer = { optionId, ...(values && { values }) }
    const problem = question.problemOf?.(answer)
    if (problem !== undefined) throw new CodedError('request.invalid', problem)
    const words = feedback?.trim()
    const kept = question.kept?.(answer)
    this.#deps.record({
      type: 'approval.resolved',
      approvalId,
      callId: approval.callId,
      outcome: option.kind,
      chosen: optionId,
      ...(words && { feedback: words }),
      ...(kept && { values: kept }),
    })
    // A question whose answer cannot be recorded stays pending.
    this.#waiting.delete(approvalId)
    entry.settle({ optionId, kind: option.kind, ...(values && { values }) })
    return true
  }
}

function chosen(options: readonly ApprovalOption[], optionId: string): ApprovalOption {
  const option = options.find((candidate) => candidate.optionId === optionId)
  if (!option)
    throw new CodedError('request.invalid', `optionId: one of ${options.map((known) => known.optionId).join(', ')}`)
  return option
}

/** Why a question ended without an answer, as a sentence. */
function endOf(turn: AbortSignal, signal: AbortSignal | undefined): string {
  if (turn.aborted) return isSuspended(turn) ? CLOSED : stopMessage(turn)
  return signal?.reason instanceof Error && signal.reason.message !== ''
    ? signal.reason.message
    : 'The question was withdrawn.'
}
