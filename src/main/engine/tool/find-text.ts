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
  return `${count >= MAX_COUNT ? `${MAX_COUNT} times or more` : `${count} times`} (lines ${lines.join(', ')}${more})`
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
 * Why a text that was not found may have been missed, as advice for the model: copied line numbers, or a place that differs only in line
 * endings, white space, or look-alike characters. Undefined when there is nothing like it.
 */
export function nearMiss(text: string, wanted: string): string | undefined {
  const unnumbered = wanted.replace(/^ *\d+\t/gm, '')
  if (unnumbered !== wanted && unnumbered !== '' && text.includes(unnumbered))
    return 'It contains the line numbers that Read puts before each line; leave them out.'
  const exceptReturns = findLoosely(text, wanted, (line) => line.replaceAll('\r', ''))
  if (exceptReturns !== undefined)
    return `Line ${exceptReturns} differs only in line endings: this file ${text.includes('\r') ? 'has carriage returns there (\\r)' : 'has plain line feeds'}.`
  const exceptSpaces = findLoosely(text, wanted, (line) => line.replace(/\s+/gu, ' ').trim())
  if (exceptSpaces !== undefined)
    return `Line ${exceptSpaces} differs only in white space or indentation; copy it exactly as Read shows it.`
  const exceptLooks = findLoosely(text, wanted, lookAlike)
  if (exceptLooks !== undefined)
    return `Line ${exceptLooks} differs only in look-alike characters (quotes, dashes, spaces, accents); copy it exactly as Read shows it.`
  return undefined
}

function lookAlike(line: string): string {
  return line
    .normalize('NFKC')
    .replace(/[\u2018\u2019\u201a\u201b\u2032]/g, "'")
    .replace(/[\u201c\u201d\u201e\u201f\u2033]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u200b-\u200d\ufeff]/g, '')
    .replace(/\s+/gu, ' ')
    .trim()
}

/** Beyond this a search for similar text would take too long. */
const MAX_LOOSE_CHARS = 4 * 1024 * 1024

/** The line where `wanted` begins when lines are compared after `simplify`; its first and last line may be parts of lines. */
function findLoosely(text: string, wanted: string, simplify: (line: string) => string): number | undefined {
  if (text.length > MAX_LOOSE_CHARS || wanted.length > MAX_LOOSE_CHARS) return undefined
  const needle = wanted.split('\n').map(simplify)
  // Empty lines at the ends would match anywhere.
  const skipped = needle.findIndex((line) => line !== '')
  if (skipped < 0) return undefined
  const lines = needle.slice(skipped, needle.findLastIndex((line) => line !== '') + 1)
  const haystack = text.split('\n').map(simplify)
  const last = lines.length - 1
  const fits = (line: string, index: number): boolean => {
    const part = lines[index]!
    if (last === 0) return line.includes(part)
    return index === 0 ? line.endsWith(part) : index === last ? line.startsWith(part) : line === part
  }
  for (let at = 0; at + last < haystack.length; at++) {
    if (lines.every((_, index) => fits(haystack[at + index]!, index))) return at + 1
  }
  return undefined
}
