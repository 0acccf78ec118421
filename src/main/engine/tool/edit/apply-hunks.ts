import { FileProblem } from '../../workspace/path/file-problem'
import { closestLines } from './find-text'
import { ComparedLines, type LineMatch, reindenter } from './fuzzy-match'
import { withoutGap, type Hunk, type HunkLine } from './parse-patch'

/** The position of a hunk, the number of lines it replaces, and the replacement lines. */
interface Replacement {
  start: number
  length: number
  lines: string[]
  number: number
  isLoose: boolean
}

/**
 * A text with the hunks applied to it. Lines that a hunk keeps stay as they are in the text, even if they match only
 * loosely; so does the presence of a line feed at the end. Throws a `FileProblem` for the first hunk that matches
 * nowhere or in several places.
 */
export function applyHunks(text: string, hunks: readonly Hunk[], shown: string): { text: string; loose: number } {
  const isEnded = text === '' || text.endsWith('\n')
  const lines = text === '' ? [] : (isEnded ? text.slice(0, -1) : text).split('\n')
  const place = new HunkPlacer(lines, shown, hunks.length)
  const replacements = hunks.map((hunk, index) => place.replacement(hunk, index + 1))
  const ordered = replacements.toSorted((a, b) => a.start - b.start)
  const made: string[] = []
  let at = 0
  for (const { start, length, lines: fresh, number } of ordered) {
    if (start < at)
      throw new FileProblem(
        `Hunk ${number} of ${hunks.length} for ${shown} changes the same lines as another one. Nothing was written.`,
      )
    for (; at < start; at++) made.push(lines[at]!)
    // One by one, because a call cannot take as many arguments as a file can have lines.
    for (const line of fresh) made.push(line)
    at = start + length
  }
  for (; at < lines.length; at++) made.push(lines[at]!)
  const joined = made.join('\n')
  return {
    text: isEnded && made.length > 0 ? `${joined}\n` : joined,
    loose: replacements.filter(({ isLoose }) => isLoose).length,
  }
}

class HunkPlacer {
  readonly #compared: ComparedLines
  readonly #shown: string
  readonly #count: number
  /** After the previous hunk. */
  #cursor = 0

  constructor(lines: readonly string[], shown: string, count: number) {
    this.#compared = new ComparedLines(lines)
    this.#shown = shown
    this.#count = count
  }

  replacement(hunk: Hunk, number: number): Replacement {
    const found = this.#place(hunk, number)
    const { start, match, lines } = found
    const old = lines.filter(({ kind }) => kind !== 'add')
    const actual = this.#compared.lines.slice(start, start + old.length)
    const pairs = old.map(({ text }, index) => ({ written: text, actual: actual[index]! }))
    const added = lines.filter(({ kind }) => kind === 'add').map(({ text }) => text)
    const indent = (match === 'white-space' || match === 'punctuation') && reindenter(pairs, added)
    const fresh: string[] = []
    let at = 0
    for (const { kind, text } of lines) {
      if (kind === 'add') fresh.push(indent ? indent(text) : text)
      else if (kind === 'keep') fresh.push(actual[at++]!)
      else at++
    }
    this.#cursor = Math.max(this.#cursor, start + old.length)
    return { start, length: old.length, lines: fresh, number, isLoose: match !== 'exact' && match !== 'line-end' }
  }

  #place(hunk: Hunk, number: number): { start: number; match: LineMatch; lines: readonly HunkLine[] } {
    const { length } = this.#compared.lines
    const anchor = this.#positionAfterAnchors(hunk.anchors)
    if (hunk.lines.every(({ kind }) => kind === 'add')) {
      if (hunk.anchors.length > 0 && anchor === undefined) throw this.#notFound(number, hunk.anchors.at(-1)!)
      return { start: hunk.isAtEnd ? length : (anchor ?? length), match: 'exact', lines: hunk.lines }
    }
    // Empty lines at the end of a hunk may only be a gap before the next one.
    const shorter = withoutGap(hunk.lines)
    for (const lines of shorter.length < hunk.lines.length ? [hunk.lines, shorter] : [hunk.lines]) {
      const wanted = oldText(lines)
      const found = wanted.length > 0 ? this.#find(wanted, hunk, anchor) : undefined
      if (!found) continue
      const { places, match } = found
      if (places.length > 1)
        throw new FileProblem(
          `Hunk ${number} of ${this.#count} matches ${places.length} places in ${this.#shown} (lines ${places
            .slice(0, 10)
            .map((place) => place + 1)
            .join(
              ', ',
            )}). Add lines around it, or a line "@@ " with the function or class it is in. Nothing was written.`,
        )
      return { start: places[0]!, match, lines }
    }
    throw this.#notFound(number, oldText(shorter).join('\n'))
  }

  /** The matching positions: only one, unless the hunk is ambiguous. */
  #find(
    wanted: readonly string[],
    { isAtEnd, anchors }: Hunk,
    anchor: number | undefined,
  ): { match: LineMatch; places: number[] } | undefined {
    if (isAtEnd) {
      const atEnd = this.#compared.findClosest(wanted, Math.max(0, this.#compared.lines.length - wanted.length))
      if (atEnd) return atEnd
    }
    const behind = this.#compared.findClosest(wanted, anchor ?? this.#cursor)
    if (behind)
      return anchor === undefined || anchors.length === 0 ? behind : { ...behind, places: behind.places.slice(0, 1) }
    // Hunks in a different order than the file, and anchors located elsewhere, do no harm if the lines occur only once.
    return this.#compared.findClosest(wanted)
  }

  /** The position after the anchors; undefined if there are no anchors or one of them is missing. */
  #positionAfterAnchors(anchors: readonly string[]): number | undefined {
    if (anchors.length === 0) return undefined
    return this.#search(anchors, this.#cursor) ?? this.#search(anchors, 0)
  }

  #search(anchors: readonly string[], from: number): number | undefined {
    let at = from
    for (const anchor of anchors) {
      const [exact] = this.#compared.findClosest([anchor], at)?.places ?? []
      const found =
        exact ?? this.#compared.lines.findIndex((line, index) => index >= at && line.includes(anchor.trim()))
      if (found < 0) return undefined
      at = found + 1
    }
    return at
  }

  #notFound(number: number, wanted: string): FileProblem {
    const which = this.#count === 1 ? 'The hunk' : `Hunk ${number} of ${this.#count}`
    const closest =
      closestLines(this.#compared.lines.join('\n'), wanted) ??
      `It looks for ${JSON.stringify(wanted.slice(0, 200).toWellFormed())}; nothing in the file resembles it. ` +
        'Read the file again.'
    return new FileProblem(`${which} for ${this.#shown} was not found in it. Nothing was written. ${closest}`)
  }
}

function oldText(lines: readonly HunkLine[]): string[] {
  return lines.filter(({ kind }) => kind !== 'add').map(({ text }) => text)
}
