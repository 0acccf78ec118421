import type { AssistantPart, Message, ResultPart, UserPart } from '../../../shared/model/message'

/** Bytes of UTF-8 per token, on the careful side for code and prose; the provider's own count is only known afterwards. */
export const BYTES_PER_TOKEN = 3.2
const TOKENS_PER_MEDIA = 1600
/** Of a PDF that is sent as it is, beside its text: providers look at each page, too. */
const TOKENS_PER_PAGE = 1600
const TOKENS_PER_MESSAGE = 8

const sizes = new WeakMap<Message, number>()

/** Estimated tokens of a message. Counted once: messages are never changed. */
export function tokensOf(message: Message): number {
  let size = sizes.get(message)
  if (size === undefined) {
    size = TOKENS_PER_MESSAGE + partsTokens(message.role === 'tool' ? message.content : message.parts)
    sizes.set(message, size)
  }
  return size
}

export function textTokens(text: string): number {
  return Buffer.byteLength(text) / BYTES_PER_TOKEN
}

export function partsTokens(parts: readonly (UserPart | AssistantPart | ResultPart)[]): number {
  let size = 0
  for (const part of parts) {
    if (part.type === 'media')
      size += part.pages === undefined ? TOKENS_PER_MEDIA : TOKENS_PER_PAGE * part.pages + textTokens(part.text ?? '')
    else if (part.type === 'tool_call') size += textTokens(part.input) + textTokens(part.name)
    else size += textTokens(part.text)
  }
  return size
}
