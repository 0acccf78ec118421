import { dirname, join, sep } from 'node:path'
import type { SnapshotKey } from 'fuzzysort'
import { parsePaths } from './parse-output'
import { runRipgrep } from './run-ripgrep'
import { searchScope } from './search-scope'
import { sensitiveRule } from '../path/sensitive-file'

/** Age in ms after which a list is refreshed. The old list is used until then, so that typing never waits. */
const FRESH_MS = 3_000
/** A list older than this is no longer used. */
const STALE_MS = 15_000
/** After this time, a list is dropped to free its memory. */
const KEEP_MS = 60_000
const TIMEOUT_MS = 5_000
const MAX_BYTES = 32 * 1024 * 1024
const MAX_QUERY = 200

export interface Completion {
  /** Relative to the root, with `/`. */
  path: string
  isFolder: boolean
}

interface List {
  made: number
  entries: Promise<Completion[]>
  searchable: Promise<SnapshotKey<Completion>>
  refreshing: boolean
  forget: NodeJS.Timeout
}

const lists = new Map<string, List>()

/**
 * Files and folders below `root` (its real path) that match `query`, best first. Ignored and sensitive files are not
 * candidates. Without a query: the entries nearest to the root. Rejects only if ripgrep cannot be started.
 */
export async function completeFile(root: string, query: string, limit: number): Promise<Completion[]> {
  const list = listOf(root)
  const asked = withSlashes(query.slice(0, MAX_QUERY)).replace(/^\.\//, '').trim()
  if (asked === '') return nearest(await list.entries, limit)
  const [searchable, { default: fuzzysort }] = await Promise.all([list.searchable, import('fuzzysort')])
  const wanted = asked.toLowerCase()
  const found = fuzzysort.go(asked, searchable, {
    limit,
    threshold: 0.2,
    scoreFn: (result) => result.score + bonus(result.obj, wanted),
  })
  return found.map(({ obj }) => obj)
}

/** Ranks a match of the entry's own name above one of a parent folder, then the shorter path. */
function bonus({ path }: Completion, wanted: string): number {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const short = 0.01 / path.length
  if (name === wanted) return 0.6 + short
  if (name.startsWith(wanted)) return 0.4 + short
  return (name.includes(wanted) ? 0.2 : 0) + short
}

function nearest(entries: Completion[], limit: number): Completion[] {
  const depth = ({ path }: Completion): number => path.split('/').length
  const top = entries.filter((entry) => depth(entry) <= 2)
  return (top.length >= limit ? top : entries)
    .toSorted((a, b) => depth(a) - depth(b) || Number(b.isFolder) - Number(a.isFolder) || (a.path < b.path ? -1 : 1))
    .slice(0, limit)
}

function listOf(root: string): List {
  const known = lists.get(root)
  const age = known ? performance.now() - known.made : Infinity
  if (!known || age > STALE_MS) return keep(root, makeList(root))
  if (age > FRESH_MS && !known.refreshing) {
    known.refreshing = true
    const next = makeList(root)
    void next.searchable.then(
      () => keep(root, next),
      () => forget(root, known),
    )
  }
  return known
}

function makeList(root: string): List {
  const entries = listFiles(root)
  const searchable = Promise.all([entries, import('fuzzysort')]).then(([all, { default: fuzzysort }]) =>
    fuzzysort.snapshot(all, { key: 'path' }),
  )
  const list: List = {
    made: performance.now(),
    entries,
    searchable,
    refreshing: false,
    forget: setTimeout(() => forget(root, list), KEEP_MS).unref(),
  }
  return list
}

function keep(root: string, list: List): List {
  const before = lists.get(root)
  if (before) forget(root, before)
  lists.set(root, list)
  list.searchable.catch(() => forget(root, list))
  return list
}

function forget(root: string, list: List): void {
  clearTimeout(list.forget)
  if (lists.get(root) === list) lists.delete(root)
}

async function listFiles(root: string): Promise<Completion[]> {
  const scope = await searchScope(root, root)
  const run = await runRipgrep([...scope.args, '--files', '--', './'], {
    cwd: root,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  })
  const folders = new Set<string>()
  const files: Completion[] = []
  for (const found of parsePaths(run.output)) {
    const path = withSlashes(found.slice(2))
    if (sensitiveRule(path) !== undefined || scope.excludes(join(root, path))) continue
    files.push({ path, isFolder: false })
    for (let folder = dirname(path); folder !== '.' && !folders.has(folder); folder = dirname(folder))
      folders.add(folder)
  }
  return [...[...folders].map((path) => ({ path, isFolder: true })), ...files]
}

function withSlashes(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/')
}
