import { visiblePath } from '../../visible-text'

/**
 * A path in a repository, relative to its top with `/`. A name that is not UTF-8 is written as NUL and the bytes in
 * hexadecimal, because every other character may be part of a name. `gitPathText` shows both.
 */
export type GitPath = string

/** A path for display: bytes that are not text are shown as `\xNN`, and hidden characters as `\u{202e}`. */
export function gitPathText(path: GitPath): string {
  if (!path.startsWith('\0')) return visiblePath(path)
  return path.slice(1).replace(/../g, (pair) => {
    const code = Number.parseInt(pair, 16)
    return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : `\\x${pair}`
  })
}

/** An operation that git has started and not finished. */
export interface GitOperation {
  kind: 'merge' | 'rebase' | 'cherry-pick' | 'revert' | 'bisect' | 'am'
  /** For a rebase: the step and the number of steps, and the branch that is rebased. */
  step?: number
  steps?: number
  branch?: string
}

/** Whether the repository may run its own programs. */
export interface GitTrust {
  /** `none`: it has no programs of its own. `asked`: git is not used until the user trusts it. */
  state: 'none' | 'asked' | 'trusted'
  /** The programs, or settings that can run something, one line each. */
  programs: string[]
  /** Hash of the lines' sources; identifies what is trusted. */
  hash: string
}

/** A repository whose own programs the user has trusted. */
export interface GitTrusted {
  /** The Git folder shared by all its working trees; `.git` in a plain repository. */
  repository: string
  acceptedAt: number
}

/** The summary in the header of a session. */
export interface GitSummary {
  /** `none`: the folder has no repository. `untrusted`: only `branch` is known. */
  state: 'none' | 'untrusted' | 'ready'
  /** Name of the branch; absent: detached. */
  branch?: string
  /** The commit that is checked out, abbreviated; absent: no commit yet. */
  commit?: string
  ahead?: number
  behind?: number
  /** How many files differ from the last commit, including new ones. */
  changed?: number
  conflicts?: number
  operation?: GitOperation['kind']
}

export type GitChangeKind = 'added' | 'modified' | 'deleted' | 'renamed' | 'copied' | 'type' | 'untracked' | 'conflict'

/** A file that differs, on one side of the index. */
export interface GitChange {
  path: GitPath
  /** For a renamed or copied file. */
  from?: GitPath
  kind: GitChangeKind
  /** Only the executable permission has changed. */
  modeOnly?: true
  submodule?: true
}

/** What both sides did to a file with a conflict. */
export interface GitConflict {
  path: GitPath
  /** As text, such as "both modified". */
  what: string
  /** Whether our side and theirs have a version of it. */
  ours: boolean
  theirs: boolean
}

/** A submodule with uncommitted changes. */
export interface GitSubmoduleChanges {
  path: GitPath
  /** Numbers of files. */
  changed: number
  untracked: number
  /** Why it cannot be determined, as a sentence. */
  problem?: string
}

/** The state of a repository. */
export interface GitStatus {
  /** Its top folder. */
  top: string
  bare?: true
  branch?: string
  /** Full hash; absent: no commit yet. */
  commit?: string
  upstream?: string
  /** Both are absent when the upstream was deleted. */
  ahead?: number
  behind?: number
  stashes: number
  operation?: GitOperation
  staged: GitChange[]
  unstaged: GitChange[]
  conflicts: GitConflict[]
  /** How many changes there are beyond those listed. */
  hidden: number
  /** Folders of new files are listed as one entry, because there are very many. */
  foldersOnly?: true
  sparse?: true
  shallow?: true
  hasSubmodules?: true
  /** Those with uncommitted changes; `submodulesUnread` more were not checked. */
  submodules?: GitSubmoduleChanges[]
  submodulesUnread?: number
  /** It uses Git LFS. */
  lfs?: true
  remotes: string[]
}

/** One part of a diff that can be staged, unstaged or discarded separately. */
export interface GitHunk {
  /** Identifies exactly this text at this position. */
  id: string
  /** A unified diff of only this hunk, without file header. */
  text: string
}

/** The diff of one file. */
export interface GitFileDiff {
  path: GitPath
  /** Empty for binary files and changes of the mode only. */
  hunks: GitHunk[]
  /** Whether hunks can be staged separately: the file exists on both sides. */
  byHunk: boolean
  added: number
  removed: number
  /** Why there are no hunks, or what else has changed; a sentence. */
  note?: string
}

export interface GitBranch {
  name: string
  /** Full ref name. */
  ref: string
  remote: boolean
  current: boolean
  commit: string
  subject: string
  /** ms since the epoch. */
  at: number
  upstream?: string
  ahead?: number
  behind?: number
  /** Its upstream was deleted. */
  gone?: true
  /** The worktree where it is checked out, other than this one. */
  worktree?: string
}

/** The result of a merge or a cherry-pick. `unchanged`: all its changes were already there. */
export interface GitIntegration {
  outcome: 'done' | 'unchanged' | 'conflicts'
  /** Number of files with unresolved conflicts. */
  conflicts: number
}

export interface GitTag {
  name: string
  /** Full hash of what the tag points to: a commit, or its tag object if it has a message. */
  object: string
  commit: string
  /** Subject of the commit. */
  subject: string
  /** First line of the tag's own message. */
  message?: string
  /** ms since the epoch. */
  at: number
}

export interface GitStash {
  /** `stash@{0}` is 0. */
  index: number
  hash: string
  message: string
  /** ms since the epoch. */
  at: number
}

/** A commit in the history. */
export interface GitCommit {
  hash: string
  parents: string[]
  author: string
  email: string
  /** ms since the epoch. */
  at: number
  subject: string
  /** Branches, tags and HEAD that point to it, as short names. */
  refs: GitRef[]
}

export interface GitRef {
  name: string
  kind: 'head' | 'branch' | 'remote' | 'tag' | 'stash'
}

export interface GitLogPage {
  commits: GitCommit[]
  more: boolean
}

export interface GitCommitDetails extends GitCommit {
  /** The whole message. */
  message: string
  committer: string
  committedAt: number
  files: (GitChange & { added?: number; removed?: number })[]
  /** How many more files it changes. */
  hidden: number
}

/** Who last changed a run of lines. */
export interface GitBlameRun {
  /** Number of its first line, from 1. */
  line: number
  count: number
  commit: string
  author: string
  at: number
  subject: string
  /** The lines are not committed yet. */
  uncommitted?: true
}

/** One conflict between markers in a file. */
export interface GitConflictPart {
  /** Number of its first line, from 1. */
  line: number
  ours: string
  theirs: string
  oursName: string
  theirsName: string
}

export interface GitConflictFile {
  path: GitPath
  parts: GitConflictPart[]
  /** Identifies the content that was read. */
  hash: string
  /** Why the parts cannot be shown. */
  note?: string
}

/** Content that was removed from the working tree and kept. */
export interface GitKept {
  id: string
  /** ms since the epoch. */
  at: number
  /** The action that removed it, such as "Discarded". */
  reason: string
  paths: GitPath[]
}

/** An undoable action, and how to undo it. */
export interface GitUndo {
  kept?: string
}

/** `left`: the commit that was checked out without a branch, if no branch or tag contains it now. */
export interface GitSwitched {
  left?: { hash: string; subject: string }
}

export interface GitCommitted {
  hash: string
  subject: string
  /** What the hooks printed, if any ran. */
  output: string
  hooks: string[]
}

/** A pull request that could be created. */
export interface GitPullRequest {
  /** The program that creates it; absent: the page at `url` is opened instead. */
  tool?: 'gh' | 'glab'
  branch: string
  base: string
  title: string
  body: string
  /** The page of the host for creating it; absent: the host is unknown. */
  url?: string
  /** The branch must be pushed first. */
  needsPush: boolean
}

export const GIT_LIMITS = {
  pathChars: 4_096,
  paths: 5_000,
  messageChars: 100_000,
  nameChars: 250,
  logPage: 500,
} as const
