import { readdirSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import type { FileState, FileChange } from '../../../../shared/model/session/checkpoint'
import { ignoreRules, type IgnoreRules } from '../../workspace/path/ignore-rules'
import { isReservedName } from '../../workspace/file/reserved-file'
import { sensitiveRule } from '../../workspace/path/sensitive-file'
import { type BlobStore, captureFile, versionStamp, statAt, sameState } from './file-state'
import { WorkSlices } from '../../runtime/work-slices'

/** Maximum number of entries: a command must not wait for the listing of a whole disk. */
const MAX_ENTRIES = 30_000
/** Maximum size of new content that one listing reads; the rest is left to the next one. */
const MAX_NEW_BYTES = 256 * 1024 * 1024
/** Maximum time that a command waits for a listing, in ms. */
const MAX_LISTING_MS = 20_000
/** A file written this shortly before it was listed may change again without a new timestamp, so it is read again. */
const RACY_MS = 50
export const TEMPORARY = /^\.trestle-.*\.tmp$/

/** The state of one path, with the stat fields that show whether it has changed since. */
export interface ListedFile {
  state: FileState
  ino: number
  size: number
  mtimeMs: number
  ctimeMs: number
  mode: number
  /** Creation time according to the file system; 0: unknown. */
  bornMs: number
  seenMs: number
}

export interface Listing {
  files: Map<string, ListedFile>
  /** False when not everything could be listed. */
  complete: boolean
}

export interface ListingOptions {
  /** Real paths. */
  roots: readonly string[]
  /** Skipped: Trestle's own folder. */
  except: string
  blobs: BlobStore
  maxBytes: number
  /** An earlier listing: unchanged files are not read again. */
  known?: ReadonlyMap<string, ListedFile>
  maxEntries?: number
  maxMs?: number
  signal?: AbortSignal
}

/**
 * Lists everything below the roots and stores contents that are not stored yet. Skips version control, ignored files,
 * sensitive files, and placeholders of sandboxes. Yields to the event loop every few milliseconds. Rejects when
 * `signal` aborts.
 */
export async function listWorkspace(options: ListingOptions): Promise<Listing> {
  const { roots, except, blobs, known, maxEntries = MAX_ENTRIES, maxMs = MAX_LISTING_MS, signal } = options
  const files = new Map<string, ListedFile>()
  let newBytes = 0
  let complete = true
  const end = performance.now() + maxMs
  const slices = new WorkSlices()

  const inspect = (path: string, stat: Stats): ListedFile => {
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
      if (stat.isDirectory() ? roots.includes(folder) && isReservedName(path) : sensitiveRule(path) !== undefined)
        continue
      if (files.size >= maxEntries || performance.now() > end) {
        complete = false
        waiting.length = 0
        break
      }
      files.set(path, inspect(path, stat))
      if (stat.isDirectory()) waiting.push({ folder: path, rules: rules.into(path) })
      if (!slices.isOver) continue
      await slices.next()
      signal?.throwIfAborted()
    }
  }
  return { files, complete }
}

/** Whether a path is unchanged since it was listed, judged by its stat. */
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
    // Deleted meanwhile, or not readable: paths known from before are checked one by one.
    return []
  }
}

/** The roots that are not inside another root. */
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

/** File system clocks lag slightly behind, by up to this many ms. */
const CLOCK_LAG_MS = 20

/**
 * The changes from one listing to a later one. In doubt, a path counts as unchanged: a path that is missing only in the
 * listing (because it is ignored now, for example) is checked on disk, and a path that is new in the listing but older
 * than `startedMs` existed before, counts as not covered, and is never deleted.
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
    // A file kept in one listing but not in the other has not changed.
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
  // Beyond the limit, it is unknown what existed before.
  if (!before.complete) return false
  return inodes.has(ino) || (bornMs || ctimeMs) >= startedMs - CLOCK_LAG_MS
}
