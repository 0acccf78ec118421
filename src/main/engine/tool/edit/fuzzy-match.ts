/** The note to the model about such a replacement. */
export const FUZZY_MATCH_NOTE =
  'The text to replace matched except for white space around its lines; the indentation of the file was kept.'

/**
 * Replaces a text that is in the file once, as whole lines, when white space around lines is not looked at. Lines that
 * stay are left as the file has them, and new ones get the file's indentation. Undefined when there is no such place,
 * several, or no telling how to indent.
 */
export function fuzzyReplace(
  text: string,
  oldString: string,
  newString: string,
): { text: string; line: number } | undefined {
  const [oldText, newText] = withoutLastFeed(oldString, newString)
  if (oldText === undefined || oldText.trim() === '') return undefined
  const lines = text.split('\n')
  const oldLines = oldText.split('\n')
  const compared = new ComparedLines(lines)
  const [start, ...others] = compared.find(oldLines, 'white-space')
  if (start === undefined || others.length > 0) return undefined
  const actual = lines.slice(start, start + oldLines.length)
  // Other line endings are no matter of indentation.
  if (actual.some((line, index) => line.endsWith('\r') !== oldLines[index]!.endsWith('\r'))) return undefined
  const newLines = fitted(
    oldLines.map((written, index) => ({ written, actual: actual[index]! })),
    newText === undefined ? [] : newText.split('\n'),
  )
  if (!newLines) return undefined
  return {
    text: [...lines.slice(0, start), ...newLines, ...lines.slice(start + oldLines.length)].join('\n'),
    line: start + 1,
  }
}

/**
 * Both texts without a line feed that both end with; `newText` undefined: the lines go. The old text is undefined when
 * only one of them ends so.
 */
function withoutLastFeed(
  oldString: string,
  newString: string,
): [oldText: string | undefined, newText: string | undefined] {
  const [old, fresh] = [oldString.endsWith('\n'), newString.endsWith('\n')]
  if (old && newString === '') return [oldString.slice(0, -1), undefined]
  if (old !== fresh) return [undefined, undefined]
  return old ? [oldString.slice(0, -1), newString.slice(0, -1)] : [oldString, newString]
}

/** New lines as they belong into the file; undefined when their indentation cannot be told. */
function fitted(pairs: readonly LinePair[], fresh: readonly string[]): string[] | undefined {
  const [first, ...rest] = pairs
  // A text that was copied from the middle of its first line has no indentation there.
  const isCut = first !== undefined && rest.length > 0 && /^\S/.test(first.written) && /^\s/.test(first.actual)
  const indent = reindenter(pairs, fresh) ?? (isCut ? reindenter(rest, fresh.slice(1)) : undefined)
  if (!indent) return undefined
  const kept = new Map<string, string | undefined>()
  for (const { written, actual } of pairs)
    kept.set(written, kept.has(written) && kept.get(written) !== actual ? undefined : actual)
  return fresh.map((line, index) => {
    const same = kept.get(line)
    if (same !== undefined) return same
    if (index === 0 && isCut && first) return /^\s*/.exec(first.actual)![0] + line.trimStart()
    return indent(line)
  })
}

/** How closely a line that a model has written is compared with one of the file: from exact to loose. */
export const LINE_MATCHES = ['exact', 'line-end', 'white-space', 'punctuation'] as const
export type LineMatch = (typeof LINE_MATCHES)[number]

const SIMPLIFY: Readonly<Record<LineMatch, (line: string) => string>> = {
  exact: (line) => line,
  'line-end': (line) => line.trimEnd(),
  'white-space': (line) => line.trim(),
  punctuation: plainPunctuation,
}

/** A line with the typographic characters that models replace written plainly, without white space around it. */
export function plainPunctuation(line: string): string {
  // Most lines, and normalizing is slow.
  if (/^\p{ASCII}*$/u.test(line)) return line.replace(/\s+/g, ' ').trim()
  return line
    .normalize('NFKC')
    .replace(/[\u2018\u2019\u201a\u201b\u2032]/g, "'")
    .replace(/[\u201c\u201d\u201e\u201f\u2033]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u200b-\u200d\ufeff]/g, '')
    .replace(/\s+/gu, ' ')
    .trim()
}

/** The lines of a text, compared as closely as is asked for. */
export class ComparedLines {
  readonly lines: readonly string[]
  readonly #simplified = new Map<LineMatch, readonly string[]>()

  constructor(lines: readonly string[]) {
    this.lines = lines
  }

  /** Where these lines stand, in order, at `from` or behind it. */
  find(wanted: readonly string[], match: LineMatch, from = 0): number[] {
    return places(this.#as(match), wanted.map(SIMPLIFY[match]), from)
  }

  /** The same as closely as possible: the places of the first comparison that finds any. */
  findClosest(wanted: readonly string[], from = 0): { match: LineMatch; places: number[] } | undefined {
    for (const match of LINE_MATCHES) {
      const places = this.find(wanted, match, from)
      if (places.length > 0) return { match, places }
    }
    return undefined
  }

  #as(match: LineMatch): readonly string[] {
    if (match === 'exact') return this.lines
    let simplified = this.#simplified.get(match)
    if (!simplified) this.#simplified.set(match, (simplified = this.lines.map(SIMPLIFY[match])))
    return simplified
  }
}

/**
 * Where these lines stand, overlapping places included. In time proportional to the number of lines (the algorithm of
 * Knuth, Morris and Pratt): thousands of blank lines in millions of them would take minutes otherwise.
 */
function places(lines: readonly string[], wanted: readonly string[], from: number): number[] {
  const [first] = wanted
  const found: number[] = []
  if (first === undefined) return found
  // For each line that is wanted: with how many of the first ones the lines up to it end.
  const known = wanted.map(() => 0)
  for (let at = 1, same = 0; at < wanted.length; at += 1) {
    while (same > 0 && wanted[at] !== wanted[same]) same = known[same - 1]!
    if (wanted[at] === wanted[same]) same += 1
    known[at] = same
  }
  // Most texts have few lines like the first one, and `indexOf` finds them quickly.
  for (let at = Math.max(0, from), same = 0; at < lines.length; at += 1) {
    while (same > 0 && lines[at] !== wanted[same]) same = known[same - 1]!
    if (same === 0) {
      at = lines.indexOf(first, at)
      if (at < 0) break
    }
    same += 1
    if (same < wanted.length) continue
    found.push(at - wanted.length + 1)
    same = known[same - 1]!
  }
  return found
}

/** A line as a model has written it, and as it is in the file: equal but for white space around it. */
interface LinePair {
  written: string
  actual: string
}

/**
 * How new lines have to be indented to fit a file that is indented in another way than the model thought: learned from
 * lines of which both versions are known. Undefined when the pairs follow no rule.
 */
export function reindenter(
  pairs: readonly LinePair[],
  fresh: readonly string[],
): ((line: string) => string) | undefined {
  const known = new Map<string, string>()
  for (const { written, actual } of pairs) {
    if (written.trim() === '') continue
    const [from, to] = [indentOf(written), indentOf(actual)]
    if ((known.get(from) ?? to) !== to) return undefined
    known.set(from, to)
  }
  const indents = [...new Set(fresh.filter((line) => line.trim() !== '').map(indentOf))].filter(
    (indent) => !known.has(indent),
  )
  if (known.size === 0 || [...known].every(([from, to]) => from === to)) return (line) => line
  const widen = indents.length === 0 ? undefined : widthRule(known, indents)
  if (indents.length > 0 && !widen) return undefined
  return (line) => {
    if (line.trim() === '') return line
    const indent = indentOf(line)
    return (known.get(indent) ?? widen?.(indent) ?? indent) + line.slice(indent.length)
  }
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)![0]
}

/**
 * Widths in the file are a linear function of those written. Only where each side is indented with one kind of
 * character.
 */
function widthRule(
  known: ReadonlyMap<string, string>,
  indents: readonly string[],
): ((indent: string) => string) | undefined {
  const writtenKind = kindOf([...known.keys(), ...indents])
  const fileKind = kindOf([...known.values()])
  if (writtenKind === 'mixed' || fileKind === 'mixed') return undefined
  const points = [...known]
    .map(([from, to]) => ({ from: from.length, to: to.length }))
    .toSorted((a, b) => a.from - b.from)
  const [low, high] = [points[0]!, points.at(-1)!]
  const scale =
    high.from > low.from
      ? (high.to - low.to) / (high.from - low.from)
      : scaleOfOne(low, { writtenKind, fileKind, indents })
  if (scale === undefined) return undefined
  const offset = low.to - scale * low.from
  const widthOf = (width: number): number => scale * width + offset
  if (points.some(({ from, to }) => Math.abs(widthOf(from) - to) > 1e-9)) return undefined
  const fill = fileKind ?? writtenKind ?? ' '
  return (indent) => fill.repeat(Math.max(0, Math.round(widthOf(indent.length))))
}

interface Kinds {
  writtenKind: string | undefined
  fileKind: string | undefined
  indents: readonly string[]
}

/** With one indentation known on both sides, its width alone has to tell how the others relate. */
function scaleOfOne(
  { from, to }: { from: number; to: number },
  { writtenKind, fileKind, indents }: Kinds,
): number | undefined {
  if (fileKind === undefined || writtenKind === undefined || fileKind === writtenKind) return 1
  if (from > 0 && to > 0) return to / from
  // Spaces written where the file has tabs: the narrowest step is one tab. What a tab is in spaces is not known.
  if (fileKind === '\t') return 1 / Math.min(...indents.map((indent) => indent.length).filter((width) => width > 0))
  return undefined
}

function kindOf(indents: readonly string[]): ' ' | '\t' | 'mixed' | undefined {
  const all = indents.join('')
  const [hasTabs, hasSpaces] = [all.includes('\t'), all.includes(' ')]
  return hasTabs && hasSpaces ? 'mixed' : hasTabs ? '\t' : hasSpaces ? ' ' : undefined
}
