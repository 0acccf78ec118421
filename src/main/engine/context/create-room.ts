import type { CompactionMark } from '../../../shared/model/compaction'
import { CodedError } from '../../../shared/model/errors'
import type { Message, Usage } from '../../../shared/model/message'
import type { Room } from '../loop/room'
import type { CompactionContext, CompactionTask } from './compaction/compact'
import { tokensOf } from './estimate'
import { createTokenCount } from './token-count'
import { cutNewest, trimOldest } from './trim'
import { windowLimits, type WindowLimits } from './window-limits'

/** Trimming goes down to this share of the limit, so that it is seldom done and caches of providers hold. */
const TRIM_TO = 0.7
/** Where trimming leaves more than this share of the limit, it is time to compact. */
const TRIMMED_ENOUGH = 0.88
/** The results of the latest step that take more than this share of the room are cut before anything is compacted. */
const SHARE_OF_NEWEST = 0.5
/** There is at most one compaction in so many steps, unless there is no room at all… */
const STEPS_BETWEEN = 20
/** …and none at all in so few. */
const STEPS_AT_LEAST = 5
/** Refusals as too long in a row that are recovered from. */
const MOST_RECOVERIES = 3

export interface RoomDeps {
  /** Changed in place. */
  history: Message[]
  /** Tokens of instructions and tools, as they are now. */
  fixed(): number
  /** The latest count of the provider: of the history up to its last answer. */
  known?: Usage
  /** The model's window, as far as is known. */
  window: KnownWindow
  maxOutputTokens?: number
  /** The compaction that the history begins with. */
  earlier?: CompactionMark & { files: readonly string[] }
  context: CompactionContext
  /** Where the `compaction.finished` that was recorded last is in the log. */
  latestMark(): CompactionMark | undefined
}

/** Tokens a model takes. */
export interface KnownWindow {
  tokens(): number
  /** Whether a provider's refusal has shown that it is smaller than configured. */
  isLearned(): boolean
  /** A request of so many tokens was refused. */
  refused(tokens: number): void
  /** A request of so many tokens was answered. */
  answered(tokens: number): void
}

/** Keeps a history within the window; see `Room`. */
export function createRoom(deps: RoomDeps): Room {
  const { history, context } = deps
  const fixed = (): number => deps.fixed()
  const count = createTokenCount(history, fixed, deps.known)
  let { earlier } = deps
  /** Steps since the latest compaction. */
  let steps = earlier ? history.filter(({ role }) => role === 'assistant').length : Number.POSITIVE_INFINITY
  /** Refusals in a row, and whether the latest is still to be answered with a shorter request. */
  let overflows = 0
  let mustShorten = false
  const limits = (): WindowLimits => windowLimits(deps.window.tokens(), deps, fixed())

  async function compactNow(whole: readonly Message[], used: number, { window, limit }: WindowLimits): Promise<void> {
    const { compact } = await import('./compaction/compact')
    const task: CompactionTask = {
      history: whole,
      reason: overflows > 0 ? 'overflow' : 'window',
      window,
      limit,
      used,
      fixed: fixed(),
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

  return {
    async make() {
      steps += 1
      const now = limits()
      const used = count.used()
      if (used < now.limit && !mustShorten) return
      const forced = mustShorten
      mustShorten = false
      const whole = [...history]
      const target = Math.min(used * TRIM_TO, now.limit * TRIM_TO)
      count.shortened(trimOldest(history, used - target))
      if (count.used() < Math.min(now.limit, used) * TRIMMED_ENOUGH) return
      if (!isCompactable(history)) return refuseFarTooLong(count.used(), now, fixed())
      // What the agent has only just asked for it would ask for again after a compaction: that is cut instead.
      if (newestResults(history) > (now.limit - fixed()) * SHARE_OF_NEWEST) {
        count.shortened(cutNewest(history, count.used() - now.limit * TRIMMED_ENOUGH))
        if (count.used() <= now.limit * TRIMMED_ENOUGH + 1) return
      }
      if (steps <= STEPS_BETWEEN && !forced) {
        if (count.used() < now.last) return
        count.shortened(cutNewest(history, count.used() - now.limit * TRIMMED_ENOUGH))
        // What a refusal has taught may be wrong: there the provider decides.
        if (count.used() < now.last || (steps <= STEPS_AT_LEAST && deps.window.isLearned())) return
      }
      if (steps <= STEPS_AT_LEAST) throw tooSoon(steps, count.used(), now)
      await compactNow(whole, used, now)
    },
    counted(usage) {
      overflows = 0
      if (!usage) return
      count.counted(usage)
      deps.window.answered(usage.input)
    },
    replaced: () => count.restart(),
    overflowed({ message }) {
      overflows += 1
      if (overflows > MOST_RECOVERIES || !isCompactable(history)) return false
      // A body that is too large is seldom the window's fault while that is not half full.
      if (message.includes('(HTTP 413)') && count.used() < deps.window.tokens() / 2) return false
      deps.window.refused(count.used())
      mustShorten = true
      return true
    },
  }
}

function markOf({ files: _files, ...mark }: CompactionMark & { files: readonly string[] }): CompactionMark {
  return mark
}

/** Whether there is anything that a summary could stand for. */
export function isCompactable(history: readonly Message[]): boolean {
  return history.some(({ role }) => role === 'assistant')
}

/** Tokens of the results that no answer has followed yet. */
function newestResults(history: readonly Message[]): number {
  let tokens = 0
  for (let index = history.length - 1; history[index] && history[index]!.role !== 'assistant'; index -= 1) {
    if (history[index]!.role === 'tool') tokens += tokensOf(history[index]!)
  }
  return tokens
}

function refuseFarTooLong(used: number, { window }: WindowLimits, fixed: number): void {
  if (used < window * 1.25 + fixed * 0.25) return
  throw new CodedError(
    'model.context_overflow',
    `The prompt and what is sent along need about ${Math.round(used)} tokens; the model takes ${Math.round(window)}.`,
  )
}

function tooSoon(steps: number, used: number, { window }: WindowLimits): CodedError {
  const when = steps === 1 ? 'just before this step' : `${steps} steps ago`
  return new CodedError(
    'compaction.no_help',
    `The conversation was compacted ${when}, and again about ${Math.round(used)} of ${Math.round(window)} tokens are used. Compacting once more would not help.`,
  )
}
