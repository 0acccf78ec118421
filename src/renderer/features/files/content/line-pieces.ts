import type { TextMatch } from '../../../../shared/model/project/file-view'
import type { CodeToken } from '../../../ui/code/code-lines'

/** A part of a line that looks the same throughout. */
export interface LinePiece {
  text: string
  /** Class of its color. */
  kind: string
  /** Set when it matches the search. */
  match?: 'match' | 'current'
}

/** A range in a line, in characters. */
export interface MatchRange {
  from: number
  to: number
  isCurrent: boolean
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The matches in a line, converted from byte positions to characters. */
export function matchRanges(line: string, matches: readonly TextMatch[], current: TextMatch | undefined): MatchRange[] {
  // oxlint-disable-next-line no-control-regex -- Characters of one byte.
  const isPlain = /^[\u0000-\u007f]*$/.test(line)
  const bytes = isPlain ? undefined : encoder.encode(line)
  const chars = (byte: number): number => (bytes ? decoder.decode(bytes.subarray(0, byte)).length : byte)
  return matches.map((match) => ({
    from: chars(match.at),
    to: chars(match.at + match.bytes),
    isCurrent: match === current,
  }))
}

/** A line with its colors and matches, in order. `ranges` don't overlap. */
export function linePieces(
  line: string,
  tokens: readonly CodeToken[] | undefined,
  ranges: readonly MatchRange[],
): LinePiece[] {
  const colored: LinePiece[] = tokens?.map(({ text, kind }) => ({ text, kind })) ?? [{ text: line, kind: 'plain' }]
  if (ranges.length === 0) return colored
  const pieces: LinePiece[] = []
  let at = 0
  for (const { text, kind } of colored) {
    const end = at + text.length
    let from = at
    for (const range of ranges) {
      if (range.to <= from || range.from >= end) continue
      const [start, stop] = [Math.max(from, range.from), Math.min(end, range.to)]
      if (start > from) pieces.push({ text: text.slice(from - at, start - at), kind })
      pieces.push({ text: text.slice(start - at, stop - at), kind, match: range.isCurrent ? 'current' : 'match' })
      from = stop
    }
    if (from < end) pieces.push({ text: text.slice(from - at), kind })
    at = end
  }
  return pieces
}
