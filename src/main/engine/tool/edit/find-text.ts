import { visibleText } from '../../../../shared/visible-text'
import { plainPunctuation } from './fuzzy-match'
import { cutText } from '../../../../shared/cut-text'

/** How often a text occurs; `lines` are the line numbers (from 1) of the first 20 occurrences. */
export interface Occurrences {
  /** Including overlapping occurrences: `aa` is ambiguous in `aaa`. Counted up to 1,000. */
  count: number
  lines: number[]
  /** The position of the first occurrence. */
  first: number
}

const MAX_COUNT = 1_000
const MAX_LINES = 20

/** All occurrences of a non-empty text. */
export function findOccurrences(text: string, wanted: string): Occurrences {
  const starts: number[] = []
  for (let at = text.indexOf(wanted); at >= 0 && starts.length < MAX_COUNT; at = text.indexOf(wanted, at + 1))
    starts.push(at)
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
 * Why a text may not have been found, as advice for the model: copied line numbers, different line endings, or the most
 * similar lines. Suggests reading the file again when nothing is similar.
 */
export function explainNoMatch(text: string, wanted: string): string {
  if (text === '') return 'The file is empty; give it content with Write.'
  const unnumbered = wanted.replace(/^ *\d+\t/gm, '')
  if (unnumbered !== wanted && unnumbered !== '' && text.includes(unnumbered))
    return 'It contains the line numbers that Read puts before each line; leave them out.'
  const at = withFeeds(text).indexOf(withFeeds(wanted))
  if (at >= 0) {
    const line = withFeeds(text).slice(0, at).split('\n').length
    return (
      `Line ${line} differs only in line endings: ` +
      `this file ${text.includes('\r') ? 'has carriage returns there (\\r)' : 'has plain line feeds'}.`
    )
  }
  return (
    closestLines(text, wanted) ??
    'Nothing in the file resembles it; read the file again and copy the text exactly as it is there.'
  )
}

function withFeeds(lines: string): string {
  return lines.replaceAll('\r\n', '\n')
}

const MAX_SHOWN_LINES = 12
const MAX_LINE_CHARS = 200
/** Above these limits, a search for similar lines would take too long. */
const MAX_TEXT_CHARS = 1024 * 1024
const MAX_WANTED_LINES = 200
const MAX_COMPARED_CHARS = 300
/** Lines that are less similar than this are not worth showing. */
const MIN_SIMILARITY = 0.5

/**
 * The lines of a file that are most similar to a text that was not found in it, for an error: numbered, and each line
 * that differs is followed by what was written instead. If only white space differs, it is made visible. Undefined when
 * nothing is similar.
 */
export function closestLines(text: string, wanted: string): string | undefined {
  if (text.length > MAX_TEXT_CHARS) return undefined
  const sought = trimBlank(wanted.split('\n')).slice(0, MAX_WANTED_LINES)
  const lines = text.split('\n')
  const start = closestStart(lines, sought)
  if (start === undefined) return undefined
  const end = Math.min(start + sought.length, lines.length, start + MAX_SHOWN_LINES)
  const width = String(end).length
  const rows: string[] = []
  for (let at = start; at < end; at++) {
    const [there, written] = [lines[at]!, sought[at - start]!]
    const number = String(at + 1).padStart(width)
    if (there === written) rows.push(`  ${number}  ${shown(there)}`)
    else {
      const draw = displayOf(there, written)
      rows.push(`- ${number}  ${draw(there)}`, `+ ${' '.repeat(width)}  ${draw(written)}`)
    }
  }
  const more = sought.length - (end - start)
  const range = end - start === 1 ? `Line ${start + 1} is` : `Lines ${start + 1}-${end} are`
  return (
    `${range} the closest ("-" is the file, "+" what you gave; where only white space differs, ` +
    `→ is a tab and · a space):\n${rows.join('\n')}${more > 0 ? `\n  … ${more} more` : ''}`
  )
}

function trimBlank(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== '')
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex((line) => line.trim() !== '') + 1)
}

/**
 * The window in which the most lines are equal except for white space and punctuation; otherwise the window around the
 * line most similar to the longest requested line.
 */
function closestStart(lines: readonly string[], sought: readonly string[]): number | undefined {
  if (sought.length === 0) return undefined
  const plain = lines.map(plainOf)
  const places = new Map<string, number[]>()
  for (const [offset, line] of sought.map(plainOf).entries()) {
    // Lone brackets are not distinctive.
    if (/[\p{L}\p{N}]/u.test(line)) places.set(line, [...(places.get(line) ?? []), offset])
  }
  const votes = new Map<number, number>()
  for (const [at, line] of plain.entries()) {
    for (const offset of places.get(line) ?? [])
      if (at >= offset) votes.set(at - offset, (votes.get(at - offset) ?? 0) + 1)
  }
  const [best] = [...votes].toSorted((a, b) => b[1] - a[1] || a[0] - b[0])
  if (best) return best[0]
  return mostSimilar(plain, sought.map(plainOf))
}

/** The line without white space, and with plain characters instead of typographic ones. */
function plainOf(line: string): string {
  return plainPunctuation(line).replaceAll(' ', '')
}

function mostSimilar(plain: readonly string[], sought: readonly string[]): number | undefined {
  const offset = sought.reduce((longest, line, at) => (line.length > sought[longest]!.length ? at : longest), 0)
  const wanted = pairsOf(sought[offset]!)
  const { length } = sought[offset]!
  if (wanted.size === 0) return undefined
  let best = { at: -1, score: MIN_SIMILARITY }
  for (const [at, line] of plain.entries()) {
    // Their lengths differ too much for them to be similar enough.
    if (line.length * 4 < length || line.length > length * 4) continue
    const score = similarity(wanted, pairsOf(line))
    if (score > best.score) best = { at, score }
  }
  return best.at < 0 ? undefined : Math.max(0, best.at - offset)
}

/** Pairs of adjacent characters. */
function pairsOf(line: string): Set<string> {
  const pairs = new Set<string>()
  const end = Math.min(line.length, MAX_COMPARED_CHARS) - 1
  for (let at = 0; at < end; at++) pairs.add(line.slice(at, at + 2))
  return pairs
}

function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (b.size === 0) return 0
  let both = 0
  for (const pair of a) if (b.has(pair)) both++
  return (2 * both) / (a.size + b.size)
}

/** How to display two lines so that their difference is visible. */
function displayOf(a: string, b: string): (line: string) => string {
  if (withoutSpace(a) === withoutSpace(b))
    return (line) => shown(line.replaceAll(' ', '·').replaceAll('\t', '→').replaceAll('\r', '␍'))
  if (plainPunctuation(a) === plainPunctuation(b))
    return (line) =>
      shown(line.replace(/[^\p{ASCII}]/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`))
  return shown
}

function withoutSpace(line: string): string {
  return line.replace(/\s+/gu, '')
}

function shown(line: string): string {
  const visible = visibleText(line)
  return visible.length > MAX_LINE_CHARS ? `${cutText(visible, MAX_LINE_CHARS)}…` : visible
}
