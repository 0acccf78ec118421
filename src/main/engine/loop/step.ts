import type { FinishReason } from '../../../shared/events/event'
import { CodedError, ERRORS, failureOf, type Failure } from '../../../shared/errors'
import type { AssistantPart, ProviderMetadata, ToolCallPart, Usage } from '../../../shared/model/turn/message'
import {
  markCheckpoint,
  dropThinking,
  holdsThinking,
  rejectsThinking,
  thinkingFailure,
  receiveChunks,
  retryDelay,
} from './model-request'
import type { ModelChunk, ModelRequest } from '../model/provider'
import { unwrapCallTool } from '../tool/call-tool'
import { DraftSubject } from './draft-subject'
import type { TurnContext, TurnLiveEvent } from './turn-context'

export type StepEnd =
  | {
      kind: 'answered'
      stepId: string
      finish: FinishReason
      calls: ToolCallPart[]
      /** Tools whose calls the output limit cut off. */ cut: string[]
    }
  | { kind: 'stopped' }
  | { kind: 'failed'; failure: Failure }

/**
 * Gets one answer of the model, with retries. The answer is in the log and in the history when this resolves. `isLast`:
 * no tool may be called; the tools stay in the request, so that its prefix does not change.
 */
export async function runStep(ctx: TurnContext, { n, isLast }: { n: number; isLast: boolean }): Promise<StepEnd> {
  const stepId = ctx.clock.newId('step')
  const startedAt = ctx.clock.now()
  const tools = ctx.model.info.toolCalls ? ctx.conversation.prefix.tools : []
  const checkpoint = ctx.checkpoints.next()
  const mark = ctx.checkpoints.areMarked ? { checkpoint } : {}
  if (ctx.checkpoints.areMarked) markCheckpoint(ctx.conversation.history, checkpoint)
  const outputLimit = ctx.conversation.budget.outputLimit()
  const answering = new AbortController()
  const request: ModelRequest = {
    model: ctx.model.info.name,
    modelId: ctx.model.info.id,
    system: ctx.conversation.prefix.system,
    messages: ctx.conversation.history,
    tools,
    imagesIn: ctx.model.info.imagesIn,
    thinking: ctx.model.info.thinking,
    cacheKey: ctx.model.cacheKey,
    cache: ctx.model.cache,
    ...(isLast && tools.length > 0 && { toolChoice: 'none' as const }),
    ...(outputLimit === undefined
      ? { availableOutputTokens: ctx.conversation.budget.remainingTokens() }
      : { maxOutputTokens: outputLimit }),
    ...(ctx.model.info.effort !== undefined && { effort: ctx.model.info.effort }),
    ...(ctx.model.info.traits && { traits: ctx.model.info.traits }),
    ...(!isLast &&
      tools.some(({ name }) => name === 'Bash') && { sent: once(() => ctx.calls.warmUp(answering.signal)) }),
  }
  /** The answering model, and whether earlier thinking had to be left out. */
  const author: { model: string; thinkingDropped?: true } = { model: ctx.model.info.id }
  const model = ctx.model.info.id
  const begin = once(() => {
    clearImmediate(beginning)
    ctx.record({ type: 'step.started', turnId: ctx.turnId, stepId, n, model, checkpoint })
  })
  // Recorded while the request is on its way: nothing in it depends on this.
  const beginning = setImmediate(() => {
    try {
      begin()
    } catch {
      // It is retried, and fails there, before anything else of this step is recorded.
    }
  })
  for (let attempt = 1; ; attempt += 1) {
    const answer = new StreamedAnswer(stepId, ctx)
    try {
      await receiveChunks(
        ctx.model.provider,
        request,
        { idleMs: ctx.settings.idleTimeoutMs, signal: ctx.signal },
        (chunk) => {
          // Without a reason, a DOMException with a stack is created at every step.
          if (!answering.signal.aborted) answering.abort('started')
          begin()
          answer.add(chunk)
        },
      )
      begin()
      // An empty answer is accepted if the turn has to end anyway.
      const { parts, finish, usage, cut } = answer.complete({ mayBeEmpty: isLast && attempt > 1 })
      ctx.record({
        type: 'step.finished',
        turnId: ctx.turnId,
        stepId,
        ...mark,
        ...author,
        parts,
        finish,
        durationMs: ctx.clock.now() - startedAt,
        ...(usage && { usage }),
      })
      ctx.conversation.history.push({ role: 'assistant', parts, model: ctx.model.info.id })
      ctx.conversation.budget.recordUsage(usage)
      return { kind: 'answered', stepId, finish, calls: parts.filter((part) => part.type === 'tool_call'), cut }
    } catch (error) {
      answering.abort('over')
      begin()
      const partial = (): void => {
        ctx.record({
          type: 'step.finished',
          turnId: ctx.turnId,
          stepId,
          ...mark,
          ...author,
          parts: answer.partialParts(),
          finish: 'other',
          partial: true,
          durationMs: ctx.clock.now() - startedAt,
        })
      }
      if (ctx.signal.aborted) {
        partial()
        return { kind: 'stopped' }
      }
      // Only once: if the request is rejected again, thinking was not the cause.
      const isThinking = !author.thinkingDropped && rejectsThinking(error) && holdsThinking(ctx.conversation.history)
      if (isThinking) {
        dropThinking(ctx.conversation.history)
        author.thinkingDropped = true
      }
      const delayMs = isThinking
        ? 0
        : retryDelay(error, attempt, ctx.settings, ctx.clock.random, ctx.model.fallBack !== undefined)
      if (delayMs === undefined) {
        partial()
        return { kind: 'failed', failure: finalFailure(error, attempt) }
      }
      const superseded = { text: answer.textOf('text'), thinking: answer.textOf('thinking') }
      ctx.record({
        type: 'step.retried',
        turnId: ctx.turnId,
        stepId,
        attempt,
        of: ctx.settings.maxAttempts,
        delayMs,
        failure: isThinking ? thinkingFailure(error) : failureOf(error),
        superseded,
      })
      await ctx.clock.pause(delayMs, ctx.signal).catch(() => undefined)
      if (ctx.signal.aborted) {
        ctx.record({
          type: 'step.finished',
          turnId: ctx.turnId,
          stepId,
          ...mark,
          ...author,
          parts: [],
          finish: 'other',
          partial: true,
          durationMs: ctx.clock.now() - startedAt,
        })
        return { kind: 'stopped' }
      }
    }
  }
}

function finalFailure(error: unknown, attempts: number): Failure {
  const failure = failureOf(error)
  const retryable = error instanceof CodedError && ERRORS[error.code].retryable
  return retryable && attempts > 1 ? { ...failure, message: `${failure.message} (${attempts} attempts)` } : failure
}

/** An answer as it arrives. */
class StreamedAnswer {
  readonly #parts: AssistantPart[] = []
  /** The part that deltas go to, while it is open. */
  #open: { type: 'text' | 'thinking'; pieces: string[] } | undefined
  #finish: { reason: FinishReason; usage?: Usage } | undefined
  /** Calls being streamed, by the wire's id. */
  readonly #drafts = new Map<string, { callId: string; name: string; chars: number; subject: DraftSubject }>()
  readonly #stepId: string
  readonly #live: (event: TurnLiveEvent) => void
  readonly #callId: (wireId: string) => string
  readonly #subjectOf: (tool: string) => readonly string[] | undefined

  constructor(stepId: string, ctx: Pick<TurnContext, 'live' | 'calls' | 'tools'>) {
    this.#stepId = stepId
    this.#live = ctx.live
    this.#callId = ctx.calls.callId
    this.#subjectOf = (tool) => ctx.tools.get(tool)?.subject
  }

  add(chunk: ModelChunk): void {
    switch (chunk.type) {
      case 'text':
      case 'thinking':
        if (chunk.text === '') return
        if (this.#open?.type !== chunk.type) this.#close()
        this.#open ??= { type: chunk.type, pieces: [] }
        this.#open.pieces.push(chunk.text)
        this.#live({
          type: chunk.type === 'text' ? 'text.delta' : 'thinking.delta',
          stepId: this.#stepId,
          text: chunk.text,
        })
        return
      case 'text.end':
      case 'thinking.end':
        this.#end(chunk.type === 'text.end' ? 'text' : 'thinking', chunk.metadata)
        return
      case 'tool.draft': {
        const draft = this.#drafts.get(chunk.callId) ?? this.#startDraft(chunk.callId, chunk.name)
        draft.chars += chunk.text.length
        draft.subject.add(chunk.text)
        const { callId, chars, subject } = draft
        this.#live({
          type: 'tool.drafting',
          stepId: this.#stepId,
          callId,
          name: chunk.name,
          chars,
          ...(subject.text !== '' && { subject: subject.text }),
        })
        return
      }
      case 'tool.call': {
        this.#close()
        const callId = this.#drafts.get(chunk.callId)?.callId ?? this.#callId(chunk.callId)
        this.#drafts.delete(chunk.callId)
        const { name, input, metadata } = chunk
        this.#parts.push(unwrapCallTool({ type: 'tool_call', callId, name, input, ...(metadata && { metadata }) }))
        return
      }
      case 'finish':
        this.#finish = { reason: chunk.reason, ...(chunk.usage && { usage: chunk.usage }) }
    }
  }

  /**
   * The whole answer; throws `model.incomplete` when the stream ended without its end marker, and `model.empty` when it
   * is empty but must not be.
   */
  complete({ mayBeEmpty }: { mayBeEmpty: boolean }): {
    parts: AssistantPart[]
    finish: FinishReason
    usage?: Usage
    cut: string[]
  } {
    this.#close()
    if (!this.#finish) throw new CodedError('model.incomplete', 'The stream ended before the answer was complete.')
    const { reason, usage } = this.#finish
    const empty = this.#parts.every((part) => part.type === 'thinking')
    if (empty && !mayBeEmpty && reason !== 'refusal' && reason !== 'length')
      throw new CodedError('model.empty', 'It wrote neither text nor a call.')
    // A call that the length limit may have cut off is not run, whatever its arguments look like.
    const isCut = reason === 'length'
    const parts = isCut ? this.#parts.filter((part) => part.type !== 'tool_call') : this.#parts
    const whole = this.#parts.flatMap((part) => (part.type === 'tool_call' ? [part.name] : []))
    const cut = isCut ? [...whole, ...[...this.#drafts.values()].map(({ name }) => name)] : []
    return { parts, finish: reason, cut, ...(usage && { usage }) }
  }

  /**
   * What arrived before the stream broke off: text without metadata, since partial calls and unsigned thinking must not
   * go back to a model.
   */
  partialParts(): AssistantPart[] {
    this.#close()
    return this.#parts.filter((part) => part.type !== 'tool_call').map((part) => ({ type: part.type, text: part.text }))
  }

  /** All text, or all thinking, that has arrived. */
  textOf(type: 'text' | 'thinking'): string {
    this.#close()
    return this.#parts.map((part) => (part.type === type ? part.text : '')).join('')
  }

  #startDraft(wireId: string, name: string): { callId: string; name: string; chars: number; subject: DraftSubject } {
    const draft = { callId: this.#callId(wireId), name, chars: 0, subject: new DraftSubject(this.#subjectOf(name)) }
    this.#drafts.set(wireId, draft)
    return draft
  }

  #end(type: 'text' | 'thinking', metadata: ProviderMetadata | undefined): void {
    if (this.#open?.type === type) {
      this.#close(metadata)
    } else if (metadata) {
      // Redacted thinking: nothing to show, but its data must be sent back.
      this.#parts.push({ type, text: '', metadata })
    }
  }

  #close(metadata?: AssistantPart['metadata']): void {
    if (!this.#open) return
    this.#parts.push({ type: this.#open.type, text: this.#open.pieces.join(''), ...(metadata && { metadata }) })
    this.#open = undefined
  }
}

/** Runs `work` until it has succeeded once. */
function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) work()
    isDone = true
  }
}
