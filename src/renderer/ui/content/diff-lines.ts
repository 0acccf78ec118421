import { linesInFold } from '../../../shared/model/visible-text'

/** One row of a diff. `old` and `new` are line numbers from 1. */
export type DiffLine =
  | { kind: 'same'; old: number; new: number; text: string }
  | { kind: 'add'; new: number; text: string }
  | { kind: 'del'; old: number; text: string }
  /** Lines between two hunks that are not shown. */
  | { kind: 'gap'; hidden: number; text: string }
  | { kind: 'note'; text: string }

/** Reads a unified diff of one file. What it does not understand becomes a note rather than being lost. */
export function diffLines(diff: string): DiffLine[] {
  const lines: DiffLine[] = []
  let oldLine = 0
  let newLine = 0
  let inHunk = false
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/.exec(line)
    if (hunk) {
      // A side without lines names the line before it.
      const oldStart = Number(hunk[1]) + (hunk[2] === '0' ? 1 : 0)
      const newStart = Number(hunk[3]) + (hunk[4] === '0' ? 1 : 0)
      const hidden = newStart - newLine
      // What comes before the first hunk is plain from its line numbers.
      if (inHunk && hidden > 0) lines.push({ kind: 'gap', hidden, text: hunk[5] ?? '' })
      oldLine = oldStart
      newLine = newStart
      inHunk = true
    } else if (!inHunk) {
      if (!/^(?:---|\+\+\+|diff |index |Index:|={3,}|new file|deleted file|old mode|new mode|similarity|rename)/.test(line) && line !== '')
        lines.push({ kind: 'note', text: line })
    } else if (line.startsWith('+')) {
      lines.push({ kind: 'add', new: newLine, text: line.slice(1) })
      newLine += linesInFold(line.slice(1))
    } else if (line.startsWith('-')) {
      lines.push({ kind: 'del', old: oldLine, text: line.slice(1) })
      oldLine += linesInFold(line.slice(1))
    } else if (line.startsWith('\\')) {
      lines.push({ kind: 'note', text: line.slice(1).trim() })
    } else {
      lines.push({ kind: 'same', old: oldLine, new: newLine, text: line.slice(1) })
      oldLine += linesInFold(line.slice(1))
      newLine += linesInFold(line.slice(1))
    }
  }
  return lines
}
