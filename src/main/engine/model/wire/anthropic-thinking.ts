import type { AnthropicLanguageModelOptions } from '@ai-sdk/anthropic'
import type { Effort } from '../../../../shared/model/effort'
import type { Message } from '../../../../shared/model/message'
import type { ModelRequest } from '../provider'
import { askedThinking, type AskedThinking } from '../thinking/thinking-facts'
import { modelFamily } from '../thinking/model-family'

/** What a model may write when the package does not know it and nothing is configured. */
const DEFAULT_MAX_OUTPUT = 32_000
/** The same for models of Anthropic that think by budget, as far as the package knows them. */
const CLAUDE_MAX_OUTPUT = 64_000
const OPUS_MAX_OUTPUT = 32_000

/** Where so much is left, what the package takes for the longest answer of one of Anthropic's models fits. */
const LONGEST_CLAUDE_ANSWER = 130_000
const LEAST_ANSWER = 2000

/** Tokens of thinking; the two highest levels take all that the answer can spare. */
const BUDGETS: Readonly<Record<Exclude<Effort, 'none' | 'xhigh' | 'max'>, number>> = {
  minimal: 2048,
  low: 4096,
  medium: 10_240,
  high: 24_576,
}
/** The protocol's smallest budget. */
const LEAST_BUDGET = 1024
/** Tokens of the output that are left for the answer; of a small output, a quarter. */
const ROOM_FOR_ANSWER = 8192

const INTERLEAVED = 'interleaved-thinking-2025-05-14'

export interface AnthropicThinking {
  options: Pick<AnthropicLanguageModelOptions, 'thinking' | 'effort' | 'anthropicBeta'>
  /** Tokens of the answer without its thinking, as the package wants them; undefined: the model's own. */
  maxOutputTokens: number | undefined
}

/** How Anthropic's protocol puts the thinking that is asked for. `isProven`: whether the thinking of an answer goes back to the model. */
export function anthropicThinking(request: ModelRequest, isProven: (message: Message) => boolean): AnthropicThinking {
  const asked = askedThinking('anthropic', request)
  const isClaude = modelFamily(request.model) === 'claude'
  const maxOutputTokens = request.maxOutputTokens ?? longestAnswer(isClaude, request.answerRoom)
  switch (asked.control) {
    case 'adaptive':
      return { options: adaptive(asked), maxOutputTokens }
    case 'budget':
    case 'effort':
    case 'switch': {
      const effort = asked.control === 'effort' ? effortOption(asked) : {}
      if (asked.isOff) return { options: { thinking: { type: 'disabled' } }, maxOutputTokens }
      const total = maxOutputTokens ?? (/opus-4(?:[-.]1|-2|$)/.test(request.model) ? OPUS_MAX_OUTPUT : CLAUDE_MAX_OUTPUT)
      const budgetTokens = budgetOf(asked.effort, total)
      const isPossible = budgetTokens >= LEAST_BUDGET && (!isClaude || continuesThinking(request.messages, isProven))
      if (!asked.thinks || !isPossible) return { options: effort, maxOutputTokens }
      return {
        options: {
          thinking: { type: 'enabled', budgetTokens },
          ...effort,
          ...(asked.needsInterleavedHeader && { anthropicBeta: [INTERLEAVED] }),
        },
        // The package adds the budget to it: together they are never more than the model may write.
        maxOutputTokens: total - budgetTokens,
      }
    }
    default:
      return { options: {}, maxOutputTokens }
  }
}

/** The protocol demands a limit; the package knows those of Anthropic's models itself, which have to fit into what is left of the window. */
function longestAnswer(isClaude: boolean, room = Number.POSITIVE_INFINITY): number | undefined {
  if (isClaude && room > LONGEST_CLAUDE_ANSWER) return undefined
  return Math.max(LEAST_ANSWER, Math.min(DEFAULT_MAX_OUTPUT, room))
}

function adaptive(asked: AskedThinking): AnthropicThinking['options'] {
  if (asked.isOff) return { thinking: { type: 'disabled' } }
  // A block whose prefix has changed is left out by the provider then; without it the whole request would be refused, and every later one.
  const binding = { blockBinding: { prefixMismatchBehavior: 'drop_block' as const } }
  const effort = effortOption(asked)
  if (!asked.thinks) return asked.bindsThinking ? { thinking: binding, ...effort } : effort
  return { thinking: { type: 'adaptive', display: 'summarized', ...(asked.bindsThinking && binding) }, ...effort }
}

function effortOption({ effort }: AskedThinking): Pick<AnthropicLanguageModelOptions, 'effort'> {
  return effort === undefined || effort === 'none' || effort === 'minimal' ? {} : { effort }
}

function budgetOf(effort: Effort = 'high', total: number): number {
  const most = total - Math.min(ROOM_FOR_ANSWER, Math.ceil(total / 4))
  return effort === 'xhigh' || effort === 'max' || effort === 'none' ? most : Math.min(BUDGETS[effort], most)
}

/**
 * Whether the answer that is being continued after results began with thinking that goes back. Models that think by budget refuse to think on where it
 * did not (another model began it, or its thinking was left out): they think again from the next prompt on.
 */
function continuesThinking(messages: readonly Message[], isProven: (message: Message) => boolean): boolean {
  let end = messages.length
  while (messages[end - 1]?.role === 'user') end -= 1
  if (messages[end - 1]?.role !== 'tool') return true
  let first: Message | undefined
  for (let index = end - 1; index >= 0 && messages[index]!.role !== 'user'; index -= 1) {
    if (messages[index]!.role === 'assistant') first = messages[index]
  }
  return first === undefined || isProven(first)
}
