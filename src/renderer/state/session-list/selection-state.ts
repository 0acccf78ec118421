import { create } from 'zustand'

interface Selection {
  /** Ids of the selected sessions. */
  ids: ReadonlySet<string>
  /** Where a range starts: the session that was selected last. */
  anchor: string | undefined
}

const NONE: Selection = { ids: new Set(), anchor: undefined }

/** Sessions of the list that are selected, to archive or delete them together. */
export const useSelection = create<Selection>()(() => NONE)

export function clearSelection(): void {
  useSelection.setState(NONE)
}

export function toggleSelected(sessionId: string): void {
  const ids = new Set(useSelection.getState().ids)
  if (!ids.delete(sessionId)) ids.add(sessionId)
  useSelection.setState({ ids, anchor: sessionId })
}

export function selectAll(order: readonly string[]): void {
  useSelection.setState({ ids: new Set(order), anchor: order[0] })
}

/** Selects everything from the latest selected session to this one, in the order of the list. */
export function selectRange(sessionId: string, order: readonly string[]): void {
  const { ids, anchor = sessionId } = useSelection.getState()
  const from = order.indexOf(anchor)
  const to = order.indexOf(sessionId)
  // The start may be filtered out, or deleted.
  const isRange = from >= 0 && to >= 0
  const range = isRange ? order.slice(Math.min(from, to), Math.max(from, to) + 1) : [sessionId]
  useSelection.setState({ ids: new Set([...ids, ...range]), anchor: isRange ? anchor : sessionId })
}
