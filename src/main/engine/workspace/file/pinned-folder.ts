import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
} from 'node:fs'
import { dirname, join, parse, sep } from 'node:path'
import { FileProblem } from '../path/file-problem'
import { errorCode } from '../../../../shared/error-text'

/** Linux: opens a folder only to act through it; needs no right to list it. */
const O_PATH = 0o10000000
const FOLDER_FLAGS = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW
const DESCRIPTORS = '/proc/self/fd'

/** An open folder, which stays the same folder whatever happens to its name. */
export interface PinnedFolder {
  /** The path of an entry of this same folder. */
  at(name: string): string
  /**
   * Throws a `FileProblem` if the folder is no longer at its path. On Linux, every path of `at` leads into the folder
   * itself, so it never throws; elsewhere, call it after each change.
   */
  verify(): void
  close(): void
}

/** How to pin a folder. */
export interface PinOptions {
  /** How messages name the file that is accessed in it. */
  shown: string
  /** Creates missing folders, and is called with the path of each. */
  made?: (path: string) => void
  /** Permissions of created folders, less the umask. */
  mode?: number
}

/**
 * Opens the folder at a real path, one folder after the other and without following symbolic links, so that the
 * approved folder is the one used, even if a folder is replaced with a link. Throws a `FileProblem` of kind `changed`
 * if there is such a link, or the system's error.
 */
export function pinFolder(realPath: string, options: PinOptions): PinnedFolder {
  return hasDescriptors() ? pinByDescriptor(realPath, options) : pinByName(realPath, options)
}

/** Whether the file opened as `fd` is the one at the real path, and not one that a link led to. */
export function isOpenedAt(fd: number, realPath: string): boolean {
  try {
    if (hasDescriptors()) {
      // An entry of a pinned folder, which no link can redirect.
      if (realPath.startsWith(`${DESCRIPTORS}/`)) return true
      const opened = readlinkSync(`${DESCRIPTORS}/${fd}`)
      // A file replaced while it is read was at the path, and a file system may spell names differently.
      return opened === realPath || opened === `${realPath} (deleted)` || isSameAsPinned(fd, realPath)
    }
    const [opened, named] = [fstatSync(fd, { bigint: true }), lstatSync(realPath, { bigint: true })]
    return opened.dev === named.dev && opened.ino === named.ino && realpathSync.native(realPath) === realPath
  } catch {
    return false
  }
}

/** A path by which this process can reopen the file opened as `fd`; the real path on systems without such paths. */
export function descriptorPath<Path extends string | Buffer>(fd: number, realPath: Path): Path | string {
  return hasDescriptors() ? `${DESCRIPTORS}/${fd}` : realPath
}

/** A folder that was opened for listing it. */
export interface OpenFolder {
  /** Lists this folder, even if its original path now leads elsewhere. */
  path: string
  /** Throws a `FileProblem` if another folder may have been listed; call it afterwards. */
  verify(): void
  close(): void
}

/**
 * Opens the folder at a real path for listing it. Faster than `pinFolder`, because it checks no parent folders. Throws
 * a `FileProblem` if a symbolic link led elsewhere, or the system's error.
 */
export function openFolder(realPath: string): OpenFolder {
  if (!hasDescriptors()) {
    const { verify, close } = pinByName(realPath, { shown: realPath })
    return { path: realPath, verify, close }
  }
  const fd = openSync(realPath, FOLDER_FLAGS)
  if (!isOpenedAt(fd, realPath)) {
    closeSync(fd)
    throw replacedProblem(realPath)
  }
  return { path: `${DESCRIPTORS}/${fd}`, verify: () => undefined, close: () => closeSync(fd) }
}

/** A `FileProblem` for a folder or file that was replaced. */
export function replacedProblem(shown: string): FileProblem {
  return new FileProblem(
    `${shown} was replaced by a symbolic link or moved at this very moment; nothing was done. Try again.`,
    'changed',
  )
}

let descriptors: boolean | undefined

function hasDescriptors(): boolean {
  return (descriptors ??= process.platform === 'linux' && existsSync(DESCRIPTORS))
}

function isSameAsPinned(fd: number, realPath: string): boolean {
  const folder = pinByDescriptor(dirname(realPath), { shown: realPath })
  try {
    const [opened, named] = [
      fstatSync(fd, { bigint: true }),
      lstatSync(folder.at(parse(realPath).base), { bigint: true }),
    ]
    return opened.dev === named.dev && opened.ino === named.ino
  } finally {
    folder.close()
  }
}

function pinByDescriptor(realPath: string, options: PinOptions): PinnedFolder {
  let fd = openSync('/', FOLDER_FLAGS)
  const within = (name: string): string => `${DESCRIPTORS}/${fd}/${name}`
  try {
    let path = ''
    for (const name of realPath.split('/')) {
      if (name === '') continue
      path += `/${name}`
      const next = openWithin(within(name), path, options)
      closeSync(fd)
      fd = next
    }
  } catch (error) {
    closeSync(fd)
    throw error
  }
  return { at: within, verify: () => undefined, close: () => closeSync(fd) }
}

function openWithin(at: string, path: string, { shown, made, mode = 0o777 }: PinOptions): number {
  try {
    return openSync(at, FOLDER_FLAGS)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOTDIR' && lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) throw replacedProblem(shown)
    if (code !== 'ENOENT' || !made) throw error
    makeFolder(at, mode, () => made(path))
    return openSync(at, FOLDER_FLAGS)
  }
}

/** Another process may create it at the same time. */
function makeFolder(at: string, mode: number, made: () => void): void {
  try {
    mkdirSync(at, { mode })
    made()
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}

/** For systems without folder descriptors: checks the names before and after. */
function pinByName(realPath: string, { shown, made, mode = 0o777 }: PinOptions): PinnedFolder {
  if (made) {
    const { root } = parse(realPath)
    let path = root
    for (const name of realPath.slice(root.length).split(sep)) {
      path = join(path, name)
      const stat = lstatSync(path, { throwIfNoEntry: false })
      if (stat?.isSymbolicLink()) throw replacedProblem(shown)
      if (!stat) makeFolder(path, mode, () => made(path))
    }
  }
  const first = lstatSync(realPath, { bigint: true })
  const verify = (): void => {
    const now = lstatSync(realPath, { bigint: true, throwIfNoEntry: false })
    if (now?.dev !== first.dev || now.ino !== first.ino || realpathSync.native(realPath) !== realPath)
      throw replacedProblem(shown)
  }
  verify()
  return { at: (name) => join(realPath, name), verify, close: () => undefined }
}
