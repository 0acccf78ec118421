import { readlinkSync, realpathSync } from 'node:fs'
import { type PathFlavor, SYSTEM_PATHS } from './path-flavor'
import { realpath, stat } from 'node:fs/promises'
import { CodedError } from '../../../../shared/errors'
import { errorCode } from '../../../../shared/error-text'

const MAX_LINKS = 40
/** The longest path on systems other than Windows. */
const MAX_PATH_BYTES = 4096

/**
 * Looks up paths in the file system; passed in, so that the behavior of each system can be tested on every system. Both
 * functions throw like those of `node:fs`.
 */
export interface PathLookup {
  /**
   * Resolves links and returns each name as the file system itself spells it, with short names (`PROGRA~1`) expanded.
   */
  realpath(path: string): string
  readlink(path: string): string
}

/** The file system of this machine. */
export const DISK: PathLookup = {
  realpath: (path) => realpathSync.native(path),
  readlink: (path) => readlinkSync(path),
}

/**
 * Resolves every symlink in a path, including the last one, as the system does: a link is followed before a `..` after
 * it applies. Missing parts keep their names below the nearest existing folder; a dangling link resolves to its target.
 * `problem`: no file can have this path. Never throws.
 */
export async function realPathOf(
  absolutePath: string,
  paths: PathFlavor = SYSTEM_PATHS,
  disk: PathLookup = DISK,
): Promise<{ realPath: string; problem?: string }> {
  if (absolutePath.includes('\0')) return { realPath: absolutePath, problem: 'it contains a NUL character' }
  if (paths.platform !== 'win32' && Buffer.byteLength(absolutePath) > MAX_PATH_BYTES)
    return { realPath: absolutePath, problem: 'it is too long' }
  // A device name of the shell: Windows would look for it on the current drive.
  if (paths.isDevice(absolutePath) && absolutePath.startsWith('/')) return { realPath: absolutePath }
  const problem = paths.nameProblem(absolutePath)
  // Don't access it: opening a device can block forever.
  if (problem !== undefined) return { realPath: absolutePath, problem }
  try {
    // Used twice per call and answered by the kernel's cache in microseconds; going through the thread pool takes half
    // a millisecond.
    return { realPath: paths.native(disk.realpath(absolutePath)) }
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ELOOP') return { realPath: absolutePath, problem: 'its symbolic links form a loop' }
    if (code === 'ENAMETOOLONG') return { realPath: absolutePath, problem: 'it is too long' }
    return walk(absolutePath, paths, disk)
  }
}

/** Whether `path` is `folder` or is below it. Both are absolute, with links resolved. */
export function isWithin(path: string, folder: string): boolean {
  return SYSTEM_PATHS.isWithin(path, folder)
}

/** Expands short names (`PROGRA~1`) on Windows, without resolving links. */
export function expandShortNames(path: string, paths: PathFlavor, disk: PathLookup): string {
  if (paths.platform !== 'win32' || !/~\d/.test(path) || paths.nameProblem(path) !== undefined) return path
  const { root } = paths.path.parse(path)
  let long = root
  for (const name of path.slice(root.length).split('\\')) {
    const next = paths.path.join(long, name)
    long = /~\d/.test(name) && linkAt(next, disk) === undefined ? canonical(next, paths, disk) : next
  }
  return long
}

/** Resolves component by component, as the system would, but continues past missing components. */
function walk(absolutePath: string, paths: PathFlavor, disk: PathLookup): { realPath: string; problem?: string } {
  const { dirname, join, parse } = paths.path
  const separators = paths.platform === 'win32' ? /[\\/]+/ : /\/+/
  let { root: real } = parse(absolutePath)
  // Names below the last existing folder; none of them can be a link.
  const missing: string[] = []
  const pending = absolutePath.slice(real.length).split(separators).toReversed()
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
    const target = linkAt(next, disk)
    if (target === MISSING) {
      missing.push(name)
      continue
    }
    // Not a link, or not accessible; then only its own name is known.
    if (target === undefined) {
      real = next
      continue
    }
    if (++links > MAX_LINKS) return { realPath: absolutePath, problem: 'its symbolic links form a loop' }
    const aim = paths.native(target)
    const { root } = parse(aim)
    if (root !== '') real = paths.path.resolve(real, root)
    pending.push(...aim.slice(root.length).split(separators).toReversed())
  }
  return { realPath: join(canonical(real, paths, disk), ...missing) }
}

const MISSING = Symbol('missing')

function linkAt(path: string, disk: PathLookup): string | typeof MISSING | undefined {
  try {
    return disk.readlink(path)
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? MISSING : undefined
  }
}

/** The file system's own spelling of the existing part: if names ignore case, `SRC` becomes `src`. */
function canonical(path: string, paths: PathFlavor, disk: PathLookup): string {
  const { dirname, join, parse } = paths.path
  const tail: string[] = []
  for (let head = path; ; head = dirname(head)) {
    try {
      return join(paths.native(disk.realpath(head)), ...tail)
    } catch {
      if (dirname(head) === head) return path
      tail.unshift(parse(head).base)
    }
  }
}

/**
 * The real path, or the path unchanged if it does not exist. Synchronous, because the thread pool would add half a
 * millisecond to every step that reads a file.
 */
export function realPathOrSelf(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}

/** The real path of a folder; throws `session.folder_missing`. */
export async function realFolder(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined)
  const isFolder = real !== undefined && (await stat(real).catch(() => undefined))?.isDirectory()
  if (!isFolder) throw new CodedError('session.folder_missing', `There is no folder ${path}.`)
  return real
}
