import type { SessionView } from '../../../shared/events/session-view'
import { isUserProvided, typedText, type UserPart } from '../../../shared/model/turn/message'

/** A sent message whose arrival was not confirmed yet, and what is needed to find it in the session later. */
export interface SentMessage {
  text: string
  /** The ids of its attachments. */
  files: readonly string[]
  /** The last message in the transcript when it was sent; absent: the transcript had no messages. */
  after?: string
  /** How many messages with the same text were queued or on their way when it was sent. */
  same: number
}

/** Describes a message that is being sent to the session in `view`, after `before`. */
export function sentMessage(
  message: Pick<SentMessage, 'text' | 'files'>,
  view: SessionView | undefined,
  before: readonly SentMessage[],
): SentMessage {
  const after = view?.items.findLast(({ kind }) => kind === 'user')?.id
  const queued = view?.header.queue.filter(({ parts }) => hasText(parts, message.text)) ?? []
  const onTheirWay = before.filter(({ text }) => text.trim() === message.text.trim())
  return { ...message, ...(after !== undefined && { after }), same: queued.length + onTheirWay.length }
}

/** Whether the session has the message: in its transcript, or in its queue. */
export function hasArrived({ text, after, same }: SentMessage, { items, header }: SessionView): boolean {
  const at = after === undefined ? -1 : items.findIndex(({ id }) => id === after)
  // The conversation was taken back, or is long by now: the message may be missing, so it is kept.
  if (after !== undefined && at < 0) return false
  const later = items.slice(at + 1).filter((item) => item.kind === 'user')
  return [...later, ...header.queue].filter(({ parts }) => hasText(parts, text)).length > same
}

function hasText(parts: readonly UserPart[], text: string): boolean {
  return typedText(parts.filter(isUserProvided)).trim() === text.trim()
}

/** For the storage: one line for each message. */
export function linesOf(messages: readonly SentMessage[]): string {
  return messages.map((message) => JSON.stringify(message)).join('\n')
}

/** The messages in lines from the storage; skips those that cannot be read. */
export function messagesIn(lines: string): SentMessage[] {
  return lines.split('\n').flatMap((line) => {
    try {
      const { text, files, after, same } = JSON.parse(line) as Partial<SentMessage>
      return typeof text === 'string' && Array.isArray(files) && typeof same === 'number'
        ? [{ text, files, same, ...(typeof after === 'string' && { after }) }]
        : []
    } catch {
      return []
    }
  })
}
