import { sep } from 'node:path'
import { z } from 'zod'
import { lazySchema, type SchemaOutput } from '../../../../shared/lazy-schema'
import type { ToolDetails } from '../../../../shared/model/approval/preview'
import { fileProblem, FileProblem } from '../../workspace/path/file-problem'
import { globMatcher, type GlobMatcher } from '../../workspace/path/glob-matcher'
import { ignoreRules } from '../../workspace/path/ignore-rules'
import { sortNewestFirst, walkTree, type TreeEntry } from '../../workspace/file/list-files'
import { sensitiveRule } from '../../workspace/path/sensitive-file'
import type { ResolvedPath, Workspace } from '../../workspace/workspace'
import { leadsElsewhere, pathRefusal, shownPath, printablePath } from '../file-paths'
import { inVcsFolder, VCS_FOLDERS } from '../../workspace/ripgrep/search-scope'
import { failed, nothingHidden, ok, refuse, type CallContext, type Tool, type ToolResult } from '../tool'
import description from './glob.md?raw'

const TIMEOUT_MS = 20_000
const MAX_SHOWN = 1000
/** Maximum number of paths kept, about 20 MB; a search that finds more stops and reports it. */
const MAX_FOUND = 100_000
const CARD_FILES = 200
const MAX_NAMES = 20

const input = lazySchema(() =>
  z.strictObject({
    pattern: z.string().min(1).max(1000).describe('E.g. src/**/*.{ts,tsx}'),
    path: z.string().min(1).optional().describe('Folder to start in; default: the project folder'),
    include_dirs: z.boolean().optional().describe('List matching folders too (default true)'),
  }),
)

type Input = SchemaOutput<typeof input>

export interface GlobDeps {
  workspace: Workspace
  /** Time limit for a search, in ms; default 20 s. What was found by then is returned. */
  timeoutMs?: number
  /** Tests paths that are hidden from this session; called for every search. */
  hidden?: () => Promise<(path: string) => boolean>
}

/** Where to search, and for what. */
interface Target {
  folder: ResolvedPath
  /** The path that was resolved to `folder`. */
  written: string
  pattern: string
  foldersOnly: boolean
  /** The folder comes from the pattern, not from `path` alone. */
  fromPattern: boolean
}

/** Finds files by name. */
export function globTool({ workspace, timeoutMs = TIMEOUT_MS, hidden = nothingHidden }: GlobDeps): Tool<typeof input> {
  return {
    name: 'Glob',
    description,
    input,
    subject: ['pattern'],
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    timeoutMs: timeoutMs + 10_000,
    async prepare(asked) {
      const parts = splitGlob(asked.pattern)
      if ('problem' in parts) return refuse(parts.problem)
      const start = await workspace.resolve(asked.path ?? '.')
      const written =
        parts.folder === ''
          ? (asked.path ?? '.')
          : /^(?:[/~]|[a-z]:)/i.test(parts.folder)
            ? parts.folder
            : `${start.realPath}/${parts.folder}`
      const folder = parts.folder === '' ? start : await workspace.resolve(written)
      const refusal = pathRefusal(workspace, folder)
      if (refusal) return refusal
      const shown = workspace.display(folder.realPath)
      if (parts.isAnything && contains(folder.realPath, workspace.root)) {
        return refuse(
          `${JSON.stringify(asked.pattern)} would list the whole project. ` +
            'Give it a literal part, e.g. src/**/*.ts, or use ListDirectory.',
        )
      }
      if (inVcsFolder(folder.realPath, workspace.root))
        return refuse(`${shown} belongs to version control, which is never searched. Use its own program with Bash.`)
      const target = {
        folder,
        written,
        pattern: parts.pattern,
        foldersOnly: parts.foldersOnly,
        fromPattern: parts.folder !== '',
      }
      return {
        summary: `${asked.pattern}${asked.path === undefined ? '' : ` in ${shownPath(workspace, start)}`}`,
        accesses: [{ kind: 'tree', path: folder.realPath, written: folder.path, write: false }],
        run: (ctx) => run({ workspace, timeoutMs, hidden }, asked, target, ctx),
      }
    },
  }
}

function contains(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

interface Found {
  paths: string[]
  folders: Set<string>
  sensitive: string[]
  complete: boolean
  unreadable: string[]
}

async function run(
  { workspace, timeoutMs, hidden }: Required<GlobDeps>,
  asked: Input,
  target: Target,
  { signal }: CallContext,
): Promise<ToolResult> {
  const elsewhere = await leadsElsewhere(workspace, target.written, target.folder)
  if (elsewhere !== undefined) return failed(elsewhere)
  const deadline = performance.now() + timeoutMs
  const matcher = matcherOf(target.pattern)
  let found: Found
  try {
    found = await find(workspace, asked, target, matcher, { deadline, signal, isHidden: await hidden() })
  } catch (error) {
    return missingFolder(error, workspace, target)
  }
  if (signal.aborted) return failed('The search was stopped.')
  const sorted = await sortNewestFirst(found.paths, { deadline, signal })
  const shown = (sorted ?? found.paths)
    .slice(0, MAX_SHOWN)
    .map((path) => ({ path: workspace.display(path), isFolder: found.folders.has(path) }))
  const lines = shown.map(({ path, isFolder }) => printablePath(isFolder ? `${path}/` : path))
  const notes = notesOn(found, { workspace, timeoutMs, sorted: sorted !== undefined })
  const details: ToolDetails = {
    kind: 'matches',
    pattern: asked.pattern,
    files: lines.slice(0, CARD_FILES).map((path) => ({ path, lines: [] })),
    total: found.paths.length,
    truncated: found.paths.length > CARD_FILES || !found.complete,
  }
  return ok([...(lines.length > 0 ? lines : [noMatchText(target)]), ...notes].join('\n'), details)
}

async function find(
  workspace: Workspace,
  asked: Input,
  { folder, foldersOnly }: Target,
  matcher: GlobMatcher,
  limits: { deadline: number; signal: AbortSignal; isHidden(path: string): boolean },
): Promise<Found> {
  const found: Found = { paths: [], folders: new Set(), sensitive: [], complete: true, unreadable: [] }
  const vcs: readonly string[] = VCS_FOLDERS
  const full = new AbortController()
  const wanted = (entry: TreeEntry): boolean =>
    (entry.isFolder ? asked.include_dirs !== false : !foldersOnly) && matcher.matches(entry.inner)
  const visit = (entry: TreeEntry): boolean => {
    if (limits.isHidden(entry.path)) return false
    if (entry.isFolder && vcs.includes(entry.inner.slice(entry.inner.lastIndexOf('/') + 1).toLowerCase())) return false
    // A folder can have the name of a secret file; it is sensitive only if its contents are.
    const isSensitive = sensitiveRule(entry.isFolder ? `${entry.path}/.` : entry.path) !== undefined
    if (wanted(entry)) {
      if (isSensitive) found.sensitive.push(entry.path)
      else found.paths.push(entry.path)
      if (entry.isFolder) found.folders.add(entry.path)
      if (found.paths.length >= MAX_FOUND) full.abort()
    }
    return entry.isFolder && matcher.mayMatchBelow(entry.inner)
  }
  const walked = await walkTree(folder.realPath, {
    rules: ignoreRules(folder.realPath, workspace.root),
    visit,
    deadline: limits.deadline,
    signal: AbortSignal.any([limits.signal, full.signal]),
  })
  return { ...found, ...walked }
}

/** Brackets are also tried literally: folders named `[id]` are common where files define routes. */
function matcherOf(pattern: string): GlobMatcher {
  const literal = pattern.includes('[') ? [pattern.replace(/(?<!\\)[[\]]/g, String.raw`\$&`)] : []
  const matchers = [pattern, ...literal].map((each) => globMatcher(each, { escapes: sep === '/', wholeParts: true }))
  return {
    matches: (inner) => matchers.some((matcher) => matcher.matches(inner)),
    mayMatchBelow: (inner) => matchers.some((matcher) => matcher.mayMatchBelow(inner)),
  }
}

function missingFolder(error: unknown, workspace: Workspace, { folder, fromPattern }: Target): ToolResult {
  const shown = workspace.display(folder.realPath)
  const problem = fileProblem(error, shown)
  if (!(problem instanceof FileProblem)) throw problem
  if (problem.kind === 'missing') {
    return fromPattern
      ? ok(`No files match: the folder ${shown} does not exist.`)
      : failed(`${problem.message} Find the right path with Glob or ListDirectory.`)
  }
  return failed(
    /below something that is a file/.test(problem.message)
      ? `${shown} is a file; path must be a folder.`
      : problem.message,
  )
}

function noMatchText({ pattern }: Target): string {
  const hint =
    pattern.includes('/') || pattern.includes('**')
      ? ''
      : ` This pattern looks only in the folder itself; **/${pattern} looks below it too.`
  const opened = unclosed(pattern)
  const open = opened === undefined ? '' : ` The pattern has a ${opened} that is never closed, so it stands for itself.`
  return `No files match.${open}${hint}`
}

/** The opening bracket of a set or of alternatives that is not closed. */
function unclosed(pattern: string): '[' | '{' | undefined {
  const plain = pattern.replaceAll(/\\./g, '')
  if (plain.replaceAll(/\[[^\]]*\]/g, '').includes('[')) return '['
  return (plain.match(/\{/g)?.length ?? 0) > (plain.match(/\}/g)?.length ?? 0) ? '{' : undefined
}

function notesOn(
  found: Found,
  { workspace, timeoutMs, sorted }: { workspace: Workspace; timeoutMs: number; sorted: boolean },
): string[] {
  const notes: string[] = []
  const total = found.paths.length
  if (total > MAX_SHOWN)
    notes.push(
      `[The first ${MAX_SHOWN} of ${total}${found.complete ? '' : ' or more'}. Narrow the pattern to see the others.]`,
    )
  if (!found.complete)
    notes.push(
      total >= MAX_FOUND
        ? `[Partial: the search was stopped at ${MAX_FOUND} matches, so newer ones may be missing.]`
        : `[Partial: the search was stopped after ${timeoutMs / 1000} s. Narrow it with path.]`,
    )
  if (!sorted) notes.push('[Unsorted: there was no time left to look at every file.]')
  const listed: [string, string[]][] = [
    ['Sensitive files are not shown', found.sensitive],
    ['These folders could not be read', found.unreadable],
  ]
  for (const [what, paths] of listed) {
    if (paths.length === 0) continue
    const names = paths.map((path) => printablePath(workspace.display(path))).toSorted()
    notes.push(
      `[${what}: ${names.slice(0, MAX_NAMES).join(', ')}` +
        (names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more]` : ']'),
    )
  }
  return notes
}

/** A glob split up: the folder it starts with is literal, and the rest is matched below it. */
export interface GlobParts {
  /**
   * As written, with `/`; empty when the pattern starts with a wildcard. Can be absolute, start with `~` or contain
   * `..`.
   */
  folder: string
  pattern: string
  /** The pattern ended with a slash. */
  foldersOnly: boolean
  /** The rest consists only of wildcards: every file below the folder. */
  isAnything: boolean
}

const MAGIC = /[*?[\]{}\\]/

/** Splits off the literal start, so that only that folder is walked; or explains why the pattern cannot be used. */
function splitGlob(written: string): GlobParts | { problem: string } {
  if (written.includes('\0')) return { problem: 'A pattern cannot contain a NUL character.' }
  const foldersOnly = written.endsWith('/')
  const steps = written.split('/').filter((step, index) => step !== '.' && (step !== '' || index === 0))
  const last = steps.length - 1
  const literal = steps.findIndex((step, index) => index === last || MAGIC.test(step))
  const folder = steps.slice(0, Math.max(0, literal)).join('/')
  const rest = steps.slice(Math.max(0, literal))
  if (rest.length === 0 || rest.join('') === '')
    return { problem: `${JSON.stringify(written)} is a folder, not a pattern. Use ListDirectory.` }
  if (rest.includes('..'))
    return {
      problem: 'A pattern cannot go up with .. after its wildcards begin. Start from the folder above with path.',
    }
  const pattern = rest.join('/')
  const isAnything = /^[*?/{},]*$/.test(pattern)
  if (isAnything && folder === '') {
    return {
      problem:
        `${JSON.stringify(written)} is wildcards alone and would list everything. ` +
        'Give it a literal part, e.g. src/**, *.ts or **/test/*, or use ListDirectory.',
    }
  }
  return { folder: folder === '' && written.startsWith('/') ? '/' : folder, pattern, foldersOnly, isAnything }
}
