import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isRecord } from '../../../../shared/json-fields'
import { isWithin } from '../../workspace/path/real-path'
import { isOpenFileLimitLow } from '../../process/file-descriptors'
import { entriesOf, realPathOf, statsOf } from '../safe-fs'
import { addRepository, type ProjectScan } from './project-scan'

/**
 * A command cannot rename a file that is masked in its sandbox, but it can move a folder above it: to where the scan of
 * the project does not look (installed packages, or deep below many folders), or back and forth while the next sandbox
 * is created. So whatever could be moved that way is kept open from the moment it is first found, and the kernel
 * reports where it is. A file in TRESTLE_HOME lists for other and later processes what to look for.
 */

/** The list of a scan that a guard belongs to. */
type GuardKind = 'secrets' | 'secretFolders' | 'protectedPaths' | 'pinned'
const KINDS: readonly GuardKind[] = ['secrets', 'secretFolders', 'protectedPaths', 'pinned']

interface Guard {
  kind: GuardKind
  /** Where it was last seen. */
  path: string
  device: number
  inode: number
}

interface HeldGuard extends Guard {
  /** Opened without read or write access: it only identifies the file. */
  fd: number
}

interface KnownProject {
  guards: HeldGuard[]
  /** The file of guards as last read or written. */
  file: { changed: number; text: string }
}

/** Missing from Node's types: opens a path without access to its contents. */
const O_PATH = 0o10000000
const DELETED = ' (deleted)'
const MAX_PROJECTS = 16
/** Maximum number held open across all projects. The ones found first are kept. */
const MAX_GUARDS = 1_000
/** The same when the limit of open files is low. */
const MAX_GUARDS_LOW = 64
/** Maximum number of folders searched for a guard that another process recorded and that is no longer there. */
const MAX_SEARCHED = 200_000

const projects = new Map<string, KnownProject>()

/**
 * Adds what earlier scans of this project found and this one did not, because it was moved. Remembers what this scan
 * found. Never throws.
 */
export function withMoved(root: string, scan: ProjectScan): ProjectScan {
  const found = movableGuards(root, scan)
  if (found.length === 0 && !projects.has(root)) return scan
  const known = projectOf(root)
  const { here, unsettled } = whereGuardsAre(root, known)
  const result: ProjectScan = {
    ...scan,
    secrets: [...scan.secrets],
    secretFolders: [...scan.secretFolders],
    protectedPaths: [...scan.protectedPaths],
    reservedFiles: [...scan.reservedFiles],
    reservedFolders: [...scan.reservedFolders],
    pinned: [...scan.pinned],
    ...(unsettled !== undefined && { unsettled }),
  }
  for (const { kind, path } of found) hold(known, here, kind, path)
  const listed = new Set(KINDS.flatMap((kind) => scan[kind]))
  for (const [path, { kind }] of here) {
    if (listed.has(path)) continue
    if (kind === 'pinned' && basename(path) === '.git') addRepository(path, result)
    else result[kind].push(path)
  }
  return result
}

/**
 * Reads which guards of this project other processes have found. One that has moved is searched for everywhere in the
 * project. Never throws.
 */
export function loadGuards(root: string, file: string): void {
  const changed = statsOf(file)?.mtimeMs
  if (changed === undefined || projects.get(root)?.file.changed === changed) return
  const text = textOf(file)
  const known = projectOf(root)
  const { here } = whereGuardsAre(root, known)
  const missing: Guard[] = []
  for (const guard of parseGuards(text)) {
    const isHeld = known.guards.some(({ inode, device }) => inode === guard.inode && device === guard.device)
    if (isHeld || !isWithin(guard.path, root)) continue
    if (isSame(guard.path, guard)) hold(known, here, guard.kind, guard.path)
    else missing.push(guard)
  }
  for (const { kind, path } of findByInode(root, missing)) hold(known, here, kind, path)
  known.file = { changed, text }
}

/**
 * Writes what `loadGuards` of another process needs, if that has changed. Never throws: on a full disk, commands still
 * run, protected by what this process knows.
 */
export function saveGuards(root: string, file: string): void {
  const known = projects.get(root)
  if (!known) return
  const guards = known.guards.map(({ kind, path, device, inode }): Guard => ({ kind, path, device, inode }))
  const text = JSON.stringify(guards)
  if (text === known.file.text || (guards.length === 0 && known.file.text === '')) return
  const temporary = `${file}.${process.pid}`
  try {
    writeFileSync(temporary, text, { mode: 0o600 })
    renameSync(temporary, file)
    known.file = { changed: statsOf(file)?.mtimeMs ?? 0, text }
  } catch {
    rmSync(temporary, { force: true })
  }
}

function projectOf(root: string): KnownProject {
  const known = projects.get(root) ?? { guards: [], file: { changed: 0, text: '' } }
  // The least recently used project is dropped first.
  projects.delete(root)
  projects.set(root, known)
  for (const [other, { guards }] of projects) {
    if (projects.size <= MAX_PROJECTS) break
    for (const { fd } of guards) closeSync(fd)
    projects.delete(other)
  }
  return known
}

/**
 * What a command could move or remove: everything in a scan except what is directly in folders that are mounted
 * themselves.
 */
function movableGuards(root: string, scan: ProjectScan): { kind: GuardKind; path: string }[] {
  const fixed = new Set([root, ...scan.pinned, ...scan.protectedPaths, ...scan.secretFolders])
  const isFixed = (folder: string): boolean => fixed.has(folder) && (folder === root || isFixed(dirname(folder)))
  return KINDS.flatMap((kind) =>
    scan[kind].flatMap((path) => {
      if (kind !== 'secrets' || statsOf(path)?.isSymbolicLink() !== true)
        return isFixed(dirname(path)) ? [] : [{ kind, path }]
      // The link can be removed; its target is still a secret.
      const target = realPathOf(path)
      return target !== undefined && target !== root && isWithin(target, root) ? [{ kind, path: target }] : []
    }),
  )
}

/**
 * The current paths of everything kept open. Drops what was deleted, moved out of the project, or renamed, which only
 * the user can do. Two guards at one path are being moved right now.
 */
function whereGuardsAre(root: string, known: KnownProject): { here: Map<string, HeldGuard>; unsettled?: string } {
  const here = new Map<string, HeldGuard>()
  let unsettled: string | undefined
  known.guards = known.guards.filter((guard) => {
    const path = pathOf(guard.fd)
    if (path === undefined || !isWithin(path, root) || basename(path) !== basename(guard.path)) {
      closeSync(guard.fd)
      return false
    }
    if (here.has(path)) unsettled = path
    guard.path = path
    here.set(path, guard)
    return true
  })
  return { here, ...(unsettled !== undefined && { unsettled }) }
}

function hold(known: KnownProject, here: Map<string, HeldGuard>, kind: GuardKind, path: string): void {
  const before = here.get(path)
  if (before && isSame(path, before)) return
  const held = [...projects.values()].reduce((sum, { guards }) => sum + guards.length, 0)
  if (held >= (isOpenFileLimitLow() ? MAX_GUARDS_LOW : MAX_GUARDS)) return
  let fd: number | undefined
  try {
    fd = openSync(path, O_PATH | constants.O_NOFOLLOW)
    const { dev: device, ino: inode } = fstatSync(fd)
    const guard = { kind, path, device, inode, fd }
    known.guards.push(guard)
    if (!before) here.set(path, guard)
  } catch {
    // Deleted meanwhile: nothing to guard. Without a free descriptor, the scan is the only protection.
    if (fd !== undefined) closeSync(fd)
  }
}

/** Searches for guards everywhere below a folder, including where the scan does not look. Follows no links. */
function findByInode(root: string, missing: readonly Guard[]): Guard[] {
  const names = new Set(missing.map(({ path }) => basename(path)))
  const found: Guard[] = []
  const queue = missing.length === 0 ? [] : [root]
  for (let at = 0; at < queue.length && at < MAX_SEARCHED && found.length < missing.length; at += 1) {
    for (const entry of entriesOf(queue[at]!)) {
      const path = join(queue[at]!, entry.name)
      const guard = names.has(entry.name) ? missing.find((each) => isSame(path, each)) : undefined
      if (guard) found.push({ ...guard, path })
      if (entry.isDirectory()) queue.push(path)
    }
  }
  return found
}

function isSame(path: string, { device, inode }: Pick<Guard, 'device' | 'inode'>): boolean {
  const stats = statsOf(path)
  return stats?.dev === device && stats.ino === inode
}

/** Where an open file is now; undefined once it is deleted. */
function pathOf(fd: number): string | undefined {
  try {
    const path = readlinkSync(`/proc/self/fd/${fd}`)
    return path.endsWith(DELETED) && statsOf(path) === undefined ? undefined : path
  } catch {
    return undefined
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function parseGuards(text: string): Guard[] {
  try {
    const guards: unknown = JSON.parse(text)
    return Array.isArray(guards) ? guards.filter(isGuard) : []
  } catch {
    return []
  }
}

function isGuard(value: unknown): value is Guard {
  if (!isRecord(value)) return false
  const { kind, path, device, inode } = value
  return (
    KINDS.some((each) => each === kind) &&
    typeof path === 'string' &&
    typeof device === 'number' &&
    typeof inode === 'number'
  )
}
