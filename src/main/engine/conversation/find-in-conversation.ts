import { setImmediate } from 'node:timers/promises'
import { visibleRanges } from '../../../shared/model/session/checkpoint'
import type { ConversationHit, ConversationMatches, FoundPart } from '../../../shared/model/session/conversation'
import type { SessionHeader } from '../../../shared/model/session/session'
import type { Store } from '../store/store'
import { noticeText } from '../../../shared/events/notice-text'
import type { RecordedEvent } from '../../../shared/events/event'
import { isUserProvided, textOf } from '../../../shared/model/turn/message'

/** A searchable text of a conversation, and the row that shows it. */
interface ConversationText {
  seq: number
  /** As in `TranscriptItem`. */
  itemId: string
  part: FoundPart
  text: string
}

/** Longer results are searched only up to this length: they are truncated on screen, too. */
const MAX_TEXT_CHARS = 256 * 1024

/** The texts of an event that a reader of the conversation can see, or open. */
function conversationTexts(event: RecordedEvent): ConversationText[] {
  const { seq } = event
  const one = (itemId: string, part: FoundPart, text: string): ConversationText[] =>
    text === '' ? [] : [{ seq, itemId, part, text: text.slice(0, MAX_TEXT_CHARS) }]
  switch (event.type) {
    case 'turn.started':
      return event.news
        ? one(`w${seq}`, 'message', textOf(event.parts))
        : one(`u${seq}`, 'message', textOf(event.parts.filter(isUserProvided)))
    case 'turn.steered':
      if (event.by === 'd-mail') return []
      if (event.news) return one(`w${seq}`, 'message', textOf(event.parts))
      if (event.by === 'guard') return one(`n${seq}`, 'message', noticeText(event))
      return one(`u${seq}`, 'message', textOf(event.parts.filter(isUserProvided)))
    case 'step.finished':
      return event.parts.flatMap((part) =>
        part.type === 'tool_call'
          ? []
          : one(`s:${event.stepId}`, part.type === 'thinking' ? 'thinking' : 'answer', withoutMarks(part.text)),
      )
    case 'tool.started':
      return one(`t:${event.callId}`, 'call', [event.summary, ...argumentTexts(event.input, event.summary)].join('\n'))
    case 'tool.finished':
      return one(`t:${event.callId}`, 'result', textOf(event.content))
    default:
      return []
  }
}

/** Removes Markdown marks of emphasis and code: readers do not see them, so a search ignores them. */
function withoutMarks(text: string): string {
  return text.replaceAll(/\*\*|~~|`/g, '')
}

/** The texts among the arguments of a call, except the one that its summary repeats. */
function argumentTexts(input: string, summary: string): string[] {
  try {
    const parsed: unknown = JSON.parse(input)
    if (typeof parsed !== 'object' || parsed === null) return []
    return Object.values(parsed).filter((value): value is string => typeof value === 'string' && value !== summary)
  } catch {
    return [input]
  }
}

/** Events read at a time, so that other work of the process can run in between. */
const CHUNK = 500
/** Maximum number of rows that a search returns; the count covers all matches. */
const MAX_ROWS = 10_000
/** How long the texts of a conversation stay in memory after a search, in ms. */
const KEPT_MS = 120_000

export interface FindQuery {
  /** Empty: reads the conversation, so that the next search is fast. */
  query: string
  matchCase: boolean
}

export interface ConversationFinder {
  find(sessionId: string, query: FindQuery): Promise<ConversationMatches>
  close(): void
}

interface Texts {
  sessionId: string
  /** The latest event that was read. */
  seq: number
  texts: ConversationText[]
  /** The texts in lower case. */
  folded: string[]
}

/**
 * Finds text in a whole conversation: messages, answers, thinking, calls and results. Keeps the texts of the last
 * searched conversation in memory for a while.
 */
export function createConversationFinder(store: Pick<Store, 'since' | 'header'>): ConversationFinder {
  let kept: Texts | undefined
  let reading: Promise<unknown> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  async function read(sessionId: string): Promise<Texts> {
    const own = kept?.sessionId === sessionId ? kept : { sessionId, seq: 0, texts: [], folded: [] }
    kept = own
    for (;;) {
      const events = store.since(sessionId, own.seq, CHUNK)
      for (const event of events) {
        for (const found of conversationTexts(event)) {
          own.texts.push(found)
          own.folded.push(found.text.toLowerCase())
        }
        own.seq = event.seq
      }
      if (events.length < CHUNK) return own
      await setImmediate()
    }
  }

  return {
    async find(sessionId, { query, matchCase }) {
      // One at a time: two searches must not read the same events into the same list.
      const work = reading.catch(() => undefined).then(() => read(sessionId))
      reading = work
      const texts = await work
      clearTimeout(timer)
      timer = setTimeout(() => (kept = undefined), KEPT_MS).unref()
      const header = store.header(sessionId)
      return header && query !== '' ? search(texts, header, query, matchCase) : { hits: [], rows: 0, matches: 0 }
    },
    close() {
      clearTimeout(timer)
      kept = undefined
    },
  }
}

function search(
  { texts, folded }: Texts,
  header: Pick<SessionHeader, 'cuts' | 'seq'>,
  query: string,
  matchCase: boolean,
): ConversationMatches {
  const wanted = matchCase ? query : query.toLowerCase()
  const plain = withoutMarks(wanted)
  const ranges = header.cuts ? visibleRanges(header.cuts, header.seq) : undefined
  const hits = new Map<string, ConversationHit>()
  let matches = 0
  texts.forEach(({ seq, itemId, part, text }, index) => {
    const isMarkdown = part === 'answer' || part === 'thinking'
    const count = occurrences(matchCase ? text : (folded[index] ?? ''), isMarkdown ? plain : wanted)
    // A restore may have removed it from the conversation.
    if (count === 0 || (ranges && !ranges.some(({ from, to }) => seq >= from && seq <= to))) return
    matches += count
    const known = hits.get(itemId)
    if (known) known.matches += count
    else hits.set(itemId, { seq, itemId, part, matches: count })
  })
  return { hits: [...hits.values()].slice(-MAX_ROWS), rows: hits.size, matches }
}

function occurrences(text: string, wanted: string): number {
  let count = 0
  if (wanted === '') return 0
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) count += 1
  return count
}
