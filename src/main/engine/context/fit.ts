import { CodedError } from '../../../shared/model/errors'
import type { Message } from '../../../shared/model/message'

/** Characters per token, on the careful side for code and prose; the provider's own count is only known afterwards. */
const CHARS_PER_TOKEN = 3.2
const TOKENS_PER_MEDIA = 1600
/** Results younger than this many messages are never trimmed. */
const KEEP_WHOLE = 8
const TRIMMED = '[This old result was left out to save space. Call the tool again if you need it.]'

const sizes = new WeakMap<Message, number>()
/** The same object every time: what was made of it for an earlier request is used again. */
const trimmedForms = new WeakMap<Message, Message>()

/** Estimated tokens of a message. */
export function tokensOf(message: Message): number {
  let size = sizes.get(message)
  if (size === undefined) {
    const parts = message.role === 'tool' ? message.content : message.parts
    size = 8
    for (const part of parts) {
      if (part.type === 'media') size += TOKENS_PER_MEDIA
      else if (part.type === 'tool_call') size += (part.input.length + part.name.length) / CHARS_PER_TOKEN
      else size += part.text.length / CHARS_PER_TOKEN
    }
    sizes.set(message, size)
  }
  return size
}

/**
 * Cuts a conversation to `budget` tokens: first the oldest tool results lose their content, then the oldest exchanges go, whole turns at a time. The
 * latest prompt and everything after it stays. Throws `model.context_overflow` when that alone is too long.
 */
export function fitHistory(history: readonly Message[], budget: number): readonly Message[] {
  let total = history.reduce((sum, message) => sum + tokensOf(message), 0)
  if (total <= budget) return history
  const fitted = [...history]
  for (let index = 0; index < fitted.length - KEEP_WHOLE && total > budget; index += 1) {
    const message = fitted[index]!
    if (message.role !== 'tool' || tokensOf(message) < 100) continue
    const trimmed = trimmedForms.get(message) ?? { ...message, content: [{ type: 'text', text: TRIMMED }] }
    trimmedForms.set(message, trimmed)
    total += tokensOf(trimmed) - tokensOf(message)
    fitted[index] = trimmed
  }
  while (total > budget) {
    const next = fitted.findIndex((message, index) => index > 0 && message.role === 'user')
    if (next === -1) break
    for (const dropped of fitted.splice(0, next)) total -= tokensOf(dropped)
  }
  if (total > budget * 1.25) {
    throw new CodedError(
      'model.context_overflow',
      `The prompt and what follows it need about ${Math.round(total)} tokens; ${Math.round(budget)} are left for them.`,
    )
  }
  return fitted
}
