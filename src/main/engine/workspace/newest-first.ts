import { lstat, lstatSync, type Stats } from 'node:fs'

/** Up to here asking the system directly is quicker than going through the thread pool. */
const FEW = 64
const AT_ONCE = 32

/**
 * Sorts files by the second they were last changed in, newest first; files of the same second by path, so that the order is always the same. What is gone comes last.
 * Undefined when it was not done by `deadline` (as of `performance.now()`) or `signal` aborted.
 */
export async function newestFirst(
  paths: readonly string[],
  { deadline, signal }: { deadline: number; signal?: AbortSignal },
): Promise<string[] | undefined> {
  const seconds =
    paths.length <= FEW ? paths.map(changedAt) : await changeTimes(paths, () => performance.now() < deadline && signal?.aborted !== true)
  return seconds && byTime(paths, seconds)
}

function byTime(paths: readonly string[], seconds: readonly number[]): string[] {
  const rows = paths.map((path, index) => ({ path, key: pathOrder(path), seconds: seconds[index] ?? 0 }))
  rows.sort((a, b) => b.seconds - a.seconds || (a.key < b.key ? -1 : 1))
  return rows.map((row) => row.path)
}

/** A key whose plain order is that of a walk through the tree: name by name, not character by character. */
export function pathOrder(path: string): string {
  return path.replaceAll('/', '\0').replaceAll('\\', '\0')
}

function changedAt(path: string): number {
  try {
    return secondOf(lstatSync(path, { throwIfNoEntry: false }))
  } catch {
    return 0
  }
}

function secondOf(stats: Stats | undefined): number {
  return stats ? Math.floor(stats.mtimeMs / 1000) : 0
}

function changeTimes(paths: readonly string[], goOn: () => boolean): Promise<number[] | undefined> {
  const seconds: number[] = Array.from({ length: paths.length }, () => 0)
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
          seconds[index] = error ? 0 : secondOf(stats)
          pending--
          more()
        })
      }
      if (pending === 0) resolve(seconds)
    }
    more()
  })
}
