import type { KeptOutput } from './output-log'
import { plainText } from './plain-text'

/** A command's output as a model reads it. */
export interface OutputText {
  text: string
  /** Characters of the whole plain text; if part of it is no longer in memory, the bytes printed. */
  totalChars: number
  truncated: boolean
}

/** Limit for shortened output, in bytes, so that a result with its notes stays below 20 kB. */
const SHOWN_BYTES = 19_000
/** The share of shortened output that shows its start; failures are usually reported at the end. */
const HEAD_SHARE = 0.35

/**
 * Plain text of what a command printed: all of it up to `maxChars`, else 19 kB of its start and end (or as much as is
 * allowed), cut at line breaks, with a line in between that says what is missing.
 */
export function outputText(
  output: KeptOutput,
  bytes: number,
  maxChars: number,
  fullOutputLocation: string,
): OutputText {
  const room = Math.min(maxChars, SHOWN_BYTES)
  if (output.dropped === 0) {
    const text = plainText(output.head)
    if (text.length <= maxChars) return { text, totalChars: text.length, truncated: false }
    const head = truncateToHead(text, Math.floor(room * HEAD_SHARE))
    const tail = truncateToTail(text, room - Buffer.byteLength(head))
    return {
      text: join(
        head,
        `${text.length - head.length - tail.length} of ${text.length} characters`,
        tail,
        fullOutputLocation,
      ),
      totalChars: text.length,
      truncated: true,
    }
  }
  const head = truncateToHead(plainText(output.head), Math.floor(room * HEAD_SHARE))
  const tail = truncateToTail(plainText(fromLineStart(output.tail)), room - Buffer.byteLength(head))
  return { text: join(head, `most of ${bytes} bytes`, tail, fullOutputLocation), totalChars: bytes, truncated: true }
}

function join(head: string, missing: string, tail: string, fullOutputLocation: string): string {
  const lineEnd = head === '' || head.endsWith('\n') ? '' : '\n'
  return `${head}${lineEnd}[... ${missing} left out. ${fullOutputLocation} ...]\n${tail}`
}

/** The end of a stream can start inside an escape sequence, so it is read from its first full line. */
function fromLineStart(chunks: readonly Uint8Array[]): Uint8Array[] {
  const [first, ...rest] = chunks
  if (!first) return []
  const lineEnd = first.indexOf(0x0a)
  if (lineEnd >= 0) return [first.subarray(lineEnd + 1), ...rest]
  let start = 0
  while (start < first.length && (first[start]! & 0xc0) === 0x80) start++
  return [first.subarray(start), ...rest]
}

/** At most `maxBytes` of the start, in UTF-8; complete lines, unless that costs more than half. */
export function truncateToHead(text: string, maxBytes: number): string {
  const max = fitting(text.length, maxBytes, (chars) => text.slice(0, chars))
  if (text.length <= max) return text
  const line = text.lastIndexOf('\n', max - 1) + 1
  const cut = max === 0 ? '' : text.slice(0, line > max / 2 ? line : max)
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut
}

/** At most `maxBytes` of the end, in UTF-8; complete lines, unless that costs more than half. */
export function truncateToTail(text: string, maxBytes: number): string {
  return truncateStart(
    text,
    fitting(text.length, maxBytes, (chars) => text.slice(text.length - chars)),
  )
}

/** At most `max` characters of the end; complete lines, unless that costs more than half. */
export function truncateStart(text: string, max: number): string {
  if (text.length <= max) return text
  const from = text.length - max
  const line = text.indexOf('\n', from - 1) + 1
  const cut = text.slice(line > 0 && line < from + max / 2 ? line : from)
  return /^[\udc00-\udfff]/.test(cut) ? cut.slice(1) : cut
}

/** The largest number of characters whose bytes are within the limit. */
function fitting(length: number, maxBytes: number, part: (chars: number) => string): number {
  let [low, high] = [0, Math.min(length, Math.max(0, maxBytes))]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (Buffer.byteLength(part(middle)) <= maxBytes) low = middle
    else high = middle - 1
  }
  return low
}
