import type { ReviewComment, ReviewFile, ReviewMarks } from '../../../shared/model/session/review'
import type { ReviewBlock } from './diff/review-scroller'
import { rowsOf, shownHunks, type CommentDraft, type ReviewRow, type ShownDiff } from './diff/review-rows'
import { codeCellPath } from '../../format/notebook-lines'
import type { ReviewState } from './review-store'

interface Known {
  inputs: readonly unknown[]
  block: ReviewBlock
}

const NO_COMMENTS: readonly ReviewComment[] = []
const NO_KEPT: readonly string[] = []

/** Makes the blocks of a review. A file with unchanged inputs keeps its block, so that it is not rendered again. */
export class ReviewBlocks {
  readonly #known = new Map<string, Known>()

  make(
    state: Pick<ReviewState, 'list' | 'diffs' | 'marks' | 'draft'>,
    isSplit: boolean,
    isOpen: (path: string) => boolean,
    isJson: (path: string) => boolean,
  ): ReviewBlock[] {
    const { list, diffs, marks, draft } = state
    const comments = byPath(marks.comments)
    return (list?.files ?? []).map((file) => {
      const diff = diffs.get(file.path)
      const isFolded = isViewed(marks, file) && !isOpen(file.path)
      return this.#blockFor(file, diff, {
        isSplit,
        isFolded,
        asJson: isJson(file.path),
        kept: marks.kept[file.path] ?? NO_KEPT,
        comments: comments.get(file.path) ?? NO_COMMENTS,
        draft: draft?.path === file.path ? draft : undefined,
      })
    })
  }

  #blockFor(
    file: ReviewFile,
    diff: ShownDiff | undefined,
    options: {
      isSplit: boolean
      isFolded: boolean
      asJson: boolean
      kept: readonly string[]
      comments: readonly ReviewComment[]
      draft: CommentDraft | undefined
    },
  ): ReviewBlock {
    const { isSplit, isFolded, asJson, kept, comments, draft } = options
    const inputs = [
      file.key,
      file.name,
      diff,
      isSplit,
      isFolded,
      asJson,
      kept.join(' '),
      JSON.stringify(comments),
      draftKey(draft),
    ]
    const known = this.#known.get(file.path)
    if (known && inputs.every((input, n) => input === known.inputs[n])) return known.block
    const rows: readonly ReviewRow[] = isFolded
      ? []
      : rowsOf(diff, { isSplit, asJson, kept: new Set(kept), comments, draft })
    const hunks = diff && !isFolded ? shownHunks(diff, asJson) : []
    const colorsOf = diff?.notebook && !asJson ? codeCellPath(diff.language) : file.path
    const block: ReviewBlock = { id: file.path, file, diff, hunks, colorsOf, rows }
    this.#known.set(file.path, { inputs, block })
    return block
  }
}

/** Omits the text of the draft, which its form keeps, so that typing does not rebuild the rows. */
function draftKey(draft: CommentDraft | undefined): string {
  return draft ? `${draft.id ?? ''} ${draft.side} ${draft.line} ${draft.endLine}` : ''
}

function byPath(comments: readonly ReviewComment[]): ReadonlyMap<string, readonly ReviewComment[]> {
  return Map.groupBy(comments, ({ path }) => path)
}

/** Whether this version of the file was viewed. */
export function isViewed(marks: ReviewMarks, { path, key }: ReviewFile): boolean {
  return marks.viewed[path]?.includes(key) ?? false
}

/** The changes of all files in order, each with its first row. */
export function changesIn(blocks: readonly ReviewBlock[]): { path: string; change: string; row: string }[] {
  return blocks.flatMap(({ id: path, rows }) =>
    rows.flatMap((row) =>
      (row.kind === 'line' && row.isFirst) || row.kind === 'kept' ? [{ path, change: row.change!, row: row.key }] : [],
    ),
  )
}
