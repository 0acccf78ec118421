import { homedir } from 'node:os'
import { posix, join } from 'node:path'
import { globMatcher } from '../../workspace/path/glob-matcher'
import { type PathFlavor, SYSTEM_PATHS } from '../../workspace/path/path-flavor'
import { placeholdersIn } from '../../sandbox/mounts/placeholders'
import { isSystemSecret } from '../../sandbox/mounts/system-mounts'
import { canonicalHost } from '../../network/host-list'
import { isCredential } from '../../sandbox/protected-names'
import { isWithin, realPathOrSelf } from '../../workspace/path/real-path'
import { parsePattern, type PermissionRule, describeRule } from '../../permission/permission-rule'

/** Tests absolute paths. */
export interface PathTest {
  matches(path: string): boolean
  /** Whether something in this folder, at any depth, can match. */
  mayMatchBelow(folder: string): boolean
}

/** Compiled patterns: rules are long-lived, and each is tested against every path. */
const compiled = new Map<string, PathTest>()
const MAX_COMPILED = 5000

/** How a path pattern is interpreted. */
export interface PathGlobOptions {
  /** For deny and ask: case-insensitive, and everything below a match also matches. */
  broad?: boolean
  /** What `~` means. */
  home?: string
  paths?: PathFlavor
}

/**
 * A test for absolute paths: the pattern is relative to `root`, absolute, or starts with `~`. `*` and `?` stay within a
 * folder's name, `**` does not; dots are not special. On Windows, `\` separates names like `/`, and a drive can be
 * written as `C:/`, `/c/` or `\\?\C:\`.
 */
export function pathGlob(
  pattern: string,
  root: string,
  { broad = false, home = homedir(), paths = SYSTEM_PATHS }: PathGlobOptions = {},
): PathTest {
  const key = [broad, paths.platform, home, root, pattern].join('\0')
  let test = compiled.get(key)
  if (!test) {
    if (compiled.size >= MAX_COMPILED) compiled.clear()
    test = compile(pattern, root, { broad, home, paths })
    compiled.set(key, test)
  }
  return test
}

function compile(pattern: string, root: string, { broad, home, paths }: Required<PathGlobOptions>): PathTest {
  // A folder is the same with a slash at the end.
  const absolute = absolutePattern(pattern, root, home, paths).replace(/(?<=[^/:])\/$/, '')
  // For a tool that lists or searches, a pattern for everything in a folder also matches the folder.
  const [folder, inside] = absolute.endsWith('/**') ? [absolute.slice(0, -3), true] : [absolute, broad]
  const syntax = { anyCase: broad }
  const itself = globMatcher(folder, syntax)
  const below = inside ? globMatcher(`${folder.replace(/\/$/, '')}/**`, syntax) : undefined
  return {
    matches(path) {
      const text = paths.comparable(path)
      return itself.matches(text) || (below?.matches(text) ?? false)
    },
    mayMatchBelow(path) {
      const text = paths.comparable(path).replace(/\/$/, '')
      return itself.mayMatchBelow(text) || (below?.mayMatchBelow(text) ?? false)
    },
  }
}

/** A drive, or wildcards for one. */
const DRIVE = /^(?:[a-z]|[*?]|\[[^\]]*\]|\{[^}]*\}):\//i

/** The pattern from the root of the file system, in the form that `comparable` gives to paths. */
function absolutePattern(pattern: string, root: string, home: string, paths: PathFlavor): string {
  const isWindows = paths.platform === 'win32'
  const slashed = isWindows ? pattern.replaceAll('\\', '/') : pattern
  const from = (folder: string, way: string): string => joined(literal(paths.comparable(folder)), way)
  if (slashed === '~' || slashed.startsWith('~/')) return from(home, slashed.slice(1)).replace(/(?<=.)\/$/, '')
  if (!isWindows)
    return slashed.startsWith('/') ? paths.comparable(posix.resolve(slashed)) : from(root, slashed.normalize('NFC'))
  const native = paths.native(slashed).replaceAll('\\', '/').normalize('NFC')
  if (DRIVE.test(native)) return posix.normalize(native).replace(/(?<!:)\/$/, '')
  if (native.startsWith('//'))
    return joined(
      native.replace(/^\/\/[^/]+(?:\/[^/]+)?/, (share) => share.toLowerCase()),
      '',
    )
  if (paths.isDevice(native)) return posix.normalize(native)
  return native.startsWith('/') ? from(paths.path.parse(root).root, native) : from(root, native)
}

/** Like `posix.join`, but keeps the two leading slashes of a network share. */
function joined(folder: string, way: string): string {
  const text = posix.join(folder, way)
  return folder.startsWith('//') ? `/${text}` : text
}

/** A folder's own name can contain pattern characters. */
function literal(folder: string): string {
  return folder.replace(/[*?[{]/g, '[$&]')
}

/**
 * A test for page addresses. A pattern is a host (`example.org`, `*.example.org`) or starts with a scheme
 * (`https://example.org/docs/**`); `*` stays within one segment, `**` does not. With `broad` (for deny and ask), a host
 * includes its subdomains, and an address includes everything that starts with it, however its path is encoded.
 */
export function urlGlob(pattern: string, { broad = false } = {}): (url: string) => boolean {
  const text = pattern.trim().toLowerCase()
  const [, scheme, authority = '', rest = ''] = /^(.*?:\/\/)([^/?#]*)(.*)$/s.exec(text) ?? []
  if (scheme === undefined) {
    const named = plainAuthority(text)
    const hosts = (broad ? [named, `*.${named}`] : [named]).map((host) => globMatcher(host, { starOnly: true }))
    return (url) => {
      const names = namesOf(url)
      return hosts.some((host) => names.some((name) => host.matches(name)))
    }
  }
  const path = broad ? plainPath(rest) : rest
  const address = `${scheme}${plainAuthority(authority, scheme)}${path}`.replace(/\/$/, '')
  const literalAddress = address.replace(/[?[\]{}\\]/g, String.raw`\$&`)
  const endings = broad ? ['', '/**', String.raw`\?**`, '#**'] : ['', '/']
  const matchers = endings.map((ending) => globMatcher(literalAddress + ending, { escapes: true }))
  return (url) => {
    if (!URL.canParse(url)) return false
    const { protocol, host, pathname, search, hash } = new URL(url)
    const asked = `${pathname}${search}${hash}`.toLowerCase()
    const found = `${protocol}//${plainAuthority(host)}${broad ? plainPath(asked) : asked}`
    return matchers.some((matcher) => matcher.matches(found))
  }
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/** The host of an address, without and with its port. */
function namesOf(url: string): string[] {
  if (!URL.canParse(url)) return []
  const { protocol, hostname, port } = new URL(url)
  const host = plainAuthority(hostname)
  return [host, `${host}:${port || DEFAULT_PORTS[protocol]}`]
}

/**
 * A host with an optional port in the one spelling in which hosts are compared: `bücher.example.` and
 * `xn--bcher-kva.example` are the same host. Wildcards stay.
 */
function plainAuthority(text: string, scheme = ''): string {
  const [, host = text, port = ''] = /^(\[.*\]|[^:]*)(?::(\d+))?$/.exec(text) ?? []
  const name = canonicalHost(host) ?? host
  const isDefault = port === DEFAULT_PORTS[scheme.slice(0, -2)]
  return `${name.includes(':') ? `[${name}]` : name}${port === '' || isDefault ? '' : `:${port}`}`
}

/** A path in the one spelling in which deny and ask rules compare paths: servers decode it and join slashes. */
function plainPath(path: string): string {
  const decoded = path.replaceAll(/(?:%[0-9a-f]{2})+/gi, (bytes) => {
    try {
      return decodeURIComponent(bytes)
    } catch {
      return bytes
    }
  })
  return decoded.toLowerCase().replaceAll(/\/{2,}/g, '/')
}

export interface HiddenPathsOptions {
  rules: readonly PermissionRule[]
  /** The tool that lists or searches. */
  tool: 'Grep' | 'Glob' | 'ListDirectory'
  /** Real paths of the project and of the folders the user added. */
  root: string
  addedFolders: readonly string[]
  /** TRESTLE_HOME, and its folders that this session may read. */
  home: string
  ownOutput: readonly string[]
  /** Default: the home folder of the user. */
  userHome?: string
  /** What running sandboxes have created in the project; default: read from the home's records. */
  isPlaceholder?(path: string): boolean
}

/**
 * What a tool that lists or searches a folder leaves out: files that a rule denies, Trestle's own folder, and, when it
 * shows contents, also the user's credentials and files that a rule asks about, because such a call is judged only by
 * its folder and the user was not asked about each file.
 */
export function hiddenPaths({
  rules,
  tool,
  root,
  addedFolders,
  home,
  ownOutput,
  userHome = homedir(),
  isPlaceholder = placeholdersIn(join(home, 'run', 'sandbox')),
}: HiddenPathsOptions): (path: string) => boolean {
  const projects = [root, ...addedFolders].filter((folder) => folder !== home && isWithin(folder, home))
  const readable = [...projects, ...ownOutput]
  const denied = rules.flatMap((rule) => {
    if (rule.decision === 'allow' || (rule.decision === 'ask' && tool !== 'Grep') || rule.mistake !== undefined)
      return []
    const parsed = parsePattern(rule.pattern)
    if ('mistake' in parsed || parsed.argument === undefined) return []
    return parsed.tool === 'Read' || parsed.tool === tool ? [pathGlob(parsed.argument, root, { broad: true })] : []
  })
  const realHome = realPathOrSelf(userHome)
  const isSecret = (path: string): boolean => tool === 'Grep' && (isCredential(path, realHome) || isSystemSecret(path))
  return (path) =>
    isSecret(path) ||
    (isWithin(path, home) && !readable.some((folder) => isWithin(path, folder))) ||
    denied.some((pattern) => pattern.matches(path)) ||
    isPlaceholder(path)
}

/**
 * Why the target of a redirect may not be fetched: the rule that denies or asks about it. The requested page was judged
 * like any call; the target of a redirect is known only after the response, when asking is no longer possible.
 */
export function addressRefusal(rules: readonly PermissionRule[], url: string): string | undefined {
  for (const rule of rules) {
    if (rule.decision === 'allow') continue
    if (rule.mistake !== undefined) return `a rule cannot be read: ${describeRule(rule)}`
    const parsed = parsePattern(rule.pattern)
    if ('mistake' in parsed || parsed.tool !== 'FetchURL' || parsed.argument === undefined) continue
    if (urlGlob(parsed.argument, { broad: true })(url)) return describeRule(rule)
  }
  return undefined
}
