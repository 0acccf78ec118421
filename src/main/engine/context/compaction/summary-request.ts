import type { Message, UserPart } from '../../../../shared/model/turn/message'
import { textTokens } from '../tokens/token-estimate'
import request from './summary-request.md?raw'

const system = request.trim()
/** The required contents of the summary, shared with the text form. */
const whatToWrite = system.slice(system.indexOf('\n\n') + 2)
const INLINE_PROMPT =
  'From Trestle, not from the person: this conversation has become too long. ' +
  'You write the memory of an agent now, your own: what you answer is going to replace everything above, ' +
  'except for the messages of the person, which are kept beside it. ' +
  'Its reader must be able to continue the work immediately, without asking and without doing anything twice.'

/**
 * Maximum characters of one result or call's arguments in the text: first the generous limit, then the small one.
 */
const MAX_ENTRY_CHARS = [3000, 600]

/** The content of a request for a summary. */
export interface SummaryRequest {
  system: string
  message: Message
}

/**
 * Requests a summary of a conversation sent as text, which every model accepts and which can be cut anywhere. To fit
 * `budget` tokens, long results are cut first, then the middle is removed; the start (an earlier summary) and the end
 * are kept.
 */
export function summaryRequest(
  history: readonly Message[],
  budget: number,
  instruction: string | undefined,
): SummaryRequest {
  const [generous, small] = MAX_ENTRY_CHARS as [number, number]
  let entries = history.map((message) => messageText(message, generous))
  if (sizeOf(entries) > budget) entries = history.map((message) => messageText(message, small))
  const text = fitted(entries, budget)
  return {
    system,
    message: {
      role: 'user',
      parts: [
        {
          type: 'text',
          text: `<conversation>\n${text}\n</conversation>\n\nWrite the memory now.${instructionText(instruction)}`,
        },
      ],
    },
  }
}

/** Requests it in the conversation itself, as the last message. */
export function inlineSummaryRequest(instruction: string | undefined): Message {
  return {
    role: 'user',
    parts: [{ type: 'text', text: `${INLINE_PROMPT}\n\n${whatToWrite}${instructionText(instruction)}` }],
    by: 'guard',
  }
}

function instructionText(instruction: string | undefined): string {
  return instruction === undefined ? '' : `\n\nThe person asks of the summary: ${instruction}`
}

function fitted(entries: string[], budget: number): string {
  if (sizeOf(entries) <= budget) return entries.join('\n\n')
  let left = budget * 0.9
  const first = cut(entries[0] ?? '', Math.floor(left * 0.3 * 3))
  left -= textTokens(first)
  const last: string[] = []
  for (const entry of entries.slice(1).toReversed()) {
    left -= textTokens(entry)
    if (left < 0) break
    last.unshift(entry)
  }
  const gone = entries.length - 1 - last.length
  return [first, ...(gone > 0 ? [`[${gone} messages left out here: they were too long]`] : []), ...last].join('\n\n')
}

function sizeOf(entries: readonly string[]): number {
  return entries.reduce((sum, entry) => sum + textTokens(entry) + 1, 0)
}

function messageText(message: Message, most: number): string {
  if (message.role === 'tool') {
    const text = message.content.map((part) => (part.type === 'text' ? part.text : `[${part.mediaType}]`)).join('\n')
    return `${message.name} ${message.isError ? 'failed' : 'returned'}: ${cut(text, most)}`
  }
  if (message.role === 'user') {
    const who = { guard: 'Trestle', task: 'News of tasks', compaction: 'Memory so far', 'd-mail': 'Agent to itself' }
    return `${message.by ? who[message.by] : 'Person'}: ${message.parts.map(userText).join('\n')}`
  }
  return message.parts
    .flatMap((part) => {
      if (part.type === 'text') return part.text === '' ? [] : [`Agent: ${part.text}`]
      return part.type === 'tool_call' ? [`Agent calls ${part.name} ${cut(part.input, most)}`] : []
    })
    .join('\n')
}

function userText(part: UserPart): string {
  if (part.attached) return `[the ${part.attached.kind} ${part.attached.name} of the server ${part.attached.server}]`
  if (part.type === 'media') return `[an image${part.name === undefined ? '' : `: ${part.name}`}]`
  return part.skill === undefined ? part.text : `[the instructions of the skill ${part.skill}]`
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const half = Math.floor(most / 2)
  return `${text.slice(0, half)} [… ${text.length - 2 * half} characters …] ${text.slice(-half)}`.toWellFormed()
}
