import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { readListing, type CheckpointPaths } from './capture/checkpoint-files'

const DAY_MS = 86_400_000
/** Contents used this recently may be about to be referred to. */
const GRACE_MS = DAY_MS

export interface CollectOptions {
  place: CheckpointPaths
  exists(sessionId: string): boolean
  isRunning(sessionId: string): boolean
  keepDays: number
  /** Limit for the total size of all contents. */
  maxBytes: number
  now?: number
}

/** Something that refers to contents: a session, or the listing of a workspace. */
interface Holder {
  path: string
  usedAt: number
  /** Never removed. */
  isPinned: boolean
  hashes(): Iterable<string>
}

interface Content {
  path: string
  size: number
  usedAt: number
}

/**
 * Removes contents that nothing refers to, after dropping sessions that were removed or not used for `keepDays` and,
 * beyond `maxBytes`, the least recently used ones. A running session keeps all its contents.
 */
export async function collectGarbage(options: CollectOptions): Promise<{ removed: number; bytes: number }> {
  const { place, keepDays, maxBytes, now = Date.now() } = options
  const oldest = now - keepDays * DAY_MS
  const holders = [...sessionHolders(options), ...listingHolders(place)].toSorted((a, b) => a.usedAt - b.usedAt)
  const staying = holders.filter(({ path, usedAt, isPinned }) => {
    if (isPinned || usedAt >= oldest) return true
    rmSync(path, { recursive: true, force: true })
    return false
  })
  const contents = await contentsOf(place.blobs)
  const total = (needed: ReadonlyMap<string, number>): number => {
    let bytes = 0
    for (const [name, { size }] of contents) if (needed.has(name)) bytes += size
    return bytes
  }
  const needed = new Map<string, number>()
  for (const holder of staying) for (const name of holder.hashes()) needed.set(name, (needed.get(name) ?? 0) + 1)
  let bytes = total(needed)
  for (const holder of staying) {
    if (bytes <= maxBytes) break
    if (holder.isPinned || now - holder.usedAt < GRACE_MS) continue
    for (const name of holder.hashes()) {
      const left = (needed.get(name) ?? 1) - 1
      if (left > 0) needed.set(name, left)
      else if (needed.delete(name)) bytes -= contents.get(name)?.size ?? 0
    }
    rmSync(holder.path, { recursive: true, force: true })
  }
  let removed = 0
  for (const [name, { path, usedAt }] of contents) {
    if (needed.has(name) || now - usedAt < GRACE_MS) continue
    rmSync(path, { force: true })
    removed += 1
    if (removed % 200 === 0) await nextTurn()
  }
  return { removed, bytes }
}

function* sessionHolders({ place, exists, isRunning }: CollectOptions): Generator<Holder> {
  const folder = join(place.folder, 'sessions')
  for (const sessionId of namesIn(folder)) {
    const path = join(folder, sessionId)
    const refs = place.refs(sessionId)
    // An interrupted call or restore is completed from these, even in a session that refers to no content yet.
    const open = [place.openListing(sessionId), place.restore(sessionId)]
    const usedAt = exists(sessionId) ? Math.max(...[refs, ...open].map(timeOf)) : 0
    yield {
      path,
      usedAt,
      isPinned: isRunning(sessionId),
      *hashes() {
        yield* new Set(linesOf(refs))
        yield* listed(place.openListing(sessionId))
      },
    }
  }
}

function* listingHolders(place: CheckpointPaths): Generator<Holder> {
  const folder = join(place.folder, 'workspaces')
  for (const name of namesIn(folder)) {
    const path = join(folder, name)
    yield { path, usedAt: timeOf(path), isPinned: false, hashes: () => listed(path) }
  }
}

function* listed(path: string): Generator<string> {
  for (const { state } of readListing(path)?.files.values() ?? []) if (state.kind === 'file') yield state.hash
}

async function contentsOf(folder: string): Promise<Map<string, Content>> {
  const contents = new Map<string, Content>()
  for (const start of namesIn(folder)) {
    for (const rest of namesIn(join(folder, start))) {
      const path = join(folder, start, rest)
      const stat = statSync(path, { throwIfNoEntry: false })
      if (stat) contents.set(start + rest, { path, size: stat.size, usedAt: stat.mtimeMs })
    }
    await nextTurn()
  }
  return contents
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').filter(Boolean)
  } catch {
    return []
  }
}

function timeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
