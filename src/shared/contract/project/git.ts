import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import {
  GIT_LIMITS,
  type GitBlameRun,
  type GitBranch,
  type GitCommitDetails,
  type GitCommitted,
  type GitSwitched,
  type GitConflictFile,
  type GitFileDiff,
  type GitIntegration,
  type GitKept,
  type GitLogPage,
  type GitPath,
  type GitPullRequest,
  type GitStash,
  type GitStatus,
  type GitSummary,
  type GitTag,
  type GitTrust,
  type GitTrusted,
  type GitUndo,
} from '../../model/project/git'

const sessionId = z.string().min(1).max(100)
const path = z.string().min(1).max(GIT_LIMITS.pathChars)
const paths = z.array(path).min(1).max(GIT_LIMITS.paths)
const name = z.string().min(1).max(GIT_LIMITS.nameChars)
const hash = z.string().regex(/^[0-9a-f]{40,64}$/)
const ofSession = z.strictObject({ sessionId })
const ofPaths = z.strictObject({ sessionId, paths })
/** `all`: every file that differs. */
const somePaths = z.strictObject({ sessionId, paths: z.union([paths, z.literal('all')]) })
const hunks = z.strictObject({
  sessionId,
  path,
  from: path.optional(),
  hunkIds: z.array(z.string().min(1).max(64)).min(1).max(5_000),
})
const file = z.strictObject({ sessionId, path, from: path.optional() })

/**
 * Git in the repository of a session's folder. While the repository has its own hooks, filters or settings that could
 * run programs and the user has not trusted them, everything except `summary`, `trustView` and `init` fails with
 * `git.untrusted`.
 */
export const gitContract = {
  /** The summary for the header. For an untrusted repository, only the branch, read without git. */
  summary: oc.input(ofSession).output(type<GitSummary>()),
  /** The programs that the repository could run, and whether the user trusts them. */
  trustView: oc.input(ofSession).output(type<GitTrust>()),
  /** Trusts exactly the programs that were shown. Only the user can call it. */
  trust: oc.input(z.strictObject({ sessionId, hash: z.string().max(128) })).output(type<GitTrust>()),
  /** Every repository whose programs the user has trusted, the latest first. */
  trusted: oc.output(type<GitTrusted[]>()),
  /** Revokes the trust in a repository, named as in `trusted`. Only the user can call it. */
  forgetTrust: oc.input(z.strictObject({ repository: z.string().min(1).max(10_000) })).output(type<void>()),
  /** Creates a repository in the session's folder. */
  init: oc.input(ofSession).output(type<void>()),
  status: oc.input(ofSession).output(type<GitStatus>()),
  /** The diff of one file: to the index, of the index to the last commit, or all of a new file. */
  diff: oc.input(file.extend({ side: z.enum(['staged', 'unstaged', 'untracked']) })).output(type<GitFileDiff>()),
  stage: oc.input(somePaths).output(type<void>()),
  unstage: oc.input(somePaths).output(type<void>()),
  /** Restores files to their state in the index and removes new ones. What is removed is kept for 30 days. */
  discard: oc.input(ofPaths).output(type<GitUndo>()),
  stageHunks: oc.input(hunks).output(type<void>()),
  unstageHunks: oc.input(hunks).output(type<void>()),
  /** Keeps a copy of the whole file first, for 30 days. */
  discardHunks: oc.input(hunks).output(type<GitUndo>()),
  /** Copies of what was removed from the working tree, newest first. */
  kept: oc.input(ofSession).output(type<GitKept[]>()),
  /** Restores the copies. Current contents are kept first; `kept` names them. */
  restoreKept: oc
    .input(z.strictObject({ sessionId, id: z.string().min(1).max(64) }))
    .output(type<{ paths: GitPath[]; kept?: string }>()),
  /**
   * Commits what is staged. `all`: everything that differs; if that fails, the index is restored. The user's hooks run;
   * a failing one causes `git.hook` with its output.
   */
  commit: oc
    .input(
      z.strictObject({
        sessionId,
        message: z.string().max(GIT_LIMITS.messageChars),
        amend: z.boolean(),
        all: z.boolean().optional(),
      }),
    )
    .output(type<GitCommitted>()),
  /** The message of the last commit. */
  lastMessage: oc.input(ofSession).output(type<string>()),
  /** Drafts a commit message for the changes with a small model. */
  draftMessage: oc.input(ofSession).output(type<string>()),
  branches: oc.input(ofSession).output(type<GitBranch[]>()),
  createBranch: oc
    .input(z.strictObject({ sessionId, name, from: name.optional(), checkout: z.boolean(), upstream: name.optional() }))
    .output(type<void>()),
  /** Checks out a branch by its full name (`refs/heads/…`, `refs/remotes/…`), or a commit by its hash. */
  switch: oc.input(z.strictObject({ sessionId, to: name })).output(type<GitSwitched>()),
  renameBranch: oc.input(z.strictObject({ sessionId, name, to: name })).output(type<void>()),
  /** Returns what `createBranch` needs to restore it. */
  deleteBranch: oc
    .input(z.strictObject({ sessionId, name, force: z.boolean() }))
    .output(type<{ name: string; commit: string; upstream?: string }>()),
  /**
   * Merges a branch or tag (`refs/heads/…`, `refs/tags/…`) or a commit into what is checked out. With conflicts, the
   * merge stays in progress until `continueOperation` or `abortOperation`.
   */
  merge: oc.input(z.strictObject({ sessionId, from: name })).output(type<GitIntegration>()),
  /** Applies a commit again on top of what is checked out; conflicts as for `merge`. */
  cherryPick: oc.input(z.strictObject({ sessionId, hash })).output(type<GitIntegration>()),
  tags: oc.input(ofSession).output(type<GitTag[]>()),
  /** `at`: a commit or branch; absent: what is checked out. With a message, the tag is annotated. */
  createTag: oc
    .input(z.strictObject({ sessionId, name, at: name.optional(), message: z.string().max(10_000).optional() }))
    .output(type<void>()),
  /** Deletes a tag here, not on a remote. Returns what `restoreTag` needs. */
  deleteTag: oc.input(z.strictObject({ sessionId, name })).output(type<{ name: string; object: string }>()),
  restoreTag: oc.input(z.strictObject({ sessionId, name, object: hash })).output(type<void>()),
  /** Pushes one tag to the remote of the branch, or to the only remote. */
  pushTag: oc.input(z.strictObject({ sessionId, name })).output(type<void>()),
  stashes: oc.input(ofSession).output(type<GitStash[]>()),
  saveStash: oc
    .input(
      z.strictObject({ sessionId, message: z.string().max(1_000), untracked: z.boolean(), paths: paths.optional() }),
    )
    .output(type<GitStash>()),
  /** `drop`: also drops it if that succeeded. */
  applyStash: oc.input(z.strictObject({ sessionId, hash, drop: z.boolean() })).output(type<void>()),
  dropStash: oc.input(z.strictObject({ sessionId, hash })).output(type<GitStash>()),
  /** Restores a dropped stash. */
  restoreStash: oc.input(z.strictObject({ sessionId, hash, message: z.string().max(1_000) })).output(type<void>()),
  fetch: oc.input(z.strictObject({ sessionId, remote: name.optional() })).output(type<void>()),
  pull: oc.input(z.strictObject({ sessionId, way: z.enum(['fast-forward', 'rebase']) })).output(type<void>()),
  /** `overwrites`: replaces the remote branch, but only if it is still at this commit, which the user has confirmed. */
  push: oc
    .input(z.strictObject({ sessionId, remote: name.optional(), overwrites: hash.optional() }))
    .output(type<void>()),
  /** The latest line of progress of a running fetch, pull or push; null if none is running. */
  progress: oc.input(ofSession).output(type<string | null>()),
  log: oc
    .input(
      z.strictObject({
        sessionId,
        /** All branches, not only what is checked out. */
        all: z.boolean().default(false),
        path: path.optional(),
        query: z.string().max(500).optional(),
        skip: z.int().min(0).default(0),
        limit: z.int().min(1).max(GIT_LIMITS.logPage).default(200),
      }),
    )
    .output(type<GitLogPage>()),
  commitDetails: oc.input(z.strictObject({ sessionId, hash })).output(type<GitCommitDetails>()),
  commitDiff: oc.input(file.extend({ hash })).output(type<GitFileDiff>()),
  /**
   * Who last changed each run of lines in the current version of a file. `path`: absolute, or relative to the session's
   * folder.
   */
  blame: oc.input(z.strictObject({ sessionId, path })).output(type<GitBlameRun[]>()),
  conflictFile: oc.input(z.strictObject({ sessionId, path })).output(type<GitConflictFile>()),
  /** Replaces one conflict with one side or both. `hash`: of the content that was shown. */
  resolvePart: oc
    .input(
      z.strictObject({
        sessionId,
        path,
        part: z.int().min(0),
        choice: z.enum(['ours', 'theirs', 'both']),
        hash: z.string().max(64),
      }),
    )
    .output(type<GitUndo>()),
  /** Uses one side of a whole file, and marks it as resolved. */
  takeSide: oc.input(z.strictObject({ sessionId, path, choice: z.enum(['ours', 'theirs']) })).output(type<GitUndo>()),
  markResolved: oc.input(ofPaths).output(type<void>()),
  /** Continues a merge, rebase, cherry-pick or revert. */
  continueOperation: oc.input(ofSession).output(type<void>()),
  /** Returns to before the operation; changes made since are kept. */
  abortOperation: oc.input(ofSession).output(type<GitUndo>()),
  /** The pull request that the current branch would create. */
  pullRequest: oc.input(ofSession).output(type<GitPullRequest>()),
  /** Creates it with `gh` or `glab`, and returns its address. */
  createPullRequest: oc
    .input(
      z.strictObject({
        sessionId,
        title: z.string().trim().min(1).max(300),
        body: z.string().max(60_000),
        base: name,
        draft: z.boolean(),
      }),
    )
    .output(type<string>()),
}
