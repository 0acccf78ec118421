import { lstat, lstatSync, type Stats } from 'node:fs'

/** Up to here asking the system directly is quicker than going through the thread pool. */
const FEW = 64
const AT_ONCE = 32

/**
 * Sorts files by when they were last changed, as exactly as the disk knows it, newest first; files of the same time by path, so that the order is always the same. What is gone comes last.
 * Undefined when it was not done by `deadline` (as of `performance.now()`) or `signal` aborted.
 */
export async function newestFirst(
  paths: readonly string[],
  { deadline, signal }: { deadline: number; signal?: AbortSignal },
): Promise<string[] | undefined> {
  const times =
    paths.length <= FEW ? paths.map(changedAt) : await changeTimes(paths, () => performance.now() < deadline && signal?.aborted !== true)
  return times && byTime(paths, times)
}

function byTime(paths: readonly string[], times: readonly number[]): string[] {
  const rows = paths.map((path, index) => ({ path, key: pathOrder(path), time: times[index] ?? 0 }))
  rows.sort((a, b) => b.time - a.time || (a.key < b.key ? -1 : 1))
  return rows.map((row) => row.path)
}

/** A key whose plain order is that of a walk through the tree: name by name, not character by character. */
export function pathOrder(path: string): string {
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
      while (pending < AT_ONCE && next < paths.length) {
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
