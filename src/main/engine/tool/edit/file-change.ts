import { dirname } from 'node:path'
import type { Preview, ProposedText } from '../../../../shared/model/approval/preview'
import { FileProblem } from '../../workspace/path/file-problem'
import type { TextFormat } from '../../workspace/file/text-file'
import type { ResolvedPath, Workspace } from '../../workspace/workspace'
import {
  diffOfChange,
  endingsNote,
  foldersNote,
  hookNote,
  isRead,
  isReadableWithoutApproval,
  linksNote,
  loadCurrent,
  missingFolders,
  requireAllRead,
  textOfFile,
  type CurrentText,
  type PlannedChange,
} from './planned-change'
import { writeChanges, type WriteHooks } from './write-changes'
import { unifiedDiff } from '../../workspace/unified-diff'
import { withEndsOf, withLineFeeds } from './line-ends'
import { missingPath, pathRefusal, shownPath, rememberFolder } from '../file-paths'
import { failed, ok, refuse, type CallContext, type PreparedCall, type Refusal, type ToolResult } from '../tool'

/** The new text of a file, and what to report to the model after it is written. */
export interface ChangedText {
  text: string
  format: TextFormat
  /** Complete sentences, such as `Replaced 1 occurrence (line 3).` */
  report: string
}

/** The change that a tool makes to a file. Pure; throws `FileProblem` for what cannot be done. */
export interface FileChange {
  workspace: Workspace
  /** As the model wrote it. */
  path: string
  /** Whether a missing file is created, including its folders. */
  mayCreate: boolean
  /** Whether the old text is needed; if not, even a file that is too large to load can be replaced. */
  needsText: boolean
  /**
   * Whether the file must have been read. If not, an exact quote proves that its text is known: the change is then
   * refused only when the file has changed since it was read, or when the agent would need permission to read it.
   */
  mustBeRead: boolean
  /** Whether the new text replaces the entire file, so that the agent must have read all of it. */
  replacesAll?: boolean
  /** Tests paths that are hidden from the agent; default: nothing is hidden. */
  hidden?: (() => Promise<(path: string) => boolean>) | undefined
  /** `isKnown`: the agent has read the current version of the file. */
  change(current: CurrentText | undefined, shown: string, isKnown: boolean): ChangedText
  /** What the user changed in the proposal, for the model; with `isCut`, the agent does not know the entire text. */
  userNote?: { text: string; isCut: boolean }
  /** The current hooks that inspect the write. */
  hooks?: (() => WriteHooks | undefined) | undefined
}

/**
 * Prepares a change to one text file, in the same way for every tool that makes one: sensitive files are refused, a
 * file that was read must be unchanged since, which is checked at the moment of writing, and the write is atomic.
 * Nothing is written unless all of it can be.
 */
export async function prepareFileChange(change: FileChange): Promise<PreparedCall | Refusal> {
  const { workspace } = change
  const path = await workspace.resolve(change.path)
  const refusal = pathRefusal(workspace, path)
  if (refusal) return refusal
  return {
    summary: shownPath(workspace, path),
    accesses: [{ kind: 'file', path: path.realPath, written: path.path, write: true }],
    rememberAs: rememberFolder(workspace, 'edit', dirname(path.realPath)),
    preview: () => preview(change, path),
    proposal: {
      texts: () => proposedText(change, path),
      withText: (text) => prepareWithText(change, path, text),
    },
    check: () => catchFileProblem(async () => void (await evaluate(change, path, true))),
    run: async (ctx) => (await catchFileProblem(() => apply(change, path, ctx))) ?? failed('Nothing was done.'),
  }
}

/** The result of `work`, or a failure for the model if a file cannot be used. */
export async function catchFileProblem<T extends ToolResult | void>(work: () => Promise<T>): Promise<T | ToolResult> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof FileProblem) return failed(error.message)
    throw error
  }
}

async function evaluate(
  change: FileChange,
  path: ResolvedPath,
  checksRead: boolean,
): Promise<PlannedChange & { report: string }> {
  const { workspace } = change
  const { shown, current } = await loadCurrent(workspace, change.path, path)
  if (!current && !change.mayCreate)
    throw new FileProblem(
      await missingPath(workspace, path, 'Check the path with Glob or ListDirectory, or make the file with Write.'),
      'missing',
    )
  const before = current && textOfFile(current, shown, change.needsText)
  // `check` and `run` decide whether it was read, because the Read may be an earlier call of the same step.
  const mustBeRead = change.mustBeRead || !(await isReadableWithoutApproval(path, change.hidden))
  const isKnown = !current || !checksRead || isRead(workspace, path.realPath, shown, current, mustBeRead)
  const isPartial = current !== undefined && !workspace.reads.hasSeenAll(path.realPath)
  if (change.replacesAll && isPartial && checksRead) requireAllRead(workspace, path.realPath, shown)
  const newFolders = current ? [] : await missingFolders(dirname(path.realPath))
  const { text: meant, format, report } = change.change(before, shown, isKnown)
  const text =
    (await change.hooks?.()?.before({ path: path.realPath, text: meant, exists: current !== undefined })) ?? meant
  const knowsAll = isKnown && change.userNote?.isCut !== true
  return {
    path,
    shown,
    current,
    before,
    after: { text, format },
    meant,
    newFolders,
    isKnown: knowsAll,
    isPartial,
    report,
  }
}

/** Larger files cannot be edited on a card. */
const MAX_EDITED_CHARS = 1_000_000

async function proposedText(change: FileChange, path: ResolvedPath): Promise<ProposedText | undefined> {
  try {
    const { current, before, after, meant } = await evaluate(change, path, false)
    if (!after || (current && !before) || (before?.text.length ?? 0) + meant.length > MAX_EDITED_CHARS) return undefined
    return {
      path: path.realPath,
      ...(before && { before: withLineFeeds(before.text) }),
      after: withLineFeeds(meant),
    }
  } catch (error) {
    if (error instanceof FileProblem) return undefined
    throw error
  }
}

/** The call with the text that the user wants instead. It is bound to the current version of the file. */
async function prepareWithText(
  change: FileChange,
  path: ResolvedPath,
  wanted: string,
): Promise<PreparedCall | Refusal> {
  let planned: PlannedChange
  try {
    planned = await evaluate(change, path, false)
  } catch (error) {
    if (error instanceof FileProblem) return refuse(error.message)
    throw error
  }
  const { shown, before, meant } = planned
  const text = withEndsOf(wanted, meant)
  if (text === meant) return prepareFileChange(change)
  const { diff } = await unifiedDiff(shown, meant, text)
  const isCut = diff.length > MAX_USER_DIFF_CHARS
  const note = isCut
    ? 'The user changed the proposal before allowing it. Read the file before you change it again.'
    : `The user changed the proposal before allowing it. From what you proposed to what was written:\n${diff}`
  return prepareFileChange({
    ...change,
    userNote: { text: note, isCut },
    change(current, name, isKnown) {
      const proposed = change.change(current, name, isKnown)
      if (current?.text !== before?.text || proposed.text !== meant)
        throw new FileProblem(
          `${name} was changed after the user had edited the proposal. Nothing was written.`,
          'changed',
        )
      return { ...proposed, text, report: `Wrote ${name} as the user wants it.` }
    },
  })
}

const MAX_USER_DIFF_CHARS = 8_000

async function preview(change: FileChange, path: ResolvedPath): Promise<Preview> {
  try {
    return { kind: 'diff', ...(await diffOfChange(change.workspace, await evaluate(change, path, false))) }
  } catch (error) {
    if (error instanceof FileProblem) return { kind: 'text', text: `This would fail: ${error.message}` }
    throw error
  }
}

async function apply(change: FileChange, path: ResolvedPath, { signal }: CallContext): Promise<ToolResult> {
  const { workspace } = change
  const planned = await evaluate(change, path, true)
  const { shown, before, after, newFolders, isKnown, isPartial, report } = planned
  // Before anything is written, so that nothing that can fail happens afterward.
  const diff = await diffOfChange(workspace, planned)
  const hooks = change.hooks?.()
  const [written] = await writeChanges(workspace, [planned], { hooks, signal })
  const details = {
    kind: 'diff' as const,
    ...diff,
    ...(isKnown && written?.mark !== undefined && { hash: written.mark, ...(isPartial && { part: true as const }) }),
  }
  const { userNote } = change
  if (written?.isUnchanged) {
    const same = `${shown} already has exactly this content; nothing was written.`
    return ok([same, userNote?.text].filter((text) => text !== undefined).join(' '), details)
  }
  const notes = [
    report,
    foldersNote(workspace, newFolders, 'Made'),
    endingsNote(before?.text, after?.text),
    linksNote(planned),
    written?.note,
    await hookNote(planned),
    userNote?.text,
  ]
  return ok(notes.filter((text) => text !== undefined).join(' '), details)
}
