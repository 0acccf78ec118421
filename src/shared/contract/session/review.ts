import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import type { ReviewBases, ReviewDiff, ReviewList, ReviewMarks, ReviewUndo } from '../../model/session/review'

const sessionId = z.string().min(1).max(100)
const path = z.string().min(1).max(10_000)
const key = z.string().max(100)
const id = z.string().min(1).max(100)
const line = z.int().min(1)
const text = z.string().trim().min(1).max(10_000)
/** All changes of the session, those of one turn, or the difference from where the work branched off. */
const scope = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('session') }),
  z.strictObject({ kind: z.literal('turn'), turnId: z.string().min(1).max(100) }),
  z.strictObject({ kind: z.literal('branch'), base: z.string().min(1).max(500) }),
])
const which = { sessionId, scope }
const ids = z.array(id).min(1).max(20_000)

/** A session's changes, for reading, commenting, keeping and undoing them. */
export const reviewContract = {
  /** The files that differ, without their lines. `request.invalid`: there is no such turn, branch or repository. */
  list: oc.input(z.strictObject(which)).output(type<ReviewList>()),
  /**
   * The lines of some files, in order; files that no longer differ are omitted. Files that may contain secrets have
   * lines only with `secrets`, which is set when the user asks to see them.
   */
  diffs: oc
    .input(z.strictObject({ ...which, paths: z.array(path).min(1).max(200), secrets: z.boolean().default(false) }))
    .output(type<ReviewDiff[]>()),
  /** Lines around the changes: of the new side, or of the old one if the file was deleted. `secrets` as in `diffs`. */
  lines: oc
    .input(z.strictObject({ ...which, path, from: line, to: line, secrets: z.boolean().default(false) }))
    .output(type<string[]>()),
  /**
   * Undoes files, or with `ids` some of their changes. It is a restore: restoring to right before its `seq` undoes it.
   * `session.busy` while a turn runs; `checkpoint.changed` when a single file differs from what was shown.
   */
  undo: oc
    .input(
      z.strictObject({
        ...which,
        files: z
          .array(z.strictObject({ path, key, ids: ids.optional() }))
          .min(1)
          .max(5000),
      }),
    )
    .output(type<ReviewUndo>()),
  /** Branches to compare with. */
  bases: oc.input(z.strictObject({ sessionId })).output(type<ReviewBases>()),
  /** What was viewed, kept and commented. Comments are at the current position of their lines. */
  marks: oc.input(z.strictObject(which)).output(type<ReviewMarks>()),
  /** Marks a version of a file as viewed, or not. */
  setViewed: oc.input(z.strictObject({ sessionId, path, key, viewed: z.boolean() })).output(type<void>()),
  /** Marks changes of a file as kept, or not. */
  setKept: oc.input(z.strictObject({ sessionId, path, ids, kept: z.boolean() })).output(type<void>()),
  /** Drafts a comment on lines of one side. */
  addComment: oc
    .input(z.strictObject({ ...which, path, side: z.enum(['old', 'new']), line, endLine: line, text }))
    .output(type<{ id: string }>()),
  changeComment: oc.input(z.strictObject({ sessionId, id, text })).output(type<void>()),
  /** Deletes a comment; `undo` restores a deleted one. */
  removeComment: oc.input(z.strictObject({ sessionId, id, undo: z.boolean().default(false) })).output(type<void>()),
  /** Sends all comments to the agent as one message; returns how many. */
  send: oc.input(z.strictObject({ sessionId })).output(type<number>()),
}
