import { lstatSync } from 'node:fs'
import { atomicWrite } from '../../workspace/file/atomic-write'
import { FileProblem } from '../../workspace/path/file-problem'
import { removeEmptyFolder, removeFile, writeFileText } from '../../workspace/file/write-file'
import { encodeText } from '../../workspace/file/text-file'
import { loadCurrentFile } from '../../workspace/file/editor-files'
import type { Workspace } from '../../workspace/workspace'
import type { NewText, PlannedChange } from './planned-change'

/** The outcome for one file. `mark` identifies the new content; absent when the file was removed. */
export interface WrittenChange {
  mark?: string
  /** What the model should know. */
  note?: string
  /** The file already had the new content. */
  isUnchanged?: true
}

interface Done {
  change: PlannedChange
  mark?: string | undefined
  /** Permissions that a file had before it was removed. */
  mode?: number | undefined
}

/**
 * Writes all changes, or none: when one fails, the earlier ones are reverted, except in files that have changed since.
 * Results are in the order of the changes. Throws `FileProblem`.
 */
export async function writeChanges(
  workspace: Workspace,
  changes: readonly PlannedChange[],
  { hooks, signal }: { hooks: WriteHooks | undefined; signal: AbortSignal },
): Promise<WrittenChange[]> {
  const encoded = new Map(changes.map((change) => [change, change.after && encode(change.after)]))
  if (signal.aborted) throw new FileProblem('Stopped before anything was written.')
  const results = new Map<PlannedChange, WrittenChange>()
  const done: Done[] = []
  try {
    // Removals come last, so that no content is lost if anything before them fails.
    for (const change of changes.toSorted((a, b) => Number(!a.after) - Number(!b.after))) {
      const mode = change.after ? undefined : lstatSync(change.path.realPath, { throwIfNoEntry: false })?.mode
      const result = await makeChange(workspace, change, encoded.get(change))
      results.set(change, result)
      if (!result.isUnchanged) done.push({ change, mark: result.mark, mode })
    }
  } catch (error) {
    const kept = await rollBack(workspace, done)
    if (!(error instanceof FileProblem) || kept.length === 0) throw error
    throw new FileProblem(
      `${error.message} These changes of the same call were made before and could not be undone: ` +
        `${kept.join(', ')}.`,
      error.kind,
      error,
    )
  }
  for (const { change, mark } of done) {
    const { path, meant, current, isKnown } = change
    if (mark === undefined) continue
    hooks?.written({ path: path.realPath, text: meant, exists: current !== undefined })
    if (isKnown) workspace.reads.markRead(path.realPath, mark, change.isPartial ? 'part' : 'all')
  }
  return changes.map((change) => results.get(change)!)
}

function encode({ text, format }: NewText): Buffer {
  if (!text.isWellFormed())
    throw new FileProblem(
      'The new text has half of a surrogate pair (a \\ud800-\\udfff escape without its partner). Nothing was written.',
    )
  return encodeText(text, format)
}

async function makeChange(
  workspace: Workspace,
  change: PlannedChange,
  bytes: Buffer | undefined,
): Promise<WrittenChange> {
  const { path, shown, current, after } = change
  const { realPath } = path
  if (!after || !bytes) {
    if (!current) return { isUnchanged: true }
    if (current.unsaved)
      throw new FileProblem(
        `${shown} has changes in the editor that are not saved. Ask the user to save or close it, then try again.`,
        'changed',
      )
    removeFile(realPath, shown, current.stamp)
    return {}
  }
  if (current?.bytes?.equals(bytes)) return { mark: current.mark, isUnchanged: true }
  const { text, format, mode } = after
  return writeFileText({ editor: workspace.editor, realPath, shown, text, format, bytes, current, mode })
}

/** Reverts changes, the latest first. Returns the files that stay changed. */
async function rollBack(workspace: Workspace, done: readonly Done[]): Promise<string[]> {
  const kept: string[] = []
  for (const { change, mark, mode } of done.toReversed()) {
    const { path, shown, current, before, newFolders } = change
    const { realPath } = path
    try {
      const now = await loadCurrentFile(workspace.editor, realPath, shown)
      if (now?.mark !== mark) throw new FileProblem(`${shown} was changed in the meantime.`, 'changed')
      if (!now && current?.bytes) {
        await atomicWrite(realPath, current.bytes, {
          shown,
          expect: 'absent',
          exactly: true,
          ...(mode !== undefined && { mode: mode & 0o777 }),
        })
      } else if (current?.bytes && before) {
        const { bytes } = current
        await writeFileText({
          editor: workspace.editor,
          realPath,
          shown,
          text: before.text,
          format: before.format,
          bytes,
          current: now,
        })
      } else if (!current && now) {
        removeFile(realPath, shown, now.stamp)
        for (const folder of newFolders.toReversed()) removeEmptyFolder(folder)
      } else {
        throw new FileProblem(`${shown} cannot be put back.`)
      }
    } catch {
      kept.push(shown)
    }
  }
  return kept
}

/** A text that is about to be written. */
export interface PlannedWrite {
  /** Absolute, with symlinks resolved. */
  path: string
  text: string
  /** Whether the file already exists. */
  exists: boolean
}

/** Inspects writes before they happen, and can change or prevent them. */
export interface WriteHooks {
  /**
   * The text to write; the same text if nothing changes it. Returns the same result for the same write until it is
   * done. Throws `FileProblem` to prevent the write.
   */
  before(write: PlannedWrite): Promise<string>
  /** Called after the write; must be cheap. */
  written(write: PlannedWrite): void
}
