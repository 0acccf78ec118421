import type {
  MergeResult,
  NewWorktree,
  Worktree,
  WorktreeOffer,
  WorktreeStatus,
} from '../../../shared/model/project/worktree'
import type { MergeOptions } from './merge-worktree'

/** What the user does with worktrees, in any host. Failures are `CodedError`s. */
export interface WorktreeActions {
  /** What a session in `folder` could start from; `about`: its first message. */
  offer(folder: string, about?: string): Promise<WorktreeOffer>
  /** Newest first, removed ones included. */
  list(): Promise<Worktree[]>
  status(id: string): Promise<WorktreeStatus>
  /** Makes one for a session in `folder`, and returns the folder the session works in. */
  create(folder: string, wanted: NewWorktree, onProgress?: (line: string) => void): Promise<CreatedPlace>
  /** Saves what only it has, and removes it. Its sessions must not be working. */
  remove(id: string): Promise<Worktree>
  restore(id: string): Promise<Worktree>
  /** Permanently deletes what was saved of a removed one. */
  purge(id: string): Promise<void>
  /** No longer lists one whose folder is missing; nothing is removed. */
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
  /** What the user should know; sentences. */
  notes: string[]
}
