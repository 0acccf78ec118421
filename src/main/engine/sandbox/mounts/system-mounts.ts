import { lstatSync, readdirSync, readlinkSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isWithin } from '../../workspace/path/real-path'
import { canRead, entriesOf, isFolder, exists, realPathOf, statsOf } from '../safe-fs'
import { SYSTEM_SECRETS } from '../protected-names'
import type { SandboxPolicy } from '../sandbox-policy'
import { FILTERED_FILES, filteredSettings, toolchainPaths } from '../toolchains'

/**
 * What a path inside the sandbox shows. `read`, `write`: the same as outside; with `from`: another file or folder.
 * `empty`: an empty folder. `hidden`: a file that cannot be opened, instead of the real one. `text`: a file with this
 * text. `link`: a symbolic link.
 */
export type Mount =
  | { kind: 'read'; path: string; from?: string }
  | { kind: 'write'; path: string; from?: string }
  | { kind: 'empty'; path: string }
  | { kind: 'hidden'; path: string }
  | { kind: 'text'; path: string; text: string }
  | { kind: 'link'; path: string; target: string }

/** Top-level folders that hold the system itself. */
const SYSTEM = new Set([
  'bin',
  'sbin',
  'lib',
  'lib32',
  'lib64',
  'libx32',
  'usr',
  'etc',
  'opt',
  'nix',
  'gnu',
  'snap',
  'sys',
])
/** Parts of other folders that programs need. */
const SYSTEM_PARTS = [
  '/var/lib/dpkg',
  '/var/lib/ca-certificates',
  '/var/lib/alternatives',
  '/var/cache/fontconfig',
  '/run/current-system',
  '/run/wrappers',
  // Not the whole folder: its socket resolves any name for any process.
  '/run/systemd/resolve/resolv.conf',
  '/run/systemd/resolve/stub-resolv.conf',
  '/run/resolvconf',
  '/run/NetworkManager/resolv.conf',
]

const MAX_SYSTEM_FOLDERS = 2_000

/** The system, an empty home with toolchains in it, and nothing else. */
export function systemAndHome({ userHome }: SandboxPolicy, path: string | undefined): Mount[] {
  const mounts: Mount[] = []
  for (const name of readdirSync('/')) {
    if (!SYSTEM.has(name)) continue
    const each = `/${name}`
    if (lstatSync(each).isSymbolicLink()) mounts.push({ kind: 'link', path: each, target: readlinkSync(each) })
    else mounts.push({ kind: 'read', path: each })
  }
  mounts.push(
    { kind: 'empty', path: '/run' },
    { kind: 'empty', path: '/var' },
    { kind: 'link', path: '/var/run', target: '/run' },
  )
  mounts.push({ kind: 'link', path: '/var/tmp', target: '/tmp' })
  for (const each of SYSTEM_PARTS) if (exists(each)) mounts.push({ kind: 'read', path: each })
  for (const each of systemSecrets()) if (canRead(each)) mounts.push(hiding(each))
  mounts.push({ kind: 'empty', path: userHome })
  for (const each of new Set(toolchainPaths(userHome, path))) mounts.push({ kind: 'read', path: each })
  for (const name of FILTERED_FILES) {
    const file = join(userHome, name)
    const text = filteredSettings(file, userHome)
    if (text !== undefined) mounts.push({ kind: 'text', path: file, text })
  }
  return mounts
}

/**
 * Each mount takes time, so those that a later one covers or that repeat an earlier one are left out.
 */
export function withoutSuperfluous(mounts: readonly Mount[]): Mount[] {
  return mounts.filter((mount, index) => {
    if (mount.kind === 'link') return true
    const isBelow = (other: Mount): boolean => other.kind !== 'link' && isWithin(mount.path, other.path)
    if (mounts.some((other, at) => at > index && isBelow(other))) return false
    if (mount.kind !== 'read' || mount.from !== undefined) return true
    const real = realPathOf(mount.path)
    const before = mounts.slice(0, index)
    // A folder such as /bin that is a link: its target is mounted under its own name.
    const isLink = before.some(({ kind, path }) => kind === 'link' && path === mount.path)
    if (!isLink && real !== mount.path) return true
    const above = before.findLast(({ kind, path }) => kind !== 'link' && real !== undefined && isWithin(real, path))
    return above?.kind !== 'read' || above.from !== undefined
  })
}

let known: { at: number; paths: string[] } | undefined

/**
 * System files that other users of the machine cannot read. Running as root, or in a privileged group, gives commands
 * no more access.
 */
function systemSecrets(): readonly string[] {
  if (process.getuid?.() !== 0) return [...SYSTEM_SECRETS, ...hostKeys()]
  const at = statSync('/etc').ctimeMs
  if (known?.at === at) return known.paths
  const paths = new Set(SYSTEM_SECRETS)
  const queue = ['/etc']
  for (const folder of queue) {
    if (queue.length > MAX_SYSTEM_FOLDERS) break
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name)
      const mode = entry.isSymbolicLink() ? undefined : statsOf(path)?.mode
      // Nothing below a secret folder is scanned: it is not in the queue.
      if (mode === undefined || paths.has(path)) continue
      if (entry.isDirectory()) {
        if ((mode & 0o005) === 0o005) queue.push(path)
        else paths.add(path)
      } else if ((mode & 0o004) === 0) paths.add(path)
    }
  }
  known = { at, paths: [...paths] }
  return known.paths
}

/** Whether this system file is always hidden from commands. */
export function isSystemSecret(path: string): boolean {
  return path.startsWith('/etc/') && systemSecrets().some((secret) => isWithin(path, secret))
}

function hostKeys(): string[] {
  return entriesOf('/etc/ssh').flatMap(({ name }) => (/^ssh_host_.*_key$/.test(name) ? [`/etc/ssh/${name}`] : []))
}

/**
 * Mounts for the folders between a folder that commands can change and a path in it, so that none can be moved away and
 * replaced by one with other contents at that path. Outermost first.
 */
export function pinnedFolders(path: string, writable: string): Mount[] {
  const between: Mount[] = []
  for (let above = dirname(path); above !== writable && isWithin(above, writable); above = dirname(above))
    between.push({ kind: 'write', path: above })
  return between.toReversed()
}

export function hiding(path: string): Mount {
  return isFolder(path) ? { kind: 'empty', path } : { kind: 'hidden', path }
}
