import { hash } from 'node:crypto'
import type { ReviewHunk } from '../../../shared/model/session/review'
import { visibleText } from '../../../shared/visible-text'
import { lineEndings } from '../workspace/file/text-file'
import { cutText } from '../../../shared/cut-text'

/** A run of differing lines, including their line ends. `oldAt`, `newAt`: indexes of the first line. */
export interface LineRun {
  id: string
  oldAt: number
  newAt: number
  old: string[]
  new: string[]
}

export interface TextDifference {
  runs: LineRun[]
  old: string[]
  new: string[]
  /** Whether it is shown as completely replaced, because comparing took too long. */
  isCoarse: boolean
  /** Whether all line ends differ, so that lines are compared without them. */
  ignoresEnds: boolean
}

const CONTEXT = 3
/** After this time, the changed part is shown as completely replaced. */
const MAX_DIFF_MS = 500
/** With more lines, the search is limited to a few changes: at most this many lines times changes. */
const MANY = 40_000
const MAX_COMPARISONS = 20_000_000
/**
 * Up to this many lines, comparing is always fast, so the time limit, which a busy machine might reach, does not apply.
 */
const QUICK = 1_000

/** The runs of lines in which two texts differ. Takes bounded time for any input. */
export async function textDifference(before: string, after: string): Promise<TextDifference> {
  const [old, fresh] = [linesOf(before), linesOf(after)]
  const ends = [lineEndings(before), lineEndings(after)]
  const ignoresEnds = ends[0] !== ends[1] && ends.every((kind) => kind === 'lf' || kind === 'crlf')
  const [a, b] = ignoresEnds ? [old.map(bareLine), fresh.map(bareLine)] : [old, fresh]
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail])
    tail += 1
  const [innerA, innerB] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)]
  const parts = await compare(innerA, innerB)
  const whole = { oldAt: head, newAt: head, oldCount: innerA.length, newCount: innerB.length }
  const stretches = parts ? runsOf(parts, head) : innerA.length + innerB.length > 0 ? [whole] : []
  const seen = new Map<string, number>()
  const runs = stretches.map(({ oldAt, newAt, oldCount, newCount }): LineRun => {
    const lines = { old: old.slice(oldAt, oldAt + oldCount), new: fresh.slice(newAt, newAt + newCount) }
    const name = hash('sha256', JSON.stringify([lines.old, lines.new]), 'hex').slice(0, 16)
    const nth = seen.get(name) ?? 0
    seen.set(name, nth + 1)
    return { id: nth === 0 ? name : `${name}-${nth}`, oldAt, newAt, ...lines }
  })
  return { runs, old, new: fresh, isCoarse: parts === undefined, ignoresEnds }
}

interface Part {
  count: number
  added: boolean
  removed: boolean
}

async function compare(a: string[], b: string[]): Promise<Part[] | undefined> {
  if (a.length === 0 && b.length === 0) return []
  if (a.length === 0) return [{ count: b.length, added: true, removed: false }]
  if (b.length === 0) return [{ count: a.length, added: false, removed: true }]
  const { diffArrays } = await import('diff')
  const lines = a.length + b.length
  const limits =
    lines > MANY
      ? { maxEditLength: Math.floor(MAX_COMPARISONS / lines) }
      : lines > QUICK
        ? { timeout: MAX_DIFF_MS }
        : undefined
  const found = limits ? diffArrays(a, b, limits) : diffArrays(a, b)
  return found?.map(({ value, added, removed }) => ({ count: value.length, added, removed }))
}

interface Stretch {
  oldAt: number
  newAt: number
  oldCount: number
  newCount: number
}

function runsOf(parts: readonly Part[], start: number): Stretch[] {
  const runs: Stretch[] = []
  let [oldAt, newAt] = [start, start]
  let open: Stretch | undefined
  for (const { count, added, removed } of parts) {
    if (!added && !removed) {
      open = undefined
      oldAt += count
      newAt += count
      continue
    }
    if (!open) runs.push((open = { oldAt, newAt, oldCount: 0, newCount: 0 }))
    if (removed) {
      open.oldCount += count
      oldAt += count
    } else {
      open.newCount += count
      newAt += count
    }
  }
  return runs
}

/** The runs with their context lines, for display. */
export function hunksOf({ runs, old, new: fresh }: TextDifference): ReviewHunk[] {
  const hunks: ReviewHunk[] = []
  let at = 0
  while (at < runs.length) {
    let last = at
    while (last + 1 < runs.length && gapBetween(runs[last]!, runs[last + 1]!) <= 2 * CONTEXT) last += 1
    hunks.push(hunkOf(runs.slice(at, last + 1), old, fresh))
    at = last + 1
  }
  return hunks
}

function gapBetween(one: LineRun, next: LineRun): number {
  return next.newAt - (one.newAt + one.new.length)
}

function hunkOf(runs: readonly LineRun[], old: readonly string[], fresh: readonly string[]): ReviewHunk {
  const [first, last] = [runs[0]!, runs.at(-1)!]
  const lead = Math.min(CONTEXT, first.newAt, first.oldAt)
  const hunk: ReviewHunk = { old: first.oldAt - lead + 1, new: first.newAt - lead + 1, lines: [], changes: [] }
  const put = (sign: string, line: string, isLast: boolean): void => {
    hunk.lines.push(sign + shownLine(line))
    if (isLast && !line.endsWith('\n')) hunk.lines.push('\\No newline at the end of the file')
  }
  const same = (from: number, to: number): void => {
    for (let n = from; n < to; n += 1) put(' ', fresh[n]!, n === fresh.length - 1)
  }
  let at = first.newAt - lead
  for (const run of runs) {
    same(at, run.newAt)
    const start = hunk.lines.length
    run.old.forEach((line, n) => put('-', line, run.oldAt + n === old.length - 1))
    run.new.forEach((line, n) => put('+', line, run.newAt + n === fresh.length - 1))
    hunk.changes.push({ id: run.id, at: start, count: hunk.lines.length - start })
    at = run.newAt + run.new.length
  }
  same(at, Math.min(fresh.length, last.newAt + last.new.length + CONTEXT))
  return hunk
}

/** Longer lines are truncated for display. */
const MAX_LINE_CHARS = 2_000

/** A line for display: without its line end, with hidden characters escaped, and of limited length. */
export function shownLine(line: string): string {
  const bare = bareLine(line)
  if (bare.length <= MAX_LINE_CHARS) return visibleText(bare)
  const more = (bare.length - MAX_LINE_CHARS).toLocaleString('en-US')
  return `${visibleText(cutText(bare, MAX_LINE_CHARS).toWellFormed())}⋯ ${more} characters ⋯`
}

/** Lines including their ends, so that joining them gives the text again. */
export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

export function bareLine(line: string): string {
  return line.replace(/\r?\n$/, '')
}
