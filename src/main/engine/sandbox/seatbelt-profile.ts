import { dirname, isAbsolute, normalize } from 'node:path'

/**
 * What a command can do, as far as macOS can enforce it. All paths are absolute and real (`/private/tmp`, not `/tmp`):
 * Seatbelt does not see symbolic links.
 */
export interface SeatbeltPolicy {
  level: 'read-only' | 'project'
  /** Ignored at the level `read-only`, which can only write to `tmp`. */
  writable: readonly string[]
  /** In addition to the system's folders, `writable` and `tmp`. */
  readable?: readonly string[]
  /** Neither read nor written; within a readable folder, the longer path wins. */
  hidden: readonly string[]
  /** Readable and never written, whether or not they exist. */
  protectedPaths: readonly string[]
  network: { kind: 'none' | 'listed' | 'open'; ports?: { http: number; socks: number } }
  /** The command's private temporary folder. */
  tmp: string
}

/** Programs, libraries, SDKs and settings of the system: what every program needs and no user keeps secrets in. */
const SYSTEM = [
  '/Applications',
  '/Library',
  '/System',
  '/bin',
  '/dev',
  '/nix',
  '/opt',
  '/private/etc',
  '/private/var/db/dyld',
  '/private/var/db/timezone',
  '/private/var/select',
  '/sbin',
  '/usr',
]
/** A second path to the user's disk, and the system's keys. */
const NOT_SYSTEM = ['/System/Volumes', '/Library/Keychains']
const DEVICES = ['/dev/dtracehelper', '/dev/null', '/dev/ptmx', '/dev/tty', '/dev/zero']
/** Operations to read and write files. */
const READ = 'file-read* file-test-existence'
const WRITE = 'file-write*'

/**
 * Services every program looks up. Services that start or control programs (LaunchServices, Apple events) are left out,
 * because what they start has no sandbox.
 */
const SERVICES = [
  'com.apple.bsd.dirhelper',
  'com.apple.logd',
  'com.apple.system.logger',
  'com.apple.system.notification_center',
  'com.apple.system.opendirectoryd.libinfo',
  'com.apple.system.opendirectoryd.membership',
]
/** To resolve names and to check certificates. */
const NETWORK_SERVICES = [
  'com.apple.SecurityServer',
  'com.apple.SystemConfiguration.DNSConfiguration',
  'com.apple.SystemConfiguration.configd',
  'com.apple.networkd',
  'com.apple.ocspd',
  'com.apple.trustd.agent',
]

/**
 * The profile for `sandbox-exec -p`. Everything is denied unless allowed, and the last matching rule wins. So folders
 * are ordered from the shortest path to the longest, and rules that protect come after all that allow.
 */
export function seatbeltProfile(policy: SeatbeltPolicy): string {
  const tmp = absolute(policy.tmp)
  const writable = [...(policy.level === 'project' ? policy.writable.map(absolute) : []), tmp]
  const readable = policy.readable?.map(absolute) ?? []
  const hidden = policy.hidden.map(absolute)
  const guarded = policy.protectedPaths.map(absolute)
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-exec process-fork)',
    // Signals and process information stay within the sandbox.
    '(allow signal process-info* (target same-sandbox))',
    '(allow sysctl-read user-preference-read file-map-executable ipc-posix-sem ipc-posix-shm*)',
    `(allow mach-lookup ${SERVICES.map((name) => `(global-name ${text(name)})`).join(' ')})`,
    // Terminals, including those a program opens for others. This is the only pattern, and it contains nothing from the
    // policy.
    '(allow pseudo-tty)',
    `(allow file-read* file-write* file-ioctl ${DEVICES.map(literal).join(' ')} (regex #"^/dev/ttys[0-9]+$"))`,
    // To traverse folders that cannot be listed.
    '(allow file-read-metadata file-test-existence)',
    `(allow ${READ} (literal "/") ${SYSTEM.map(subpath).join(' ')})`,
    `(deny ${READ} ${NOT_SYSTEM.map(subpath).join(' ')})`,
    ...folderRules(writable, readable, hidden),
    ...wayRules([...writable, ...readable]),
    ...guarded.map((path) => `(deny ${WRITE} ${subpath(path)})`),
    ...ancestorRules(writable, [...hidden, ...guarded]),
    ...networkRules(policy.network, policy.level),
    '',
  ].join('\n')
}

function folderRules(writable: readonly string[], readable: readonly string[], hidden: readonly string[]): string[] {
  const rules = [
    ...readable.map((path) => ({ path, rule: `(allow ${READ} ${subpath(path)})` })),
    ...writable.map((path) => ({ path, rule: `(allow ${READ} ${WRITE} ${subpath(path)})` })),
    ...hidden.map((path) => ({ path, rule: `(deny file* ${subpath(path)})` })),
  ]
  // The sort is stable: of the rules for one path, the one that hides comes last.
  return rules.toSorted((one, other) => depth(one.path) - depth(other.path)).map(({ rule }) => rule)
}

/**
 * Programs determine their own folder by checking each one above it. Of hidden ones, only the metadata can be read.
 */
function wayRules(roots: readonly string[]): string[] {
  const above = new Set<string>()
  for (const root of roots) for (let folder = dirname(root); folder !== '/'; folder = dirname(folder)) above.add(folder)
  return above.size === 0 ? [] : [`(allow file-read-metadata file-test-existence ${[...above].map(literal).join(' ')})`]
}

/**
 * A rule for a path does not follow it when a folder above it is renamed, and a folder renamed to that path brings its
 * own content. So within writable folders, the folders above a hidden or protected path cannot be removed, renamed or
 * created.
 */
function ancestorRules(writable: readonly string[], paths: readonly string[]): string[] {
  const between = new Set<string>()
  const roots = new Set<string>()
  for (const root of writable)
    for (const path of paths) {
      if (!isBelow(path, root)) continue
      roots.add(root)
      for (let folder = dirname(path); folder !== root; folder = dirname(folder)) between.add(folder)
    }
  return [
    ...[...roots].map((path) => `(deny file-write-unlink ${literal(path)})`),
    ...[...between].map((path) => `(deny file-write-create file-write-unlink ${literal(path)})`),
  ]
}

function networkRules({ kind, ports }: SeatbeltPolicy['network'], level: SeatbeltPolicy['level']): string[] {
  if (kind === 'none' || level === 'read-only') return []
  if (kind === 'listed') {
    if (ports === undefined) throw new Error('Listed hosts need the ports of the proxy')
    // An address in a profile is `*` or `localhost`; the proxy's two ports are all of this machine that can be reached.
    const remote = [ports.http, ports.socks].map((port) => `(remote ip "localhost:${port}")`)
    return ['(allow system-socket)', `(allow network-outbound ${remote.join(' ')})`]
  }
  // Not `network*`: that would include the unix sockets of Docker and of the SSH agent.
  return [
    '(allow system-socket)',
    '(allow network-outbound (remote ip) (literal "/private/var/run/mDNSResponder"))',
    '(allow network-bind network-inbound (local ip))',
    `(allow mach-lookup ${NETWORK_SERVICES.map((name) => `(global-name ${text(name)})`).join(' ')})`,
  ]
}

function absolute(path: string): string {
  if (!isAbsolute(path)) throw new Error(`The sandbox needs an absolute path, not ${JSON.stringify(path)}`)
  const normal = normalize(path)
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal
}

function depth(path: string): number {
  return path === '/' ? 0 : path.split('/').length - 1
}

function isBelow(path: string, folder: string): boolean {
  return path !== folder && path.startsWith(folder === '/' ? '/' : `${folder}/`)
}

function literal(path: string): string {
  return `(literal ${text(path)})`
}

function subpath(path: string): string {
  return `(subpath ${text(path)})`
}

/**
 * A string of the profile's language. A path with a control character cannot be reliably written there, so a sandbox
 * with it is not started.
 */
function text(value: string): string {
  for (const char of value)
    if (char < ' ' || char === '\u007f')
      throw new Error(`The path ${JSON.stringify(value)} has a control character, so it cannot be sandboxed`)
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
