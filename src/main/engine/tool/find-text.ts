import { closestLines } from './closest-lines'

/** How often a text occurs; `lines` are those of the first 20 occurrences (from 1). */
export interface Occurrences {
  /** Overlapping ones included: `aa` is ambiguous in `aaa`. Counted up to 1,000. */
  count: number
  lines: number[]
  /** Where the first one begins. */
  first: number
}

const MAX_COUNT = 1_000
const MAX_LINES = 20

/** All occurrences of a text that is not empty. */
export function occurrences(text: string, wanted: string): Occurrences {
  const starts: number[] = []
  for (let at = text.indexOf(wanted); at >= 0 && starts.length < MAX_COUNT; at = text.indexOf(wanted, at + 1)) starts.push(at)
  return { count: starts.length, lines: linesAt(text, starts.slice(0, MAX_LINES)), first: starts[0] ?? -1 }
}

/** For an error: `3 times (lines 4, 9 and 12)`. */
export function describeOccurrences({ count, lines }: Occurrences): string {
  const more = count > lines.length ? ', …' : ''
  const distinct = [...new Set(lines)]
  const where = distinct.length === 1 ? `line ${distinct[0]}` : `lines ${distinct.join(', ')}`
  return `${count >= MAX_COUNT ? `${MAX_COUNT} times or more` : `${count} times`} (${where}${more})`
}

/** Line numbers of ascending positions, in one pass. */
function linesAt(text: string, positions: readonly number[]): number[] {
  let [line, from] = [1, 0]
  return positions.map((position) => {
    for (let feed = text.indexOf('\n', from); feed >= 0 && feed < position; feed = text.indexOf('\n', from)) {
      line++
      from = feed + 1
    }
    return line
  })
}

/**
 * Why a text that was not found may have been missed, as advice for the model: copied line numbers, other line endings, or the lines most like it. Says to read the file
 * again when there is nothing like it.
 */
export function nearMiss(text: string, wanted: string): string {
  const unnumbered = wanted.replace(/^ *\d+\t/gm, '')
  if (unnumbered !== wanted && unnumbered !== '' && text.includes(unnumbered))
    return 'It contains the line numbers that Read puts before each line; leave them out.'
  const at = withFeeds(text).indexOf(withFeeds(wanted))
  if (at >= 0) {
    const line = withFeeds(text).slice(0, at).split('\n').length
    return `Line ${line} differs only in line endings: this file ${text.includes('\r') ? 'has carriage returns there (\\r)' : 'has plain line feeds'}.`
  }
  return closestLines(text, wanted) ?? 'Nothing in the file is like it; read the file again and copy the text exactly as it is there.'
}

function withFeeds(lines: string): string {
  return lines.replaceAll('\r\n', '\n')
}
