import { statSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { z } from 'zod'
import { lazySchema, type SchemaOutput } from '../../../../shared/lazy-schema'
import { fileProblem, FileProblem } from '../../workspace/path/file-problem'
import type { ResolvedPath, Workspace } from '../../workspace/workspace'
import { missingPath, pathRefusal, shownPath } from '../file-paths'
import { searchFailure, needsPcre2, runRipgrep, type RipgrepRun } from '../../workspace/ripgrep/run-ripgrep'
import { reportSearch } from '../search-report'
import { inVcsFolder, searchScope, type SearchScope } from '../../workspace/ripgrep/search-scope'
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
        run: (ctx) => run({ workspace, timeoutMs, hidden, quick }, asked, path, ctx),
      }
    },
  }
}

async function run(
  deps: Required<GrepDeps> & { quick: Set<string> },
  asked: Input,
  path: ResolvedPath,
  { signal }: CallContext,
): Promise<ToolResult> {
  const { workspace, timeoutMs, hidden, quick } = deps
  const deadline = performance.now() + timeoutMs
  const isHidden = await hidden()
  const target = await targetOf(workspace, path)
  if (typeof target === 'string') return failed(target)
  const scope = await searchScope(target.folder, workspace.root, {
    file: target.isFile,
    includeIgnored: asked.include_ignored ?? false,
    ...(asked.glob !== undefined && { glob: asked.glob }),
    ...(asked.type !== undefined && { type: asked.type }),
  })
  const options = {
    cwd: target.cwd,
    signal,
    timeoutMs,
    singleThread: quick.has(path.realPath),
    cutsLines: asked.output_mode === 'content',
  }
  const started = performance.now()
  const rest = (): typeof options => ({ ...options, timeoutMs: Math.max(1, deadline - performance.now()) })
  const more: string[] = []
  let result = await search(asked, target, scope, options)
  if (needsPcre2(result)) {
    more.push('--pcre2')
    result = await search(asked, target, scope, rest(), more)
  }
  remember(quick, path.realPath, performance.now() - started < QUICK_MS)
  if (result.stopped === 'aborted') return failed('The search was stopped.')
  const failure = searchFailure(result)
  if (failure !== undefined) return failed(failure)
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
    excludes: (path) => isHidden(path) || scope.excludes(path),
    absolute: (found) => join(target.cwd, found),
    display: (found) => workspace.display(found),
    // A file that is named itself is always searched.
    ...(!target.isFile && {
      searchBinary: () =>
        search({ ...asked, output_mode: 'files_with_matches' }, target, scope, { ...rest(), cutsLines: false }, [
          ...more,
          '--binary',
        ]),
    }),
  })
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
  target: Target,
  scope: SearchScope,
  options: Parameters<typeof runRipgrep>[1],
  more: string[] = [],
): Promise<RipgrepRun> {
  // `--regexp=` and `--` keep patterns and paths that begin with a dash from being options.
  return runRipgrep(
    [...scope.args, ...searchArgs(asked), ...more, `--regexp=${asked.pattern}`, '--', target.argument],
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
