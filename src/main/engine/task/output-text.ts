import type { KeptOutput } from './output-log'
import { plainText } from './plain-text'

/** A command's output as a model reads it. */
export interface OutputText {
  text: string
  /** Characters of the whole plain text; when part of it is no longer in memory, the bytes printed. */
  totalChars: number
  truncated: boolean
}

/** How much of a cut output shows its beginning; failures are usually told at the end. */
const HEAD_SHARE = 0.35

/** Plain text of what a command printed, at most about `maxChars`: beginning and end, cut at line ends, with a line between that says what is missing. */
export function outputText(output: KeptOutput, bytes: number, maxChars: number, whereIsAll: string): OutputText {
  if (output.dropped === 0) {
    const text = plainText(output.head)
    if (text.length <= maxChars) return { text, totalChars: text.length, truncated: false }
    const head = cutEnd(text, Math.floor(maxChars * HEAD_SHARE))
    const tail = cutStart(text, maxChars - head.length)
    return {
      text: join(head, `${text.length - head.length - tail.length} of ${text.length} characters`, tail, whereIsAll),
      totalChars: text.length,
      truncated: true,
    }
  }
  const head = cutEnd(plainText(output.head), Math.floor(maxChars * HEAD_SHARE))
  const tail = cutStart(plainText(fromLineStart(output.tail)), maxChars - head.length)
  return { text: join(head, `most of ${bytes} bytes`, tail, whereIsAll), totalChars: bytes, truncated: true }
}

function join(head: string, missing: string, tail: string, whereIsAll: string): string {
  const lineEnd = head === '' || head.endsWith('\n') ? '' : '\n'
  return `${head}${lineEnd}[... ${missing} left out. ${whereIsAll} ...]\n${tail}`
}

/** At most `max` characters of the beginning; whole lines, if that does not cost more than half. */
function cutEnd(text: string, max: number): string {
  if (text.length <= max) return text
  const line = text.lastIndexOf('\n', max - 1) + 1
  return wholeEnd(text.slice(0, line > max / 2 ? line : max))
}

/** At most `max` characters of the end; whole lines, if that does not cost more than half. */
export function cutStart(text: string, max: number): string {
  if (text.length <= max) return text
  const from = text.length - max
  const line = text.indexOf('\n', from - 1) + 1
  const cut = text.slice(line > 0 && line < from + max / 2 ? line : from)
  return /^[\udc00-\udfff]/.test(cut) ? cut.slice(1) : cut
}

function wholeEnd(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text
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
