import { useMemo } from 'react'
import { languageOfPath } from '../code/code-languages'
import type { CodeToken } from '../code/highlighter'
import { useCodeLines } from '../code/use-code-lines'
import type { DiffLine } from './diff-lines'

/** Longer diffs are left plain beyond this. */
const MOST_LINES = 600

/** The colours of a diff's lines: each side is read by itself, as the code that it is. */
export function useDiffColors(lines: readonly DiffLine[], path: string | undefined): (line: DiffLine) => readonly CodeToken[] | undefined {
  const language = (path !== undefined && languageOfPath(path)) || ''
  const { old, fresh } = useMemo(() => sidesOf(lines), [lines])
  const oldTokens = useCodeLines(old.texts, language, Math.min(old.texts.length, MOST_LINES), false)
  const freshTokens = useCodeLines(fresh.texts, language, Math.min(fresh.texts.length, MOST_LINES), false)
  return (line) => (line.kind === 'del' ? oldTokens[old.places.get(line) ?? -1] : freshTokens[fresh.places.get(line) ?? -1])
}

interface Side {
  texts: string[]
  places: Map<DiffLine, number>
}

function sidesOf(lines: readonly DiffLine[]): { old: Side; fresh: Side } {
  const [old, fresh]: Side[] = [
    { texts: [], places: new Map() },
    { texts: [], places: new Map() },
  ]
  const put = (side: Side, line: DiffLine): void => {
    side.places.set(line, side.texts.length)
    side.texts.push(line.text)
  }
  for (const line of lines) {
    if (line.kind === 'same' || line.kind === 'del') put(old!, line)
    if (line.kind === 'same' || line.kind === 'add') put(fresh!, line)
  }
  return { old: old!, fresh: fresh! }
}
