import type { DiffLine } from './diff-lines'

/** A stretch of a line, in characters. */
export interface Stretch {
  from: number
  to: number
}

/** Lines with more words than this are compared at their ends only. */
const MOST_WORDS = 160
/** Lines that share less than this of their text are other lines, not changed ones. */
const LEAST_SHARED = 0.35

/** What of each line has changed in it, by the line's index: removed lines are compared with the added ones that take their place, in order. */
export function changedWords(lines: readonly DiffLine[]): ReadonlyMap<number, readonly Stretch[]> {
  const marks = new Map<number, readonly Stretch[]>()
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

/** Undefined where the two have too little in common. */
function compare(old: string, fresh: string): { old: Stretch[]; fresh: Stretch[] } | undefined {
  const [a, b] = [wordsOf(old), wordsOf(fresh)]
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1
  const [innerA, innerB] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)]
  const [keptA, keptB] =
    innerA.length <= MOST_WORDS && innerB.length <= MOST_WORDS ? shared(innerA, innerB) : [new Set<number>(), new Set<number>()]
  const changedA = stretches(a, (n) => n >= head && n < a.length - tail && !keptA.has(n - head))
  const changedB = stretches(b, (n) => n >= head && n < b.length - tail && !keptB.has(n - head))
  const same = old.length - changedA.reduce((sum, { from, to }) => sum + to - from, 0)
  return same >= Math.max(old.trim().length, fresh.trim().length) * LEAST_SHARED ? { old: changedA, fresh: changedB } : undefined
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|./gu) ?? []
}

/** Which words both have, in the same order: the longest common sequence. Blanks alone are none. */
function shared(a: readonly string[], b: readonly string[]): [Set<number>, Set<number>] {
  const width = b.length + 1
  const lengths = new Uint16Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        a[i] === b[j] ? lengths[(i + 1) * width + j + 1]! + 1 : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!)
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

function stretches(words: readonly string[], isChanged: (index: number) => boolean): Stretch[] {
  const found: Stretch[] = []
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
