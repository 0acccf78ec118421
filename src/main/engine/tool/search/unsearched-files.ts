import { basename } from 'node:path'
import { walkTree } from '../../workspace/file/list-files'
import { ignoreRules } from '../../workspace/path/ignore-rules'
import { sensitiveRule } from '../../workspace/path/sensitive-file'
import { VCS_FOLDERS } from '../../workspace/ripgrep/search-scope'

/** Maximum number of folders examined: the names are only a hint, and the search itself covers all folders. */
const MAX_FOLDERS = 200
/** How long a result is cached, in ms: an agent searches the same folder often, and such files rarely change. */
const KEEP_MS = 30_000
const VCS = new Set<string>(VCS_FOLDERS)

export interface Unsearched {
  folder: string
  /** The project's folder. */
  root: string
  includeIgnored: boolean
  /** As of `performance.now()`. */
  deadline: number
  signal: AbortSignal
}

/** Finds the files; keeps the latest complete result for a while. Never rejects. */
export function createUnsearchedFiles(): (asked: Unsearched) => Promise<string[]> {
  let kept: { of: Unsearched; at: number; files: string[] } | undefined
  return async (asked) => {
    const isKept =
      kept?.of.folder === asked.folder &&
      kept.of.root === asked.root &&
      kept.of.includeIgnored === asked.includeIgnored &&
      performance.now() - kept.at < KEEP_MS
    if (kept && isKept) return kept.files
    const { files, isComplete } = await unsearchedFiles(asked)
    if (isComplete) kept = { of: asked, at: performance.now(), files }
    return files
  }
}

/**
 * The sensitive files that a search of the folder leaves out, in its first folders. All are named, no matter what they
 * contain: if only those that match were named, many searches could reveal their contents.
 */
async function unsearchedFiles({
  folder,
  root,
  includeIgnored,
  deadline,
  signal,
}: Unsearched): Promise<{ files: string[]; isComplete: boolean }> {
  const found: string[] = []
  let folders = 0
  const walk = await walkTree(folder, {
    rules: ignoreRules(folder, root, includeIgnored ? [] : undefined),
    visit({ path, isFolder }) {
      if (!isFolder) {
        if (sensitiveRule(path) !== undefined) found.push(path)
        return false
      }
      if (VCS.has(basename(path))) return false
      folders += 1
      return folders <= MAX_FOLDERS
    },
    deadline,
    signal,
  }).catch(() => undefined)
  return { files: found.toSorted(), isComplete: walk?.complete === true }
}
