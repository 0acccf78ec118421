import type { CompactionMark, ContextTrim } from '../../../shared/model/turn/context'
import { CodedError } from '../../../shared/errors'
import type { Message } from '../../../shared/model/turn/message'
import type { ContextBudget } from '../loop/turn-context'
import { parseContextOverflow } from '../model/errors/context-overflow'
import type { CompactionContext, CompactionTask } from './compaction/compact'
import { type TokenCalibration, createTokenCount, type CountedRequest } from './tokens/token-count'
import type { SentTo } from './tokens/token-estimate'
import { combinePlans, planTrimNewest, planTrimOldest, applyTrim, type TrimPlan } from './compaction/trim'
import { exceeds, mediaLimit, mediaLoad, planTrimMedia, type MediaLoad } from './compaction/media-limit'
import {
  availableOutputTokens,
  outputLimit,
  contextLimits,
  type ContextLimits,
  type WindowUse,
  tokenCount,
} from './compaction/context-limits'

/** Target of cutting the newest results, as a share of the limit. */
const CUT_TO = 0.88
/** Results of the latest step above this share of the available space are cut before anything is compacted. */
const SHARE_OF_NEWEST = 0.5
/** Minimum steps between compactions, unless there is no space at all… */
const MIN_STEPS_BETWEEN_COMPACTIONS = 20
/** …and the absolute minimum. */
const HARD_MIN_STEPS_BETWEEN = 5
/** Maximum number of consecutive refusals as too long to recover from. */
const MAX_RECOVERIES = 3
/** Safety factor for estimates before a provider has counted any request of the model… */
const UNCOUNTED_MARGIN = 1.5
/** …and afterward, because new content may be of a different kind. */
const COUNTED_MARGIN = 1.15

export interface ContextBudgetDeps {
  /** Changed in place. */
  history: Message[]
  /** Estimated tokens of the current instructions and tools. */
  fixed(): number
  /** The provider's latest count that is still valid for this history. */
  known?: CountedRequest
  /** What is known about the model's window. */
  window: ModelWindow
  maxOutputTokens?: number
  traits?: WindowUse['traits']
  /** The model that gets the history. */
  to?: SentTo
  /** The compaction that the history starts with. */
  earlier?: CompactionMark & { files: readonly string[] }
  context: CompactionContext
  /** The log position of the latest `compaction.finished`. */
  latestMark(): CompactionMark | undefined
}

/** A model's window, and how it counts tokens. */
export interface ModelWindow {
  tokens(): number
  sizes: TokenCalibration
  /** Whether a refusal has shown that the window is smaller than configured. */
  isLearned(): boolean
  /** A request with this many tokens was refused. `most`: the limit that the provider reported. */
  refused(tokens: number, most?: number): void
  /** A request with this many tokens was answered. */
  answered(tokens: number): void
  /** The provider's default output limit, if a refusal has shown it. */
  usualAnswer(): number | undefined
  asksFor(tokens: number): void
  /** Maximum characters of base64 in a request, if a refusal has shown it. */
  mediaChars(): number | undefined
  /** A request was refused because of its media; `most`: the new limit. */
  refusedMedia(most: number): void
}

/** From this many characters of base64, they may be why a body was refused as too large. */
const MUCH_MEDIA = 2_000_000
/** The share of it that is allowed from then on. */
const SHARE_OF_REFUSED_MEDIA = 0.9

/** Keeps a history within the window; see `ContextBudget`. */
export function createContextBudget(deps: ContextBudgetDeps): ContextBudget {
  const { history, context } = deps
  const { sizes } = deps.window
  const fixed = (): number => deps.fixed()
  const { to = {} } = deps
  const count = createTokenCount({ history, fixed, sizes, to, ...(deps.known && { known: deps.known }) })
  let { earlier } = deps
  /** Steps since the latest compaction. */
  let steps = earlier ? history.filter(({ role }) => role === 'assistant').length : Number.POSITIVE_INFINITY
  /** Consecutive refusals, and whether the next request must be shorter. */
  let overflows = 0
  let mustShorten = false
  /** The output limit of the latest request. */
  let asked: number | undefined
  /** Upper bound of the tokens in use, to compute the space for an answer. */
  const usedAtMost = (): number => count.atMost(sizes.hasLearned() ? COUNTED_MARGIN : UNCOUNTED_MARGIN)
  const limits = (): ContextLimits => contextLimits(deps.window.tokens(), deps, fixed(), sizes.error())
  /** Lowered after a server has refused a request because of its media. */
  const mediaMost = (): MediaLoad => {
    const usual = mediaLimit(context.model.info.name, deps.window.tokens())
    return { ...usual, chars: Math.min(usual.chars, deps.window.mediaChars() ?? usual.chars) }
  }

  /** Leaves out old pictures and documents if there are more than a server accepts. */
  async function enforceMedia(): Promise<void> {
    if (!count.hasMedia()) return
    const most = mediaMost()
    if (!exceeds(mediaLoad(history), most)) return
    trim(planTrimMedia(history, most, count.tokensOf))
    // The user's own pictures are only left out by a compaction, and never just after they were sent.
    const prompt = history.findLast((message) => message.role === 'user' && message.by === undefined)
    const isNews = prompt !== undefined && mediaLoad([prompt]).chars > 0
    if (isNews || steps <= HARD_MIN_STEPS_BETWEEN || !isCompactable(history)) return
    if (exceeds(mediaLoad(history), most)) await compactNow([...history], count.used(), limits())
  }

  async function compactNow(
    whole: readonly Message[],
    used: number,
    { window, trimThreshold }: ContextLimits,
  ): Promise<void> {
    const { compact } = await import('./compaction/compact')
    const task: CompactionTask = {
      history: whole,
      reason: overflows > 0 ? 'overflow' : 'window',
      window,
      trimThreshold,
      isLearned: deps.window.isLearned(),
      used,
      fixed: fixed(),
      measure: count.tokensOf,
      files: earlier?.files ?? [],
      ...(earlier && { earlier: markOf(earlier) }),
    }
    const end = await compact(context, task)
    if (end.kind === 'stopped') return
    if (end.kind === 'failed') throw new CodedError(end.failure.code, end.failure.message)
    history.splice(0, history.length, ...end.history)
    count.restart()
    steps = 0
    const mark = deps.latestMark()
    earlier = mark && { ...mark, files: end.result.files }
  }

  /** Recorded first: the next turn, a restart and a fork send the same as this one. */
  function trim(plan: TrimPlan): void {
    const { results, calls, cuts, saved } = plan
    if (results.length + calls.length + cuts.length === 0) return
    const left: ContextTrim = { results, calls, cuts }
    const used = count.used()
    const { turnId } = context
    context.record({
      type: 'context.trimmed',
      ...(turnId !== undefined && { turnId }),
      ...left,
      before: Math.round(used),
      after: Math.round(used - saved),
      ...(deps.window.isLearned() && { learnedWindow: Math.round(deps.window.tokens()) }),
    })
    // While the messages are still those that were counted.
    count.replaced()
    history.splice(0, history.length, ...applyTrim(history, left))
  }

  return {
    async enforce() {
      steps += 1
      await enforceMedia()
      const now = limits()
      const used = count.used()
      const isFull = used >= now.trimThreshold || mustShorten
      if (!isFull && used < now.compactionThreshold) return
      const forced = mustShorten
      mustShorten = false
      const oldest = planTrimOldest(history, used - now.trimTarget, count.tokensOf, to)
      if (used - oldest.saved <= now.enough) return isFull ? trim(oldest) : undefined
      const hasLargeNews = tokensOfNewest(history, count.tokensOf) > (now.trimThreshold - fixed()) * SHARE_OF_NEWEST
      // At this point the request for a summary still fits after the conversation, which the provider has cached.
      if (!isFull)
        return steps > MIN_STEPS_BETWEEN_COMPACTIONS && isCompactable(history) && !hasLargeNews
          ? compactNow([...history], used, now)
          : undefined
      if (!isCompactable(history)) return refuseFarTooLong(used, now, fixed())
      const cutTo = now.trimThreshold * CUT_TO
      // After a compaction, the agent would request large new results again, so they are cut instead; they have not
      // been sent yet.
      if (hasLargeNews) {
        const newest = planTrimNewest(history, used - cutTo, count.tokensOf)
        if (used - newest.saved <= cutTo + 1) return trim(newest)
        const both = combinePlans(oldest, planTrimNewest(history, used - oldest.saved - cutTo, count.tokensOf))
        if (used - both.saved <= cutTo + 1) return trim(both)
      }
      if (steps <= MIN_STEPS_BETWEEN_COMPACTIONS && !forced) {
        if (used < now.hardLimit) return
        const both = combinePlans(oldest, planTrimNewest(history, used - oldest.saved - cutTo, count.tokensOf))
        // A limit learned from a refusal may be wrong, so the provider decides.
        if (used - both.saved < now.hardLimit || (steps <= HARD_MIN_STEPS_BETWEEN && deps.window.isLearned()))
          return trim(both)
      }
      if (steps <= HARD_MIN_STEPS_BETWEEN) throw tooSoon(steps, used, now)
      await compactNow([...history], used, now)
    },
    outputLimit() {
      asked = outputLimit(deps.window.tokens(), usedAtMost(), deps.maxOutputTokens ?? deps.window.usualAnswer())
      return asked
    },
    remainingTokens: () => availableOutputTokens(deps.window.tokens(), usedAtMost()),
    recordUsage(usage) {
      overflows = 0
      if (!usage) return
      count.counted(usage)
      deps.window.answered(usage.input)
    },
    historyReplaced: () => count.restart(),
    onOverflow({ message }) {
      overflows += 1
      if (overflows > MAX_RECOVERIES) return false
      const { window, input, output } = parseContextOverflow(message)
      // The provider has counted this exact history.
      if (input !== undefined) count.measured(input)
      else if (window !== undefined && output === undefined && count.used() < window) count.measured(window)
      const used = input ?? count.used()
      if (output !== undefined && window !== undefined && used + output > window && used < window) {
        deps.window.refused(used + output, window)
        if (asked === undefined) deps.window.asksFor(output)
        // With a shorter answer it fits without leaving anything out.
        const next = outputLimit(deps.window.tokens(), count.used(), deps.maxOutputTokens ?? deps.window.usualAnswer())
        if (count.used() < limits().trimThreshold && (next === undefined || next < output)) return true
      }
      if (!isCompactable(history)) return false
      // While the window is less than half full, it is rarely why a body is too large.
      if (window === undefined && message.includes('(HTTP 413)') && used < deps.window.tokens() / 2) {
        const { chars } = mediaLoad(history)
        if (chars < MUCH_MEDIA) return false
        const most = mediaMost()
        const less = { ...most, chars: Math.round(Math.min(most.chars, chars * SHARE_OF_REFUSED_MEDIA)) }
        const helps = planTrimMedia(history, less).results.length > 0
        // The user's latest message alone may be too large, which says nothing about the limit.
        if (helps) deps.window.refusedMedia(less.chars)
        return helps
      }
      deps.window.refused(used, window)
      mustShorten = true
      return true
    },
  }
}

function markOf({ files: _files, ...mark }: CompactionMark & { files: readonly string[] }): CompactionMark {
  return mark
}

/** Whether there is anything to summarize. */
export function isCompactable(history: readonly Message[]): boolean {
  return history.some(({ role }) => role === 'assistant')
}

/** Tokens of the results after the latest answer. */
function tokensOfNewest(history: readonly Message[], tokensOf: (message: Message) => number): number {
  let tokens = 0
  for (let index = history.length - 1; history[index] && history[index]!.role !== 'assistant'; index -= 1) {
    if (history[index]!.role === 'tool') tokens += tokensOf(history[index]!)
  }
  return tokens
}

function refuseFarTooLong(used: number, { window }: ContextLimits, fixed: number): void {
  if (used < window * 1.25 + fixed * 0.25) return
  throw new CodedError(
    'model.context_overflow',
    `The prompt and what is sent along need about ${tokenCount(used)} tokens; the model takes ${tokenCount(window)}.`,
  )
}

function tooSoon(steps: number, used: number, { window }: ContextLimits): CodedError {
  const when = steps === 1 ? 'just before this step' : `${steps} steps ago`
  return new CodedError(
    'compaction.no_help',
    `The conversation was compacted ${when}, and again about ${Math.round(used)} of ` +
      `${Math.round(window)} tokens are used. Compacting once more would not help.`,
  )
}
