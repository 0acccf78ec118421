import type { FileState } from '../../../shared/model/session/checkpoint'
import type { RestoreDeps } from '../checkpoint/restore-session'
import type { ReadableRepository } from '../git/repository/open-to-read'

/** One version of a file: what lies at a path, or an object of git. */
export type Version = FileState | { kind: 'object'; oid: string; mode: number; isLink: boolean }

/** A file with the versions that a review compares. */
export interface ReviewedFile {
  path: string
  /** The path it had before it was renamed. */
  from?: string
  before: Version
  /** The new side: what is there now, or what was there at the end of an earlier turn. */
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
  /** The repository of a folder, of which nothing runs unless it is trusted. Rejects with `git.no_repository`. */
  openRepository(folder: string): Promise<ReadableRepository>
}
