import type { FileState } from '../../../shared/model/session/checkpoint'
import type { RestoreDeps } from '../checkpoint/restore-session'
import type { ReadableRepository } from '../git/repository/open-to-read'

/** One version of a file: the state of a path, or a git object. */
export type Version = FileState | { kind: 'object'; oid: string; mode: number; isLink: boolean }

/** A file with the versions that a review compares. */
export interface ReviewedFile {
  path: string
  /** The path before a rename. */
  from?: string
  before: Version
  /** The new side: the current state, or the state at the end of an earlier turn. */
  after: FileState
  now: FileState
  changedElsewhere?: true
}

export interface Listing {
  files: ReviewedFile[]
  base?: { name: string; commit: string }
  note?: string
}

export interface ReviewDeps extends Pick<RestoreDeps, 'home' | 'store' | 'blobs' | 'maxBytes'> {
  /**
   * Opens the repository of a folder; runs none of its programs unless it is trusted. Rejects with `git.no_repository`.
   */
  openRepository(folder: string): Promise<ReadableRepository>
}
