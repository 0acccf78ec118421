import { randomBytes } from 'node:crypto'
import { constants, linkSync, lstatSync, rmSync, type BigIntStats, renameSync } from 'node:fs'
import { access, open, realpath, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { FileProblem, fileProblem } from '../path/file-problem'
import { pinFolder, type PinnedFolder } from './pinned-folder'
import { isSameStamp, refuseSpecial, type FileStamp } from './open-file'
import { changedMeanwhile, mayBeOverwritten, overwriteFile } from './overwrite-file'
import { removePlaceholder } from './reserved-file'
import { errorCode } from '../../../../shared/error-text'

export interface AtomicWriteOptions {
  /** How messages name the file; default: its path. */
  shown?: string
  /** Write only when the file still is so (`absent`: no file); otherwise a `FileProblem` of kind `changed`. */
  expect?: FileStamp | 'absent'
  /** Permissions of a file that is new; default 0o666 without the umask. An existing file keeps its own. */
  mode?: number
  /**
   * The path is a real one, and only the file at exactly this path is written: no link is followed, neither the file's
   * own nor a folder's.
   */
  exactly?: boolean
  /** Creates missing folders, and is called with the path of each, outermost first. */
  made?: (folder: string) => void
}

/**
 * Replaces a file's content so that everyone sees either the old or the new one, also after a crash: a temporary file
 * in the same folder, flushed to disk, then renamed. A symlink stays a link and the file behind it is replaced, unless
 * `exactly` is set. The folder is opened once, without following links, and everything happens in that very folder,
 * whatever its name leads to meanwhile. Keeps permissions (without setuid and setgid, as any write does) and, where the
 * system allows, owner and group. Refuses folders, special files and files without write permission. The name gets a
 * new inode: extended attributes and access lists are not carried over. A file that has other hard links stays one file
 * with them, and is written in place (see `overwriteFile`); so is one that may be written but not replaced. Leaves no
 * temporary file behind when it fails. Answers the stat of what it wrote; throws `FileProblem`.
 */
export async function atomicWrite(
  path: string,
  bytes: Uint8Array,
  { shown = path, expect, mode = 0o666, exactly = false, made }: AtomicWriteOptions = {},
): Promise<BigIntStats> {
  let folder: PinnedFolder | undefined
  try {
    const real = exactly ? path : await resolved(path)
    const held = pinFolder(dirname(real), { shown, ...(made && { made }) })
    folder = held
    const target = held.at(basename(real))
    removePlaceholder(target)
    const existing = existingFile(target, shown)
    if (existing) await access(target, constants.W_OK)
    const stamp = expect === 'absent' ? undefined : expect
    const inPlace = (): BigIntStats => {
      const stat = overwriteFile(target, bytes, { shown, expect: stamp })
      held.verify()
      return stat
    }
    if (existing && expect !== 'absent' && existing.nlink > 1n) return inPlace()
    try {
      return await replaceFile(held, target, bytes, { shown, expect, mode, existing })
    } catch (error) {
      if (!existing || expect === 'absent' || !mayBeOverwritten(error)) throw error
      return inPlace()
    }
  } catch (error) {
    throw fileProblem(error, shown)
  } finally {
    folder?.close()
  }
}

async function replaceFile(
  folder: PinnedFolder,
  target: string,
  bytes: Uint8Array,
  {
    shown,
    expect,
    mode,
    existing,
  }: { shown: string; expect: AtomicWriteOptions['expect']; mode: number; existing: BigIntStats | undefined },
): Promise<BigIntStats> {
  // A fixed short name: the target's own may already be as long as the file system allows.
  const temporary = folder.at(`.trestle-${randomBytes(8).toString('hex')}.tmp`)
  try {
    const stat = await writeTemporary(temporary, bytes, existing, mode)
    folder.verify()
    await moveInto(temporary, target, shown, expect)
    folder.verify()
    return stat
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** What is not there yet keeps its own name in the real folder. */
async function resolved(path: string): Promise<string> {
  return realpath(path).catch(async () => join(await realpath(dirname(path)), basename(path)))
}

function existingFile(target: string, shown: string): BigIntStats | undefined {
  const stat = lstatSync(target, { bigint: true, throwIfNoEntry: false })
  if (stat?.isSymbolicLink())
    throw new FileProblem(`${shown} is a symbolic link that leads nowhere or was put there meanwhile.`)
  if (stat) refuseSpecial(stat, shown)
  return stat
}

async function writeTemporary(
  temporary: string,
  bytes: Uint8Array,
  existing: BigIntStats | undefined,
  mode: number,
): Promise<BigIntStats> {
  // Other users must not read the new content before it has the permissions of the old one.
  const handle = await open(temporary, 'wx', existing ? 0o600 : mode)
  try {
    await handle.writeFile(bytes)
    if (existing) await takeOver(handle, existing)
    await handle.sync()
    return await handle.stat({ bigint: true })
  } finally {
    await handle.close()
  }
}

/** Owner and group first: changing them may clear permission bits. */
async function takeOver(handle: FileHandle, { uid, gid, mode }: BigIntStats): Promise<void> {
  const own = await handle.stat()
  if (own.gid !== Number(gid)) await handle.chown(own.uid, Number(gid)).catch(() => undefined)
  if (own.uid !== Number(uid)) await handle.chown(Number(uid), Number(gid)).catch(() => undefined)
  await handle.chmod(Number(mode) & 0o1777)
}

/**
 * The last look, in one go with the move that follows: nothing else of this process can come between, and other
 * processes have a few microseconds.
 */
function requireUnchanged(target: string, shown: string, expect: FileStamp): void {
  const now = lstatSync(target, { bigint: true, throwIfNoEntry: false })
  if (!now || !isSameStamp(now, expect)) throw changedMeanwhile(shown)
}

async function moveInto(
  temporary: string,
  target: string,
  shown: string,
  expect: FileStamp | 'absent' | undefined,
): Promise<void> {
  if (expect !== 'absent')
    return renameOver(temporary, target, { beforeRename: () => expect && requireUnchanged(target, shown, expect) })
  try {
    // Unlike a rename, a link fails when another process made the file first.
    linkSync(temporary, target)
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw changedMeanwhile(shown)
    // Some file systems (FAT, some network drives) have no hard links.
    await renameOver(temporary, target, {
      beforeRename() {
        if (lstatSync(target, { throwIfNoEntry: false })) throw changedMeanwhile(shown)
      },
    })
  }
}

/** What Windows answers while a virus scanner, an editor or the search index holds a file open. */
const BUSY_CODES = new Set(['EPERM', 'EACCES', 'EBUSY'])
const MAX_TRIES = 6
/** Between two tries at first; twice as long each time. */
const FIRST_WAIT_MS = 20

export interface RenameOverOptions {
  /** The last look, in one go with each try: what it throws ends the tries. */
  beforeRename?: () => void
  platform?: NodeJS.Platform
  rename?: (from: string, to: string) => void
}

/** Puts a file in the place of another, and tries again for 0.6 s where Windows holds that one for a moment. */
export async function renameOver(from: string, to: string, options: RenameOverOptions = {}): Promise<void> {
  for (let tries = 1; !tryRename(from, to, tries, options); tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, retryDelay(tries)))
  }
}

/** The same for callers that cannot wait: small files of our own, which are seldom held. */
export function renameOverSync(from: string, to: string, options: RenameOverOptions = {}): void {
  for (let tries = 1; !tryRename(from, to, tries, options); tries += 1) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryDelay(tries))
  }
}

/** False: it is held just now. */
function tryRename(
  from: string,
  to: string,
  tries: number,
  { beforeRename, platform = process.platform, rename = renameSync }: RenameOverOptions,
): boolean {
  beforeRename?.()
  try {
    rename(from, to)
    return true
  } catch (error) {
    if (platform !== 'win32' || !BUSY_CODES.has(errorCode(error) ?? '') || tries === MAX_TRIES) throw error
    return false
  }
}

function retryDelay(tries: number): number {
  return FIRST_WAIT_MS * 2 ** (tries - 1)
}
