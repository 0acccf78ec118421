import { lstat, opendir, readlink, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Dirent } from 'node:fs'
import { z } from 'zod'
import { lazySchema } from '../../../../shared/lazy-schema'
import { fileProblem, FileProblem } from '../../workspace/path/file-problem'
import { openFolder } from '../../workspace/file/pinned-folder'
import { ignoreRules } from '../../workspace/path/ignore-rules'
import { sensitiveRule } from '../../workspace/path/sensitive-file'
import type { ResolvedPath, Workspace } from '../../workspace/workspace'
import { leadsElsewhere, missingPath, pathRefusal, shownPath, printablePath } from '../file-paths'
import { failed, nothingHidden, ok, type CallContext, type Tool, type ToolResult } from '../tool'
import description from './list-directory.md?raw'
import { WorkSlices } from '../../runtime/work-slices'

const MAX_SHOWN = 1000
/** Maximum number of entries read from a folder. */
const MAX_READ = 50_000
const CARD_ENTRIES = 200
const MAX_NAMES = 20

const input = lazySchema(() =>
  z.strictObject({
    path: z.string().min(1).describe('Folder; . is the project folder'),
  }),
)

export interface ListDirectoryDeps {
  workspace: Workspace
  /** Tests paths that are hidden from this session; called for every listing. */
  hidden?: () => Promise<(path: string) => boolean>
}

/** Lists one folder. */
export function listDirectoryTool({ workspace, hidden = nothingHidden }: ListDirectoryDeps): Tool<typeof input> {
  return {
    name: 'ListDirectory',
    description,
    input,
    subject: ['path'],
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    async prepare(asked) {
      const path = await workspace.resolve(asked.path)
      const refusal = pathRefusal(workspace, path)
      // Only the contents of such a folder are secret: the name of a folder reveals nothing.
      if (refusal && (path.problem !== undefined || sensitiveRule(`${path.realPath}/.`) !== undefined)) return refusal
      return {
        summary: shownPath(workspace, path),
        accesses: [{ kind: 'tree', path: path.realPath, written: path.path, write: false }],
        run: async (ctx) => run(workspace, asked.path, path, ctx, await hidden()),
      }
    },
  }
}

interface Listing {
  entries: Dirent[]
  ignored: number
  sensitive: string[]
  /** The folder has more entries than are read. */
  cut: boolean
}

async function run(
  workspace: Workspace,
  written: string,
  path: ResolvedPath,
  { signal }: CallContext,
  isHidden: (path: string) => boolean,
): Promise<ToolResult> {
  const { realPath } = path
  const shown = workspace.display(realPath)
  try {
    const elsewhere = await leadsElsewhere(workspace, written, path)
    if (elsewhere !== undefined) return failed(elsewhere)
    const listing = await list(realPath, workspace.root, signal, isHidden)
    if (signal.aborted) return failed('The listing was stopped.')
    const first = listing.entries.slice(0, MAX_SHOWN)
    const described = await Promise.all(first.map((entry) => describe(realPath, entry)))
    const lines = described.map(
      ({ entry, note }) =>
        `${entry.type}\t${entry.size ?? ''}\t${printablePath(entry.name)}${entry.type === 'dir' ? '/' : ''}${note}`,
    )
    return ok([...(lines.length > 0 ? lines : [emptyText(listing)]), ...notesOn(listing)].join('\n'), {
      kind: 'entries',
      path: shown,
      entries: described.slice(0, CARD_ENTRIES).map(({ entry }) => entry),
    })
  } catch (error) {
    const problem = fileProblem(error, shown)
    if (!(problem instanceof FileProblem)) throw problem
    const stats = await stat(realPath).catch(() => undefined)
    if (stats?.isFile()) return failed(`${shown} is a file, not a folder. Use Read.`)
    if (stats && !stats.isDirectory()) return failed(`${shown} is a pipe, socket or device, not a folder.`)
    return failed(
      problem.kind === 'missing'
        ? await missingPath(workspace, path, 'Find the right path with Glob.')
        : problem.message,
    )
  }
}

async function list(
  folder: string,
  root: string,
  signal: AbortSignal,
  isHidden: (path: string) => boolean,
): Promise<Listing> {
  const rules = ignoreRules(folder, root)
  const listing: Listing = { entries: [], ignored: 0, sensitive: [], cut: false }
  let read = 0
  const slices = new WorkSlices()
  const opened = openFolder(folder)
  try {
    for await (const entry of await opendir(opened.path, { bufferSize: 1024 })) {
      if (signal.aborted) break
      if (++read > MAX_READ) {
        listing.cut = true
        break
      }
      if (slices.isOver) await slices.next()
      const path = join(folder, entry.name)
      if (isHidden(path)) continue
      if (sensitiveRule(entry.isDirectory() ? `${path}/.` : path) !== undefined) listing.sensitive.push(entry.name)
      else if (rules.ignores(path, entry.isDirectory())) listing.ignored++
      else listing.entries.push(entry)
    }
    opened.verify()
  } finally {
    opened.close()
  }
  listing.entries.sort((a, b) => Number(b.isDirectory()) - Number(a.isDirectory()) || (a.name < b.name ? -1 : 1))
  return listing
}

interface Described {
  entry: { name: string; type: 'file' | 'dir' | 'link' | 'other'; size?: number }
  /** Shown after the name. */
  note: string
}

/** An entry that vanished or cannot be accessed keeps its name and type. */
async function describe(folder: string, entry: Dirent): Promise<Described> {
  const { name } = entry
  const path = join(folder, name)
  if (entry.isDirectory()) return { entry: { name, type: 'dir' }, note: '' }
  if (entry.isSymbolicLink()) {
    const target = await readlink(path).catch(() => undefined)
    const there = await stat(path).catch(() => undefined)
    const kind = there === undefined ? ' (nothing there)' : there.isDirectory() ? '/' : ''
    return { entry: { name, type: 'link' }, note: target === undefined ? '' : ` -> ${printablePath(target)}${kind}` }
  }
  const stats = await lstat(path).catch(() => undefined)
  if (entry.isFile())
    return {
      entry: { name, type: 'file', ...(stats && { size: stats.size }) },
      note: stats ? '' : ' (cannot be read)',
    }
  const kind = entry.isFIFO() ? 'pipe' : entry.isSocket() ? 'socket' : 'device'
  return { entry: { name, type: 'other' }, note: ` (${kind})` }
}

function emptyText({ ignored, sensitive }: Listing): string {
  return ignored + sensitive.length > 0 ? 'Nothing is listed.' : 'The folder is empty.'
}

function notesOn({ entries, ignored, sensitive, cut }: Listing): string[] {
  const notes: string[] = []
  if (cut) notes.push(`[The folder has more than ${MAX_READ} entries; only these were read. Use Glob with a pattern.]`)
  if (entries.length > MAX_SHOWN)
    notes.push(`[The first ${MAX_SHOWN} of ${entries.length} entries. Use Glob with a pattern for the others.]`)
  if (ignored > 0)
    notes.push(`[${ignored} ignored ${ignored === 1 ? 'entry' : 'entries'} left out (.gitignore, .trestleignore)]`)
  if (sensitive.length > 0) {
    const names = sensitive.toSorted().slice(0, MAX_NAMES).map(printablePath).join(', ')
    notes.push(
      '[Sensitive, ' +
        `not listed: ${names}${sensitive.length > MAX_NAMES ? ` and ${sensitive.length - MAX_NAMES} more` : ''}]`,
    )
  }
  return notes
}
