import { isFields, type Fields } from './field-of'

/** One event of a stream as the package is to be given it; undefined: not at all. It returns the same object where nothing is to be changed. */
export type ReadableEvent = (event: Fields) => Fields | undefined

const BLANK_LINE = /\r\n\r\n|\n\r\n|\n\n|\r\r/g
/** The longest blank line may begin so many characters before the end of what has arrived. */
const LONGEST_START = 3

/**
 * An event stream in which `readable` has seen every event with a JSON object before the package does: the packages refuse a whole answer for one event or
 * one field that they do not know, and providers add some every month. Whatever is not JSON passes as it is: that is an error, and the package reports it.
 */
export function filteredEvents(stream: ReadableStream<Uint8Array>, readable: ReadableEvent): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = stream.getReader()
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const encoder = new TextEncoder()
  let rest = ''
  const take = (text: string): string => {
    const from = Math.max(0, rest.length - LONGEST_START)
    rest += text
    let out = ''
    let begin = 0
    BLANK_LINE.lastIndex = from
    for (let found = BLANK_LINE.exec(rest); found; found = BLANK_LINE.exec(rest)) {
      out += filtered(rest.slice(begin, BLANK_LINE.lastIndex), readable)
      begin = BLANK_LINE.lastIndex
    }
    rest = rest.slice(begin)
    return out
  }
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read()
          // What is left at the end is an event without its blank line.
          const out = done ? take(decoder.decode()) + filtered(rest, readable) : take(decoder.decode(value, { stream: true }))
          if (out !== '') controller.enqueue(encoder.encode(out))
          if (done) controller.close()
          if (done || out !== '') return
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

function filtered(text: string, readable: ReadableEvent): string {
  const data = text
    .split(/\r\n|\r|\n/)
    .flatMap((line) => (line.startsWith('data:') ? [line.slice('data:'.length)] : []))
    .join('\n')
  let event: unknown
  try {
    event = JSON.parse(data)
  } catch {
    return text
  }
  if (!isFields(event)) return text
  const known = readable(event)
  if (known === event) return text
  return known === undefined ? '' : `data: ${JSON.stringify(known)}\n\n`
}
