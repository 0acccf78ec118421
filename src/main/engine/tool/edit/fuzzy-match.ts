/** The note to the model about a fuzzy replacement. */
export const FUZZY_MATCH_NOTE =
  'The text to replace matched except for white space around its lines; the indentation of the file was kept.'

/**
 * Replaces a text that occurs in the file once, as whole lines, when white space around lines is ignored. Lines that
 * stay are kept as they are in the file, and new lines get the file's indentation. Undefined when there is no match,
 * more than one, or no rule for the indentation.
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
  // Different line endings are not a matter of indentation.
  if (actual.some((line, index) => line.endsWith('\r') !== oldLines[index]!.endsWith('\r'))) return undefined
  const newLines = fitIndentation(
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
 * Both texts without a line feed that they both end with; `newText` undefined: the lines are removed. The old text is
 * undefined when only one of them ends with a line feed.
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

/** New lines with the file's indentation; undefined when that cannot be determined. */
function fitIndentation(pairs: readonly LinePair[], fresh: readonly string[]): string[] | undefined {
  const [first, ...rest] = pairs
  // A text copied from the middle of its first line lacks that line's indentation.
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

/** How closely a line that a model wrote is compared with a line of the file, from exact to loose. */
export const LINE_MATCHES = ['exact', 'line-end', 'white-space', 'punctuation'] as const
export type LineMatch = (typeof LINE_MATCHES)[number]

const SIMPLIFY: Readonly<Record<LineMatch, (line: string) => string>> = {
  exact: (line) => line,
  'line-end': (line) => line.trimEnd(),
  'white-space': (line) => line.trim(),
  punctuation: plainPunctuation,
}

/**
 * A line with plain characters instead of typographic ones, which models often replace, and without surrounding white
 * space.
 */
export function plainPunctuation(line: string): string {
  // True for most lines; normalizing is slow.
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

/** The lines of a text, compared as closely as requested. */
export class ComparedLines {
  readonly lines: readonly string[]
  readonly #simplified = new Map<LineMatch, readonly string[]>()

  constructor(lines: readonly string[]) {
    this.lines = lines
  }

  /** The positions of these lines, in order, at or after `from`. */
  find(wanted: readonly string[], match: LineMatch, from = 0): number[] {
    return places(this.#as(match), wanted.map(SIMPLIFY[match]), from)
  }

  /** The same as closely as possible: the positions from the first kind of comparison that finds any. */
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
 * The positions of these lines, including overlapping ones. Takes time proportional to the number of lines
 * (Knuth-Morris-Pratt algorithm): without it, thousands of blank lines in millions of them would take minutes.
 */
function places(lines: readonly string[], wanted: readonly string[], from: number): number[] {
  const [first] = wanted
  const found: number[] = []
  if (first === undefined) return found
  // For each wanted line: how many of the first wanted lines match the lines that end there.
  const known = wanted.map(() => 0)
  for (let at = 1, same = 0; at < wanted.length; at += 1) {
    while (same > 0 && wanted[at] !== wanted[same]) same = known[same - 1]!
    if (wanted[at] === wanted[same]) same += 1
    known[at] = same
  }
  // Most texts have few lines like the first wanted line, and `indexOf` finds those quickly.
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

/** A line as a model wrote it, and as it is in the file: equal except for surrounding white space. */
interface LinePair {
  written: string
  actual: string
}

/**
 * How to indent new lines to fit a file whose indentation differs from what the model wrote, learned from lines known
 * in both versions. Undefined when the pairs follow no rule.
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
 * Widths in the file are a linear function of the written widths. Applies only if each side is indented with one kind
 * of character.
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

/** If only one indentation is known on both sides, the relation of the others is derived from its width alone. */
function scaleOfOne(
  { from, to }: { from: number; to: number },
  { writtenKind, fileKind, indents }: Kinds,
): number | undefined {
  if (fileKind === undefined || writtenKind === undefined || fileKind === writtenKind) return 1
  if (from > 0 && to > 0) return to / from
  // Spaces were written where the file has tabs: the narrowest step counts as one tab. The width of a tab in spaces is
  // unknown.
  if (fileKind === '\t') return 1 / Math.min(...indents.map((indent) => indent.length).filter((width) => width > 0))
  return undefined
}

function kindOf(indents: readonly string[]): ' ' | '\t' | 'mixed' | undefined {
  const all = indents.join('')
  const [hasTabs, hasSpaces] = [all.includes('\t'), all.includes(' ')]
  return hasTabs && hasSpaces ? 'mixed' : hasTabs ? '\t' : hasSpaces ? ' ' : undefined
}
