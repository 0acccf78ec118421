/**
 * The folder with the worktrees of sessions: next to TRESTLE_HOME, like the folders of sessions without a project. Not
 * inside, because sandboxed commands cannot see TRESTLE_HOME.
 */
export const WORKTREE_FOLDERS = '.trestle-worktrees'

/** The worktree of a session, in lists. */
export interface SessionWorktree {
  worktreeId: string
  /** The folder of the project that it was created from. */
  project: string
  /** Absent: no branch is checked out. */
  branch?: string
}

/** `creating`, `removing`: a process is doing that now, or ended while doing it. */
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

/** What was saved of a removed worktree. */
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
  /** Folders that were not saved, such as `node_modules`, because they can be created again. */
  dropped: string[]
}

/** A worktree that Trestle created. */
export interface Worktree {
  worktreeId: string
  state: WorktreeState
  /** The top of the worktree. */
  folder: string
  /** The folder of the project that it was created from. */
  project: string
  branch?: string
  /** The branch that it started from and is merged into. Absent: it started from a commit. */
  base?: string
  createdAt: number
  /** Sessions that work in it. */
  sessions: { sessionId: string; title: string }[]
  setup?: WorktreeSetup
  removed?: RemovedWorktree
  /** Why it cannot be used; a sentence. */
  problem?: string
}

/** A worktree compared with its base. */
export interface WorktreeStatus extends Worktree {
  /** Uncommitted files, except ignored ones. */
  changed: number
  /** Commits that the base does not have. */
  ahead: number
  /** Commits of the base that it does not have. */
  behind: number
  /** Files with conflicts, relative to the top. */
  conflicts: string[]
  /** The operation that git is in the middle of. */
  operation?: 'merge' | 'rebase' | 'cherry-pick' | 'revert' | 'bisect'
  /** Branches that it can be merged into. */
  branches: string[]
  /** Whether a remote is configured. */
  hasRemote: boolean
}

/** The options for a new worktree. */
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

/** The result of a merge or an update. */
export type MergeResult =
  | { state: 'done'; commit: string; into: string }
  | { state: 'nothing' }
  /** Everything is unchanged, or, after an update that keeps them, the conflicts are in the worktree. */
  | { state: 'conflicts'; files: string[]; kept: boolean }

/** What a session in a folder can start from. */
export interface WorktreeOffer {
  /** Why no worktree can be created; a sentence. The other fields are empty then. */
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
