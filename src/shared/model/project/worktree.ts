/**
 * Where the worktrees of sessions are: beside TRESTLE_HOME, like the folders of sessions without a project. Not inside,
 * since sandboxed commands cannot see TRESTLE_HOME.
 */
export const WORKTREE_FOLDERS = '.trestle-worktrees'

/** The worktree of a session, as lists show it. */
export interface SessionWorktree {
  worktreeId: string
  /** The folder of the project that it was made from. */
  project: string
  /** Absent: no branch is checked out. */
  branch?: string
}

/** - `creating`, `removing`: a process does that now, or died doing it. */
export type WorktreeState = 'creating' | 'ready' | 'removing' | 'removed'

/** The command that prepares a new worktree. */
export interface WorktreeSetup {
  command: string
  state: 'running' | 'done' | 'failed' | 'stopped'
  exitCode?: number
  startedAt: number
  endedAt?: number
  /** The newest output. */
  output: string
}

/** What became of a removed worktree. */
export interface RemovedWorktree {
  at: number
  /** The commit that was checked out. */
  commit: string
  /** Uncommitted files that were saved. */
  files: number
  /** Where they were saved; absent: all files were committed. */
  patch?: string
  /** The branch was deleted, because another branch has all of its commits. */
  branchDeleted?: true
  /** Folders that were not saved, such as `node_modules`, because they can be made again. */
  dropped: string[]
}

/** A worktree that Trestle made. */
export interface Worktree {
  worktreeId: string
  state: WorktreeState
  /** The top of the worktree. */
  folder: string
  /** The folder of the project that it was made from. */
  project: string
  branch?: string
  /** The branch that it started from, and that it is merged into. Absent: it started from a commit. */
  base?: string
  createdAt: number
  /** Sessions that work in it. */
  sessions: { sessionId: string; title: string }[]
  setup?: WorktreeSetup
  removed?: RemovedWorktree
  /** Why it cannot be used as it is; a sentence. */
  problem?: string
}

/** A worktree compared with its base. */
export interface WorktreeStatus extends Worktree {
  /** Uncommitted files; without ignored ones. */
  changed: number
  /** Commits that the base has not. */
  ahead: number
  /** Commits of the base that it has not. */
  behind: number
  /** Files with conflicts, from the top. */
  conflicts: string[]
  /** What git is in the middle of. */
  operation?: 'merge' | 'rebase' | 'cherry-pick' | 'revert' | 'bisect'
  /** Branches that it could be merged into. */
  branches: string[]
  /** Whether a remote is configured. */
  hasRemote: boolean
}

/** What a new worktree is to be. */
export interface NewWorktree {
  /** A new branch, or one that is not checked out elsewhere. Absent: a drafted name. */
  branch?: string
  /** The branch or commit it starts from; absent: what the project has checked out. */
  from?: string
  /** Whether the uncommitted changes of the project are copied into it. */
  changes?: boolean
  /** The first message, from which the branch is named. */
  about?: string
}

export const MERGE_WAYS = ['merge', 'squash', 'rebase'] as const
export type MergeWay = (typeof MERGE_WAYS)[number]

/** How a merge, or an update, went. */
export type MergeResult =
  | { state: 'done'; commit: string; into: string }
  | { state: 'nothing' }
  /** Everything is as it was, or, after an update that keeps them, the conflicts are in the worktree. */
  | { state: 'conflicts'; files: string[]; kept: boolean }

/** What a session in a folder could start from. */
export interface WorktreeOffer {
  /** Why there can be no worktree; a sentence. The other fields are empty then. */
  problem?: string
  /** The name that the branch would get. */
  branch: string
  /** The branch that is checked out. */
  current?: string
  /** Local branches, the latest first. */
  branches: string[]
  /** Uncommitted files. */
  changed: number
  /** The command that would run in it. */
  setup?: string
}
