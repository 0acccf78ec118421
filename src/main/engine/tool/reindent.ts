/** A line as a model has written it, and as it is in the file: equal but for white space around it. */
export interface LinePair {
  written: string
  actual: string
}

/**
 * How new lines have to be indented to fit a file that is indented in another way than the model thought: learned from lines of which both versions are known.
 * Undefined when the pairs follow no rule.
 */
export function reindenter(pairs: readonly LinePair[], fresh: readonly string[]): ((line: string) => string) | undefined {
  const known = new Map<string, string>()
  for (const { written, actual } of pairs) {
    if (written.trim() === '') continue
    const [from, to] = [indentOf(written), indentOf(actual)]
    if ((known.get(from) ?? to) !== to) return undefined
    known.set(from, to)
  }
  const indents = [...new Set(fresh.filter((line) => line.trim() !== '').map(indentOf))].filter((indent) => !known.has(indent))
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

/** Widths in the file are a linear function of those written. Only where each side is indented with one kind of character. */
function widthRule(known: ReadonlyMap<string, string>, indents: readonly string[]): ((indent: string) => string) | undefined {
  const writtenKind = kindOf([...known.keys(), ...indents])
  const fileKind = kindOf([...known.values()])
  if (writtenKind === 'mixed' || fileKind === 'mixed') return undefined
  const points = [...known].map(([from, to]) => ({ from: from.length, to: to.length })).toSorted((a, b) => a.from - b.from)
  const [low, high] = [points[0]!, points.at(-1)!]
  const scale = high.from > low.from ? (high.to - low.to) / (high.from - low.from) : scaleOfOne(low, { writtenKind, fileKind, indents })
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
function scaleOfOne({ from, to }: { from: number; to: number }, { writtenKind, fileKind, indents }: Kinds): number | undefined {
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
