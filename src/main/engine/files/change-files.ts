import { lstatSync, readdirSync, renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { SaveOutcome } from '../../../shared/model/project/file-view'
import { CodedError } from '../../../shared/errors'
import type { KeepUserChange } from '../checkpoint/user-change'
import { loadFile } from '../workspace/file/open-file'
import { pinFolder } from '../workspace/file/pinned-folder'
import { decodeText, encodeText, type TextFormat } from '../workspace/file/text-file'
import { removeFile, writeFileText } from '../workspace/file/write-file'
import { versionAt } from './file-reading'
import type { FileAccess } from '../workspace/file-access'
import { FileProblem, fileProblem } from '../workspace/path/file-problem'

export interface ChangeDeps {
  access: FileAccess
  keepUserChange: KeepUserChange
}

/** Files of a folder whose contents are kept when it is renamed. */
const MAX_FILES = 2000

const PLAIN: TextFormat = { encoding: 'utf-8', bom: false }

/**
 * Writes a text that the user has edited: atomically, in the encoding of the file, and only over the content that was
 * edited. The change is recorded, so it can be undone, and the agent has to read the file again before it changes it.
 */
export async function saveFile(
  { access, keepUserChange }: ChangeDeps,
  { sessionId, path, text, mark }: { sessionId: string; path: string; text: string; mark: string },
): Promise<SaveOutcome> {
  const { realPath, shown } = await access.require(sessionId, path)
  if (!text.isWellFormed()) throw new FileProblem(`${shown} was not saved: the text has a broken character.`)
  const file = await loadFile(realPath, shown)
  const now = file?.mark ?? 'absent'
  if (mark !== 'any' && mark !== now) return { saved: false, stale: file ? 'changed' : 'deleted' }
  const decoded = file?.bytes && decodeText(file.bytes)
  if (file && (!decoded || 'notText' in decoded)) throw new FileProblem(`${shown} is no longer text; it was not saved.`)
  const format = decoded && 'text' in decoded ? decoded.format : PLAIN
  const bytes = encodeText(text, format)
  try {
    const current = file && { ...file, isOnDisk: true }
    const { seq, result } = await keepUserChange(sessionId, [realPath], () =>
      writeFileText({ editor: undefined, realPath, shown, text, format, bytes, current }),
    )
    return { saved: true, mark: result.mark, seq, path: realPath }
  } catch (error) {
    if (error instanceof FileProblem && error.kind === 'changed')
      return { saved: false, stale: exists(realPath) ? 'changed' : 'deleted' }
    throw error
  }
}

/**
 * Renames a file or folder. Throws `request.invalid` if the name is invalid or taken, or if the file or folder no
 * longer matches `version`.
 */
export async function renameFile(
  { access, keepUserChange }: ChangeDeps,
  { sessionId, path, name, version }: { sessionId: string; path: string; name: string; version?: string | undefined },
): Promise<{ path: string; seq: number }> {
  const from = await access.require(sessionId, path)
  if (name !== basename(name) || name === '.' || name === '..' || /[\0/\\]/.test(name) || name.trim() === '')
    throw new CodedError('request.invalid', 'name: a file or folder cannot have this name.')
  const to = await access.require(sessionId, join(dirname(from.realPath), name))
  const isFolder = isFolderAt(from.realPath)
  if (!isFolder) await requireFile(from.realPath, from.shown)
  if (version !== undefined && version !== versionAt(from.realPath))
    throw new CodedError(
      'request.invalid',
      `path: ${from.shown} has changed in the meantime. Check it, then rename it again.`,
    )
  // A case-insensitive file system finds the file itself under a name that differs only in case.
  if (exists(to.realPath) && !isSame(from.realPath, to.realPath))
    throw new CodedError('request.invalid', `name: there is already a ${to.shown}.`)
  const inside = isFolder ? ['', ...entriesIn(from.realPath, from.shown)] : ['']
  const paths = [from.realPath, to.realPath].flatMap((base) =>
    inside.map((file) => (file === '' ? base : join(base, file))),
  )
  const { seq } = await keepUserChange(sessionId, paths, async () => {
    try {
      const folder = pinFolder(dirname(from.realPath), { shown: from.shown })
      try {
        renameSync(folder.at(basename(from.realPath)), folder.at(name))
      } finally {
        folder.close()
      }
    } catch (error) {
      throw fileProblem(error, from.shown)
    }
  })
  return { path: to.shown, seq }
}

/**
 * The files, links and folders in a folder and its folders, relative to it. Throws a `FileProblem` if there are too
 * many to keep.
 */
function entriesIn(folder: string, shown: string): string[] {
  const found: string[] = []
  const visit = (at: string): void => {
    for (const entry of readdirSync(join(folder, at), { withFileTypes: true })) {
      const path = at === '' ? entry.name : join(at, entry.name)
      if (entry.isDirectory() || entry.isFile() || entry.isSymbolicLink()) found.push(path)
      if (entry.isDirectory()) visit(path)
      if (found.length > MAX_FILES) return
    }
  }
  try {
    visit('')
  } catch (error) {
    throw fileProblem(error, shown)
  }
  if (found.length > MAX_FILES)
    throw new FileProblem(
      `${shown} was not renamed: it has more than ${MAX_FILES} files, too many to keep for undoing it. ` +
        'Rename it in a terminal.',
    )
  return found
}

/** Deletes a file. Its content is kept, so that it can be restored. */
export async function removeFileOf(
  { access, keepUserChange }: ChangeDeps,
  { sessionId, path }: { sessionId: string; path: string },
): Promise<{ seq: number }> {
  const { realPath, shown } = await access.require(sessionId, path)
  const { stamp } = await requireFile(realPath, shown)
  const { seq } = await keepUserChange(sessionId, [realPath], async () => removeFile(realPath, shown, stamp))
  return { seq }
}

async function requireFile(realPath: string, shown: string) {
  const file = await loadFile(realPath, shown)
  if (!file) throw new FileProblem(`${shown} does not exist.`, 'missing')
  return file
}

/** Whether anything exists at a path, even a broken link. */
function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

function isFolderAt(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [lstatSync(a, { throwIfNoEntry: false }), lstatSync(b, { throwIfNoEntry: false })]
  if (!one || one.ino !== other?.ino || one.dev !== other.dev) return false
  return one.isDirectory() || one.nlink === 1
}
