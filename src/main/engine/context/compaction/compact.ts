import type { CompactionMark, CompactionReason, CompactionResult } from '../../../../shared/model/turn/context'
import { CodedError, ERRORS, failureOf, type Failure, failureText } from '../../../../shared/errors'
import type { Message, Usage } from '../../../../shared/model/turn/message'
import { receiveChunks, retryDelay } from '../../loop/model-request'
import type { TurnContext, TurnModel, TurnPrefix } from '../../loop/turn-context'
import type { ModelRequest } from '../../model/provider'
import { textTokens, tokensOf } from '../tokens/token-estimate'
import { compactedHistory } from './history'
import { planTrimNewest, applyTrim } from './trim'
import { availableOutputTokens, outputLimit, tokenCount } from './context-limits'
import { keptUserMessages, touchedFiles, compactionNote, type PinnedState } from './kept-content'
import { inlineSummaryRequest, summaryRequest } from './summary-request'

/**
 * Maximum share of the window for the conversation when the summary is requested inline; the rest is for the summary.
 */
const MAX_INLINE_SHARE = 0.9
/**
 * Shares of the window for the conversation sent as text; after each refusal as too long, the next one is used.
 */
const SHARES = [0.65, 0.45, 0.3, 0.2]
/** Maximum tokens of the user's own messages to keep, and their maximum share of a small window. */
const MAX_USER_TOKENS = 20_000
const SHARE_OF_WORDS = 0.15
/** Maximum tokens of the summary, and its maximum share of a small window; a longer one is cut. */
const MAX_SUMMARY_TOKENS = 8000
const SHARE_OF_SUMMARY = 0.1

/** The parts of a turn, or of a session between turns, that a compaction needs. */
export type CompactionContext = Pick<TurnContext, 'model' | 'settings' | 'record' | 'signal' | 'clock'> & {
  /** The start of the conversation's requests. */
  prefix: Pick<TurnPrefix, 'system' | 'tools'>
  /** Absent between turns. */
  turnId?: string
  /** State that must be kept verbatim. */
  pins(): Promise<PinnedState>
}

export interface CompactionTask {
  history: readonly Message[]
  reason: CompactionReason
  instruction?: string
  /** Tokens of the model's window, and the limit the result must stay below. */
  window: number
  trimThreshold: number
  /** The window is smaller than configured, as a refusal has shown. */
  isLearned?: boolean
  /** Tokens of the whole request, and of its fixed part (instructions and tools). */
  used: number
  fixed: number
  /** Calibrated tokens of a message. Default: the estimate. */
  measure?: (message: Message) => number
  /** The compaction that the history starts with, and the files it recorded. */
  earlier?: CompactionMark
  files: readonly string[]
}

export type CompactionEnd =
  | { kind: 'done'; history: Message[]; result: CompactionResult; compactionId: string }
  | { kind: 'stopped' }
  | { kind: 'failed'; failure: Failure }

/**
 * Asks the model for a summary and records what replaces the conversation. Every `compaction.started` is followed by
 * `compaction.finished` or `compaction.failed`; until then, nothing has changed. Does not throw.
 */
export async function compact(ctx: CompactionContext, task: CompactionTask): Promise<CompactionEnd> {
  const compactionId = ctx.clock.newId('compaction')
  const turn = ctx.turnId === undefined ? {} : { turnId: ctx.turnId }
  const startedAt = ctx.clock.now()
  const { reason, instruction } = task
  ctx.record({
    type: 'compaction.started',
    compactionId,
    ...turn,
    reason,
    ...(instruction !== undefined && { instruction }),
    tokens: Math.round(task.used),
    ...(task.isLearned && { learnedWindow: Math.round(task.window) }),
  })
  try {
    const { text, usage } = await summary(ctx, compactionId, task)
    const result = {
      ...resultOf(task, text, await ctx.pins()),
      ...(usage && { usage }),
      durationMs: ctx.clock.now() - startedAt,
    }
    if (result.after >= task.trimThreshold) throw noHelpError(task, result)
    ctx.signal.throwIfAborted()
    ctx.record({ type: 'compaction.finished', compactionId, ...turn, ...result, model: ctx.model.info.id })
    return { kind: 'done', history: compactedHistory(result), result, compactionId }
  } catch (error) {
    if (ctx.signal.aborted) {
      ctx.record({ type: 'compaction.failed', compactionId, ...turn, why: 'stopped' })
      return { kind: 'stopped' }
    }
    const failure = error instanceof CodedError && error.code === 'compaction.no_help' ? error.failure : failed(error)
    ctx.record({ type: 'compaction.failed', compactionId, ...turn, why: 'failed', failure })
    return { kind: 'failed', failure }
  }
}

/**
 * The model's summary. It is first requested within the conversation itself, which the provider has cached; if that
 * does not fit or is refused, the conversation is sent as text. Retried like steps, and with less text when the
 * provider refuses it as too long.
 */
async function summary(
  ctx: CompactionContext,
  compactionId: string,
  task: CompactionTask,
): Promise<{ text: string; usage?: Usage }> {
  const shares = [...SHARES]
  const inline = task.reason === 'overflow' ? undefined : inlineTask(task)
  let isInline = inline !== undefined
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { text, usage } = await ask(
        ctx,
        inline && isInline ? inlineRequest(ctx, inline) : textRequest(ctx, task, task.window * shares[0]!),
      )
      if (text !== '') return { text, ...(usage && { usage }) }
      // Asked inline, the model may have continued the task instead.
      if (!isInline) throw new CodedError('model.incomplete', 'The model wrote no summary.')
      isInline = false
    } catch (error) {
      if (ctx.signal.aborted) throw error
      if (isInline && !isRetryable(error)) {
        isInline = false
        attempt = 0
        continue
      }
      if (error instanceof CodedError && error.code === 'model.context_overflow' && shares.length > 1) {
        shares.shift()
        attempt -= 1
        continue
      }
      const delayMs = retryDelay(error, attempt, ctx.settings, ctx.clock.random)
      if (delayMs === undefined) throw error
      const { maxAttempts } = ctx.settings
      ctx.record({
        type: 'compaction.retried',
        compactionId,
        attempt,
        of: maxAttempts,
        delayMs,
        failure: failureOf(error),
      })
      await ctx.clock.pause(delayMs, ctx.signal)
    }
  }
}

/** Whether the same request can succeed later; otherwise it is sent in another form. */
function isRetryable(error: unknown): boolean {
  return error instanceof CodedError && ERRORS[error.code].retryable
}

/**
 * The conversation with space for the summary after it; undefined if there is not enough. Results that no answer has
 * followed yet were never sent, so cutting them does not affect the provider's cache.
 */
function inlineTask(task: CompactionTask): CompactionTask | undefined {
  const { history, used, window, measure = tokensOf } = task
  const over = used - window * MAX_INLINE_SHARE
  if (over < 0) return task
  const unsent = history.findLastIndex(({ role }) => role === 'assistant') + 1
  const plan = planTrimNewest(history.slice(unsent), over, measure)
  if (plan.saved < over) return undefined
  const shorter = [...history.slice(0, unsent), ...applyTrim(history.slice(unsent), plan)]
  return { ...task, history: shorter, used: used - plan.saved }
}

function inlineRequest(
  { prefix, model: { info: model, cacheKey, cache } }: CompactionContext,
  task: CompactionTask,
): ModelRequest {
  const question = inlineSummaryRequest(task.instruction)
  return {
    ...modelFields(model),
    ...answerLimit(model, task.window, task.used + tokensOf(question)),
    system: prefix.system,
    messages: [...task.history, question],
    tools: model.toolCalls ? prefix.tools : [],
    ...(model.toolCalls && prefix.tools.length > 0 && { toolChoice: 'none' }),
    imagesIn: model.imagesIn,
    cacheKey,
    cache,
    isOneOff: true,
    purpose: 'summary',
  }
}

function textRequest(
  { model: { info: model } }: CompactionContext,
  { history, window, instruction }: CompactionTask,
  budget: number,
): ModelRequest {
  const { system, message } = summaryRequest(history, budget, instruction)
  const limit = answerLimit(model, window, textTokens(system) + tokensOf(message))
  return {
    ...modelFields(model),
    ...limit,
    system,
    messages: [message],
    tools: [],
    imagesIn: false,
    cache: 'none',
    purpose: 'summary',
  }
}

/** As in a step: a provider refuses the whole request if the summary might not fit in the window with it. */
function answerLimit({ maxOutputTokens }: TurnModel, window: number, used: number) {
  const limit = outputLimit(window, used, maxOutputTokens)
  return limit === undefined
    ? { availableOutputTokens: availableOutputTokens(window, used) }
    : { maxOutputTokens: limit }
}

function modelFields({ id, name, thinking, effort, traits }: TurnModel) {
  return {
    model: name,
    modelId: id,
    thinking,
    ...(effort !== undefined && { effort }),
    ...(traits && { traits }),
  }
}

/** The answer; empty if a tool was called, because text before a call is not a summary. */
async function ask(ctx: CompactionContext, request: ModelRequest): Promise<{ text: string; usage?: Usage }> {
  let text = ''
  let usage: Usage | undefined
  let ended = false
  let calls = false
  await receiveChunks(
    ctx.model.provider,
    request,
    { idleMs: ctx.settings.idleTimeoutMs, signal: ctx.signal },
    (chunk) => {
      if (chunk.type === 'text') text += chunk.text
      if (chunk.type === 'tool.call' && request.tools.length > 0) calls = true
      if (chunk.type !== 'finish') return
      ended = true
      usage = chunk.usage
    },
  )
  if (!ended) throw new CodedError('model.incomplete', 'The stream ended before the summary was complete.')
  return { text: calls ? '' : text.trim(), ...(usage && { usage }) }
}

function resultOf(task: CompactionTask, summaryText: string, pins: PinnedState): Omit<CompactionResult, 'durationMs'> {
  const { history, window, used, fixed, earlier } = task
  const { kept, lost } = keptUserMessages(history, Math.min(MAX_USER_TOKENS, window * SHARE_OF_WORDS))
  const text = within(summaryText, Math.min(MAX_SUMMARY_TOKENS, window * SHARE_OF_SUMMARY))
  const files = touchedFiles(history, task.files)
  const note = compactionNote(text, pins, files)
  const size = compactedHistory({ kept, note }).reduce((sum, message) => sum + tokensOf(message), fixed)
  return {
    kept,
    note,
    summary: text,
    files,
    dropped: {
      answers: history.filter(({ role }) => role === 'assistant').length,
      results: history.filter(({ role }) => role === 'tool').length,
      messages: lost,
    },
    before: Math.round(used),
    after: Math.round(size),
    ...(earlier && { earlier }),
  }
}

function within(text: string, tokens: number): string {
  const size = textTokens(text)
  if (size <= tokens) return text
  return (
    `${text.slice(0, Math.floor((text.length * tokens) / size)).toWellFormed()}\n` +
    '[The summary was cut here: it was too long.]'
  )
}

function noHelpError({ trimThreshold, fixed }: CompactionTask, { after }: { after: number }): CodedError {
  return new CodedError(
    'compaction.no_help',
    `Compacted, the conversation would still need about ${tokenCount(after)} tokens, ${tokenCount(fixed)} of ` +
      `them for instructions and tools; ${tokenCount(trimThreshold)} can be used. It was left as it is.`,
  )
}

function failed(error: unknown): Failure {
  return new CodedError('compaction.failed', failureText(failureOf(error))).failure
}
