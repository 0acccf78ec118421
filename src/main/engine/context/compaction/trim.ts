import type { ContextTrim } from '../../../../shared/model/turn/context'
import type { AssistantPart, Message, ResultPart, ToolMessage } from '../../../../shared/model/turn/message'
import { boundTokens, BYTES_PER_TOKEN, tokensOf, type SentTo } from '../tokens/token-estimate'

/** Number of the newest messages that `planTrimOldest` keeps whole. */
const KEEP_WHOLE = 8
/** Fewer tokens than this are not worth trimming. */
const SHORT = 100
/** Characters kept of a text in a call's arguments. */
const ARGUMENT_KEPT = 200
/** Minimum tokens kept of a new result. */
const NEW_RESULT_KEPT = 1000
const TRIMMED = '[This old result was left out to save space. Call the tool again if you need it.]'

type AssistantMessage = Extract<Message, { role: 'assistant' }>

/** What to leave out, and about how many tokens that saves. */
export interface TrimPlan extends ContextTrim {
  saved: number
}

/** Estimated tokens of a message. */
type Measure = (message: Message) => number

const NOTHING: TrimPlan = { results: [], calls: [], cuts: [], saved: 0 }

/**
 * Chooses what to leave out to save `wanted` tokens, but not more: the oldest results, and the long arguments of their
 * calls; the last result only as far as needed. The newest messages are kept whole.
 * A model that binds its thinking loses all of it after the first change, which saves tokens too; if that alone would
 * be too much, the trim starts later.
 */
export function planTrimOldest(
  history: readonly Message[],
  wanted: number,
  measure: Measure = tokensOf,
  to: SentTo = {},
): TrimPlan {
  const plan: TrimPlan = { results: [], calls: [], cuts: [], saved: 0 }
  let hasChanged = false
  let lost = to.losesStale ? history.reduce((sum, message) => sum + boundShare(message, measure, to), 0) : 0
  for (const message of history.slice(0, Math.max(0, history.length - KEEP_WHOLE))) {
    if (to.losesStale) lost -= boundShare(message, measure, to)
    const left = wanted - plan.saved - (hasChanged ? 0 : lost)
    if (left < SHORT) {
      if (hasChanged || wanted < SHORT) break
      continue
    }
    if (message.role === 'user' || measure(message) < SHORT) continue
    const shorter = message.role === 'tool' ? withoutContent(message) : withShortArguments(message)
    if (!shorter) continue
    const saving = measure(message) - measure(shorter)
    if (saving < SHORT / 2) continue
    if (!hasChanged && (saving <= left || isCuttable(message))) {
      hasChanged = true
      plan.saved += lost
    }
    if (saving <= left) {
      if (message.role === 'tool') plan.results.push(message.callId)
      else plan.calls.push(...longCalls(message))
      plan.saved += saving
    } else if (isCuttable(message)) {
      const chars = Math.floor(charsOf(message) * (1 - left / saving))
      plan.cuts.push({ callId: message.callId, chars })
      plan.saved += saving - measure(cutTo(message, chars)) + measure(shorter)
    }
  }
  return plan
}

function isCuttable(message: Message): message is ToolMessage {
  return message.role === 'tool' && message.content.every(({ type }) => type === 'text')
}

/** Tokens of a message's thinking, on the scale of `measure`. */
function boundShare(message: Message, measure: Measure, to: SentTo): number {
  const bound = boundTokens(message, to)
  return bound === 0 ? 0 : (bound * measure(message)) / Math.max(1, tokensOf(message))
}

/** Chooses how much to cut from the newest results, largest first, if they alone are too large. */
export function planTrimNewest(history: readonly Message[], wanted: number, measure: Measure = tokensOf): TrimPlan {
  const plan: TrimPlan = { results: [], calls: [], cuts: [], saved: 0 }
  const newest = history
    .slice(-KEEP_WHOLE * 4)
    .filter((message) => message.role === 'tool')
    .filter((message) => measure(message) > NEW_RESULT_KEPT * 1.2)
    .toSorted((a, b) => measure(b) - measure(a))
  for (const message of newest) {
    if (plan.saved >= wanted) break
    const size = measure(message)
    const keep = Math.max(NEW_RESULT_KEPT, size - (wanted - plan.saved))
    const chars = Math.max(0, Math.floor((charsOf(message) * keep) / size) - 200)
    plan.cuts.push({ callId: message.callId, chars })
    plan.saved += size - measure(cutTo(message, chars))
  }
  return plan
}

/** Combines two plans; results that one leaves out completely are not cut by the other. */
export function combinePlans(one: TrimPlan, other: TrimPlan = NOTHING): TrimPlan {
  const cuts = other.cuts.filter(
    ({ callId }) => !one.results.includes(callId) && one.cuts.every((cut) => cut.callId !== callId),
  )
  return {
    results: [...one.results, ...other.results],
    calls: [...one.calls, ...other.calls],
    cuts: [...one.cuts, ...cuts],
    saved: one.saved + other.saved,
  }
}

/**
 * The messages after a trim. Depends only on its arguments, so that a restart and a fork send the same bytes. Messages
 * before the first change are the same objects; later answers with thinking are marked, because their thinking followed
 * a different start.
 */
export function applyTrim(messages: readonly Message[], trim: ContextTrim): Message[] {
  const results = new Set(trim.results)
  const calls = new Set(trim.calls)
  const cuts = new Map(trim.cuts.map(({ callId, chars }) => [callId, chars]))
  let hasChanged = false
  return messages.map((message): Message => {
    if (message.role === 'user') return message
    let next: Message | undefined
    if (message.role === 'assistant') {
      next = withShortArguments(message, calls)
      if (hasChanged && message.staleThinking !== true && message.parts.some(({ type }) => type === 'thinking'))
        next = { ...(next ?? message), staleThinking: true }
    } else if (results.has(message.callId)) {
      next = withoutContent(message)
    } else {
      const chars = cuts.get(message.callId)
      if (chars !== undefined) next = cutTo(message, chars)
    }
    if (!next) return message
    hasChanged = true
    return next
  })
}

function withoutContent(message: ToolMessage): ToolMessage {
  return { ...message, content: [text(TRIMMED)] }
}

/** The first `chars` characters of a result, with a note. */
function cutTo(message: ToolMessage, chars: number): ToolMessage {
  const all = wordsOf(message)
  const head = all.slice(0, chars).toWellFormed()
  const note =
    `[Cut here: ${all.length - head.length} more characters do not fit into the context window. ` +
    'Ask for a smaller part.]'
  return { ...message, content: [text(`${head}\n${note}`)] }
}

function wordsOf({ content }: ToolMessage): string {
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.mediaType} left out]`)).join('\n')
}

function charsOf(message: ToolMessage): number {
  return wordsOf(message).length
}

function longCalls({ parts }: AssistantMessage): string[] {
  return parts.flatMap((part) =>
    part.type === 'tool_call' && part.input.length >= SHORT * BYTES_PER_TOKEN ? [part.callId] : [],
  )
}

/**
 * The answer with the long texts in its calls (all of them, or those of `ids`) cut; the arguments stay valid JSON.
 * Undefined when it has no long texts.
 */
function withShortArguments(
  message: AssistantMessage,
  ids: { has(id: string): boolean } = new Set(longCalls(message)),
): AssistantMessage | undefined {
  let changed = false
  const parts = message.parts.map((part): AssistantPart => {
    if (part.type !== 'tool_call' || !ids.has(part.callId)) return part
    const input = shortInput(part.input)
    if (input.length >= part.input.length) return part
    changed = true
    return { ...part, input, ...(part.sentAs && { sentAs: { ...part.sentAs, input: shortInput(part.sentAs.input) } }) }
  })
  return changed ? { ...message, parts } : undefined
}

function shortInput(input: string): string {
  try {
    return JSON.stringify(JSON.parse(input), (_key, value: unknown) =>
      typeof value === 'string' && value.length > ARGUMENT_KEPT * 1.5
        ? `${value.slice(0, ARGUMENT_KEPT).toWellFormed()} [${value.length - ARGUMENT_KEPT} characters left out]`
        : value,
    )
  } catch {
    return '{}'
  }
}

function text(words: string): ResultPart {
  return { type: 'text', text: words }
}
