import { plural } from '../../../shared/language/plural'
import type { TrestleClient } from '../../../shared/contract'
import type { ReviewFile, ReviewHunk } from '../../../shared/model/session/review'
import { fenceFor } from '../../../shared/code-fence'
import { returnToComposer, undoRestore } from '../../state/session/restore-state'
import { showFailureToast, showToast } from '../../state/page/toasts-state'
import type { ReviewStore } from './review-store'
import { endOf, type ShownDiff } from './diff/review-rows'

/** Undoes the changes of files, or some changes of one file; the toast can revert that. */
export async function undoInReview(
  client: TrestleClient,
  review: ReviewStore,
  files: readonly { path: string; key: string; ids?: string[] }[],
): Promise<void> {
  const { sessionId, scope } = review
  try {
    const { seq, kept } = await client.review.undo({ sessionId, scope, files: [...files] })
    const what = files[0]?.ids ? 'Change undone' : files.length === 1 ? 'File restored' : 'Changes undone'
    const left = kept.length === 0 ? '' : kept.length === 1 ? ', except one file' : `, except ${kept.length} files`
    const back = async (): Promise<void> => {
      if (seq !== undefined) await undoRestore(client, sessionId, { seq, files: true, conversation: false })
      await review.reload()
    }
    showToast(what + left, seq === undefined ? undefined : { label: 'Undo', run: () => void back() })
  } catch (error) {
    showFailureToast(error)
  }
  await review.reload()
}

/** Adds a change to the composer, to ask about it. */
export function askAbout(sessionId: string, file: ReviewFile, diff: ShownDiff, change: string): void {
  const found = changeIn(diff, change)
  if (!found) return
  const { hunk, at, count } = found
  const place = lineOf(hunk, at)
  const lines = hunk.lines.slice(at, at + count)
  const quoted = lines.slice(0, MAX_QUOTED).join('\n')
  const fence = fenceFor(quoted)
  const rest =
    lines.length > MAX_QUOTED
      ? `(${lines.length - MAX_QUOTED} ${plural(lines.length - MAX_QUOTED, 'more line')})\n\n`
      : ''
  const text = `About ${file.name}:${place}:\n\n${fence}diff\n${quoted}\n${fence}\n\n${rest}`
  returnToComposer({ sessionId, parts: [{ type: 'text', text }] })
}

const MAX_QUOTED = 60

/** A change of a file with its hunk. */
export function changeIn(diff: ShownDiff, change: string): { hunk: ReviewHunk; at: number; count: number } | undefined {
  for (const hunk of diff.hunks) {
    const found = hunk.changes.find(({ id }) => id === change)
    if (found) return { hunk, at: found.at, count: found.count }
  }
  return undefined
}

/** The first line of a change on the new side. */
function lineOf(hunk: ReviewHunk, at: number): number {
  return endOf({ ...hunk, lines: hunk.lines.slice(0, at) }).new
}

/** The lines that a comment on a change covers: the added ones, or else the removed ones. */
export function linesOfChange(
  diff: ShownDiff,
  change: string,
): { side: 'old' | 'new'; line: number; endLine: number } | undefined {
  const found = changeIn(diff, change)
  if (!found) return undefined
  const { hunk, at, count } = found
  const start = endOf({ ...hunk, lines: hunk.lines.slice(0, at) })
  const lines = hunk.lines.slice(at, at + count)
  const [added, removed] = ['+', '-'].map((sign) => lines.filter((line) => line.startsWith(sign)).length)
  if (added! > 0) return { side: 'new', line: start.new, endLine: start.new + added! - 1 }
  return { side: 'old', line: start.old, endLine: start.old + removed! - 1 }
}

/** Sends all comments as one message. Never rejects. */
export async function sendComments(client: TrestleClient, review: ReviewStore): Promise<void> {
  try {
    const count = await client.review.send({ sessionId: review.sessionId })
    showToast(count === 1 ? '1 comment sent' : `${count} comments sent`)
  } catch (error) {
    showFailureToast(error)
  }
  await review.reloadMarks().catch(showFailureToast)
}
