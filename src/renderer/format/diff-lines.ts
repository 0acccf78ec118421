import { linesInFold, visibleText } from '../../shared/visible-text'

/** One row of a diff. `old` and `new` are line numbers from 1. */
export type DiffLine =
  | { kind: 'same'; old: number; new: number; text: string }
  | { kind: 'add'; new: number; text: string }
  | { kind: 'del'; old: number; text: string }
  /** Hidden lines between two hunks. */
  | { kind: 'gap'; hidden: number; text: string }
  | { kind: 'note'; text: string }

/**
 * Parses a unified diff of one file, with invisible characters written out. Lines it does not understand become notes
 * instead of being lost.
 */
export function diffLines(diff: string): DiffLine[] {
  const lines: DiffLine[] = []
  const rawLines = diff.replace(/\n$/, '').split('\n')
  const isCrlf = endsWithCr(rawLines)
  const shown = (line: string): string => visibleText(isCrlf ? line.slice(1).replace(/\r$/, '') : line.slice(1))
  let oldLine = 0
  let newLine = 0
  let inHunk = false
  for (const line of rawLines) {
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/.exec(line)
    if (hunk) {
      // For a side without lines, the header names the line before it.
      const oldStart = Number(hunk[1]) + (hunk[2] === '0' ? 1 : 0)
      const newStart = Number(hunk[3]) + (hunk[4] === '0' ? 1 : 0)
      const hidden = newStart - newLine
      // The line numbers already show that text precedes the first hunk.
      if (inHunk && hidden > 0) lines.push({ kind: 'gap', hidden, text: hunk[5] ?? '' })
      oldLine = oldStart
      newLine = newStart
      inHunk = true
    } else if (!inHunk) {
      if (
        !/^(?:---|\+\+\+|diff |index |Index:|={3,}|new file|deleted file|old mode|new mode|similarity|rename)/.test(
          line,
        ) &&
        line !== ''
      )
        lines.push({ kind: 'note', text: line })
    } else if (line.startsWith('+')) {
      lines.push({ kind: 'add', new: newLine, text: shown(line) })
      newLine += linesInFold(line.slice(1))
    } else if (line.startsWith('-')) {
      lines.push({ kind: 'del', old: oldLine, text: shown(line) })
      oldLine += linesInFold(line.slice(1))
    } else if (line.startsWith('\\')) {
      lines.push({ kind: 'note', text: line.slice(1).trim() })
    } else {
      lines.push({ kind: 'same', old: oldLine, new: newLine, text: shown(line) })
      oldLine += linesInFold(line.slice(1))
      newLine += linesInFold(line.slice(1))
    }
  }
  return lines
}

/**
 * Whether every line ends with a carriage return, which can then be hidden. If only some lines have one, the difference
 * must be visible. A last line without an end does not count.
 */
function endsWithCr(lines: readonly string[]): boolean {
  const start = lines.findIndex((line) => line.startsWith('@@ ')) + 1
  return lines.every(
    (line, n) => n < start || !/^[ +-]/.test(line) || line.endsWith('\r') || lines[n + 1]?.startsWith('\\'),
  )
}

/** A range of a line, in characters. */
export interface TextRange {
  from: number
  to: number
}

/** Lines with more words than this are compared only at their ends. */
const MAX_WORDS = 160
/** Lines that share less than this fraction of their text count as different lines, not as changed ones. */
const MIN_SHARED = 0.35

/**
 * The changed ranges of each line, by the line's index: removed lines are compared with the added lines that replace
 * them, in order.
 */
export function changedWords(lines: readonly DiffLine[]): ReadonlyMap<number, readonly TextRange[]> {
  const marks = new Map<number, readonly TextRange[]>()
  for (let start = 0; start < lines.length; start += 1) {
    if (lines[start]?.kind !== 'del') continue
    let middle = start
    while (lines[middle]?.kind === 'del') middle += 1
    let end = middle
    while (lines[end]?.kind === 'add') end += 1
    for (let n = 0; n < Math.min(middle - start, end - middle); n += 1) {
      const [old, fresh] = [lines[start + n]!, lines[middle + n]!]
      const changed = compare(old.text, fresh.text)
      if (!changed) continue
      marks.set(start + n, changed.old)
      marks.set(middle + n, changed.fresh)
    }
    start = Math.max(start, end - 1)
  }
  return marks
}

/** Undefined when the two lines have too little in common. */
function compare(old: string, fresh: string): { old: TextRange[]; fresh: TextRange[] } | undefined {
  const [a, b] = [wordsOf(old), wordsOf(fresh)]
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail])
    tail += 1
  const [innerA, innerB] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)]
  const [keptA, keptB] =
    innerA.length <= MAX_WORDS && innerB.length <= MAX_WORDS
      ? shared(innerA, innerB)
      : [new Set<number>(), new Set<number>()]
  const changedA = stretches(a, (n) => n >= head && n < a.length - tail && !keptA.has(n - head))
  const changedB = stretches(b, (n) => n >= head && n < b.length - tail && !keptB.has(n - head))
  const same = old.length - changedA.reduce((sum, { from, to }) => sum + to - from, 0)
  return same >= Math.max(old.trim().length, fresh.trim().length) * MIN_SHARED
    ? { old: changedA, fresh: changedB }
    : undefined
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|./gu) ?? []
}

/** The words that both have in the same order: the longest common subsequence. Whitespace alone does not count. */
function shared(a: readonly string[], b: readonly string[]): [Set<number>, Set<number>] {
  const width = b.length + 1
  const lengths = new Uint16Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        a[i] === b[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!)
    }
  }
  const [inA, inB] = [new Set<number>(), new Set<number>()]
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) {
      inA.add(i)
      inB.add(j)
      i += 1
      j += 1
    } else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) i += 1
    else j += 1
  }
  return [inA, inB]
}

function stretches(words: readonly string[], isChanged: (index: number) => boolean): TextRange[] {
  const found: TextRange[] = []
  let at = 0
  for (const [n, word] of words.entries()) {
    const last = found.at(-1)
    if (isChanged(n)) {
      if (last?.to === at) last.to += word.length
      else found.push({ from: at, to: at + word.length })
    }
    at += word.length
  }
  return found
}
