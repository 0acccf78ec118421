import { truncateToHead, truncateToTail } from './truncate-text'
import type { KeptOutput } from './output-log'
import { plainText } from './plain-text'

/** A command's output as a model reads it. */
export interface OutputText {
  text: string
  /** Characters of the whole plain text; when part of it is no longer in memory, the bytes printed. */
  totalChars: number
  truncated: boolean
}

/** Bytes that are left of a longer output, so that a result has no more than 20 kB with what is said about it. */
const SHOWN_BYTES = 19_000
/** How much of a cut output shows its beginning; failures are usually told at the end. */
const HEAD_SHARE = 0.35

/**
 * Plain text of what a command printed: all of it up to `maxChars`, else 19 kB of its beginning and end (or as much as is allowed), cut at line ends, with a line between that says
 * what is missing.
 */
export function outputText(output: KeptOutput, bytes: number, maxChars: number, whereIsAll: string): OutputText {
  const room = Math.min(maxChars, SHOWN_BYTES)
  if (output.dropped === 0) {
    const text = plainText(output.head)
    if (text.length <= maxChars) return { text, totalChars: text.length, truncated: false }
    const head = truncateToHead(text, Math.floor(room * HEAD_SHARE))
    const tail = truncateToTail(text, room - Buffer.byteLength(head))
    return {
      text: join(head, `${text.length - head.length - tail.length} of ${text.length} characters`, tail, whereIsAll),
      totalChars: text.length,
      truncated: true,
    }
  }
  const head = truncateToHead(plainText(output.head), Math.floor(room * HEAD_SHARE))
  const tail = truncateToTail(plainText(fromLineStart(output.tail)), room - Buffer.byteLength(head))
  return { text: join(head, `most of ${bytes} bytes`, tail, whereIsAll), totalChars: bytes, truncated: true }
}

function join(head: string, missing: string, tail: string, whereIsAll: string): string {
  const lineEnd = head === '' || head.endsWith('\n') ? '' : '\n'
  return `${head}${lineEnd}[... ${missing} left out. ${whereIsAll} ...]\n${tail}`
}

/** The end of a stream begins anywhere, also within an escape code: it is read from its first whole line on. */
function fromLineStart(chunks: readonly Uint8Array[]): Uint8Array[] {
  const [first, ...rest] = chunks
  if (!first) return []
  const lineEnd = first.indexOf(0x0a)
  if (lineEnd >= 0) return [first.subarray(lineEnd + 1), ...rest]
  let start = 0
  while (start < first.length && (first[start]! & 0xc0) === 0x80) start++
  return [first.subarray(start), ...rest]
}
