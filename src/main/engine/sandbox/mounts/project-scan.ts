import { lstatSync, readdirSync, realpathSync, statSync, type Dirent } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { readPlainText } from '../../workspace/path/plain-file'
import { isWithin } from '../../workspace/path/real-path'
import { sensitiveRule } from '../../workspace/path/sensitive-file'
import { PROTECTED_ANYWHERE } from '../protected-names'
import { isEmptyFolder } from '../safe-fs'

/** What in a project needs its own mount. Paths are absolute. */
export interface ProjectScan {
  /** Files with secrets, and sockets: hidden from commands. */
  secrets: string[]
  /** Folders with secrets. */
  secretFolders: string[]
  /** Files and folders that commands cannot change. */
  protectedPaths: string[]
  /** Files that do not exist yet and that git would obey: no command may create them. */
  reservedFiles: ReservedFile[]
  /** The same for folders. */
  reservedFolders: string[]
  /** Folders that must not be moved away because they contain protected paths. */
  pinned: string[]
  /** Set when the project is too large to scan completely: deeper folders were not scanned. */
  incomplete?: true
  /** Something that was being moved during the scan, so that the scan cannot be relied on. */
  unsettled?: string
}

/** A file that is created if missing, so that no command can create it. With this content it has no effect. */
export interface ReservedFile {
  path: string
  content: string
}

/** Not scanned: they are large and hold what package managers put there. */
const SKIPPED = new Set([
  'node_modules',
  '.pnpm-store',
  '__pycache__',
  '.tox',
  '.mypy_cache',
  '.pytest_cache',
  '.gradle',
  'site-packages',
])
const MAX_FOLDERS = 50_000
/** Folders seen before take almost no time, so each scan gets further. */
const MAX_MS = 400

/**
 * The entries of a folder that matter, as of a change time. Cached, because a project is scanned before every few
 * commands.
 */
interface KnownFolder {
  changed: number
  folders: string[]
  secrets: string[]
  secretFolders: string[]
  protectedPaths: string[]
  reservedFiles: ReservedFile[]
  reservedFolders: string[]
  pinned: string[]
}

const MAX_KNOWN = 100_000
const known = new Map<string, KnownFolder>()

/**
 * Scans a project, nearest folders first. Follows no links. Never throws. Folders of installed packages are skipped;
 * `scanProject` adds what was moved there.
 */
export function searchProject(root: string): ProjectScan {
  const scan: ProjectScan = {
    secrets: [],
    secretFolders: [],
    protectedPaths: [],
    reservedFiles: [],
    reservedFolders: [],
    pinned: [],
  }
  const until = performance.now() + MAX_MS
  const queue = [root]
  for (let at = 0; at < queue.length; at += 1) {
    if (at >= MAX_FOLDERS || (at % 64 === 63 && performance.now() > until)) return { ...scan, incomplete: true }
    const folder = readFolder(queue[at]!)
    if (!folder) continue
    scan.secrets.push(...folder.secrets)
    scan.secretFolders.push(...folder.secretFolders)
    scan.protectedPaths.push(...folder.protectedPaths)
    scan.reservedFiles.push(...folder.reservedFiles)
    scan.reservedFolders.push(...folder.reservedFolders)
    scan.pinned.push(...folder.pinned)
    queue.push(...folder.folders)
  }
  return scan
}

function readFolder(path: string): KnownFolder | undefined {
  try {
    // Not mtime, which a command can set back.
    const changed = statSync(path).ctimeMs
    const before = known.get(path)
    // A change within the clock's resolution after the last scan would not be noticed.
    if (before?.changed === changed && Date.now() - changed > 1_000) return before
    const found = sorted(path, readdirSync(path, { withFileTypes: true }))
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(path, { changed, ...found })
    return { changed, ...found }
  } catch {
    return undefined
  }
}

function sorted(folder: string, entries: readonly Dirent[]): Omit<KnownFolder, 'changed'> {
  const found: Omit<KnownFolder, 'changed'> = {
    folders: [],
    secrets: [],
    secretFolders: [],
    protectedPaths: [],
    reservedFiles: [],
    reservedFolders: [],
    pinned: [],
  }
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.name === '.git') {
      if (entry.isDirectory()) addRepository(path, found)
      else found.protectedPaths.push(path)
    } else if (entry.isDirectory()) {
      if (sensitiveRule(join(path, 'x')) !== undefined) found.secretFolders.push(path)
      else if (PROTECTED_ANYWHERE.has(entry.name)) found.protectedPaths.push(path)
      else if (!SKIPPED.has(entry.name)) found.folders.push(path)
    } else if (entry.isSocket() || sensitiveRule(path) !== undefined) found.secrets.push(path)
    // Protecting a link below the project's own folder is useless, because the folder it is in can be replaced.
    else if (PROTECTED_ANYWHERE.has(entry.name) && !entry.isSymbolicLink()) found.protectedPaths.push(path)
  }
  return found
}

export type RepositoryParts = Pick<ProjectScan, 'protectedPaths' | 'reservedFiles' | 'reservedFolders' | 'pinned'>

/** Names in a git folder that decide which programs git runs. */
const GIT_SETTINGS = ['hooks', 'config', 'config.worktree', 'commondir', 'info/attributes']
/**
 * Those that git obeys as soon as they exist, with a content that has no effect: without `commondir`, git assumes `.`.
 */
const GIT_RESERVED: Readonly<Record<string, string>> = { 'config.worktree': '', commondir: '.\n' }
const MAX_MODULES = 500

/** Adds what must not change in a repository, its submodules and its worktrees. */
export function addRepository(gitFolder: string, found: RepositoryParts): void {
  // An empty one is our placeholder.
  if (namesIn(gitFolder).length === 0) return
  found.pinned.push(gitFolder)
  addSettings(gitFolder, found)
  for (const name of namesIn(join(gitFolder, 'worktrees'))) addWorktree(join(gitFolder, 'worktrees', name), found)
  addModules(gitFolder, found, 0)
}

function addSettings(gitFolder: string, found: RepositoryParts): void {
  for (const name of GIT_SETTINGS) {
    const path = join(gitFolder, name)
    const content = GIT_RESERVED[name]
    if (isThere(path)) found.protectedPaths.push(path)
    else if (content !== undefined) found.reservedFiles.push({ path, content })
  }
  if (isThere(join(gitFolder, 'info', 'attributes'))) found.pinned.push(join(gitFolder, 'info'))
  for (const { path, isFolder } of namedInSettings(gitFolder)) {
    const missing = firstMissing(path, dirname(gitFolder))
    if (missing === undefined) found.protectedPaths.push(path)
    else if (missing !== path || isFolder) found.reservedFolders.push(missing)
    else found.reservedFiles.push({ path, content: '' })
    for (let above = dirname(missing ?? path); above !== dirname(gitFolder); above = dirname(above))
      found.pinned.push(above)
  }
}

function addWorktree(folder: string, found: RepositoryParts): void {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  found.pinned.push(dirname(folder), folder)
  for (const name of ['commondir', 'gitdir', 'config.worktree']) {
    const path = join(folder, name)
    if (isThere(path)) found.protectedPaths.push(path)
    else if (name === 'config.worktree') found.reservedFiles.push({ path, content: '' })
  }
}

/** Submodules are in the repository above them; their names can contain slashes. */
function addModules(gitFolder: string, found: RepositoryParts, depth: number): void {
  const modules = join(gitFolder, 'modules')
  if (depth > 3 || !isThere(modules)) return
  found.pinned.push(modules)
  const queue = namesIn(modules).map((name) => join(modules, name))
  for (const folder of queue) {
    if (queue.length > MAX_MODULES) break
    if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) continue
    found.pinned.push(folder)
    // A sandboxed command cannot remove the settings, but it could remove other files.
    if (!isThere(join(folder, 'config'))) {
      queue.push(...namesIn(folder).map((name) => join(folder, name)))
      continue
    }
    addSettings(folder, found)
    addModules(folder, found, depth + 1)
  }
}

const MAX_SETTINGS_BYTES = 64 * 1024 * 1024
const NAMED_IN_SETTINGS = /^\s*(path|hooksPath|attributesFile|fsmonitor)\s*=\s*"?([^"#;\n]+?)"?\s*$/gim

/**
 * Files and folders in the working folder that a repository's settings name: included settings, hooks, programs.
 * Includes missing ones, since git obeys them as soon as they exist.
 */
function namedInSettings(gitFolder: string): { path: string; isFolder: boolean }[] {
  const workingFolder = dirname(gitFolder)
  if (!gitFolder.endsWith('/.git')) return []
  try {
    const text = readPlainText(join(gitFolder, 'config'), MAX_SETTINGS_BYTES) ?? ''
    return [...text.matchAll(NAMED_IN_SETTINGS)].flatMap(([, key = '', named = '']) => {
      if (!isAbsolute(named) && /^(?:~|%)/.test(named)) return []
      const isFolder = /^hooksPath$/i.test(key)
      // Included settings are relative to the git folder, everything else to the working folder.
      const usual = resolve(/^path$/i.test(key) ? gitFolder : workingFolder, named)
      const paths = [resolve(gitFolder, named), resolve(workingFolder, named)]
      return paths
        .filter((path) => isThere(path) || (path === usual && (isFolder || named.includes('/') || /^path$/i.test(key))))
        .filter((path) => path !== workingFolder && isWithin(path, workingFolder) && !isWithin(path, gitFolder))
        .map((path) => ({ path, isFolder }))
    })
  } catch {
    return []
  }
}

/**
 * The topmost missing path below `top` that would have to be created for this path to exist; undefined when it exists.
 * Empty folders count as missing: they may be our placeholders.
 */
function firstMissing(path: string, top: string): string | undefined {
  if (isUsed(path)) return undefined
  const above = dirname(path)
  return above === top || isUsed(above) ? path : firstMissing(above, top)
}

function isUsed(path: string): boolean {
  return isThere(path) && !isEmptyFolder(path)
}

/**
 * The git folder that a linked worktree shares with its repository. The project's `.git` is protected, so no command
 * can have written it; the folder it names must point back to this worktree and be where git puts it, so that a file
 * cannot open an arbitrary folder.
 */
export function worktreeRepository(root: string): string | undefined {
  try {
    const gitFile = join(root, '.git')
    if (!lstatSync(gitFile).isFile()) return undefined
    const named = /^gitdir: (.+)$/m.exec(textOf(gitFile))?.[1]
    if (named === undefined) return undefined
    const own = realpathSync(isAbsolute(named) ? named : resolve(root, named))
    const common = dirname(dirname(own))
    if (basename(dirname(own)) !== 'worktrees' || isWithin(own, root) || !isThere(join(common, 'objects')))
      return undefined
    const back = textOf(join(own, 'gitdir')).trim()
    if (realpathSync(isAbsolute(back) ? back : resolve(own, back)) !== realpathSync(gitFile)) return undefined
    const shared = realpathSync(resolve(own, textOf(join(own, 'commondir')).trim()))
    return shared === common ? common : undefined
  } catch {
    return undefined
  }
}

/** Throws when the file is missing or not a regular file. */
function textOf(file: string): string {
  const text = readPlainText(file, MAX_SETTINGS_BYTES)
  if (text === undefined) throw new Error(`${file} cannot be read.`)
  return text
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}
