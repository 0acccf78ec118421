import { homedir } from 'node:os'
import { posix } from 'node:path'
import { globMatcher } from '../../workspace/glob-matcher'
import type { PathFlavor } from '../../workspace/path-flavor'
import { SYSTEM_PATHS } from '../../workspace/system-paths'

/** Tests absolute paths. */
export interface PathTest {
  matches(path: string): boolean
  /** Whether something in this folder, at any depth, can match. */
  mayMatchBelow(folder: string): boolean
}

/** Compiled patterns; rules live long, and each is asked about every path. */
const compiled = new Map<string, PathTest>()
const MOST_COMPILED = 5000

/** How a pattern for paths is read. */
export interface PathGlobOptions {
  /** For deny and ask: case does not matter, and what lies below a match matches too. */
  broad?: boolean
  /** What `~` means. */
  home?: string
  paths?: PathFlavor
}

/**
 * A test for absolute paths: the pattern is relative to `root`, absolute, or begins with `~`. `*` and `?` stay within a folder's name, `**`
 * does not; dots are nothing special. On Windows `\` separates names as `/` does, and a drive may be written `C:/`, `/c/` or `\\?\C:\`.
 */
export function pathGlob(
  pattern: string,
  root: string,
  { broad = false, home = homedir(), paths = SYSTEM_PATHS }: PathGlobOptions = {},
): PathTest {
  const key = [broad, paths.platform, home, root, pattern].join('\0')
  let test = compiled.get(key)
  if (!test) {
    if (compiled.size >= MOST_COMPILED) compiled.clear()
    test = compile(pattern, root, { broad, home, paths })
    compiled.set(key, test)
  }
  return test
}

function compile(pattern: string, root: string, { broad, home, paths }: Required<PathGlobOptions>): PathTest {
  const absolute = absolutePattern(pattern, root, home, paths)
  // What is in a folder is the folder, for a tool that lists or searches it.
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

/** The pattern from the root of the file system on, in the form that `comparable` gives paths. */
function absolutePattern(pattern: string, root: string, home: string, paths: PathFlavor): string {
  const isWindows = paths.platform === 'win32'
  const slashed = isWindows ? pattern.replaceAll('\\', '/') : pattern
  const from = (folder: string, way: string): string => joined(literal(paths.comparable(folder)), way)
  if (slashed === '~' || slashed.startsWith('~/')) return from(home, slashed.slice(1)).replace(/(?<=.)\/$/, '')
  if (!isWindows) return slashed.startsWith('/') ? paths.comparable(posix.resolve(slashed)) : from(root, slashed.normalize('NFC'))
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

/** As `posix.join`, with the two slashes in front of a server kept. */
function joined(folder: string, way: string): string {
  const text = posix.join(folder, way)
  return folder.startsWith('//') ? `/${text}` : text
}

/** A folder's own name may hold characters that mean something in a pattern. */
function literal(folder: string): string {
  return folder.replace(/[*?[{]/g, '[$&]')
}
