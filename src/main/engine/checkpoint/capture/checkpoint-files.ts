import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { hash } from 'node:crypto'
import type { FileState } from '../../../../shared/model/session/checkpoint'
import type { ListedFile, Listing } from './workspace-listing'
import { renameOverSync } from '../../workspace/file/atomic-write'

/**
 * Where checkpoints store their files, below `$TRESTLE_HOME/checkpoints`. Next to the contents: for each session the
 * contents it refers to, the listing from before its running command, and the journal of its running restore; for each
 * workspace its latest listing.
 */
export interface CheckpointPaths {
  folder: string
  blobs: string
  refs(sessionId: string): string
  restore(sessionId: string): string
  openListing(sessionId: string): string
  listing(roots: readonly string[]): string
}

export function checkpointPaths(home: string): CheckpointPaths {
  const folder = join(home, 'checkpoints')
  const own = (sessionId: string, name: string): string => join(folder, 'sessions', sessionId, name)
  return {
    folder,
    blobs: join(folder, 'contents'),
    refs: (sessionId) => own(sessionId, 'refs'),
    restore: (sessionId) => own(sessionId, 'restore.json'),
    openListing: (sessionId) => own(sessionId, 'listing.json'),
    listing: (roots) => join(folder, 'workspaces', `${hash('sha256', JSON.stringify(roots), 'hex').slice(0, 32)}.json`),
  }
}

/** Writes a file atomically, readable only by the user. */
export function writeAtomically(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${process.pid}.tmp`
  try {
    writeFileSync(temporary, text, { mode: 0o600 })
    renameOverSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** The parsed file; undefined when it is missing or unreadable. */
export function readJson(path: string): unknown {
  if (!existsSync(path)) return undefined
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

/** Records that a session needs these contents. Call it before recording the event that refers to them. */
export function addRefs(
  place: CheckpointPaths,
  sessionId: string,
  states: readonly FileState[],
  more: readonly string[] = [],
): void {
  const hashes = [...states.flatMap((state) => (state.kind === 'file' ? [state.hash] : [])), ...more]
  if (hashes.length === 0) return
  const path = place.refs(sessionId)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  appendFileSync(path, hashes.map((name) => `${name}\n`).join(''), { mode: 0o600 })
}

/** A listing and its folders, as stored. */
interface StoredListing {
  startedMs: number
  complete: boolean
  roots: string[]
  files: [string, ListedFile][]
}

export function writeListing(
  path: string,
  listing: Listing,
  about: { startedMs: number; roots: readonly string[] },
): void {
  const { startedMs, roots } = about
  writeAtomically(path, JSON.stringify({ startedMs, roots, complete: listing.complete, files: [...listing.files] }))
}

export function readListing(path: string): (Listing & { startedMs: number; roots: string[] }) | undefined {
  const stored = readJson(path) as StoredListing | undefined
  if (!stored || !Array.isArray(stored.files)) return undefined
  return { ...stored, files: new Map(stored.files) }
}
