import { join, sep } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parsePaths } from './parse-output'
import { runRipgrep } from './run-ripgrep'
import { searchScope } from './search-scope'
import { sensitiveRule } from '../path/sensitive-file'

const TIMEOUT_MS = 20_000
const MAX_BYTES = 64 * 1024 * 1024
/** Number of paths processed without a pause. */
const AT_ONCE = 2_000
const NUL = 0

/**
 * All files below `root` (its real path) except ignored and sensitive ones, sorted and with `/`. `onSome` is called
 * with files as they are found, in any order. Rejects only if ripgrep cannot be started.
 */
export async function projectFiles(root: string, onSome?: (files: readonly string[]) => void): Promise<string[]> {
  const scope = await searchScope(root, root)
  const judged = (found: readonly string[]): string[] => {
    const files: string[] = []
    for (const each of found) {
      const inner = each.slice(2)
      const path = sep === '/' ? inner : inner.replaceAll(sep, '/')
      if (sensitiveRule(path) === undefined && !scope.excludes(join(root, path))) files.push(path)
    }
    return files
  }
  const streamed: string[] = []
  let seen = 0
  let rest = Buffer.alloc(0)
  const onOutput = (chunk: Buffer): void => {
    const all = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    const end = all.lastIndexOf(NUL)
    // Copied, because the pipe's buffer may be reused.
    rest = Buffer.from(all.subarray(end + 1))
    if (end < 0) return
    const found = parsePaths(all.subarray(0, end + 1))
    seen += found.length
    const files = judged(found)
    for (const each of files) streamed.push(each)
    onSome?.(files)
  }
  const run = await runRipgrep([...scope.args, '--files', '--', './'], {
    cwd: root,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    onOutput,
  })
  const found = parsePaths(run.output)
  if (found.length === seen) return sortInSlices(streamed)
  // ripgrep was run twice, or there was too much output.
  const files: string[] = []
  for (let from = 0; from < found.length; from += AT_ONCE) {
    for (const each of judged(found.slice(from, from + AT_ONCE))) files.push(each)
    await nextTurn()
  }
  return sortInSlices(files)
}

/** Sorts like `sort`, but with pauses: without them, sorting 128,000 paths would noticeably delay a key press. */
export async function sortInSlices(paths: readonly string[], atOnce = AT_ONCE): Promise<string[]> {
  let runs: string[][] = []
  for (let from = 0; from < paths.length; from += atOnce) {
    runs.push(paths.slice(from, from + atOnce).sort())
    await nextTurn()
  }
  while (runs.length > 1) {
    const merged: string[][] = []
    for (let n = 0; n < runs.length; n += 2) {
      const [a, b] = [runs[n]!, runs[n + 1]]
      merged.push(b ? await merge(a, b, atOnce * 4) : a)
    }
    runs = merged
  }
  return runs[0] ?? []
}

async function merge(a: readonly string[], b: readonly string[], atOnce: number): Promise<string[]> {
  const all: string[] = []
  for (let [i, j] = [0, 0]; i < a.length || j < b.length;) {
    if (j >= b.length || (i < a.length && a[i]! <= b[j]!)) all.push(a[i++]!)
    else all.push(b[j++]!)
    if (all.length % atOnce === 0) await nextTurn()
  }
  return all
}
