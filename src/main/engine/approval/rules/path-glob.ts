import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { globMatcher } from '../../workspace/glob-matcher'

/** Tests absolute paths. */
export interface PathTest {
  matches(path: string): boolean
  /** Whether something in this folder, at any depth, can match. */
  mayMatchBelow(folder: string): boolean
}

/** Compiled patterns; rules live long, and each is asked about every path. */
const compiled = new Map<string, PathTest>()
const MOST_COMPILED = 5000

/**
 * A test for absolute paths: the pattern is relative to `root`, absolute, or begins with `~`. `*` and `?` stay within a folder's name, `**`
 * does not; dots are nothing special. With `broad` (for deny and ask) case does not matter and what lies below a match matches too.
 */
export function pathGlob(pattern: string, root: string, { broad = false, home = homedir() } = {}): PathTest {
  const key = [broad, home, root, pattern].join('\0')
  let test = compiled.get(key)
  if (!test) {
    if (compiled.size >= MOST_COMPILED) compiled.clear()
    test = compile(pattern, root, broad, home)
    compiled.set(key, test)
  }
  return test
}

function compile(pattern: string, root: string, broad: boolean, home: string): PathTest {
  const expanded = pattern === '~' || pattern.startsWith('~/') ? literal(home) + pattern.slice(1) : pattern
  const absolute = expanded.startsWith('/') ? resolve(expanded) : join(literal(root), expanded.replace(/^\.\//, ''))
  // What is in a folder is the folder, for a tool that lists or searches it.
  const [folder, inside] = absolute.endsWith('/**') ? [absolute.slice(0, -3), true] : [absolute, broad]
  const syntax = { anyCase: broad }
  const itself = globMatcher(folder.normalize('NFC'), syntax)
  const below = inside ? globMatcher(`${folder.normalize('NFC').replace(/\/$/, '')}/**`, syntax) : undefined
  return {
    matches(path) {
      const composed = path.normalize('NFC')
      return itself.matches(composed) || (below?.matches(composed) ?? false)
    },
    mayMatchBelow(path) {
      const composed = path.normalize('NFC').replace(/\/$/, '')
      return itself.mayMatchBelow(composed) || (below?.mayMatchBelow(composed) ?? false)
    },
  }
}

/** A folder's own name may hold characters that mean something in a pattern. */
function literal(folder: string): string {
  return folder.replace(/[*?[{]/g, '[$&]')
}
