import type {
  GitBlameRun,
  GitBranch,
  GitCommitDetails,
  GitCommitted,
  GitSwitched,
  GitConflictFile,
  GitFileDiff,
  GitIntegration,
  GitKept,
  GitLogPage,
  GitPath,
  GitPullRequest,
  GitStash,
  GitStatus,
  GitSummary,
  GitTag,
  GitTrust,
  GitTrusted,
  GitUndo,
} from '../../../shared/model/project/git'
import type { ConflictChoice } from './change/conflicts'
import type { DeletedBranch, NewBranch } from './change/branches'
import type { HunkChange, CommitRequest } from './change/staging'
import type { NewPullRequest } from './change/pull-request'
import type { NewTag } from './change/tags'
import type { PullWay, PushRequest } from './change/remotes'
import type { StashRequest } from './change/stashes'
import type { DiffSide } from './state/file-diff'
import type { LogRequest } from './state/log'

/**
 * Git in the repository of a session's folder. Everything but `summary`, `trustView` and `init` rejects with
 * `git.untrusted` while the repository has its own programs that the user has not trusted, and with `git.no_repository`
 * without a repository.
 */
export interface GitActions {
  /** Never rejects because of the repository: if it is untrusted, only the branch is known. */
  summary(sessionId: string): Promise<GitSummary>
  trustView(sessionId: string): Promise<GitTrust>
  /** Trusts the programs that were shown. Only the user can do this. */
  trust(sessionId: string, hash: string): Promise<GitTrust>
  /** Every repository whose programs the user has trusted, latest first. */
  trusted(): Promise<GitTrusted[]>
  /** Revokes trust in a repository, identified by its `commonDir`. Only the user can do this. */
  forgetTrust(repository: string): Promise<void>
  init(sessionId: string): Promise<void>
  status(sessionId: string): Promise<GitStatus>
  diff(sessionId: string, file: { path: GitPath; side: DiffSide; from?: GitPath }): Promise<GitFileDiff>
  /** `all`: all changes. */
  stage(sessionId: string, paths: readonly GitPath[] | 'all'): Promise<void>
  unstage(sessionId: string, paths: readonly GitPath[] | 'all'): Promise<void>
  /** A copy of what is removed is kept; see `restoreKept`. */
  discard(sessionId: string, paths: readonly GitPath[]): Promise<GitUndo>
  stageHunks(sessionId: string, change: HunkChange): Promise<void>
  unstageHunks(sessionId: string, change: HunkChange): Promise<void>
  discardHunks(sessionId: string, change: HunkChange): Promise<GitUndo>
  kept(sessionId: string): Promise<GitKept[]>
  restoreKept(sessionId: string, id: string): Promise<{ paths: GitPath[]; kept?: string }>
  commit(sessionId: string, request: CommitRequest, signal?: AbortSignal): Promise<GitCommitted>
  lastMessage(sessionId: string): Promise<string>
  /** Has a model write a message for the staged changes, or for all changes if none are staged. */
  draftMessage(sessionId: string, signal?: AbortSignal): Promise<string>
  branches(sessionId: string): Promise<GitBranch[]>
  createBranch(sessionId: string, branch: NewBranch): Promise<void>
  /** A branch by its full name (`refs/heads/…`, `refs/remotes/…`), or a commit by its hash. */
  switch(sessionId: string, to: string): Promise<GitSwitched>
  renameBranch(sessionId: string, name: string, to: string): Promise<void>
  deleteBranch(sessionId: string, name: string, force: boolean): Promise<DeletedBranch>
  /** Merges a branch (its full name), tag or commit into HEAD. */
  merge(sessionId: string, from: string): Promise<GitIntegration>
  /** Applies a commit on top of HEAD. */
  cherryPick(sessionId: string, hash: string): Promise<GitIntegration>
  tags(sessionId: string): Promise<GitTag[]>
  createTag(sessionId: string, tag: NewTag): Promise<void>
  /** Deletes it locally, not at a remote. Returns what `restoreTag` needs. */
  deleteTag(sessionId: string, name: string): Promise<{ name: string; object: string }>
  restoreTag(sessionId: string, tag: { name: string; object: string }): Promise<void>
  pushTag(sessionId: string, name: string, signal?: AbortSignal): Promise<void>
  stashes(sessionId: string): Promise<GitStash[]>
  saveStash(sessionId: string, request: StashRequest): Promise<GitStash>
  /** `drop`: drops it if applying succeeded. */
  applyStash(sessionId: string, hash: string, drop: boolean): Promise<void>
  dropStash(sessionId: string, hash: string): Promise<GitStash>
  restoreStash(sessionId: string, stash: Pick<GitStash, 'hash' | 'message'>): Promise<void>
  fetch(sessionId: string, remote: string | undefined, signal?: AbortSignal): Promise<void>
  pull(sessionId: string, way: PullWay, signal?: AbortSignal): Promise<void>
  push(sessionId: string, request: PushRequest, signal?: AbortSignal): Promise<void>
  /** The latest line of progress of a running fetch, pull or push. */
  progress(sessionId: string): string | undefined
  log(sessionId: string, request: LogRequest): Promise<GitLogPage>
  commitDetails(sessionId: string, hash: string): Promise<GitCommitDetails>
  commitDiff(sessionId: string, file: { hash: string; path: GitPath; from?: GitPath }): Promise<GitFileDiff>
  /** `file`: absolute, or relative to the session's folder, as in the file viewer. */
  blame(sessionId: string, file: string, signal?: AbortSignal): Promise<GitBlameRun[]>
  conflictFile(sessionId: string, path: GitPath): Promise<GitConflictFile>
  resolvePart(
    sessionId: string,
    choice: { path: GitPath; part: number; choice: ConflictChoice; hash: string },
  ): Promise<GitUndo>
  takeSide(sessionId: string, choice: { path: GitPath; choice: 'ours' | 'theirs' }): Promise<GitUndo>
  markResolved(sessionId: string, paths: readonly GitPath[]): Promise<void>
  continueOperation(sessionId: string): Promise<void>
  abortOperation(sessionId: string): Promise<GitUndo>
  pullRequest(sessionId: string): Promise<GitPullRequest>
  createPullRequest(sessionId: string, request: NewPullRequest, signal?: AbortSignal): Promise<string>
}
