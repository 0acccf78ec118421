import { join, sep } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import { parsePaths } from './parse-output'
import { runRipgrep } from './run-ripgrep'
import { searchScope } from './search-scope'
import { sensitiveRule } from '../path/sensitive-file'

const TIMEOUT_MS = 20_000
const MAX_BYTES = 64 * 1024 * 1024
/** Paths looked at without a pause. */
const AT_ONCE = 2_000

/**
 * All files below `root` (its real path), with `/`: without those that are ignored or sensitive. Rejects only when
 * ripgrep cannot be started.
 */
export async function projectFiles(root: string): Promise<string[]> {
  const scope = await searchScope(root, root)
  const run = await runRipgrep([...scope.args, '--files', '--', './'], {
    cwd: root,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  })
  const found = parsePaths(run.output)
  const files: string[] = []
  for (let from = 0; from < found.length; from += AT_ONCE) {
    for (const each of found.slice(from, from + AT_ONCE)) {
      const inner = each.slice(2)
      const path = sep === '/' ? inner : inner.replaceAll(sep, '/')
      if (sensitiveRule(path) === undefined && !scope.excludes(join(root, path))) files.push(path)
    }
    await breathe()
  }
  return files.sort()
}
