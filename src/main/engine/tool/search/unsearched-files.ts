import { basename } from 'node:path'
import { walkTree } from '../../workspace/file/list-files'
import { ignoreRules } from '../../workspace/path/ignore-rules'
import { sensitiveRule } from '../../workspace/path/sensitive-file'
import { VCS_FOLDERS } from '../../workspace/ripgrep/search-scope'

/** More folders are not looked at: the names are a hint, and the search itself goes through all. */
const MAX_FOLDERS = 200
/** How long an answer is cached: an agent searches the same folder many times, and such files rarely change. */
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

/** `unsearchedFiles`, with the latest answer kept for a while. */
export function createUnsearchedFiles(): typeof unsearchedFiles {
  let kept: { of: Unsearched; at: number; files: Promise<string[]> } | undefined
  return (asked) => {
    const { folder, root, includeIgnored } = asked
    const isKept =
      kept?.of.folder === folder &&
      kept.of.root === root &&
      kept.of.includeIgnored === includeIgnored &&
      !kept.of.signal.aborted &&
      performance.now() - kept.at < KEEP_MS
    if (!isKept) kept = { of: asked, at: performance.now(), files: unsearchedFiles(asked) }
    return kept!.files
  }
}

/**
 * The sensitive files that a search of the folder leaves out, in its first folders. It is the same whatever they
 * contain: with the names of those that match, many searches could find out their content. Never rejects.
 */
async function unsearchedFiles({ folder, root, includeIgnored, deadline, signal }: Unsearched): Promise<string[]> {
  const found: string[] = []
  let folders = 0
  await walkTree(folder, {
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
  return found.toSorted()
}
