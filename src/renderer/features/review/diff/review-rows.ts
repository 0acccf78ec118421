import type { ReviewComment, ReviewDiff, ReviewHunk, ReviewSide } from '../../../../shared/model/session/review'
import type { DiffLine } from '../../../format/diff-lines'

/** One line of one side. `at`: its index in the lines of its hunk. */
export interface LineCell {
  kind: 'same' | 'add' | 'del'
  line: number
  text: string
  at: number
}

/** A comment that is being written. */
export interface CommentDraft {
  path: string
  side: ReviewSide
  line: number
  endLine: number
  text: string
  /** The line above its form, while the range changes. */
  at: number
  /** The comment being edited. */
  id?: string
}

/** A row below the header of a file. `key` stays the same while the content of the row does. */
export type ReviewRow = { key: string } & (
  | { kind: 'note'; text: string }
  | { kind: 'loading' }
  /** Lines that may be secrets, of this kind of file. */
  | { kind: 'secret'; files: string }
  /** Hidden lines before the hunk with this index. `isEnd`: after the last hunk. */
  | { kind: 'gap'; hunk: number; hidden: number; isStart: boolean; isEnd: boolean }
  | { kind: 'line'; hunk: number; old?: LineCell; new?: LineCell; change?: string; isFirst?: boolean }
  | { kind: 'kept'; change: string; added: number; removed: number }
  | { kind: 'comment'; comment: ReviewComment; isAway: boolean }
  | { kind: 'draft'; draft: CommentDraft }
)

/** The diff of a file as shown: its hunks, with the expanded lines around them. */
export interface ShownDiff extends ReviewDiff {
  hunks: ReviewHunk[]
}

export interface RowOptions {
  isSplit: boolean
  kept: ReadonlySet<string>
  comments: readonly ReviewComment[]
  draft: CommentDraft | undefined
}

/** The rows of one file. */
export function rowsOf(diff: ShownDiff | undefined, options: RowOptions): ReviewRow[] {
  if (!diff) return [{ kind: 'loading', key: 'loading' }]
  const rows: ReviewRow[] = diff.notes.map((text, n) => ({ kind: 'note', key: `note ${n}`, text }))
  if (diff.secret !== undefined) rows.push({ kind: 'secret', key: 'secret', files: diff.secret })
  const below = new Map<string, ReviewRow[]>()
  const away: ReviewRow[] = []
  const shown = shownLines(diff.hunks)
  for (const comment of options.comments) {
    const place = `${comment.side} ${comment.endLine}`
    const isAway = comment.gone === true || !shown.has(place)
    const isChanged = options.draft?.id === comment.id
    const row: ReviewRow = isChanged
      ? { kind: 'draft', key: `draft ${comment.id}`, draft: options.draft! }
      : { kind: 'comment', key: `comment ${comment.id}`, comment, isAway }
    if (isAway) away.push(row)
    else below.set(place, [...(below.get(place) ?? []), row])
  }
  const { draft } = options
  if (draft && draft.id === undefined) {
    const place = `${draft.side} ${draft.at}`
    const row: ReviewRow = { kind: 'draft', key: 'draft', draft }
    if (shown.has(place)) below.set(place, [...(below.get(place) ?? []), row])
    else away.push(row)
  }
  rows.push(...away)
  diff.hunks.forEach((hunk, index) => {
    const hidden = hiddenBefore(diff.hunks, index)
    if (hidden > 0)
      rows.push({ kind: 'gap', key: `gap ${hunk.new}`, hunk: index, hidden, isStart: index === 0, isEnd: false })
    rows.push(...hunkRows(hunk, index, options, below))
  })
  const left = hiddenAfter(diff)
  if (left > 0 && diff.hunks.length > 0)
    rows.push({ kind: 'gap', key: 'gap end', hunk: diff.hunks.length, hidden: left, isStart: false, isEnd: true })
  return rows
}

/** Number of hidden lines before a hunk. */
export function hiddenBefore(hunks: readonly ReviewHunk[], index: number): number {
  const before = hunks[index - 1]
  return hunks[index]!.new - (before ? endOf(before).new : 1)
}

/** Number of hidden lines after the last hunk. */
export function hiddenAfter({ hunks, newLines }: ReviewDiff): number {
  const last = hunks.at(-1)
  return last ? newLines + 1 - endOf(last).new : 0
}

/** The line numbers right after a hunk. */
export function endOf({ old, new: fresh, lines }: ReviewHunk): { old: number; new: number } {
  let [a, b] = [old, fresh]
  for (const line of lines) {
    const sign = line.charAt(0)
    if (sign === ' ' || sign === '-') a += 1
    if (sign === ' ' || sign === '+') b += 1
  }
  return { old: a, new: b }
}

function shownLines(hunks: readonly ReviewHunk[]): Set<string> {
  const shown = new Set<string>()
  for (const hunk of hunks) {
    const end = endOf(hunk)
    for (let n = hunk.old; n < end.old; n += 1) shown.add(`old ${n}`)
    for (let n = hunk.new; n < end.new; n += 1) shown.add(`new ${n}`)
  }
  return shown
}

/** A note that the line before it has no newline. */
interface Remark {
  kind: LineCell['kind'] | undefined
  text: string
}

/** A remark below both versions (`isBoth`) says which version it is about. */
function remarkTexts(remarks: readonly Remark[], isBoth: boolean): string[] {
  const [only, ...more] = remarks
  if (!only || !isBoth || more.length > 0) return [...new Set(remarks.map(({ text }) => text))]
  return [`${only.text} ${only.kind === 'del' ? 'before' : 'after'} this change`]
}

function hunkRows(
  hunk: ReviewHunk,
  index: number,
  { isSplit, kept }: RowOptions,
  below: ReadonlyMap<string, readonly ReviewRow[]>,
): ReviewRow[] {
  const rows: ReviewRow[] = []
  let [oldLine, newLine] = [hunk.old, hunk.new]
  const changes = new Map(hunk.changes.map((change) => [change.at, change]))
  const put = (row: Extract<ReviewRow, { kind: 'line' }>): void => {
    rows.push(row)
    if (row.old) rows.push(...(below.get(`old ${row.old.line}`) ?? []))
    if (row.new) rows.push(...(below.get(`new ${row.new.line}`) ?? []))
  }
  const cell = (at: number): LineCell | undefined => {
    const line = hunk.lines[at]!
    const text = line.slice(1)
    switch (line.charAt(0)) {
      case '+':
        return { kind: 'add', line: newLine++, text, at }
      case '-':
        return { kind: 'del', line: oldLine++, text, at }
      default:
        return undefined
    }
  }
  for (let at = 0; at < hunk.lines.length;) {
    const change = changes.get(at)
    const line = hunk.lines[at]!
    if (!change) {
      if (line.startsWith('\\')) rows.push({ kind: 'note', key: `remark ${newLine}`, text: line.slice(1) })
      else {
        const text = line.slice(1)
        put({
          kind: 'line',
          key: `n${newLine}`,
          hunk: index,
          old: { kind: 'same', line: oldLine++, text, at },
          new: { kind: 'same', line: newLine++, text, at },
        })
      }
      at += 1
      continue
    }
    const end = at + change.count
    const cells: LineCell[] = []
    const remarks: Remark[] = []
    for (let n = at; n < end; n += 1) {
      const made = cell(n)
      if (made) cells.push(made)
      else remarks.push({ kind: cells.at(-1)?.kind, text: hunk.lines[n]!.slice(1) })
    }
    const old = cells.filter(({ kind }) => kind === 'del')
    const fresh = cells.filter(({ kind }) => kind === 'add')
    at = end
    if (kept.has(change.id)) {
      rows.push({ kind: 'kept', key: `kept ${change.id}`, change: change.id, added: fresh.length, removed: old.length })
      continue
    }
    const pairs: { old?: LineCell; new?: LineCell }[] = isSplit
      ? Array.from({ length: Math.max(old.length, fresh.length) }, (_, n) => ({
          ...(old[n] && { old: old[n] }),
          ...(fresh[n] && { new: fresh[n] }),
        }))
      : [...old.map((one) => ({ old: one })), ...fresh.map((one) => ({ new: one }))]
    pairs.forEach((pair, n) =>
      put({
        kind: 'line',
        key: pair.new ? `n${pair.new.line}` : `o${pair.old!.line}`,
        hunk: index,
        change: change.id,
        ...(n === 0 && { isFirst: true }),
        ...pair,
      }),
    )
    for (const [n, text] of remarkTexts(remarks, old.length > 0 && fresh.length > 0).entries())
      rows.push({ kind: 'note', key: `remark ${change.id} ${n}`, text })
  }
  return rows
}

/** The lines of a hunk in the form used to compare words. */
export function diffLinesOf({ old, new: fresh, lines }: ReviewHunk): DiffLine[] {
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

/**
 * Adds lines of the gap before the hunk `index`; `from` is the first of them on the new side. Adjacent hunks are
 * merged.
 */
export function withLines(
  hunks: readonly ReviewHunk[],
  index: number,
  from: number,
  lines: readonly string[],
): ReviewHunk[] {
  const added = lines.map((line) => ` ${line}`)
  const [above, below] = [hunks[index - 1], hunks[index]]
  const isAtAbove = above !== undefined && endOf(above).new === from
  const isAtBelow = below !== undefined && from + lines.length === below.new
  if (isAtAbove && isAtBelow) {
    const shift = above.lines.length + added.length
    const merged: ReviewHunk = {
      ...above,
      lines: [...above.lines, ...added, ...below.lines],
      changes: [...above.changes, ...below.changes.map((change) => ({ ...change, at: change.at + shift }))],
    }
    return [...hunks.slice(0, index - 1), merged, ...hunks.slice(index + 1)]
  }
  if (isAtAbove) return hunks.with(index - 1, { ...above, lines: [...above.lines, ...added] })
  if (!isAtBelow) return [...hunks]
  return hunks.with(index, {
    old: below.old - added.length,
    new: below.new - added.length,
    lines: [...added, ...below.lines],
    changes: below.changes.map((change) => ({ ...change, at: change.at + added.length })),
  })
}
