import { bareLine, linesOf, textDifference } from './text-diff'

/** Lines of a text, from 1. */
export interface LineRange {
  line: number
  endLine: number
}

/** Where lines are after a text has changed. */
export interface MovedRange extends LineRange {
  /** None of the lines is left; the range says where they were. */
  isGone: boolean
}

/**
 * Where lines of a text are in a later version of it. Lines that stay move along; of a range, what is left of it
 * counts.
 */
export async function moveRange(before: string, after: string, { line, endLine }: LineRange): Promise<MovedRange> {
  if (before === after) return { line, endLine, isGone: false }
  const { runs } = await textDifference(...withSameEnds(before, after))
  let first: number | undefined
  let last: number | undefined
  for (let at = line - 1; at < endLine; at += 1) {
    let shift = 0
    let isKept = true
    for (const run of runs) {
      if (run.oldAt > at) break
      if (at < run.oldAt + run.old.length) isKept = false
      shift += run.new.length - run.old.length
    }
    if (!isKept) continue
    first ??= at + shift + 1
    last = at + shift + 1
  }
  if (first !== undefined && last !== undefined) return { line: first, endLine: last, isGone: false }
  const near = runs.find((run) => run.oldAt + run.old.length > line - 1 || run.oldAt >= line - 1)
  const count = linesOf(after).length
  const place = Math.max(1, Math.min(count, (near?.newAt ?? line - 1) + 1))
  return { line: place, endLine: place, isGone: true }
}

/** Line ends are no part of what a comment is on. */
function withSameEnds(before: string, after: string): [string, string] {
  return [plainEnds(before), plainEnds(after)]
}

function plainEnds(text: string): string {
  return linesOf(text)
    .map((line) => `${bareLine(line)}\n`)
    .join('')
}
