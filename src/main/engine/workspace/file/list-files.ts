import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { lstat, lstatSync, type Stats } from 'node:fs'
import { openFolder } from './pinned-folder'
import type { IgnoreRules } from '../path/ignore-rules'
import { WorkSlices } from '../../runtime/work-slices'

const FOLDERS_AT_ONCE = 8

export interface TreeEntry {
  /** Absolute. */
  path: string
  /** Relative to the folder where the walk started, with `/` on every system. */
  inner: string
  /** False for a symlink, whatever it points to: links are never followed. */
  isFolder: boolean
}

export interface Walk {
  rules: IgnoreRules
  /** Called with every visible entry, in no particular order; true: descend into this folder. */
  visit(entry: TreeEntry): boolean
  /** As of `performance.now()`. */
  deadline: number
  signal: AbortSignal
}

export interface WalkResult {
  /** False if time ran out or `signal` aborted. */
  complete: boolean
  /** Folders that could not be listed. */
  unreadable: string[]
}

/** Walks the tree below `folder`. Rejects only if `folder` itself cannot be listed. */
export async function walkTree(folder: string, walk: Walk): Promise<WalkResult> {
  const waiting: { path: string; inner: string; rules: IgnoreRules }[] = []
  const unreadable: string[] = []
  const goOn = (): boolean => !walk.signal.aborted && performance.now() < walk.deadline

  const list = async (path: string, inner: string, rules: IgnoreRules): Promise<void> => {
    const opened = openFolder(path)
    const entries = await readdir(opened.path, { withFileTypes: true }).finally(opened.close)
    opened.verify()
    const slices = new WorkSlices()
    for (const entry of entries) {
      if (slices.isOver) {
        await slices.next()
        if (!goOn()) return void waiting.push({ path, inner, rules })
      }
      const found = { path: join(path, entry.name), inner: inner + entry.name, isFolder: entry.isDirectory() }
      if (rules.ignores(found.path, found.isFolder)) continue
      if (walk.visit(found) && found.isFolder) waiting.push({ path: found.path, inner: `${found.inner}/`, rules })
    }
  }
  await list(folder, '', walk.rules)
  await new Promise<void>((resolve) => {
    let active = 0
    const pump = (): void => {
      for (
        let next = goOn() ? waiting.pop() : undefined;
        next;
        next = active < FOLDERS_AT_ONCE && goOn() ? waiting.pop() : undefined
      ) {
        const { path, inner, rules } = next
        active++
        void list(path, inner, rules.into(path))
          .catch(() => unreadable.push(path))
          .finally(() => {
            active--
            pump()
          })
      }
      if (active === 0) resolve()
    }
    pump()
  })
  return { complete: waiting.length === 0 && goOn(), unreadable }
}

/** Up to this number, synchronous calls are faster than going through the thread pool. */
const SYNC_LIMIT = 64
const STATS_AT_ONCE = 32

/**
 * Sorts files by modification time, as precisely as the disk stores it, newest first; files with the same time by path,
 * so that the order is stable. Deleted files come last. Undefined if it is not finished by `deadline` (as of
 * `performance.now()`) or `signal` aborts.
 */
export async function sortNewestFirst(
  paths: readonly string[],
  { deadline, signal }: { deadline: number; signal?: AbortSignal },
): Promise<string[] | undefined> {
  const times =
    paths.length <= SYNC_LIMIT
      ? paths.map(changedAt)
      : await changeTimes(paths, () => performance.now() < deadline && signal?.aborted !== true)
  return times && byTime(paths, times)
}

function byTime(paths: readonly string[], times: readonly number[]): string[] {
  const rows = paths.map((path, index) => ({ path, key: pathSortKey(path), time: times[index] ?? 0 }))
  rows.sort((a, b) => b.time - a.time || (a.key < b.key ? -1 : 1))
  return rows.map((row) => row.path)
}

/** A key whose plain order is that of a walk through the tree: name by name, not character by character. */
export function pathSortKey(path: string): string {
  return path.replaceAll('/', '\0').replaceAll('\\', '\0')
}

function changedAt(path: string): number {
  try {
    return timeOf(lstatSync(path, { throwIfNoEntry: false }))
  } catch {
    return 0
  }
}

function timeOf(stats: Stats | undefined): number {
  return stats?.mtimeMs ?? 0
}

function changeTimes(paths: readonly string[], goOn: () => boolean): Promise<number[] | undefined> {
  const times: number[] = Array.from({ length: paths.length }, () => 0)
  return new Promise((resolve) => {
    let [next, pending] = [0, 0]
    const more = (): void => {
      if (!goOn()) {
        resolve(undefined)
        return
      }
      while (pending < STATS_AT_ONCE && next < paths.length) {
        const index = next++
        pending++
        lstat(paths[index]!, (error, stats) => {
          times[index] = error ? 0 : timeOf(stats)
          pending--
          more()
        })
      }
      if (pending === 0) resolve(times)
    }
    more()
  })
}
