import type { AssistantPart, Message, ResultPart } from '../../../shared/model/message'
import { BYTES_PER_TOKEN, tokensOf } from './estimate'

/** The newest messages keep their results as long as anything older has some. */
const KEEP_WHOLE = 8
/** What is shorter than this many tokens is not worth trimming. */
const SHORT = 100
/** Characters of a text in a call's arguments that stay. */
const ARGUMENT_KEPT = 200
/** Tokens of a new result that stay in any case. */
const NEW_RESULT_KEPT = 1000
const TRIMMED = '[This old result was left out to save space. Call the tool again if you need it.]'

/**
 * Makes the history about `wanted` tokens shorter, in place: the oldest results lose their content, and the calls they belong to their long arguments. The
 * newest messages stay whole. Returns how many tokens that was.
 */
export function trimOldest(history: Message[], wanted: number): number {
  let saved = 0
  for (let index = 0; index < history.length - KEEP_WHOLE && saved < wanted; index += 1) {
    const message = history[index]!
    if (message.role === 'user' || tokensOf(message) < SHORT) continue
    const shorter = message.role === 'tool' ? { ...message, content: [text(TRIMMED)] } : withoutArguments(message)
    if (!shorter) continue
    saved += tokensOf(message) - tokensOf(shorter)
    history[index] = shorter
  }
  return saved
}

/** Cuts the largest of the newest results, when they alone are too much; says so in them. Returns the tokens saved. */
export function cutNewest(history: Message[], wanted: number): number {
  let saved = 0
  const newest = history
    .map((message, index) => ({ message, index }))
    .slice(-KEEP_WHOLE * 4)
    .filter(({ message }) => message.role === 'tool' && tokensOf(message) > NEW_RESULT_KEPT * 1.2)
    .toSorted((a, b) => tokensOf(b.message) - tokensOf(a.message))
  for (const { message, index } of newest) {
    if (saved >= wanted) break
    if (message.role !== 'tool') continue
    const keep = Math.max(NEW_RESULT_KEPT, tokensOf(message) - (wanted - saved))
    const shorter: Message = { ...message, content: cut(message.content, keep * BYTES_PER_TOKEN) }
    saved += tokensOf(message) - tokensOf(shorter)
    history[index] = shorter
  }
  return saved
}

function cut(content: readonly ResultPart[], chars: number): ResultPart[] {
  const all = content.map((part) => (part.type === 'text' ? part.text : `[${part.mediaType} left out]`)).join('\n')
  const head = all.slice(0, Math.max(0, chars - 200)).toWellFormed()
  return [
    text(`${head}\n[Cut here: ${all.length - head.length} more characters do not fit into the context window. Ask for a smaller part.]`),
  ]
}

/** The answer with its calls' long texts cut; the arguments stay valid JSON. Undefined when there are none. */
function withoutArguments(message: Extract<Message, { role: 'assistant' }>): Message | undefined {
  let changed = false
  const parts = message.parts.map((part): AssistantPart => {
    if (part.type !== 'tool_call' || part.input.length < SHORT * BYTES_PER_TOKEN) return part
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
