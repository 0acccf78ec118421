import { setImmediate as nextTurn } from 'node:timers/promises'
import { CodedError } from '../../../shared/errors'
import type {
  ReviewBases,
  ReviewComment,
  ReviewDiff,
  ReviewedScope,
  ReviewList,
  ReviewMarks,
  ReviewUndo,
} from '../../../shared/model/session/review'
import type { CheckpointAccess } from '../checkpoint/checkpoints'
import { captureFile, sameState } from '../checkpoint/capture/file-state'
import { reviewBases } from './branch-files'
import { fileDiff, hiddenDiff, secretOf } from './file-diffs'
import { currentText, textsOf, type SideText } from './file-texts'
import { sensitiveRule } from '../workspace/path/sensitive-file'
import { addComment, changeComment, placedComments, removeComment, type NewComment } from './review-comments'
import { nameIn, reviewedFiles, shownFile } from './review-files'
import type { Listing, ReviewDeps, ReviewedFile } from './reviewed-file'
import { createNoteStore, type StoredComment } from './review-notes'
import { linesOf, shownLine } from './text-diff'
import { undoChanges, type WantedUndo } from './undo-changes'

export interface LineRange {
  path: string
  from: number
  to: number
  /** Includes files that may contain secrets. */
  secrets?: boolean
}

/** Reviews of changes by sessions. */
export interface Reviews {
  /** The files that differ. Their diffs are requested with `diffs`, as needed for display. */
  list(sessionId: string, scope: ReviewedScope): Promise<ReviewList>
  /**
   * The diffs of some of the files, in their order, without files that no longer differ. For files that may contain
   * secrets, lines are included only with `secrets`.
   */
  diffs(
    sessionId: string,
    scope: ReviewedScope,
    paths: readonly string[],
    options?: { secrets?: boolean },
  ): Promise<ReviewDiff[]>
  /** Lines of the new side, or of the old side if there is no new one. Lines count from 1; both ends are included. */
  lines(sessionId: string, scope: ReviewedScope, range: LineRange): Promise<string[]>
  /**
   * Throws `session.busy` while a turn runs, and `checkpoint.changed` for a single file that has changed in the
   * meantime.
   */
  undo(sessionId: string, scope: ReviewedScope, wanted: readonly WantedUndo[]): Promise<ReviewUndo>
  bases(sessionId: string): Promise<ReviewBases>
  marks(sessionId: string, scope: ReviewedScope): Promise<ReviewMarks>
  setViewed(sessionId: string, file: { path: string; key: string }, viewed: boolean): Promise<void>
  setKept(sessionId: string, path: string, ids: readonly string[], kept: boolean): Promise<void>
  addComment(sessionId: string, scope: ReviewedScope, comment: NewComment): Promise<{ id: string }>
  changeComment(sessionId: string, id: string, text: string): Promise<void>
  removeComment(sessionId: string, id: string, isBack: boolean): Promise<void>
  /** Sends all comments to the agent as one message; resolves with their number. */
  send(sessionId: string): Promise<number>
  /** Call when the session was deleted. */
  removed(sessionId: string): Promise<void>
}

export interface ReviewsDeps {
  access: CheckpointAccess
  openRepository: ReviewDeps['openRepository']
  prompt(sessionId: string, text: string): Promise<unknown>
}

/** How many listings are kept to compute pages of diffs from. */
const MAX_LISTINGS = 4
const MAX_LINES = 5_000

export function createReviews({ access, openRepository, prompt }: ReviewsDeps): Reviews {
  const { restoring } = access
  const deps: ReviewDeps & typeof restoring = { ...restoring, openRepository }
  const notes = createNoteStore(restoring.home)
  const comments = { notes, blobs: restoring.blobs, place: restoring.place, newId: restoring.newId }
  const listings = new Map<string, Listing>()

  const folderOf = (sessionId: string): string => {
    const header = restoring.store.header(sessionId)
    if (header) return header.folder
    throw new CodedError('session.not_found', `There is no session ${sessionId}.`)
  }
  const listed = (sessionId: string, scope: ReviewedScope) =>
    access.whenRecovered(sessionId, async () => {
      const listing = await reviewedFiles(deps, sessionId, scope)
      const key = JSON.stringify([sessionId, scope])
      listings.delete(key)
      listings.set(key, listing)
      for (const oldest of [...listings.keys()].slice(0, -MAX_LISTINGS)) listings.delete(oldest)
      return listing
    })
  const known = async (sessionId: string, scope: ReviewedScope): Promise<readonly ReviewedFile[]> =>
    (listings.get(JSON.stringify([sessionId, scope])) ?? (await listed(sessionId, scope))).files

  /** The current state of files in a listing. */
  async function current(sessionId: string, scope: ReviewedScope, paths: readonly string[]): Promise<ReviewedFile[]> {
    const files = new Map((await known(sessionId, scope)).map((file) => [file.path, file]))
    return paths.flatMap((path) => {
      const file = files.get(path)
      if (!file) return []
      const now = captureFile(path, { maxBytes: deps.maxBytes() })
      if (sameState(now, file.now) || now.kind === 'folder') return [file]
      return [{ ...file, now, ...(sameState(file.after, file.now) && { after: now }) }]
    })
  }

  /** The text that line numbers of a side refer to; undefined if the file is not in the scope. */
  async function sideTexts(sessionId: string, scope: ReviewedScope, paths: readonly string[]) {
    const files = await current(sessionId, scope, [...new Set(paths)])
    const texts = await textsOf(deps, folderOf(sessionId), files)
    return new Map(files.map((file) => [file.path, { file, ...texts.get(file)! }]))
  }

  async function placed(sessionId: string, scope: ReviewedScope): Promise<ReviewComment[]> {
    const stored = notes.read(sessionId).comments
    if (stored.length === 0) return []
    const folder = folderOf(sessionId)
    const texts = await sideTexts(
      sessionId,
      scope,
      stored.map(({ path }) => path),
    )
    const textFor = ({ path, side }: StoredComment): SideText | undefined => {
      const found = texts.get(path)
      if (side === 'old') return found?.before
      return found?.after ?? currentText(deps, path)
    }
    const isPast = [...texts.values()].some(({ file }) => !sameState(file.after, file.now))
    return placedComments(comments, sessionId, { textFor, nameOf: (path) => nameIn(folder, path), follows: !isPast })
  }

  return {
    async list(sessionId, scope) {
      const { files, ...about } = await listed(sessionId, scope)
      const folder = folderOf(sessionId)
      return { files: files.map((file) => shownFile(file, folder)), ...about }
    },
    async diffs(sessionId, scope, paths, { secrets = false } = {}) {
      const files = await current(sessionId, scope, paths)
      const open = files.filter((file) => secrets || secretOf(file) === undefined)
      const texts = await textsOf(deps, folderOf(sessionId), open)
      const diffs: ReviewDiff[] = []
      for (const file of files) {
        const found = texts.get(file)
        diffs.push(found ? await fileDiff(file, found) : hiddenDiff(file))
        await nextTurn()
      }
      return diffs
    },
    async lines(sessionId, scope, { path, from, to, secrets = false }) {
      const found = (await sideTexts(sessionId, scope, [path])).get(path)
      if (found && !secrets && secretOf(found.file) !== undefined) return []
      const text = found?.file.after.kind === 'absent' ? found.before : found?.after
      if (!text || 'problem' in text) return []
      return linesOf(text.text)
        .slice(from - 1, Math.min(to, from + MAX_LINES))
        .map(shownLine)
    },
    undo: (sessionId, scope, wanted) =>
      access.whenIdle(sessionId, (session) => undoChanges(deps, session, scope, wanted)),
    bases: async (sessionId) => reviewBases(deps, folderOf(sessionId)),
    async marks(sessionId, scope) {
      const placedNow = await placed(sessionId, scope)
      const { viewed, kept } = notes.read(sessionId)
      return { viewed, kept, comments: placedNow }
    },
    setViewed: async (...given) => notes.setViewed(...given),
    setKept: async (...given) => notes.setKept(...given),
    async addComment(sessionId, scope, comment) {
      const found = (await sideTexts(sessionId, scope, [comment.path])).get(comment.path)
      if (!found) throw new CodedError('request.invalid', `path: ${comment.path} has no changes here.`)
      const { id } = addComment(comments, sessionId, comment, comment.side === 'old' ? found.before : found.after)
      return { id }
    },
    changeComment: async (sessionId, id, text) => changeComment(notes, sessionId, id, text),
    removeComment: async (sessionId, id, isBack) => removeComment(notes, sessionId, id, isBack),
    async send(sessionId) {
      const all = await placed(sessionId, { kind: 'session' })
      if (all.length === 0) return 0
      // The user has seen the lines of files that may contain secrets, but the model need not see them.
      await prompt(
        sessionId,
        commentMessage(all.map((one) => (sensitiveRule(one.path) !== undefined ? { ...one, quote: '' } : one))),
      )
      const sent = new Set(all.map(({ id }) => id))
      notes.change(sessionId, (left) => ({ ...left, comments: left.comments.filter(({ id }) => !sent.has(id)) }))
      return sent.size
    },
    removed: async (sessionId) => notes.remove(sessionId),
  }
}

/** The message to the agent with the user's comments, by file and line. */
function commentMessage(comments: readonly ReviewComment[]): string {
  const sorted = comments.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.line - b.line))
  const head = comments.length === 1 ? 'A comment on the changes:' : `${comments.length} comments on the changes:`
  return [head, ...sorted.map(one)].join('\n\n')
}

function one({ name, line, endLine, side, gone, quote, text }: ReviewComment): string {
  const lines = line === endLine ? `${line}` : `${line}-${endLine}`
  const remark = gone
    ? ' (these lines have been changed or removed since)'
    : side === 'old'
      ? ' (before the change)'
      : ''
  const quoted = quote.split('\n').map((row) => `> ${row}`.trimEnd())
  return [`${name}:${lines}${remark}`, ...(quote === '' ? [] : quoted), '', text.trim()].join('\n')
}
