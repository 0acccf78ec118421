import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import {
  MERGE_WAYS,
  type MergeResult,
  type Worktree,
  type WorktreeOffer,
  type WorktreeStatus,
} from '../../model/project/worktree'

const name = z.string().trim().min(1).max(250)
const message = z.string().trim().min(1).max(100_000)
const which = z.strictObject({ worktreeId: z.string().min(1).max(100) })
const merge = which.extend({
  way: z.enum(MERGE_WAYS),
  /** The other branch; absent: the one that the worktree started from. */
  into: name.optional(),
  /** First commits everything uncommitted with this message; absent: `worktree.dirty` if there is anything. */
  commit: message.optional(),
  /** The message of a merge or squash. */
  message: message.optional(),
})

/** The options of `session.create` for a new worktree. */
export const newWorktree = z.strictObject({
  /** A new branch, or one that is not checked out; absent: a drafted name. */
  branch: name.optional(),
  /** The branch or commit it starts from; absent: what is checked out. */
  from: name.optional(),
  /** Copies the uncommitted changes of the project into it. */
  changes: z.boolean().optional(),
  /** The first message, for the drafted name. */
  about: z.string().max(10_000).optional(),
})

/** Worktrees that Trestle creates for sessions: `session.create` with `worktree` creates one. */
export const worktreeContract = {
  /** What a session in a folder can start from. */
  offer: oc
    .input(z.strictObject({ folder: z.string().min(1), about: z.string().max(10_000).optional() }))
    .output(type<WorktreeOffer>()),
  /** Newest first, removed ones included. */
  list: oc.output(type<Worktree[]>()),
  /** The worktree compared with its base. */
  status: oc.input(which).output(type<WorktreeStatus>()),
  /**
   * Merges its branch into the base. With conflicts, everything stays unchanged, except after a rebase with
   * `keepConflicts`.
   */
  merge: oc.input(merge.extend({ keepConflicts: z.boolean().optional() })).output(type<MergeResult>()),
  /**
   * Brings new commits of the base into it. `keepConflicts`: leaves the conflicts in the worktree, to be resolved
   * there.
   */
  update: oc.input(merge.extend({ keepConflicts: z.boolean().optional() })).output(type<MergeResult>()),
  /** Saves its unmerged work as a patch and in the repository, then removes it. */
  remove: oc.input(which).output(type<Worktree>()),
  /** Creates a removed one again, with everything that was saved. */
  restore: oc.input(which).output(type<Worktree>()),
  /** Permanently deletes the saved work of a removed one. */
  purge: oc.input(which).output(type<void>()),
  /** Removes one whose folder is missing from the list. */
  forget: oc.input(which).output(type<void>()),
  /** Runs its setup command again, or stops it. */
  setup: oc.input(which.extend({ run: z.boolean() })).output(type<Worktree>()),
}
