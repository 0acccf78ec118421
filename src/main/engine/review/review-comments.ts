import { CodedError } from '../../../shared/errors'
import type { ReviewComment, ReviewSide } from '../../../shared/model/session/review'
import { addRefs, type CheckpointPaths } from '../checkpoint/capture/checkpoint-files'
import type { BlobStore } from '../checkpoint/capture/file-state'
import type { SideText } from './file-texts'
import type { Notes, NoteStore, StoredComment } from './review-notes'
import { bareLine, linesOf, textDifference } from './text-diff'

/** What a client writes. */
export interface NewComment {
  path: string
  side: ReviewSide
  line: number
  endLine: number
  text: string
}

interface CommentDeps {
  notes: NoteStore
  blobs: BlobStore
  place: CheckpointPaths
  newId(prefix: string): string
}

/** Maximum number of quoted lines. */
const MAX_QUOTED = 20

/** Stores a comment on lines of `text`. */
export function addComment(deps: CommentDeps, sessionId: string, written: NewComment, text: SideText): StoredComment {
  if ('problem' in text) throw new CodedError('request.invalid', `path: ${text.problem}`)
  const lines = linesOf(text.text)
  const { line, endLine } = written
  if (endLine < line || endLine > lines.length)
    throw new CodedError(
      'request.invalid',
      `line: ${written.path} has ${lines.length} ${lines.length === 1 ? 'line' : 'lines'}.`,
    )
  const quoted = lines.slice(line - 1, Math.min(endLine, line - 1 + MAX_QUOTED)).map(bareLine)
  const left = endLine - (line - 1) - quoted.length
  const comment: StoredComment = {
    ...written,
    text: written.text.trim(),
    id: deps.newId('comment'),
    quote: [...quoted, ...(left > 0 ? [`… ${left} more ${left === 1 ? 'line' : 'lines'}`] : [])].join('\n'),
    content: deps.blobs.put(Buffer.from(text.text)),
  }
  addRefs(deps.place, sessionId, [], [comment.content])
  deps.notes.change(sessionId, (notes) => ({ ...notes, comments: [...notes.comments, comment] }))
  return comment
}

/**
 * The comments at their current lines. `textFor` returns the text that a comment is shown on; undefined leaves it where
 * it was. New positions are saved, so that many small edits are followed one by one.
 */
export async function placedComments(
  deps: CommentDeps,
  sessionId: string,
  show: { textFor(comment: StoredComment): SideText | undefined; nameOf(path: string): string; follows: boolean },
): Promise<ReviewComment[]> {
  const { comments } = deps.notes.read(sessionId)
  const moved = new Map<string, StoredComment>()
  const placed: ReviewComment[] = []
  for (const comment of comments) {
    const { content, ...rest } = comment
    const now = show.textFor(comment)
    const then = deps.blobs.get(content)?.toString('utf8')
    const shown: ReviewComment = { ...rest, name: show.nameOf(comment.path) }
    if (!now || then === undefined) {
      placed.push(shown)
      continue
    }
    const range = await moveRange(then, 'text' in now ? now.text : '', comment)
    const { isGone, ...lines } = range
    placed.push({ ...shown, ...lines, ...(isGone && { gone: true as const }) })
    if (isGone || 'problem' in now || now.text === then || !show.follows) continue
    moved.set(comment.id, { ...comment, ...lines, content: deps.blobs.put(Buffer.from(now.text)) })
  }
  if (moved.size > 0) {
    addRefs(
      deps.place,
      sessionId,
      [],
      [...moved.values()].map(({ content }) => content),
    )
    deps.notes.change(sessionId, (notes) => ({
      ...notes,
      comments: notes.comments.map((comment) => moved.get(comment.id) ?? comment),
    }))
  }
  return placed
}

/** Changes the text of a comment. */
export function changeComment(notes: NoteStore, sessionId: string, id: string, text: string): void {
  change(notes, sessionId, id, (all) => ({
    ...all,
    comments: all.comments.map((comment) => (comment.id === id ? { ...comment, text: text.trim() } : comment)),
  }))
}

/** Deletes or restores a comment. */
export function removeComment(notes: NoteStore, sessionId: string, id: string, isBack: boolean): void {
  change(notes, sessionId, id, ({ comments, deleted, ...all }) => {
    const [from, to] = isBack ? [deleted, comments] : [comments, deleted]
    const found = from.filter((comment) => comment.id === id)
    const [left, more] = [from.filter((comment) => comment.id !== id), [...to, ...found]]
    return { ...all, ...(isBack ? { deleted: left, comments: more } : { comments: left, deleted: more }) }
  })
}

function change(notes: NoteStore, sessionId: string, id: string, work: (notes: Notes) => Notes): void {
  notes.change(sessionId, (all) => {
    if (![...all.comments, ...all.deleted].some((comment) => comment.id === id))
      throw new CodedError('request.invalid', `id: there is no comment ${id}.`)
    return work(all)
  })
}

/** Lines of a text, from 1. */
interface LineRange {
  line: number
  endLine: number
}

/** Where lines are after a text has changed. */
interface MovedRange extends LineRange {
  /** Whether all of the lines were deleted; the range is where they were. */
  isGone: boolean
}

/** Finds lines of a text in a later version. Unchanged lines move along; a range shrinks to its remaining lines. */
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

/** Line ends are ignored for comments. */
function withSameEnds(before: string, after: string): [string, string] {
  return [plainEnds(before), plainEnds(after)]
}

function plainEnds(text: string): string {
  return linesOf(text)
    .map((line) => `${bareLine(line)}\n`)
    .join('')
}
