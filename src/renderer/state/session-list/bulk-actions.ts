import { create } from 'zustand'
import type { TrestleClient } from '../../../shared/contract'
import { useLayout } from '../page/layout-state'
import { showFailureToast, showToast, showUndoToast } from '../page/toasts-state'
import { clearSelection } from './selection-state'
import { useSessions } from './sessions-state'

/** Sessions that are about to be deleted: no longer listed, and restored by Undo. */
export const useRemovals = create<{ ids: ReadonlySet<string> }>()(() => ({ ids: new Set() }))

/** How long a deletion can be undone, in ms. A page that closes before then deletes nothing. */
const UNDO_MS = 12_000

/** Maximum number of concurrent archive requests. */
const AT_ONCE = 8

/**
 * Archives or unarchives the sessions; the toast can undo it. Sessions already in the requested state are skipped, also
 * by Undo.
 */
export async function archiveAll(client: TrestleClient, ids: readonly string[], archived = true): Promise<void> {
  const { sessions } = useSessions.getState()
  const others = ids.filter((id) => (sessions.get(id)?.archived ?? !archived) !== archived)
  const done = await changeAll(client, others, archived)
  clearSelection()
  if (done.length === 0) return
  showToast(`${counted(done.length)} ${archived ? 'archived' : 'restored'}`, {
    label: 'Undo',
    run: () => void changeAll(client, done, !archived).catch(showFailureToast),
  })
}

/** Deletes the sessions after a delay during which the toast can undo it. */
export function removeAll(client: TrestleClient, ids: readonly string[]): void {
  clearSelection()
  for (const sessionId of ids) useLayout.getState().forgetSession(sessionId)
  setRemovals(ids, true)
  const timer = setTimeout(() => {
    // A hovered toast would stay on screen, but there is nothing left to undo.
    dismiss()
    void removeNow(client, ids)
  }, UNDO_MS)
  const dismiss = showUndoToast(`${counted(ids.length)} deleted`, () => {
    clearTimeout(timer)
    setRemovals(ids, false)
  })
}

async function removeNow(client: TrestleClient, ids: readonly string[]): Promise<void> {
  for (const sessionId of ids) {
    try {
      await client.session.remove({ sessionId })
    } catch (error) {
      showFailureToast(error)
    }
  }
  setRemovals(ids, false)
}

/** Returns the sessions that were changed; the failure of one is shown and does not stop the others. */
async function changeAll(client: TrestleClient, ids: readonly string[], archived: boolean): Promise<string[]> {
  const left = [...ids]
  const done = new Set<string>()
  const work = async (): Promise<void> => {
    for (let sessionId = left.shift(); sessionId !== undefined; sessionId = left.shift()) {
      try {
        await client.session.change({ sessionId, archived })
        done.add(sessionId)
      } catch (error) {
        showFailureToast(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, ids.length) }, work))
  return ids.filter((id) => done.has(id))
}

function setRemovals(ids: readonly string[], isRemoved: boolean): void {
  const next = new Set(useRemovals.getState().ids)
  for (const id of ids) {
    if (isRemoved) next.add(id)
    else next.delete(id)
  }
  useRemovals.setState({ ids: next })
}

function counted(count: number): string {
  return count === 1 ? '1 session' : `${count} sessions`
}
