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
    const simplify = SIMPLIFY[match]
    const needle = wanted.map(simplify)
    const lines = this.#as(match)
    const [first] = needle
    const found: number[] = []
    if (first === undefined) return found
    for (let at = lines.indexOf(first, from); at >= 0 && at + needle.length <= lines.length; at = lines.indexOf(first, at + 1)) {
      if (needle.every((line, index) => lines[at + index] === line)) found.push(at)
    }
    return found
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
