import { realpathSync } from 'node:fs'
import { readlink, realpath } from 'node:fs/promises'
import { dirname, join, parse, sep } from 'node:path'
import { errorCode } from './file-problem'

const MAX_LINKS = 40
const SEPARATORS = sep === '/' ? /\/+/ : /[\\/]+/

/**
 * The path with every symlink resolved, the last one included. What is not there yet keeps its name below its nearest existing folder; a
 * dangling link counts as what it points to. `problem`: no file can have this path. Never throws.
 */
export async function realPathOf(absolutePath: string): Promise<{ realPath: string; problem?: string }> {
  if (absolutePath.includes('\0')) return { realPath: absolutePath, problem: 'it contains a NUL character' }
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

/** Resolves component by component, as the system would, but goes on where nothing is there. */
async function walk(absolutePath: string): Promise<{ realPath: string; problem?: string }> {
  let { root: real } = parse(absolutePath)
  const pending = absolutePath.slice(real.length).split(SEPARATORS).toReversed()
  let links = 0
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (name === '' || name === '.') continue
    if (name === '..') {
      real = dirname(real)
      continue
    }
    const next = join(real, name)
    // Not a link, not there, or not ours to see: then its own name is all that is known of it.
    const target = await readlink(next).catch(() => undefined)
    if (target === undefined) {
      real = next
      continue
    }
    if (++links > MAX_LINKS) return { realPath: absolutePath, problem: 'its symbolic links form a loop' }
    const { root } = parse(target)
    if (root !== '') real = root
    pending.push(...target.slice(root.length).split(SEPARATORS).toReversed())
  }
  return { realPath: await canonical(real) }
}

/** The spelling the file system itself uses for the part that exists: where names ignore case, `SRC` is `src`. */
async function canonical(path: string): Promise<string> {
  const tail: string[] = []
  for (let head = path; ; head = dirname(head)) {
    const found = await realpath(head).catch(() => undefined)
    if (found !== undefined) return join(found, ...tail)
    if (dirname(head) === head) return path
    tail.unshift(parse(head).base)
  }
}
