import { lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import { FileProblem } from '../../workspace/path/file-problem'
import type { TextFormat } from '../../workspace/file/text-file'
import type { CurrentFile } from '../../workspace/file/editor-files'
import type { ResolvedPath, Workspace } from '../../workspace/workspace'
import {
  isRead,
  isReadableWithoutApproval,
  loadCurrent,
  missingFolders,
  requireAllRead,
  textOfFile,
  type CurrentText,
  type PlannedChange,
} from './planned-change'
import { editText } from './edit-tools'
import { missingPath } from '../file-paths'
import type { WriteHooks } from './write-changes'
import { applyHunks } from './apply-hunks'
import type { PatchOperation } from './parse-patch'

/** A file after the operations so far. */
interface PatchedFile {
  path: ResolvedPath
  shown: string
  current: CurrentFile | undefined
  before: CurrentText | undefined
  /** Undefined: the file does not exist. */
  text: string | undefined
  format: TextFormat
  mode?: number
  isKnown: boolean
  isPartial: boolean
  movedFrom?: PlannedChange['movedFrom']
  /** Whether an operation has used the file; false while it was only examined to check whether it exists. */
  isTouched: boolean
}

export interface PatchPlan {
  changes: PlannedChange[]
  /** Hunks that matched only when white space or punctuation was ignored. */
  loose: { shown: string; count: number }[]
}

export interface PatchTarget {
  workspace: Workspace
  /** The resolved path for each path of the patch, as judged. */
  paths: ReadonlyMap<string, ResolvedPath>
  hooks: WriteHooks | undefined
  /** Tests paths that are hidden from the agent; default: nothing is hidden. */
  hidden: (() => Promise<(path: string) => boolean>) | undefined
  /** Whether files must be unchanged since they were read. */
  checksRead: boolean
}

const PLAIN: TextFormat = { encoding: 'utf-8', bom: false }

/**
 * The changes that the operations, applied in order, make to the files. Writes nothing; throws a `FileProblem` for the
 * first operation that cannot be done.
 */
export async function planPatch(operations: readonly PatchOperation[], target: PatchTarget): Promise<PatchPlan> {
  const planner = new PatchPlanner(target)
  for (const operation of operations) await planner.take(operation)
  return { changes: await planner.changes(), loose: planner.loose }
}

class PatchPlanner {
  readonly loose: PatchPlan['loose'] = []
  readonly #target: PatchTarget
  readonly #files = new Map<string, PatchedFile>()

  constructor(target: PatchTarget) {
    this.#target = target
  }

  async take(operation: PatchOperation): Promise<void> {
    if (operation.kind === 'add') return this.#add(operation)
    if (operation.kind === 'delete') return this.#delete(operation)
    return this.#update(operation)
  }

  /** In the order in which the files were first touched; files without a net change are left out. */
  async changes(): Promise<PlannedChange[]> {
    const changes: PlannedChange[] = []
    for (const file of this.#files.values()) {
      const { path, shown, current, before, text, format, mode, isKnown, isPartial, movedFrom, isTouched } = file
      if (!isTouched || (text === undefined && !current)) continue
      // The entry of its new location reports the move.
      const meant = text ?? ''
      const after =
        text === undefined
          ? undefined
          : { text: await this.#hooked(file, text), format, ...(mode !== undefined && { mode }) }
      const newFolders = current || text === undefined ? [] : await this.#newFolders(path, changes)
      changes.push({
        path,
        shown,
        current,
        before,
        after,
        meant,
        newFolders,
        isKnown,
        isPartial,
        ...(movedFrom && { movedFrom }),
      })
    }
    return changes
  }

  async #hooked({ path, current }: PatchedFile, text: string): Promise<string> {
    return (await this.#target.hooks?.before({ path: path.realPath, text, exists: current !== undefined })) ?? text
  }

  /** Each folder is reported once. */
  async #newFolders({ realPath }: ResolvedPath, earlier: readonly PlannedChange[]): Promise<string[]> {
    const made = new Set(earlier.flatMap(({ newFolders }) => newFolders))
    return (await missingFolders(dirname(realPath))).filter((folder) => !made.has(folder))
  }

  async #add({ path, text }: PatchOperation & { kind: 'add' }): Promise<void> {
    const file = await this.#file(path)
    const { shown, current } = file
    if (file.text !== undefined || this.#isUnread(file)) {
      if (!current || file.isTouched)
        throw new FileProblem(`${shown} exists already when the patch adds it. Nothing was written.`)
      // Adding a file that exists replaces it, as in Write.
      if (this.#target.checksRead) {
        isRead(this.#target.workspace, file.path.realPath, shown, current, true)
        requireAllRead(this.#target.workspace, file.path.realPath, shown)
      }
      file.before = textOfFile(current, shown, false)
      // A file keeps its encoding: the model cannot see it, so it cannot intend to change it.
      file.format = file.before?.format ?? PLAIN
    }
    Object.assign(file, { text, isTouched: true, isKnown: true, isPartial: false })
  }

  async #delete({ path }: PatchOperation & { kind: 'delete' }): Promise<void> {
    const file = await this.#existing(path)
    this.#refuseLink(file, 'deleted')
    // A file that is not text can also be deleted.
    if (file.current) file.before ??= textUnless(() => textOfFile(file.current!, file.shown, false))
    Object.assign(file, { text: undefined, isTouched: true })
  }

  async #update({ path, moveTo, hunks }: PatchOperation & { kind: 'update' }): Promise<void> {
    const file = await this.#existing(path)
    const { shown, current } = file
    if (current && file.text === undefined) {
      const before = textOfFile(current, shown, true)!
      Object.assign(file, { before, text: before.text, format: before.format })
    }
    const text = file.text!
    if (hunks.length > 0) {
      const changed = editText({ text, format: file.format, size: 0 }, shown, (plain) => {
        const { text: patched, loose } = applyHunks(plain, hunks, shown)
        if (loose > 0) this.loose.push({ shown, count: loose })
        return { text: patched, report: '' }
      })
      file.text = changed.text
    }
    file.isTouched = true
    if (moveTo !== undefined && moveTo !== path) await this.#move(file, moveTo)
  }

  async #move(file: PatchedFile, moveTo: string): Promise<void> {
    this.#refuseLink(file, 'moved')
    const to = await this.#file(moveTo)
    if (to === file) return
    if (to.text !== undefined || this.#isUnread(to))
      throw new FileProblem(
        `${file.shown} cannot be moved to ${to.shown}, which exists. ` +
          'Delete that first in the patch if it should be deleted. Nothing was written.',
      )
    const { text, format, isKnown, isPartial, current, before, path, shown } = file
    const mode = current?.isOnDisk ? lstatSync(path.realPath, { throwIfNoEntry: false })?.mode : undefined
    const movedFrom = file.movedFrom ?? (before && { path: path.realPath, shown, text: before.text })
    Object.assign(to, {
      text,
      format,
      isKnown,
      isPartial,
      isTouched: true,
      ...(movedFrom && { movedFrom }),
      ...(mode !== undefined && { mode: mode & 0o777 }),
    })
    Object.assign(file, { text: undefined, movedFrom: undefined })
  }

  /** A file that must exist. */
  async #existing(written: string): Promise<PatchedFile> {
    const file = await this.#file(written)
    if (file.text === undefined && !this.#isUnread(file))
      throw new FileProblem(
        file.isTouched
          ? `${file.shown} no longer exists when the patch changes it again. Nothing was written.`
          : `${await missingPath(
              this.#target.workspace,
              file.path,
              'Check the path with Glob or ListDirectory, or use "*** Add File:".',
            )} Nothing was written.`,
        'missing',
      )
    return file
  }

  /** It exists on disk, and no operation has used it yet. */
  #isUnread({ current, isTouched }: PatchedFile): boolean {
    return current !== undefined && !isTouched
  }

  async #file(written: string): Promise<PatchedFile> {
    const { workspace, paths, hidden, checksRead } = this.#target
    const path = paths.get(written)!
    const known = this.#files.get(path.realPath)
    if (known) return known
    const { shown, current } = await loadCurrent(workspace, written, path)
    const mustBeRead = !(await isReadableWithoutApproval(path, hidden))
    const isKnown = !current || !checksRead || isRead(workspace, path.realPath, shown, current, mustBeRead)
    const isPartial = current !== undefined && !workspace.reads.hasSeenAll(path.realPath)
    const file: PatchedFile = {
      path,
      shown,
      current,
      before: undefined,
      text: undefined,
      format: PLAIN,
      isKnown,
      isPartial,
      isTouched: false,
    }
    this.#files.set(path.realPath, file)
    return file
  }

  /** The patch names the link, not its target: the target would be removed, and the link would stay. */
  #refuseLink({ path, shown }: PatchedFile, verb: 'deleted' | 'moved'): void {
    if (lstatSync(path.path, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new FileProblem(
        `${path.path} is a symbolic link to ${shown} and cannot be ${verb} by a patch. ` +
          'Use a command with Bash. Nothing was written.',
      )
  }
}

function textUnless(read: () => CurrentText | undefined): CurrentText | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof FileProblem) return undefined
    throw error
  }
}
