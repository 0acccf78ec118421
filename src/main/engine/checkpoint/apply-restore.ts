import { chmodSync, mkdirSync, readdirSync, rmdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { FileChange, FileState, KeptFile, RestoreStep } from '../../../shared/model/session/checkpoint'
import { type BlobStore, captureFile, sameState, statAt } from './capture/file-state'
import { pinFolder, type PinnedFolder } from '../workspace/file/pinned-folder'
import { mayBeOverwritten, overwriteFile } from '../workspace/file/overwrite-file'
import { renameOverSync } from '../workspace/file/atomic-write'
import { WorkSlices } from '../runtime/work-slices'

export interface AppliedRestore {
  /** What was changed, in order. */
  changes: FileChange[]
  /** What could not be restored, and why. */
  kept: KeptFile[]
}

/**
 * Carries out the steps: first deletions (innermost first), then creations and changes, then permissions of folders.
 * Each path is checked again right before, and left alone when it differs from the plan. Files are replaced atomically.
 * Steps that are already done are skipped, so it can be called again after a crash.
 */
export async function applyRestore(
  steps: readonly RestoreStep[],
  { blobs, maxBytes, restoreId }: { blobs: BlobStore; maxBytes: number; restoreId: string },
): Promise<AppliedRestore> {
  const done = new Map<string, FileChange>()
  const kept: KeptFile[] = []
  const made: FileChange[] = []
  let count = 0

  const attempt = (step: RestoreStep, work: () => void): void => {
    const { path, from, to } = step
    try {
      work()
      done.set(path, { path, before: from, after: to })
    } catch (error) {
      done.delete(path)
      kept.push({ path, kind: 'impossible', why: reasonOf(error) })
    }
  }
  /** Stores what is about to be replaced or deleted, because an earlier copy may be damaged. */
  const stateOf = (parent: ReturnType<typeof openParent>): FileState =>
    parent ? captureFile(parent.path, { maxBytes, keepIn: blobs }) : { kind: 'absent' }
  const remove = (step: RestoreStep): void => {
    const parent = openParent(step.path)
    try {
      const now = stateOf(parent)
      if (sameState(now, step.to)) return void done.set(step.path, asFileChange(step))
      // The folder of an earlier attempt gets its permissions at the end.
      if (now.kind === 'folder' && step.to.kind === 'folder') return
      if (now.kind !== 'absent' && !sameState(now, step.from)) return void kept.push(changedMeanwhile(step.path))
      attempt(step, () => {
        if (parent && now.kind === 'folder') rmdirSync(parent.path)
        else if (parent && now.kind !== 'absent') unlinkSync(parent.path)
      })
    } finally {
      parent?.folder.close()
    }
  }
  const put = (step: RestoreStep): void => {
    const { path, from, to } = step
    const parent = openParent(path)
    try {
      const now = stateOf(parent)
      if (sameState(now, to)) return void done.set(path, asFileChange(step))
      // If something of another kind had to be deleted first, nothing is there now.
      const expected = isReplaced(step) ? { kind: 'absent' as const } : from
      if (!sameState(now, expected)) return void kept.push(changedMeanwhile(path))
    } finally {
      parent?.folder.close()
    }
    attempt(step, () =>
      inFolder(path, made, (folder) => {
        const temporary = `.trestle-${restoreId}-${(count += 1)}.tmp`
        writeFile(folder, basename(path), {
          to,
          temporary,
          blobs,
          staysLinked: () => staysLinked(folder.at(basename(path)), step, coming),
        })
      }),
    )
  }
  const byDepth = steps.toSorted((a, b) => a.path.length - b.path.length)
  await forEachStep(
    byDepth.toReversed().filter((step) => step.to.kind === 'absent' || isReplaced(step)),
    remove,
  )
  const failed = new Set(kept.map(({ path }) => path))
  const coming = byDepth.filter(({ path, to }) => to.kind !== 'absent' && !failed.has(path))
  await forEachStep(
    coming.filter(({ to }) => to.kind === 'folder'),
    (step) => restoreFolders(step, attempt, done, made),
  )
  await forEachStep(
    coming.filter(({ to }) => to.kind !== 'folder'),
    put,
  )
  for (const { path, to } of coming.toReversed()) if (to.kind === 'folder') setMode(path, to.mode)
  const own = new Set(steps.map(({ path }) => path))
  return { changes: [...made.filter(({ path }) => !own.has(path)), ...done.values()], kept }
}

/** Yields to the event loop every few milliseconds. */
async function forEachStep(steps: readonly RestoreStep[], work: (step: RestoreStep) => void): Promise<void> {
  const slices = new WorkSlices()
  for (const step of steps) {
    work(step)
    if (slices.isOver) await slices.next()
  }
}

/** Removes temporary files of a restore that was interrupted. */
export function removeTemporaries(steps: readonly RestoreStep[], restoreId: string): void {
  for (const folderPath of new Set(steps.map(({ path }) => dirname(path)))) {
    const parent = openParent(join(folderPath, 'any'))
    for (const name of parent ? entriesOf(parent.folder.at('.')) : []) {
      if (name.startsWith(`.trestle-${restoreId}-`) && name.endsWith('.tmp'))
        rmSync(parent!.folder.at(name), { force: true })
    }
    parent?.folder.close()
  }
}

/** Creates a folder, so that files can be written into it; its permissions are set last. */
function restoreFolders(
  step: RestoreStep,
  attempt: (step: RestoreStep, work: () => void) => void,
  done: Map<string, FileChange>,
  made: FileChange[],
): void {
  const there = openParent(step.path)
  const isFolder = there && statAt(there.path)?.isDirectory()
  there?.folder.close()
  if (isFolder) return void done.set(step.path, asFileChange(step))
  attempt(step, () => inFolder(step.path, made, (parent) => mkdirSync(parent.at(basename(step.path)), { mode: 0o700 })))
}

/**
 * Opens the parent folder of a path. Undefined when the folder does not exist or was replaced by a link: then nothing
 * is at the path.
 */
function openParent(path: string): { folder: PinnedFolder; path: string } | undefined {
  try {
    const folder = pinFolder(dirname(path), { shown: path })
    return { folder, path: folder.at(basename(path)) }
  } catch {
    return undefined
  }
}

/** Runs `work` in the parent folder of a path, which is created if missing. */
function inFolder(path: string, made: FileChange[], work: (folder: PinnedFolder) => void): void {
  const parents: string[] = []
  const parent = pinFolder(dirname(path), { shown: path, made: (each) => parents.push(each) })
  try {
    work(parent)
    parent.verify()
  } finally {
    parent.close()
    for (const each of parents)
      made.push({ path: each, before: { kind: 'absent' }, after: captureFile(each, { maxBytes: 0 }) })
  }
}

interface Content {
  to: FileState
  /** Name of the temporary file that replaces it. */
  temporary: string
  blobs: BlobStore
  staysLinked: () => boolean
}

function writeFile(
  parent: PinnedFolder,
  name: string,
  { to, temporary: temporaryName, blobs, staysLinked: isLinked }: Content,
): void {
  const [temporary, target] = [parent.at(temporaryName), parent.at(name)]
  const bytes = to.kind === 'file' ? blobs.get(to.hash) : undefined
  if (to.kind === 'file' && !bytes)
    throw new Error('Its earlier content is damaged or missing in the checkpoint store.')
  const inPlace = (content: Buffer, mode: number): void => {
    overwriteFile(target, content, { shown: name })
    chmodSync(target, mode)
  }
  if (bytes && to.kind === 'file' && isLinked()) return inPlace(bytes, to.mode)
  try {
    if (to.kind === 'link') symlinkSync(to.target, temporary)
    if (bytes && to.kind === 'file') {
      writeFileSync(temporary, bytes, { mode: 0o600, flag: 'wx' })
      chmodSync(temporary, to.mode)
    }
    parent.verify()
    renameOverSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { force: true })
    if (!bytes || to.kind !== 'file' || !mayBeOverwritten(error) || !statAt(target)?.isFile()) throw error
    inPlace(bytes, to.mode)
  }
}

/**
 * Whether to keep a file's other hard links. If they are restored to something else, they were not links to it before.
 */
function staysLinked(target: string, { path, to }: RestoreStep, steps: readonly RestoreStep[]): boolean {
  const stat = statAt(target)
  if (!stat?.isFile() || stat.nlink < 2) return false
  return steps.every((other) => {
    const there = other.path === path ? undefined : statAt(other.path)
    return there?.ino !== stat.ino || there.dev !== stat.dev || sameState(other.to, to)
  })
}

function isReplaced({ from, to }: RestoreStep): boolean {
  const [was, becomes] = [from.kind === 'folder', to.kind === 'folder']
  return from.kind !== 'absent' && to.kind !== 'absent' && was !== becomes
}

function setMode(path: string, mode: number): void {
  try {
    const own = pinFolder(path, { shown: path })
    try {
      chmodSync(own.at('.'), mode)
    } finally {
      own.close()
    }
  } catch {
    // Not owned by the user; only its files matter.
  }
}

function asFileChange({ path, from, to }: RestoreStep): FileChange {
  return { path, before: from, after: to }
}

function changedMeanwhile(path: string): KeptFile {
  return { path, kind: 'changed', why: 'Another program changed it just now.' }
}

function reasonOf(error: unknown): string {
  const { code, message } =
    error instanceof Error ? (error as NodeJS.ErrnoException) : { code: undefined, message: String(error) }
  if (code === 'ENOTEMPTY' || code === 'EEXIST')
    return 'The folder is kept: it contains something that the agent did not create.'
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return `It cannot be written (${code}).`
  if (code === 'ENOSPC') return 'The disk is full.'
  return message
}

function entriesOf(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
