import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { isWithin } from '../../workspace/path/real-path'
import { realPathOf, statsOf } from '../safe-fs'
import type { Mount } from './system-mounts'

/**
 * Existing mounts in a mount namespace in which nothing runs. A sandbox made from it only needs what is missing.
 */
export interface MountTemplate {
  /** By path: what is mounted there, on which file and from which file. */
  files: ReadonlyMap<string, string>
  mounts: readonly Mount[]
}

/** The template that these mounts would make now. */
export function templateOf(mounts: readonly Mount[]): MountTemplate {
  return { files: new Map(mounts.map((mount) => [mount.path, filesOf(mount)])), mounts }
}

/**
 * The mounts to add to a template to get these mounts; undefined if the template cannot provide them. A file that was
 * replaced since has lost its mount, so it is mounted again. The sandbox's mounts are verified anyway.
 */
export function mountsOnTemplate(mounts: readonly Mount[], template: MountTemplate): Mount[] | undefined {
  const wanted = new Set(mounts.map(({ path }) => path))
  if (template.mounts.some(({ path }) => !wanted.has(path))) return undefined
  const mask = template.mounts.find(({ kind }) => kind === 'hidden')?.path
  const missing: Mount[] = []
  for (const mount of mounts) {
    if (template.files.get(mount.path) === filesOf(mount)) continue
    const covers = template.mounts.some(({ path }) => path !== mount.path && isWithin(path, mount.path))
    if (covers || realPathOf(mount.path) !== mount.path) return undefined
    const above = template.mounts.findLast(
      ({ kind, path }) => kind !== 'link' && path !== mount.path && isWithin(mount.path, path),
    )
    if (above?.kind !== 'write' && (above?.kind !== 'read' || above.from !== undefined || mount.kind === 'write'))
      return undefined
    if (mount.kind === 'hidden') {
      if (mask === undefined || mask === mount.path) return undefined
      missing.push({ kind: 'read', path: mount.path, from: mask })
    } else if (mount.kind === 'text' || mount.kind === 'link') return undefined
    // Not visible in the template.
    else if (mount.kind !== 'empty' && mount.from !== undefined) return undefined
    else missing.push(mount)
  }
  return missing
}

/** Identifies a mount by its files: both the file it covers and the one it shows, since either can be replaced. */
function filesOf(mount: Mount): string {
  const below = statsOf(mount.path)
  const own = `${mount.kind} ${below?.dev}:${below?.ino}`
  if (mount.kind === 'link') return `${own} ${mount.target}`
  if (mount.kind === 'text') return `${own} ${mount.text}`
  if (mount.kind !== 'read' && mount.kind !== 'write') return own
  const source = mount.from ?? mount.path
  if (!below?.isSymbolicLink() && source === mount.path) return own
  const shown = statSync(source, { throwIfNoEntry: false })
  return `${own} ${shown?.dev}:${shown?.ino} ${source}`
}

/** One line of /proc/PID/mountinfo. */
interface Mounted {
  id: string
  parent: string
  device: string
  /** Path within its file system that is mounted. */
  root: string
  point: string
  isReadOnly: boolean
}

/** Mount points that every sandbox has although they are not in its plan. */
const ALWAYS = /^\/(?:$|tmp$|proc(?:$|\/)|dev(?:$|\/))/

/**
 * Whether the mounts of a sandbox are those of its plan, read back from the kernel before anything runs in it. A
 * command in an earlier sandbox can rename folders and turn them into links while a later one is being created, so that
 * a mount ends up at another path or shows something else. Returns the first path that differs, or undefined.
 */
export function findMountMismatch(
  mountinfo: string,
  mounts: readonly Mount[],
  outside: () => string,
): string | undefined {
  const found = parseMountinfo(mountinfo)
  const at = new Map(found.map((each) => [each.point, each]))
  const byId = new Map(found.map((each) => [each.id, each]))
  const planned = new Set(mounts.map(({ path }) => path))
  const writable = mounts.flatMap(({ kind, path }) => (kind === 'write' ? [path] : []))
  let own: Map<string, Mounted> | undefined
  const mountedOutside = (point: string): Mounted | undefined => {
    own ??= new Map(parseMountinfo(outside()).map((each) => [each.point, each]))
    return own.get(point)
  }
  const isAsOutside = (mount: Mounted): boolean => {
    const same = mountedOutside(mount.point)
    return same?.device === mount.device && same.root === mount.root
  }
  const shows = (mount: Mounted, folder: string): boolean => {
    let point = folder
    while (point !== '/' && !mountedOutside(point)) point = dirname(point)
    const above = mountedOutside(point)
    const rest = point === '/' ? folder : folder.slice(point.length)
    return above?.device === mount.device && joined(above.root, rest) === mount.root
  }
  for (const planned of mounts) {
    const { kind, path } = planned
    // A mask is lost when its file is replaced.
    if ((kind === 'hidden' || kind === 'empty') && !at.has(path)) return path
    if (kind !== 'link' && !writable.includes(path) && at.get(path)?.isReadOnly === false) return path
    if (kind === 'link' || !writable.some((folder) => folder !== path && isWithin(path, folder))) continue
    const mount = at.get(path)
    if (!mount) return path
    if (kind !== 'read' && kind !== 'write') continue
    if (planned.from !== undefined) {
      if (!shows(mount, planned.from)) return path
      continue
    }
    const above = byId.get(mount.parent)
    const isSame = above?.device === mount.device && joined(above.root, path.slice(above.point.length)) === mount.root
    if (!isSame && !isAsOutside(mount)) return path
  }
  return found.find((mount) => !ALWAYS.test(mount.point) && !planned.has(mount.point) && !isAsOutside(mount))?.point
}

export function parseMountinfo(text: string): Mounted[] {
  return text.split('\n').flatMap((line) => {
    const [id, parent, device, root, point, options = ''] = line.split(' ')
    if (id === undefined || parent === undefined || device === undefined || root === undefined || point === undefined)
      return []
    return [
      { id, parent, device, root: unescaped(root), point: unescaped(point), isReadOnly: /^ro(?:,|$)/.test(options) },
    ]
  })
}

/** The kernel writes spaces, tabs, line ends and backslashes as octal numbers. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_all, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
}

function joined(root: string, rest: string): string {
  if (rest === '') return root
  return root === '/' ? `/${rest.replace(/^\//, '')}` : `${root}/${rest.replace(/^\//, '')}`
}
