import type { FileChange } from '../../../shared/model/checkpoint'
import { captureFile, sameState } from './file-state'
import { isAsListed, type ListedFile, type Listing } from './workspace-listing'

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
    if (isNew(listed, { before, inodes, startedMs })) changes.push({ path, before: { kind: 'absent' }, after: listed.state })
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
