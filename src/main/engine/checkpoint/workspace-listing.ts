import { readdirSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import type { FileState, FileChange } from '../../../shared/model/checkpoint'
import { ignoreRules, type IgnoreRules } from '../workspace/path/ignore-rules'
import { sensitiveRule } from '../workspace/path/sensitive-file'
import { type BlobStore, captureFile, versionStamp, statAt, sameState } from './file-state'

/** More entries are not looked at: a command must not wait for the listing of a whole disk. */
const MAX_ENTRIES = 30_000
/** Most that one listing reads anew; what is beyond it is left to the next one. */
const MAX_NEW_BYTES = 256 * 1024 * 1024
/** A command waits no longer for a listing, however slow the disk is. */
const MAX_LISTING_MS = 20_000
const SLICE_MS = 8
/** A file that was written so shortly before it was looked at may be written again without showing: it is read again. */
const RACY_MS = 50
export const TEMPORARY = /^\.trestle-.*\.tmp$/

/** What is known of one path, and by what it shows that it has not changed since. */
export interface ListedFile {
  state: FileState
  ino: number
  size: number
  mtimeMs: number
  ctimeMs: number
  mode: number
  /** When the file system says it was made; 0: it does not say. */
  bornMs: number
  seenMs: number
}

export interface Listing {
  files: Map<string, ListedFile>
  /** False when not everything could be looked at. */
  complete: boolean
}

export interface ListingOptions {
  /** Real paths. */
  roots: readonly string[]
  /** Not looked into: Trestle's own folder. */
  except: string
  blobs: BlobStore
  maxBytes: number
  /** What is known from before: what has not changed is not read again. */
  known?: ReadonlyMap<string, ListedFile>
  maxEntries?: number
  maxMs?: number
  signal?: AbortSignal
}

/**
 * Lists what lies below the roots and keeps the contents that are not kept yet. Left out are version control, what ignore files name, and
 * sensitive files. Lets others have their turn every few milliseconds. Rejects when `signal` aborts.
 */
export async function listWorkspace(options: ListingOptions): Promise<Listing> {
  const { roots, except, blobs, known, maxEntries = MAX_ENTRIES, maxMs = MAX_LISTING_MS, signal } = options
  const files = new Map<string, ListedFile>()
  let newBytes = 0
  let complete = true
  const end = performance.now() + maxMs
  let sliceEnd = performance.now() + SLICE_MS

  const look = (path: string, stat: Stats): ListedFile => {
    const before = known?.get(path)
    if (before && unchanged(before, stat) && !(before.state.kind === 'unkept' && stat.size <= options.maxBytes))
      return before
    const seenMs = Date.now()
    if (stat.isFile() && stat.size <= options.maxBytes) newBytes += stat.size
    const state: FileState =
      newBytes > MAX_NEW_BYTES && stat.isFile()
        ? { kind: 'unkept', why: 'too much was new at once', mark: versionStamp(stat) }
        : captureFile(path, { keepIn: blobs, maxBytes: options.maxBytes }, stat)
    return { ...stampOf(stat), state, seenMs }
  }

  const waiting: { folder: string; rules: IgnoreRules }[] = outermost(roots).map((root) => ({
    folder: root,
    rules: ignoreRules(root, root),
  }))
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { folder, rules } = next
    for (const name of namesIn(folder)) {
      const path = join(folder, name)
      if (name === '.git' || TEMPORARY.test(name) || path === except) continue
      const stat = statAt(path)
      if (!stat || rules.ignores(path, stat.isDirectory())) continue
      if (!stat.isDirectory() && sensitiveRule(path) !== undefined) continue
      if (files.size >= maxEntries || performance.now() > end) {
        complete = false
        waiting.length = 0
        break
      }
      files.set(path, look(path, stat))
      if (stat.isDirectory()) waiting.push({ folder: path, rules: rules.into(path) })
      if (performance.now() < sliceEnd) continue
      await breathe()
      signal?.throwIfAborted()
      sliceEnd = performance.now() + SLICE_MS
    }
  }
  return { files, complete }
}

/** Whether a path still shows what was listed of it, without reading it. */
function isAsListed(path: string, listed: ListedFile): boolean {
  const stat = statAt(path)
  return stat !== undefined && unchanged(listed, stat)
}

function stampOf(stat: Stats): Omit<ListedFile, 'state' | 'seenMs'> {
  const { ino, size, mtimeMs, ctimeMs, mode, birthtimeMs } = stat
  return { ino, size, mtimeMs, ctimeMs, mode, bornMs: birthtimeMs }
}

function unchanged(before: ListedFile, stat: Stats): boolean {
  const { ino, size, mtimeMs, ctimeMs, mode } = stat
  if (before.ino !== ino || before.mode !== mode) return false
  if (stat.isDirectory()) return true
  return (
    before.size === size &&
    before.mtimeMs === mtimeMs &&
    before.ctimeMs === ctimeMs &&
    before.seenMs - ctimeMs > RACY_MS
  )
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // Gone meanwhile, or not ours to read: what was known of it is looked at one by one.
    return []
  }
}

/** A folder inside another is listed with it. */
function outermost(roots: readonly string[]): string[] {
  const set = new Set(roots)
  const isInner = (root: string): boolean => {
    for (let at = dirname(root); ; at = dirname(at)) {
      if (set.has(at)) return true
      if (dirname(at) === at) return false
    }
  }
  return [...set].filter((root) => !isInner(root))
}

/** Clocks of file systems lag a little behind. */
const CLOCK_LAG_MS = 20

/**
 * What has changed from one listing to a later one. Doubt is decided for leaving things alone: a path that is only missing in the listing
 * (ignored by now, say) is looked at, and what is new in it but older than `startedMs` was there before, uncovered, and is nobody's to delete.
 */
export function listingDifference(
  before: Listing,
  after: Listing,
  { startedMs, maxBytes }: { startedMs: number; maxBytes: number },
): { changes: FileChange[]; uncovered: number } {
  const changes: FileChange[] = []
  let uncovered = 0
  for (const [path, listed] of before.files) {
    const { state } = listed
    const found = after.files.get(path)
    if (!found && isAsListed(path, listed)) continue
    // Not kept in one and kept in the other is no change.
    if (found && (state.kind === 'unkept' || found.state.kind === 'unkept') && sameStamp(listed, found)) continue
    const now = found?.state ?? captureFile(path, { maxBytes })
    if (!sameState(state, now)) changes.push({ path, before: state, after: now })
  }
  const inodes = new Set([...before.files.values()].map(({ ino }) => ino))
  for (const [path, listed] of after.files) {
    if (before.files.has(path)) continue
    if (isNew(listed, { before, inodes, startedMs }))
      changes.push({ path, before: { kind: 'absent' }, after: listed.state })
    else uncovered += 1
  }
  return { changes, uncovered }
}

function sameStamp(a: ListedFile, b: ListedFile): boolean {
  return a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.mode === b.mode
}

function isNew(
  { ino, bornMs, ctimeMs }: ListedFile,
  { before, inodes, startedMs }: { before: Listing; inodes: ReadonlySet<number>; startedMs: number },
): boolean {
  // Beyond the cap nobody knows what was there.
  if (!before.complete) return false
  return inodes.has(ino) || (bornMs || ctimeMs) >= startedMs - CLOCK_LAG_MS
}
