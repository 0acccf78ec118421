import { statSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { fileProblem, FileProblem } from '../../workspace/path/file-problem'
import { sensitiveRule } from '../../workspace/path/sensitive-file'
import type { ResolvedPath, Workspace } from '../../workspace/workspace'
import { catchFileProblem } from '../edit/file-change'
import { leadsElsewhere, missingPath, pathRefusal, shownPath } from '../file-paths'
import { needsPcre2, type RipgrepRun } from '../../workspace/ripgrep/run-ripgrep'
import { inVcsFolder, searchScope } from '../../workspace/ripgrep/search-scope'
import { SmallSearcher } from '../../workspace/ripgrep/small-search'
import { grepInput, type GrepInput } from '../search/grep-input'
import { contextArgs, GrepSearch, type SearchTarget } from '../search/grep-search'
import { reportSearch } from '../search/search-report'
import { createUnsearchedFiles } from '../search/unsearched-files'
import { failed, nothingHidden, refuse, type CallContext, type Tool, type ToolResult } from '../tool'
import description from './grep.md?raw'

const TIMEOUT_MS = 20_000
const HEAD_LIMIT = 250
/** In ms. A search that took longer uses more than one thread the next time. */
const QUICK_MS = 15
const MAX_KNOWN_FOLDERS = 500

export interface GrepDeps {
  workspace: Workspace
  /** Time limit for a search, in ms; default 20 s. What was found by then is returned. */
  timeoutMs?: number
  /** Tests paths that are hidden from this session; called for every search. */
  hidden?: () => Promise<(path: string) => boolean>
}

/** Searches file contents, mostly with ripgrep. */
export function grepTool({
  workspace,
  timeoutMs = TIMEOUT_MS,
  hidden = nothingHidden,
}: GrepDeps): Tool<typeof grepInput> {
  const quick = new Set<string>()
  const small = new SmallSearcher()
  const unsearchedFiles = createUnsearchedFiles()
  return {
    name: 'Grep',
    description,
    input: grepInput,
    subject: ['pattern'],
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    // ripgrep's own limit ends a search with a report; this limit is for a disk that hangs.
    timeoutMs: timeoutMs + 10_000,
    async prepare(asked) {
      const nul = [asked.pattern, asked.glob, asked.type].some((text) => text?.includes('\0'))
      if (nul) return refuse('A NUL character cannot be passed on; write it as \\x00 in the pattern.')
      const path = await workspace.resolve(asked.path ?? '.')
      const refusal = pathRefusal(workspace, path)
      if (refusal) return refusal
      if (inVcsFolder(path.realPath, workspace.root)) {
        return refuse(
          `${workspace.display(path.realPath)} belongs to version control, which is never searched. ` +
            'Use its own program with Bash, e.g. git log -S or git grep.',
        )
      }
      return {
        summary:
          JSON.stringify(asked.pattern) +
          (asked.path === undefined ? '' : ` in ${shownPath(workspace, path)}`) +
          (asked.glob === undefined ? '' : ` (${asked.glob})`),
        accesses: [{ kind: 'tree', path: path.realPath, written: path.path, write: false }],
        run: (ctx) =>
          catchFileProblem(() =>
            run({ workspace, timeoutMs, hidden, quick, small, unsearchedFiles }, asked, path, ctx),
          ),
      }
    },
  }
}

/** What is remembered from one search to the next. */
interface Remembered {
  /** Folders that are searched with one thread. */
  quick: Set<string>
  small: SmallSearcher
  unsearchedFiles: ReturnType<typeof createUnsearchedFiles>
}

async function run(
  deps: Required<GrepDeps> & Remembered,
  asked: GrepInput,
  path: ResolvedPath,
  { signal }: CallContext,
): Promise<ToolResult> {
  const { workspace, timeoutMs, hidden, quick, small, unsearchedFiles } = deps
  const deadline = performance.now() + timeoutMs
  const isHidden = await hidden()
  const elsewhere = await leadsElsewhere(workspace, asked.path ?? '.', path)
  if (elsewhere !== undefined) return failed(elsewhere)
  const target = await targetOf(workspace, path)
  if (typeof target === 'string') return failed(target)
  const scope = await searchScope(target.folder, workspace.root, {
    file: target.isFile,
    includeIgnored: asked.include_ignored ?? false,
    ...(asked.glob !== undefined && { glob: asked.glob }),
    ...(asked.type !== undefined && { type: asked.type }),
  })
  // A result must not depend on the contents of hidden and sensitive files: many searches could reveal them.
  const isSecret = (path: string): boolean => isHidden(path) || sensitiveRule(path) !== undefined
  const options = {
    cwd: target.cwd,
    leavesOut: (found: string) => isSecret(join(target.cwd, found)),
    signal,
    timeoutMs,
    singleThread: quick.has(path.realPath),
    cutsLines: asked.output_mode === 'content',
  }
  const started = performance.now()
  // Found while ripgrep runs. With a type, the search is about other files.
  const unsearched =
    target.isFile || asked.type !== undefined
      ? Promise.resolve([])
      : unsearchedFiles({
          folder: target.folder,
          root: workspace.root,
          includeIgnored: asked.include_ignored ?? false,
          deadline,
          signal,
        })
  const rest = (): typeof options => ({ ...options, timeoutMs: Math.max(1, deadline - performance.now()) })
  const more: string[] = []
  const search = new GrepSearch(asked, target, scope)
  const here = signal.aborted ? undefined : search.withoutRipgrep(small, workspace.root, isSecret)
  let result: RipgrepRun = here ?? (await search.run(options, more))
  if (needsPcre2(result)) {
    more.push('--pcre2')
    result = await search.run(rest(), more)
  }
  if (!here) remember(quick, path.realPath, performance.now() - started < QUICK_MS)
  if (result.stopped === 'aborted') return failed('The search was stopped.')
  if (target.isFile && result.exitCode === 2 && result.output.length === 0)
    return failed(`${workspace.display(path.realPath)} cannot be read: ${result.errors.trim()}`)
  return reportSearch(result, {
    pattern: asked.pattern,
    mode: asked.output_mode ?? 'files_with_matches',
    lineNumbers: asked['-n'] ?? true,
    limit: (asked.head_limit ?? HEAD_LIMIT) || Infinity,
    offset: asked.offset ?? 0,
    timeoutMs,
    deadline,
    signal,
    hasContext: contextArgs(asked).length > 0,
    excludes: (path) => isSecret(path) || scope.excludes(path),
    absolute: (found) => join(target.cwd, found),
    display: (found) => workspace.display(found),
    // A file that the call names directly is always searched.
    ...(!target.isFile &&
      here?.hasBinary !== false && {
        searchBinary: () =>
          search.run({ ...rest(), cutsLines: false }, [...more, '--binary'], {
            ...asked,
            output_mode: 'files_with_matches',
          }),
      }),
    unsearched: (await unsearched).filter((path) => !isHidden(path) && scope.matchesGlob(path)),
    again: (found) => search.again(found, topOf(workspace, target.folder)),
  })
}

/** The project or added folder that contains a folder, and that no command can move; otherwise the folder itself. */
function topOf({ root, addedFolders, paths }: Workspace, folder: string): string {
  return [root, ...addedFolders].find((each) => paths.isWithin(folder, each)) ?? folder
}

/** Relative arguments keep globs relative to the project folder. */
async function targetOf(workspace: Workspace, path: ResolvedPath): Promise<SearchTarget | string> {
  const shown = workspace.display(path.realPath)
  try {
    // Synchronous rather than through the thread pool, as in Read.
    const stats = statSync(path.realPath)
    if (!stats.isFile() && !stats.isDirectory()) return `${shown} is not a file or folder that could be searched.`
    const isFile = stats.isFile()
    const folder = isFile ? dirname(path.realPath) : path.realPath
    const inRoot = path.realPath === workspace.root || path.realPath.startsWith(workspace.root + sep)
    if (inRoot) return { cwd: workspace.root, argument: `./${shown === '.' ? '' : shown}`, folder, isFile }
    return { cwd: folder, argument: `./${isFile ? basename(path.realPath) : ''}`, folder, isFile }
  } catch (error) {
    const problem = fileProblem(error, shown)
    if (!(problem instanceof FileProblem)) throw problem
    return problem.kind === 'missing'
      ? missingPath(workspace, path, 'Find the right path with Glob or ListDirectory.')
      : problem.message
  }
}

function remember(quick: Set<string>, folder: string, wasQuick: boolean): void {
  quick.delete(folder)
  if (!wasQuick) return
  if (quick.size >= MAX_KNOWN_FOLDERS) quick.clear()
  quick.add(folder)
}
