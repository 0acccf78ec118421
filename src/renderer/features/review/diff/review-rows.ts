import type {
  NotebookPart,
  ReviewComment,
  ReviewDiff,
  ReviewHunk,
  ReviewSide,
} from '../../../../shared/model/session/review'
import type { DiffLine } from '../../../format/diff-lines'
import { nameOfPart, isCellHeading, notebookPartAt } from '../../../format/notebook-lines'
import { shownHunk, type ShownHunk } from './shown-hunk'

/** One line of one side. `at`: its index in the lines of its shown hunk. */
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
  /** Chooses how a notebook is shown. */
  | { kind: 'notebook'; asJson: boolean }
  /** The cell of a notebook that the lines below belong to. */
  | { kind: 'cell'; text: string }
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
  /** Shows a notebook as the JSON that it is. */
  asJson: boolean
  kept: ReadonlySet<string>
  comments: readonly ReviewComment[]
  draft: CommentDraft | undefined
}

/** The rows of one file. */
export function rowsOf(diff: ShownDiff | undefined, options: RowOptions): ReviewRow[] {
  if (!diff) return [{ kind: 'loading', key: 'loading' }]
  const rows: ReviewRow[] = diff.notes.map((text, n) => ({ kind: 'note', key: `note ${n}`, text }))
  if (diff.secret !== undefined) rows.push({ kind: 'secret', key: 'secret', files: diff.secret })
  if (diff.notebook) rows.push({ kind: 'notebook', key: 'notebook', asJson: options.asJson })
  const hunks = shownHunks(diff, options.asJson)
  const { below, away } = placedComments(diff, hunks, options)
  rows.push(...away)
  hunks.forEach((hunk, index) => {
    const hidden = hiddenBefore(diff.hunks, index)
    const { new: start } = diff.hunks[index]!
    if (hidden > 0)
      rows.push({ kind: 'gap', key: `gap ${start}`, hunk: index, hidden, isStart: index === 0, isEnd: false })
    if (diff.notebook && !options.asJson) rows.push(...cellRows(diff.notebook, hunk, start))
    rows.push(...hunkRows(hunk, index, options, below))
  })
  const left = hiddenAfter(diff)
  if (left > 0 && diff.hunks.length > 0)
    rows.push({ kind: 'gap', key: 'gap end', hunk: diff.hunks.length, hidden: left, isStart: false, isEnd: true })
  return rows
}

/** The hunks of a file as they are shown: notebooks by cell. */
export function shownHunks({ hunks, notebook }: ShownDiff, asJson: boolean): ShownHunk[] {
  return hunks.map((hunk) => shownHunk(hunk, asJson ? undefined : notebook))
}

/** The heading of the cell that a hunk starts in, unless the hunk shows one. */
function cellRows(parts: readonly NotebookPart[], { lines }: ShownHunk, start: number): ReviewRow[] {
  const first = lines.find((line) => numberOf(line, 'new') !== undefined)
  const part = notebookPartAt(parts, (first && numberOf(first, 'new')) ?? start)
  if (!part || isCellHeading(lines[0]?.text ?? '')) return []
  return [{ kind: 'cell', key: `cell ${start}`, text: nameOfPart(part) }]
}

/** The comments and the draft, by the line above them (`HUNK AT`); `away`: their line is not on screen. */
function placedComments(
  { hunks }: ShownDiff,
  shown: readonly ShownHunk[],
  { comments, draft }: RowOptions,
): { below: Map<string, ReviewRow[]>; away: ReviewRow[] } {
  const below = new Map<string, ReviewRow[]>()
  const away: ReviewRow[] = []
  const put = (place: string | undefined, row: ReviewRow): void => {
    if (place === undefined) away.push(row)
    else below.set(place, [...(below.get(place) ?? []), row])
  }
  for (const comment of comments) {
    const place = comment.gone ? undefined : placeOf(hunks, shown, comment.side, comment.endLine)
    const row: ReviewRow =
      draft?.id === comment.id
        ? { kind: 'draft', key: `draft ${comment.id}`, draft }
        : { kind: 'comment', key: `comment ${comment.id}`, comment, isAway: place === undefined }
    put(place, row)
  }
  if (draft && draft.id === undefined)
    put(placeOf(hunks, shown, draft.side, draft.at), { kind: 'draft', key: 'draft', draft })
  return { below, away }
}

/** The row of a line, or the one above it if the cells of a notebook don't show it. */
function placeOf(
  hunks: readonly ReviewHunk[],
  shown: readonly ShownHunk[],
  side: ReviewSide,
  line: number,
): string | undefined {
  const index = hunks.findIndex((hunk) => hunk[side] <= line && line < endOf(hunk)[side])
  const at = shown[index]?.lines.findLastIndex((row) => (numberOf(row, side) ?? Infinity) <= line) ?? -1
  return at < 0 ? undefined : `${index} ${at}`
}

/** The number of a line on one side. */
function numberOf(line: DiffLine, side: ReviewSide): number | undefined {
  if (side === 'old') return line.kind === 'same' || line.kind === 'del' ? line.old : undefined
  return line.kind === 'same' || line.kind === 'add' ? line.new : undefined
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
  { lines, changes }: ShownHunk,
  index: number,
  { isSplit, kept }: RowOptions,
  below: ReadonlyMap<string, readonly ReviewRow[]>,
): ReviewRow[] {
  const rows: ReviewRow[] = []
  const starts = new Map(changes.map((change) => [change.at, change]))
  let [previous, nth] = ['', 0]
  const put = (pair: { old?: LineCell; new?: LineCell }, change?: string, isFirst = false): void => {
    const line = pair.new ? `n${pair.new.line}` : `o${pair.old!.line}`
    // A line of a notebook may take several rows.
    nth = line === previous ? nth + 1 : 0
    previous = line
    rows.push({
      kind: 'line',
      key: nth === 0 ? line : `${line}.${nth}`,
      hunk: index,
      ...(change !== undefined && { change }),
      ...(isFirst && { isFirst }),
      ...pair,
    })
    for (const at of new Set([pair.old?.at, pair.new?.at])) rows.push(...(below.get(`${index} ${at}`) ?? []))
  }
  for (let at = 0; at < lines.length;) {
    const change = starts.get(at)
    if (!change) {
      const line = lines[at]!
      if (line.kind === 'same') {
        const { kind, text } = line
        put({ old: { kind, line: line.old, text, at }, new: { kind, line: line.new, text, at } })
      } else rows.push({ kind: 'note', key: `remark ${previous}`, text: line.text })
      at += 1
      continue
    }
    const old: LineCell[] = []
    const fresh: LineCell[] = []
    const remarks: Remark[] = []
    for (const end = at + change.count; at < end; at += 1) {
      const line = lines[at]!
      if (line.kind === 'del') old.push({ kind: 'del', line: line.old, text: line.text, at })
      else if (line.kind === 'add') fresh.push({ kind: 'add', line: line.new, text: line.text, at })
      else remarks.push({ kind: (fresh.at(-1) ?? old.at(-1))?.kind, text: line.text })
    }
    if (kept.has(change.id)) {
      const { id } = change
      rows.push({ kind: 'kept', key: `kept ${id}`, change: id, added: fresh.length, removed: old.length })
      continue
    }
    const pairs: { old?: LineCell; new?: LineCell }[] = isSplit
      ? Array.from({ length: Math.max(old.length, fresh.length) }, (_, n) => ({
          ...(old[n] && { old: old[n] }),
          ...(fresh[n] && { new: fresh[n] }),
        }))
      : [...old.map((one) => ({ old: one })), ...fresh.map((one) => ({ new: one }))]
    for (const [n, pair] of pairs.entries()) put(pair, change.id, n === 0)
    for (const [n, text] of remarkTexts(remarks, old.length > 0 && fresh.length > 0).entries())
      rows.push({ kind: 'note', key: `remark ${change.id} ${n}`, text })
  }
  return rows
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
