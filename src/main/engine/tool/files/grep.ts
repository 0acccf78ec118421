import { statSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { z } from 'zod'
import { lazySchema, type SchemaOutput } from '../../../../shared/lazy-schema'
import { fileProblem, FileProblem } from '../../workspace/path/file-problem'
import { sensitiveRule } from '../../workspace/path/sensitive-file'
import type { ResolvedPath, Workspace } from '../../workspace/workspace'
import { catchFileProblem } from '../edit/file-change'
import { leadsElsewhere, missingPath, pathRefusal, shownPath } from '../file-paths'
import { needsPcre2, ripgrepPath, runRipgrep, type RipgrepRun } from '../../workspace/ripgrep/run-ripgrep'
import { reportSearch, type SearchAgain } from '../search/search-report'
import { inVcsFolder, searchScope, type SearchScope } from '../../workspace/ripgrep/search-scope'
import { possiblyMoved, seeingOnly } from '../search/search-in-place'
import { createUnsearchedFiles } from '../search/unsearched-files'
import { failed, nothingHidden, refuse, type CallContext, type Tool, type ToolResult } from '../tool'
import description from './grep.md?raw'

const TIMEOUT_MS = 20_000
const HEAD_LIMIT = 250
/** A search that took longer is worth the start of more threads next time. */
const QUICK_MS = 15
const MAX_KNOWN_FOLDERS = 500

const lines = lazySchema(() => z.int().min(0).max(1000).optional())

const input = lazySchema(() =>
  z.strictObject({
    pattern: z.string().min(1).max(10_000).describe('Regular expression'),
    path: z.string().min(1).optional().describe('File or folder; default: the project folder'),
    glob: z.string().min(1).max(1000).optional().describe('Only these files, e.g. *.{ts,tsx}; with ! all but these'),
    type: z.string().min(1).max(100).optional().describe('Only this file type, e.g. ts, py, rust'),
    output_mode: z
      .enum(['files_with_matches', 'content', 'count_matches'])
      .optional()
      .describe('Default files_with_matches'),
    '-i': z.boolean().optional().describe('Ignore case'),
    '-n': z.boolean().optional().describe('content: line numbers (default true)'),
    '-A': lines().describe('content: lines after each match'),
    '-B': lines().describe('content: lines before'),
    '-C': lines().describe('content: lines around; wins over -A and -B'),
    head_limit: z.int().min(0).optional().describe('Most lines or files of the result (default 250, 0: no limit)'),
    offset: z.int().min(0).optional().describe('Skip this many first'),
    multiline: z.boolean().optional().describe('Matches may span lines; . matches newlines'),
    include_ignored: z.boolean().optional().describe('Search ignored files too'),
  }),
)

type Input = SchemaOutput<typeof input>

export interface GrepDeps {
  workspace: Workspace
  /** How long a search may take, in ms; default 20 s. What was found until then is returned. */
  timeoutMs?: number
  /** What this session may not see; asked at every search. */
  hidden?: () => Promise<(path: string) => boolean>
}

/** What is searched: ripgrep runs in `cwd` and is given `argument`. */
interface Target {
  cwd: string
  argument: string
  folder: string
  isFile: boolean
}

/** Searches file contents with ripgrep; see reference/tools.md. */
export function grepTool({ workspace, timeoutMs = TIMEOUT_MS, hidden = nothingHidden }: GrepDeps): Tool<typeof input> {
  const quick = new Set<string>()
  const unsearchedFiles = createUnsearchedFiles()
  return {
    name: 'Grep',
    description,
    input,
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
          catchFileProblem(() => run({ workspace, timeoutMs, hidden, quick, unsearchedFiles }, asked, path, ctx)),
      }
    },
  }
}

async function run(
  deps: Required<GrepDeps> & { quick: Set<string>; unsearchedFiles: ReturnType<typeof createUnsearchedFiles> },
  asked: Input,
  path: ResolvedPath,
  { signal }: CallContext,
): Promise<ToolResult> {
  const { workspace, timeoutMs, hidden, quick, unsearchedFiles } = deps
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
  // What a search says must not depend on what is in such a file: with many searches its content could be guessed.
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
  // While ripgrep runs. With a type the search is about other files.
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
  const last = new LastSearch(scope, target)
  let result = await last.search(asked, options, more)
  if (needsPcre2(result)) {
    more.push('--pcre2')
    result = await last.search(asked, rest(), more)
  }
  remember(quick, path.realPath, performance.now() - started < QUICK_MS)
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
    // A file that is named itself is always searched.
    ...(!target.isFile && {
      searchBinary: () =>
        last.search({ ...asked, output_mode: 'files_with_matches' }, { ...rest(), cutsLines: false }, [
          ...more,
          '--binary',
        ]),
    }),
    unsearched: (await unsearched).filter((path) => !isHidden(path) && scope.matchesGlob(path)),
    again: (found) => last.again(found, topOf(workspace, target.folder)),
  })
}

/** The folder of the project that a folder lies in, which no command can move; else the folder itself. */
function topOf({ root, addedFolders, paths }: Workspace, folder: string): string {
  return [root, ...addedFolders].find((each) => paths.isWithin(folder, each)) ?? folder
}

/** A search that took less is made again as it was; of others only the files are searched that may have been moved. */
const SHORT_MS = 500
/** More files than this are not named one by one. */
const MAX_NAMED = 1_000
const AGAIN_MS = 5_000

/** Remembers the search that was made last, so that it can be made again. */
class LastSearch {
  readonly #scope: SearchScope
  readonly #target: Target
  #last: { words: [Input, Parameters<typeof runRipgrep>[1], string[]]; began: number; isShort: boolean } | undefined

  constructor(scope: SearchScope, target: Target) {
    this.#scope = scope
    this.#target = target
  }

  async search(input: Input, options: Parameters<typeof runRipgrep>[1], more: string[]): Promise<RipgrepRun> {
    const began = Date.now()
    const run = await search(input, [this.#target.argument], this.#scope, options, more)
    this.#last = { words: [input, options, more], began, isShort: Date.now() - began < SHORT_MS }
    return run
  }

  /** Undefined when all was surely found where it is, or when this machine has no sandboxes. */
  async again(found: Iterable<string>, top: string): Promise<SearchAgain | undefined> {
    if (!this.#last) return undefined
    const { words, began, isShort } = this.#last
    const [input, options, more] = words
    const all = [...found]
    const moved = possiblyMoved(all, top, began)
    const within = moved.size === 0 ? undefined : await seeingOnly(top, await ripgrepPath())
    if (!within) return undefined
    const { cwd, argument } = this.#target
    const isNamed = !isShort && moved.size <= MAX_NAMED
    const files = isNamed ? [...moved].map((path) => `./${relative(cwd, path)}`) : [argument]
    const timeoutMs = Math.max(AGAIN_MS, options.timeoutMs ?? 0)
    const run = await search(input, files, this.#scope, { ...options, timeoutMs, within }, more)
    // It could not be started, so nothing is known of these files.
    if (/^bwrap: /m.test(run.errors)) throw new FileProblem('Folders were moved while they were searched. Call again.')
    return { moved: isNamed ? moved : new Set(all), run }
  }
}

/** Relative arguments keep globs relative to the project folder. */
async function targetOf(workspace: Workspace, path: ResolvedPath): Promise<Target | string> {
  const shown = workspace.display(path.realPath)
  try {
    // Not through the thread pool, as for a Read.
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

function search(
  asked: Input,
  files: readonly string[],
  scope: SearchScope,
  options: Parameters<typeof runRipgrep>[1],
  more: string[] = [],
): Promise<RipgrepRun> {
  // `--regexp=` and `--` keep patterns and paths that begin with a dash from being options.
  return runRipgrep(
    [...scope.args, ...searchArgs(asked), ...more, `--regexp=${asked.pattern}`, '--', ...files],
    options,
  )
}

function searchArgs(asked: Input): string[] {
  const args = ['--crlf']
  if (asked['-i']) args.push('--ignore-case')
  if (asked.multiline) args.push('--multiline', '--multiline-dotall')
  switch (asked.output_mode) {
    case 'content':
      return [
        ...args,
        '--line-number',
        '--column',
        '--with-filename',
        '--no-heading',
        '--no-context-separator',
        ...contextArgs(asked),
      ]
    case 'count_matches':
      return [...args, '--count-matches', '--with-filename']
    default:
      // The same as --files-with-matches, but with a line end after each path: only then does ripgrep pass it on at
      // once, so that it is there when time is up.
      return [...args, '--count', '--max-count=1', '--with-filename']
  }
}

function contextArgs(asked: Input): string[] {
  if (asked['-C'] !== undefined) return [`--context=${asked['-C']}`]
  return [
    ...(asked['-A'] === undefined ? [] : [`--after-context=${asked['-A']}`]),
    ...(asked['-B'] === undefined ? [] : [`--before-context=${asked['-B']}`]),
  ]
}

function remember(quick: Set<string>, folder: string, wasQuick: boolean): void {
  quick.delete(folder)
  if (!wasQuick) return
  if (quick.size >= MAX_KNOWN_FOLDERS) quick.clear()
  quick.add(folder)
}
