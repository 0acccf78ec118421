import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
  type Stats,
} from 'node:fs'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { CodedError } from '../../../../shared/errors'
import type { OpenRepository } from '../../git/repository/open-repository'
import {
  inPlainFolder,
  plainFileHash,
  onDisk,
  quoted,
  rawPaths,
  shownPath,
  type RawPath,
} from '../../git/run/plain-path'

/** What a working tree contains beyond its commit, as objects of its repository. */
export interface Snapshot {
  /** The commit that is checked out. */
  commit: string
  /** Every file, byte for byte: no filter changed it. */
  tree: string
  /** What is staged, if that differs from both. With conflicts: all versions of the files (see `holdsVersions`). */
  index?: string
  /** How many files differ from the commit. */
  files: number
  /** Folders that were left out. */
  dropped: string[]
}

interface SnapshotOptions {
  /** Our folder for the copy of the index. */
  temporary: string
  /** Whether files that git ignores are saved too. */
  ignored: boolean
  /** Files that need no saving: they are copies of others. */
  isCopy?(path: RawPath, hash: string): boolean
}

/** Folders that tools recreate. Ignored files in them are not saved. */
const REBUILT =
  /^(?:node_modules|bower_components|\.venv|venv|__pycache__|\.mypy_cache|\.pytest_cache|\.ruff_cache|\.tox|target|build|dist|out|\.next|\.nuxt|\.turbo|\.parcel-cache|\.gradle|\.cache|coverage|Pods|DerivedData|\.terraform)$/
/** Those of them in which tools keep repositories that they fetched. */
const FETCHED = /^(?:node_modules|bower_components|\.venv|venv|\.tox|Pods|DerivedData|\.terraform|\.gradle|\.cache)$/
/** Maximum size of the new and ignored files that are saved. */
const MAX_BYTES = 256 * 1024 * 1024
const MAX_LIST_BYTES = 256 * 1024 * 1024
const MAX_NAMED = 5

/**
 * Saves the current working tree as objects of its repository. Changes nothing else, neither files nor index. Rejects
 * with `worktree.nested` for repositories in it, and with `worktree.too_large`.
 */
export async function takeSnapshot(repository: OpenRepository, options: SnapshotOptions): Promise<Snapshot> {
  mkdirSync(options.temporary, { recursive: true, mode: 0o700 })
  const index = join(options.temporary, `index-${randomBytes(6).toString('hex')}`)
  const env = { GIT_INDEX_FILE: index }
  try {
    const own = join(repository.gitDir, 'index')
    if (existsSync(own)) copyIndex(own, index)
    else await repository.write(['read-tree', '--empty'], { env })
    const commit = await repository.text(['rev-parse', '--verify', 'HEAD^{commit}'])
    const staged = await stagedTree(repository, env)
    await refresh(repository, env)
    const changed = await changedFiles(repository, env)
    const { added, dropped } = await newFiles(repository, env, options)
    // Only an untracked file can be one of the copies.
    const entries =
      (await entriesOf(repository, changed, {})) + (await entriesOf(repository, added, { isCopy: options.isCopy }))
    await repository.write(['update-index', '-z', '--index-info'], { env, input: Buffer.from(entries, 'latin1') })
    const tree = await repository.write(['write-tree'], { env }).then(({ stdout }) => stdout.toString('latin1').trim())
    const committed = await repository.text(['rev-parse', `${commit}^{tree}`])
    return {
      commit,
      tree,
      ...(staged !== committed && staged !== tree && { index: staged }),
      files: rawPaths(
        (await repository.read(['diff-tree', '-r', '-z', '--no-renames', '--name-only', committed, tree])).stdout,
      ).length,
      dropped,
    }
  } finally {
    rmSync(index, { force: true })
    rmSync(`${index}.lock`, { force: true })
  }
}

type Env = Record<string, string>

/**
 * Git compares the content of files that changed in the same second as the index, so the copy gets the index's time.
 */
function copyIndex(own: string, copy: string): void {
  const { atime, mtime } = statSync(own)
  copyFileSync(own, copy)
  utimesSync(copy, atime, mtime)
}

/** The staged files as a tree; with conflicts, a tree of all versions of all files. */
export async function stagedTree(repository: OpenRepository, env: Env = {}): Promise<string> {
  const unmerged = (await repository.read(['ls-files', '--unmerged', '-z'], { env })).stdout
  if (unmerged.length === 0) return (await repository.write(['write-tree'], { env })).stdout.toString('latin1').trim()
  const { stdout } = await repository.read(['ls-files', '--stage', '-z'], { env, maxBytes: MAX_LIST_BYTES })
  const objects = new Set(rawPaths(stdout).flatMap((line) => /^(100\d{3}|120000) ([0-9a-f]+) /.exec(line)?.[2] ?? []))
  const entries = [...objects].map((hash) => `100644 blob ${hash}\t${hash}\0`).join('')
  return (await repository.write(['mktree', '-z'], { input: entries })).stdout.toString('latin1').trim()
}

/**
 * Whether a staged tree holds the versions of files with conflicts, each named after its hash: such a tree must not
 * become an index.
 */
export async function holdsVersions(repository: OpenRepository, index: string): Promise<boolean> {
  const { stdout } = await repository.read(['ls-tree', '-r', '-z', index], { maxBytes: MAX_LIST_BYTES })
  const entries = rawPaths(stdout)
  return entries.length > 0 && entries.every((entry) => / ([0-9a-f]+)\t\1$/.test(entry))
}

/** Checks every file again, including those marked "assume unchanged" or "skip worktree". */
async function refresh(repository: OpenRepository, env: Env): Promise<void> {
  const flags = rawPaths((await repository.read(['ls-files', '-v', '-z'], { env, maxBytes: MAX_LIST_BYTES })).stdout)
  const assumed = flags.flatMap((line) => (/^[a-z] /.test(line) ? [line.slice(2)] : []))
  const skipped = flags.flatMap((line) =>
    /^s /i.test(line) && existing(repository, line.slice(2)) !== undefined ? [line.slice(2)] : [],
  )
  if (assumed.length > 0)
    await repository.write(['update-index', '-z', '--no-assume-unchanged', '--stdin'], { env, input: list(assumed) })
  if (skipped.length > 0)
    await repository.write(['update-index', '-z', '--no-skip-worktree', '--stdin'], { env, input: list(skipped) })
  await repository.write(['update-index', '-q', '--really-refresh'], { env, okCodes: [0, 1] })
}

/** Paths as input for `-z`. */
function list(paths: readonly RawPath[]): Buffer {
  return Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1')
}

/** Tracked files that differ from the index. */
async function changedFiles(repository: OpenRepository, env: Env): Promise<RawPath[]> {
  const modules = rawPaths(
    (await repository.read(['ls-files', '--stage', '-z'], { env, maxBytes: MAX_LIST_BYTES })).stdout,
  ).flatMap((line) => /^160000 .*?\t(.*)$/s.exec(line)?.[1] ?? [])
  const used = modules.filter((path) => isFilled(repository, path))
  if (used.length > 0) throw nested(used)
  const { stdout } = await repository.read(
    ['diff-files', '--name-only', '-z', '--no-renames', '--ignore-submodules=dirty'],
    { env, maxBytes: MAX_LIST_BYTES },
  )
  const empty = new Set(modules)
  return [...new Set(rawPaths(stdout))].filter((path) => !empty.has(path))
}

/** Untracked files and, on request, ignored ones. */
async function newFiles(
  repository: OpenRepository,
  env: Env,
  options: SnapshotOptions,
): Promise<{ added: RawPath[]; dropped: string[] }> {
  const others = async (...more: string[]): Promise<RawPath[]> =>
    rawPaths(
      (
        await repository.read(['ls-files', '--others', '--exclude-standard', '-z', ...more], {
          env,
          maxBytes: MAX_LIST_BYTES,
        })
      ).stdout,
    )
  const dropped = new Set<string>()
  const untracked = await others()
  const ignored = options.ignored ? await others('--ignored') : []
  const kept = ignored.filter((path) => {
    const parts = path.split('/')
    const at = parts.slice(0, -1).findIndex((part) => REBUILT.test(part))
    // The commits of a nested repository would be lost. A tool can fetch its repositories again.
    if (at !== -1 && path.endsWith('/') && !FETCHED.test(parts[at]!)) return true
    if (at !== -1) dropped.add(shownPath(parts.slice(0, at + 1).join('/')))
    return at === -1
  })
  const added = [...new Set([...untracked, ...kept])]
  // Git lists a repository in the working tree as a folder.
  const repositories = added.filter((path) => path.endsWith('/'))
  if (repositories.length > 0) throw nested(repositories)
  const sizes = added.map((path) => ({ path, size: existing(repository, path)?.size ?? 0 }))
  if (sizes.reduce((sum, { size }) => sum + size, 0) > MAX_BYTES) {
    const largest = sizes.toSorted((a, b) => b.size - a.size).slice(0, MAX_NAMED)
    throw new CodedError(
      'worktree.too_large',
      `New and ignored files take more than ${MAX_BYTES / 1024 / 1024} MB. The largest: ${largest
        .map(({ path, size }) => `${shownPath(path)} (${Math.round(size / 1024 / 1024)} MB)`)
        .join(', ')}.`,
    )
  }
  return { added, dropped: [...dropped].toSorted() }
}

/** The files as lines for an index, with their content stored unchanged. Deleted files are removed from the index. */
async function entriesOf(
  repository: OpenRepository,
  paths: readonly RawPath[],
  { isCopy }: { isCopy?: SnapshotOptions['isCopy'] },
): Promise<string> {
  const stats = new Map(paths.map((path) => [path, existing(repository, path)]))
  const files = paths.filter((path) => stats.get(path)?.isFile())
  const hashes = new Map<RawPath, string>()
  if (files.length > 0) {
    const { stdout } = await repository.write(['hash-object', '-w', '--no-filters', '--stdin-paths'], {
      input: Buffer.from(files.map((path) => `${quoted(path)}\n`).join(''), 'latin1'),
    })
    const lines = stdout.toString('latin1').trim().split('\n')
    for (const [at, path] of files.entries()) {
      // Git follows links, and a file or folder may have been replaced by a link in the meantime.
      if (plainFileHash(repository.top, path, lines[at]!) !== lines[at]) throw changing(path)
      hashes.set(path, lines[at]!)
    }
  }
  for (const path of paths.filter((one) => stats.get(one)?.isSymbolicLink())) {
    const target = linkTarget(repository, path)
    const { stdout } = await repository.write(['hash-object', '-w', '--no-filters', '--stdin'], { input: target })
    hashes.set(path, stdout.toString('latin1').trim())
  }
  const none = '0'.repeat([...hashes.values()][0]?.length ?? 40)
  return paths
    .map((path) => {
      const hash = hashes.get(path)
      const stat = stats.get(path)
      // Removed first: a file with conflicts has several entries.
      const without = `0 ${none}\t${path}\0`
      if (hash === undefined || !stat || isCopy?.(path, hash)) return without
      const mode = stat.isSymbolicLink() ? '120000' : stat.mode & 0o111 ? '100755' : '100644'
      return `${without}${mode} ${hash}\t${path}\0`
    })
    .join('')
}

/** Undefined also if a parent is now a link or a file: then the path no longer exists. */
function existing({ top }: OpenRepository, path: RawPath): Stats | undefined {
  const parts = path.split('/')
  for (let count = 1; count < parts.length; count += 1) {
    const parent = lstatSync(onDisk(top, parts.slice(0, count).join('/')), { throwIfNoEntry: false })
    if (!parent?.isDirectory()) return undefined
  }
  return lstatSync(onDisk(top, path), { throwIfNoEntry: false })
}

function linkTarget({ top }: OpenRepository, path: RawPath): Buffer {
  try {
    return inPlainFolder(top, path, {}, (place) => readlinkSync(place, { encoding: 'buffer' }))
  } catch {
    throw changing(path)
  }
}

function changing(path: RawPath): CodedError {
  return new CodedError('worktree.busy', `Something changes ${shownPath(path)} at this moment.`)
}

function isFilled({ top }: OpenRepository, path: RawPath): boolean {
  try {
    return readdirSync(onDisk(top, path)).length > 0
  } catch {
    return false
  }
}

function nested(paths: readonly RawPath[]): CodedError {
  const named = paths.slice(0, MAX_NAMED).map(shownPath).join(', ')
  return new CodedError('worktree.nested', `There is a repository in ${named}.`)
}
