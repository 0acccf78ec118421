import type {
  MergeResult,
  NewWorktree,
  Worktree,
  WorktreeOffer,
  WorktreeStatus,
} from '../../../shared/model/project/worktree'
import type { MergeOptions } from './merge-worktree'

/** The user's actions on worktrees, in any host. Failures are `CodedError`s. */
export interface WorktreeActions {
  /** What a session in `folder` can start from; `about`: its first message. */
  offer(folder: string, about?: string): Promise<WorktreeOffer>
  /** Newest first, removed ones included. */
  list(): Promise<Worktree[]>
  status(id: string): Promise<WorktreeStatus>
  /** Creates a worktree for a session in `folder`; returns the folder the session works in. */
  create(folder: string, wanted: NewWorktree, onProgress?: (line: string) => void): Promise<CreatedPlace>
  /** Saves everything that only it has, and removes it. Its sessions must be idle. */
  remove(id: string): Promise<Worktree>
  restore(id: string): Promise<Worktree>
  /** Permanently deletes the saved state of a removed worktree. */
  purge(id: string): Promise<void>
  /** Removes a worktree with a missing folder from the list; deletes nothing. */
  forget(id: string): Promise<void>
  merge(id: string, options: MergeOptions): Promise<MergeResult>
  update(id: string, options: MergeOptions): Promise<MergeResult>
  /** Runs the setup command again, or stops it. */
  setup(id: string, run: boolean): Promise<Worktree>
}

export interface CreatedPlace {
  worktreeId: string
  folder: string
  branch: string
  /** Notes for the user, as sentences. */
  notes: string[]
}
