import type { NotebookPart, ReviewChange, ReviewHunk } from '../../../../shared/model/session/review'
import type { DiffLine } from '../../../format/diff-lines'
import { codeInCells, notebookLines, notebookPartAt, type PictureLine } from '../../../format/notebook-lines'

/** A hunk as it is shown. `at` and `count` of its changes are about these lines. */
export interface ShownHunk {
  lines: readonly DiffLine[]
  changes: readonly ReviewChange[]
  /** In cells of a notebook: the code of each line, empty for the others. */
  code?: readonly string[]
}

/** A hunk keeps what is derived from it, so that a new comment does not compute all colors again. */
const asText = new WeakMap<ReviewHunk, ShownHunk>()
const asCells = new WeakMap<ReviewHunk, ShownHunk>()

/** The lines of a hunk; with the parts of its notebook, those of its cells. */
export function shownHunk(hunk: ReviewHunk, notebook: readonly NotebookPart[] | undefined): ShownHunk {
  const known = notebook ? asCells : asText
  const before = known.get(hunk)
  if (before) return before
  const made = notebook ? inCells(hunk, notebook) : { lines: diffLinesOf(hunk), changes: hunk.changes }
  known.set(hunk, made)
  return made
}

function inCells(hunk: ReviewHunk, notebook: readonly NotebookPart[]): ShownHunk {
  const raw = diffLinesOf(hunk)
  const lines: DiffLine[] = []
  // Where the rows of each line start, and where the last ones end.
  const starts = notebookLines(raw, notebook).map((rows, at) => {
    const start = lines.length
    for (const row of rows) lines.push(row.kind === 'picture' ? named(row, raw[at]!) : row)
    return start
  })
  starts.push(lines.length)
  const changes = hunk.changes.map(({ id, at, count }) => {
    const start = starts[at]!
    return { id, at: start, count: starts[at + count]! - start }
  })
  const first = notebookPartAt(notebook, hunk.new)
  const code = codeInCells(lines, first === undefined || (first.kind === 'code' && !first.isOutput))
  return { lines, changes, code }
}

/** A picture is only named, because long lines of a review are truncated, and its rows show text. */
function named({ mediaType, data }: PictureLine, line: DiffLine): DiffLine {
  return { ...line, text: `— Image (${mediaType}, ${data.length.toLocaleString()} characters)` }
}

function diffLinesOf({ old, new: fresh, lines }: ReviewHunk): DiffLine[] {
  let [a, b] = [old, fresh]
  return lines.map((line): DiffLine => {
    const text = line.slice(1)
    switch (line.charAt(0)) {
      case '+':
        return { kind: 'add', new: b++, text }
      case '-':
        return { kind: 'del', old: a++, text }
      case '\\':
        return { kind: 'note', text }
      default:
        return { kind: 'same', old: a++, new: b++, text }
    }
  })
}
