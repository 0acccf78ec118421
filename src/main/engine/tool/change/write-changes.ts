import { lstatSync } from 'node:fs'
import { atomicWrite } from '../../workspace/atomic-write'
import { FileProblem } from '../../workspace/file-problem'
import { removeEmptyFolder, removeHeld } from '../../workspace/remove-held'
import { encodeText } from '../../workspace/text-file'
import { loadHeld } from '../../workspace/unsaved-text'
import { writeHeld } from '../../workspace/write-held'
import type { Workspace } from '../../workspace/workspace'
import type { WriteHooks } from '../write-hooks'
import type { NewText, PlannedChange } from './planned-change'

/** What became of one file. `mark`: that of the new content; absent when the file was removed. */
export interface WrittenChange {
  mark?: string
  /** What the model should know. */
  note?: string
  /** The file was as it shall be already. */
  isUnchanged?: true
}

interface Done {
  change: PlannedChange
  mark?: string | undefined
  /** Permissions that a file had before it was removed. */
  mode?: number | undefined
}

/**
 * Writes all changes, or none: when one cannot be made, those made before are taken back, as far as nobody has touched the files since. Results are in the
 * order of the changes. Throws `FileProblem`.
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
    // Removals come last: whatever fails before, no content is gone.
    for (const change of changes.toSorted((a, b) => Number(!a.after) - Number(!b.after))) {
      const mode = change.after ? undefined : lstatSync(change.path.realPath, { throwIfNoEntry: false })?.mode
      const result = await makeChange(workspace, change, encoded.get(change))
      results.set(change, result)
      if (!result.isUnchanged) done.push({ change, mark: result.mark, mode })
    }
  } catch (error) {
    const kept = await takeBack(workspace, done)
    if (!(error instanceof FileProblem) || kept.length === 0) throw error
    throw new FileProblem(
      `${error.message} These changes of the same call were made before and could not be taken back: ${kept.join(', ')}.`,
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
    throw new FileProblem('The new text has half of a surrogate pair (a \\ud800-\\udfff escape without its partner). Nothing was written.')
  return encodeText(text, format)
}

async function makeChange(workspace: Workspace, change: PlannedChange, bytes: Buffer | undefined): Promise<WrittenChange> {
  const { path, shown, current, after } = change
  const { realPath } = path
  if (!after || !bytes) {
    if (!current) return { isUnchanged: true }
    if (current.unsaved)
      throw new FileProblem(
        `${shown} has changes in the editor that are not saved. Ask the user to save or close it, then try again.`,
        'changed',
      )
    removeHeld(realPath, shown, current.stamp)
    return {}
  }
  if (current?.bytes?.equals(bytes)) return { mark: current.mark, isUnchanged: true }
  const { text, format, mode } = after
  return writeHeld({ editor: workspace.editor, realPath, shown, text, format, bytes, current, mode })
}

/** Takes changes back, the latest first. Answers the files that stay changed. */
async function takeBack(workspace: Workspace, done: readonly Done[]): Promise<string[]> {
  const kept: string[] = []
  for (const { change, mark, mode } of done.toReversed()) {
    const { path, shown, current, before, newFolders } = change
    const { realPath } = path
    try {
      const now = await loadHeld(workspace.editor, realPath, shown)
      if (now?.mark !== mark) throw new FileProblem(`${shown} was changed meanwhile.`, 'changed')
      if (!now && current?.bytes) {
        await atomicWrite(realPath, current.bytes, {
          shown,
          expect: 'absent',
          exactly: true,
          ...(mode !== undefined && { mode: mode & 0o777 }),
        })
      } else if (current?.bytes && before) {
        const { bytes } = current
        await writeHeld({ editor: workspace.editor, realPath, shown, text: before.text, format: before.format, bytes, current: now })
      } else if (!current && now) {
        removeHeld(realPath, shown, now.stamp)
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
