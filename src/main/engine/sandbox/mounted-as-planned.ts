import { isWithin } from '../workspace/real-path'
import type { Mount } from './system-mounts'

/** One line of /proc/PID/mountinfo. */
interface Mounted {
  id: string
  parent: string
  device: string
  /** What of its file system is mounted. */
  root: string
  point: string
  isReadOnly: boolean
}

/** Where every sandbox has mounts that are not in its plan. */
const ALWAYS = /^\/(?:$|tmp$|proc(?:$|\/)|dev(?:$|\/))/

/**
 * Whether the mounts of a sandbox are those of its plan, read back from the kernel before anything runs in it. A command of an earlier sandbox can rename folders and turn
 * them into links while a later one is being made: then a mount ends up at another place, or shows something else. Undefined when all is as planned; else the first path
 * that is not.
 */
export function mountedOtherwise(mountinfo: string, mounts: readonly Mount[], outside: () => string): string | undefined {
  const found = parseMountinfo(mountinfo)
  const at = new Map(found.map((each) => [each.point, each]))
  const byId = new Map(found.map((each) => [each.id, each]))
  const planned = new Set(mounts.map(({ path }) => path))
  const writable = mounts.flatMap(({ kind, path }) => (kind === 'write' ? [path] : []))
  let own: Map<string, Mounted> | undefined
  const isAsOutside = (mount: Mounted): boolean => {
    own ??= new Map(parseMountinfo(outside()).map((each) => [each.point, each]))
    const same = own.get(mount.point)
    return same?.device === mount.device && same.root === mount.root
  }
  for (const { kind, path } of mounts) {
    // A mask is lost when its file is replaced.
    if ((kind === 'hidden' || kind === 'empty') && !at.has(path)) return path
    if (kind !== 'link' && !writable.includes(path) && at.get(path)?.isReadOnly === false) return path
    if (kind === 'link' || !writable.some((folder) => folder !== path && isWithin(path, folder))) continue
    const mount = at.get(path)
    if (!mount) return path
    if (kind !== 'read' && kind !== 'write') continue
    const above = byId.get(mount.parent)
    const isSame = above?.device === mount.device && joined(above.root, path.slice(above.point.length)) === mount.root
    if (!isSame && !isAsOutside(mount)) return path
  }
  return found.find((mount) => !ALWAYS.test(mount.point) && !planned.has(mount.point) && !isAsOutside(mount))?.point
}

export function parseMountinfo(text: string): Mounted[] {
  return text.split('\n').flatMap((line) => {
    const [id, parent, device, root, point, options = ''] = line.split(' ')
    if (id === undefined || parent === undefined || device === undefined || root === undefined || point === undefined) return []
    return [{ id, parent, device, root: unescaped(root), point: unescaped(point), isReadOnly: /^ro(?:,|$)/.test(options) }]
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
