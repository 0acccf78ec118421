import { isRecord, type JsonObject } from '../../../../shared/json-fields'
import { LightReadableStream } from '../../network/light-streams'

/**
 * Returns an event of a stream in the form the package should get; undefined: omit it. Returns the same object if
 * nothing needs to change.
 */
export type EventFilter = (event: JsonObject) => JsonObject | undefined

/** A piece of text, or a list of calls. Consecutive pieces of one kind are joined into one text or list. */
export interface AnswerPiece {
  kind: string
  said: string | readonly unknown[]
}

/**
 * How a wire splits an answer into pieces. Pieces that arrive together are passed to the package as one event, because
 * an event costs it much more than the content.
 */
export interface AnswerPieces {
  /** The piece in an event that contains nothing else. */
  of(event: JsonObject): AnswerPiece | undefined
  /** The last of several such events, with the content of all of them. */
  withAll(event: JsonObject, said: AnswerPiece['said']): JsonObject
}

const BLANK_LINE = /\r\n\r\n|\n\r\n|\n\n|\r\r/g
/** The longest blank line can start this many characters before the end of what has arrived. */
const LONGEST_START = 3
const DATA = 'data:'

/**
 * Passes every event with a JSON object through `readable` before the package sees it: the packages reject a whole
 * answer because of one unknown event or field, and providers add some every month. Anything that is not JSON passes
 * unchanged, and the package reports it as an error. Output that can be passed on never waits for more input.
 */
export function filterEvents(
  stream: Pick<ReadableStream<Uint8Array>, 'getReader'> | LightReadableStream<Uint8Array>,
  readable: EventFilter,
  pieces?: AnswerPieces,
): LightReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = stream.getReader()
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const encoder = new TextEncoder()
  /** The event whose end has not arrived yet; joined and searched once, however many pieces it has. */
  let waiting: string[] = []
  let last = ''
  const join = new PieceJoin(pieces)
  const add = (text: string): string => {
    const event = filterEvent(text, readable)
    return event ? join.add(event) : ''
  }
  const take = (text: string): string => {
    waiting.push(text)
    const near = last + text
    BLANK_LINE.lastIndex = 0
    if (!BLANK_LINE.test(near)) {
      last = near.slice(-LONGEST_START)
      return join.flush()
    }
    const rest = waiting.join('')
    let out = ''
    let begin = 0
    BLANK_LINE.lastIndex = rest.length - near.length
    for (let found = BLANK_LINE.exec(rest); found; found = BLANK_LINE.exec(rest)) {
      out += add(rest.slice(begin, BLANK_LINE.lastIndex))
      begin = BLANK_LINE.lastIndex
    }
    waiting = [rest.slice(begin)]
    last = rest.slice(begin).slice(-LONGEST_START)
    return out + join.flush()
  }
  return new LightReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      for (;;) {
        const { done, value } = await reader.read()
        // The rest at the end is an event without its blank line.
        const out = done
          ? take(decoder.decode()) + add(waiting.join('')) + join.flush()
          : take(decoder.decode(value, { stream: true }))
        if (out !== '') controller.enqueue(encoder.encode(out))
        if (done) controller.close()
        if (done || out !== '') return
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

interface FilteredEvent {
  /** The original text if nothing needs to change. */
  text: string | undefined
  /** Undefined if it is not a JSON object. */
  event: JsonObject | undefined
}

/** Joins the pieces among the events of one stream. */
class PieceJoin {
  readonly #pieces: AnswerPieces | undefined
  /** The latest piece, held until it is known whether the next event continues it. */
  #held: (FilteredEvent & AnswerPiece & { event: JsonObject }) | undefined

  constructor(pieces: AnswerPieces | undefined) {
    this.#pieces = pieces
  }

  /** Returns what can be passed on after this event. */
  add(next: FilteredEvent): string {
    const { event } = next
    const piece = event && this.#pieces?.of(event)
    if (!event || !piece) return this.flush() + written(next)
    if (this.#held?.kind === piece.kind) {
      this.#held = { event, text: undefined, kind: piece.kind, said: joined(this.#held.said, piece.said) }
      return ''
    }
    const before = this.flush()
    this.#held = { ...next, event, ...piece }
    return before
  }

  /** Returns what has been held back. */
  flush(): string {
    const held = this.#held
    if (!held) return ''
    this.#held = undefined
    return held.text ?? written({ text: undefined, event: this.#pieces!.withAll(held.event, held.said) })
  }
}

/** Two pieces of one kind are either both text or both lists. */
function joined(before: AnswerPiece['said'], next: AnswerPiece['said']): AnswerPiece['said'] {
  return typeof before === 'string' || typeof next === 'string'
    ? `${String(before)}${String(next)}`
    : before.concat(next)
}

function written({ text, event }: FilteredEvent): string {
  return text ?? `data: ${JSON.stringify(event)}\n\n`
}

/** The result for one event: its own text, another object, or nothing. */
function filterEvent(text: string, readable: EventFilter): FilteredEvent | undefined {
  let event: unknown
  try {
    event = JSON.parse(dataOf(text))
  } catch {
    return { text, event: undefined }
  }
  if (!isRecord(event)) return { text, event: undefined }
  const known = readable(event)
  return known && { text: known === event ? text : undefined, event: known }
}

/** The data of an event; nearly all are one line of it, the last. */
function dataOf(text: string): string {
  const begin = text.startsWith(DATA) ? 0 : text.indexOf(`\n${DATA}`) + 1
  if (text.startsWith(DATA, begin) && text.indexOf('\n', begin) === text.length - 2 && !text.includes('\r'))
    return text.slice(begin + DATA.length, -2)
  return text
    .split(/\r\n|\r|\n/)
    .flatMap((line) => (line.startsWith(DATA) ? [line.slice(DATA.length)] : []))
    .join('\n')
}
