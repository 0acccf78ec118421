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
  /**
   * Write only if the file still has this state (`absent`: no file); otherwise throws a `FileProblem` of kind
   * `changed`.
   */
  expect?: FileStamp | 'absent'
  /** Permissions of a new file; default 0o666 less the umask. An existing file keeps its own. */
  mode?: number
  /**
   * Requires a real path, and writes only the file at exactly this path: no link of the file or a folder is followed.
   */
  exactly?: boolean
  /** Creates missing folders, and is called with the path of each, outermost first. */
  made?: (folder: string) => void
}

/**
 * Replaces a file's content so that readers see either the old or the new one, even after a crash: a temporary file in
 * the same folder, flushed to disk, then renamed. A symlink stays a link and the file behind it is replaced, unless
 * `exactly` is set. The folder is opened once, without following links, and everything happens in that same folder,
 * even if another one gets its name. Keeps permissions (without setuid and setgid, as any write does) and, where the
 * system allows, owner and group. Refuses folders, special files and files without write permission. The name gets a
 * new inode: extended attributes and access lists are not carried over. A file with several hard links is written in
 * place, to keep the links (see `overwriteFile`); so is one that can be written but not replaced. Leaves no temporary
 * file behind on failure. Returns the stat of the written file; throws `FileProblem`.
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
  // A short name of fixed length: the target's name may already be as long as the file system allows.
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

/** A missing file keeps its own name in the real folder. */
async function resolved(path: string): Promise<string> {
  return realpath(path).catch(async () => join(await realpath(dirname(path)), basename(path)))
}

function existingFile(target: string, shown: string): BigIntStats | undefined {
  const stat = lstatSync(target, { bigint: true, throwIfNoEntry: false })
  if (stat?.isSymbolicLink()) throw new FileProblem(`${shown} is a broken symbolic link, or one that was just created.`)
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
    if (existing) await copyOwnerAndMode(handle, existing)
    await handle.sync()
    return await handle.stat({ bigint: true })
  } finally {
    await handle.close()
  }
}

/** Owner and group first: changing them can clear permission bits. */
async function copyOwnerAndMode(handle: FileHandle, { uid, gid, mode }: BigIntStats): Promise<void> {
  const own = await handle.stat()
  if (own.gid !== Number(gid)) await handle.chown(own.uid, Number(gid)).catch(() => undefined)
  if (own.uid !== Number(uid)) await handle.chown(Number(uid), Number(gid)).catch(() => undefined)
  await handle.chmod(Number(mode) & 0o1777)
}

/**
 * The last check. The move follows synchronously, so nothing else in this process can come between, and other processes
 * have only a few microseconds.
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
    // Unlike a rename, a link fails if another process created the file first.
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

/** Error codes of Windows while a virus scanner, an editor or the search index holds a file open. */
const BUSY_CODES = new Set(['EPERM', 'EACCES', 'EBUSY'])
const MAX_ATTEMPTS = 6
/** Delay before the second attempt; doubles each time. */
const FIRST_WAIT_MS = 20

export interface RenameOverOptions {
  /** The last check, run synchronously before each attempt; if it throws, there are no more attempts. */
  beforeRename?: () => void
  platform?: NodeJS.Platform
  rename?: (from: string, to: string) => void
}

/** Replaces a file with another; retries for 0.6 s while Windows holds it open. */
export async function renameOver(from: string, to: string, options: RenameOverOptions = {}): Promise<void> {
  for (let tries = 1; !tryRename(from, to, tries, options); tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, retryDelay(tries)))
  }
}

/** A synchronous version, for small files of our own, which are rarely held open. */
export function renameOverSync(from: string, to: string, options: RenameOverOptions = {}): void {
  for (let tries = 1; !tryRename(from, to, tries, options); tries += 1) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryDelay(tries))
  }
}

/** False: it is held open now. */
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
    if (platform !== 'win32' || !BUSY_CODES.has(errorCode(error) ?? '') || tries === MAX_ATTEMPTS) throw error
    return false
  }
}

function retryDelay(tries: number): number {
  return FIRST_WAIT_MS * 2 ** (tries - 1)
}
