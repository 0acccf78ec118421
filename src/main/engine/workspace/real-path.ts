import { readlinkSync, realpathSync } from 'node:fs'
import { dirname, join, parse, sep } from 'node:path'
import { errorCode } from './file-problem'

const MAX_LINKS = 40
/** What systems but Windows take at most; a longer path names no file there. */
const MOST_BYTES = sep === '/' ? 4096 : Infinity
const SEPARATORS = sep === '/' ? /\/+/ : /[\\/]+/

/**
 * The path with every symlink resolved, the last one included, as the system does it: a link is followed before a `..` behind it counts. What is not there
 * yet keeps its name below its nearest existing folder; a dangling link counts as what it points to. `problem`: no file can have this path. Never throws.
 */
export async function realPathOf(absolutePath: string): Promise<{ realPath: string; problem?: string }> {
  if (absolutePath.includes('\0')) return { realPath: absolutePath, problem: 'it contains a NUL character' }
  if (Buffer.byteLength(absolutePath) > MOST_BYTES) return { realPath: absolutePath, problem: 'it is too long' }
  try {
    // Asked for twice per call and answered by the kernel's cache in microseconds; a way through the thread pool takes half a millisecond.
    return { realPath: realpathSync.native(absolutePath) }
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ELOOP') return { realPath: absolutePath, problem: 'its symbolic links form a loop' }
    if (code === 'ENAMETOOLONG') return { realPath: absolutePath, problem: 'it is too long' }
    return walk(absolutePath)
  }
}

/** Whether `path` is `folder` or lies below it. Both absolute and normalized. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/** Resolves component by component, as the system would, but goes on where nothing is there. */
function walk(absolutePath: string): { realPath: string; problem?: string } {
  let { root: real } = parse(absolutePath)
  // Names below the last folder that is there: nothing can be a link among them.
  const missing: string[] = []
  const pending = absolutePath.slice(real.length).split(SEPARATORS).toReversed()
  let links = 0
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (name === '' || name === '.') continue
    if (name === '..') {
      if (missing.pop() === undefined) real = dirname(real)
      continue
    }
    if (missing.length > 0) {
      missing.push(name)
      continue
    }
    const next = join(real, name)
    const target = linkAt(next)
    if (target === MISSING) {
      missing.push(name)
      continue
    }
    // Not a link, or not ours to see: then its own name is all that is known of it.
    if (target === undefined) {
      real = next
      continue
    }
    if (++links > MAX_LINKS) return { realPath: absolutePath, problem: 'its symbolic links form a loop' }
    const { root } = parse(target)
    if (root !== '') real = root
    pending.push(...target.slice(root.length).split(SEPARATORS).toReversed())
  }
  return { realPath: join(canonical(real), ...missing) }
}

const MISSING = Symbol('missing')

function linkAt(path: string): string | typeof MISSING | undefined {
  try {
    return readlinkSync(path)
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? MISSING : undefined
  }
}

/** The spelling the file system itself uses for the part that exists: where names ignore case, `SRC` is `src`. */
function canonical(path: string): string {
  const tail: string[] = []
  for (let head = path; ; head = dirname(head)) {
    try {
      return join(realpathSync.native(head), ...tail)
    } catch {
      if (dirname(head) === head) return path
      tail.unshift(parse(head).base)
    }
  }
}
