import { useState, type DragEvent } from 'react'
import { create } from 'zustand'
import type { PaneGroup, PanePlace, Side } from '../../state/panes/pane-tree'
import { movePane } from '../../state/panes/panes-state'
import { cx } from '../../ui/cx'

interface DraggedTab {
  sessionId: string
  key: string
}

/** The tab that is being dragged in this window. */
const useDrag = create<{ dragged: DraggedTab | undefined }>()(() => ({ dragged: undefined }))

const TYPE = 'application/x-trestle-pane'

/** Starts to drag a tab. */
export function startDrag(event: DragEvent, sessionId: string, key: string): void {
  event.dataTransfer.setData(TYPE, key)
  event.dataTransfer.effectAllowed = 'move'
  // Elements that appear over the tab while the drag starts would end it.
  setTimeout(() => useDrag.setState({ dragged: { sessionId, key } }))
}

/** Called when the drag has ended, wherever that was. */
export function endDrag(): void {
  useDrag.setState({ dragged: undefined })
}

/** Lets tabs be dropped before a tab. */
export function useTabDrop(sessionId: string, group: PaneGroup, key: string) {
  const [isOver, setIsOver] = useState(false)
  const leave = (): void => setIsOver(false)
  return {
    isOver,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!event.dataTransfer.types.includes(TYPE)) return
        event.preventDefault()
        setIsOver(true)
      },
      onDragLeave: leave,
      onDrop: (event: DragEvent) => {
        const { dragged } = useDrag.getState()
        leave()
        endDrag()
        if (!dragged || dragged.sessionId !== sessionId) return
        event.preventDefault()
        movePane(sessionId, dragged.key, { groupId: group.id, before: key })
      },
    },
  }
}

type Region = Side | 'middle'

const SHOWN: Record<Region, string> = {
  left: 'inset-y-0 left-0 w-1/2',
  right: 'inset-y-0 right-0 w-1/2',
  up: 'inset-x-0 top-0 h-1/2',
  down: 'inset-x-0 bottom-0 h-1/2',
  middle: 'inset-0',
}

/** Covers a group while a tab is dragged: its edges split the group, its middle adds the tab. */
export function PaneDropZone({ sessionId, groupId }: { sessionId: string; groupId: string }) {
  const dragged = useDrag((state) => state.dragged)
  const [region, setRegion] = useState<Region>()
  if (!dragged) return null
  return (
    <div
      data-drop={groupId}
      className="absolute inset-x-0 top-[34px] bottom-0 z-20"
      onDragOver={(event) => {
        event.preventDefault()
        setRegion(regionAt(event))
      }}
      onDragLeave={() => setRegion(undefined)}
      onDrop={(event) => {
        event.preventDefault()
        const at = regionAt(event)
        const place: PanePlace = at === 'middle' ? { groupId } : { groupId, side: at }
        endDrag()
        if (dragged.sessionId === sessionId) movePane(sessionId, dragged.key, place)
      }}
    >
      {region && (
        <div className={cx('pointer-events-none absolute border-2 border-focus bg-run-bg opacity-60', SHOWN[region])} />
      )}
    </div>
  )
}

/** Share of the width or height at each edge that splits. */
const EDGE = 0.25

function regionAt({ currentTarget, clientX, clientY }: DragEvent): Region {
  const box = currentTarget.getBoundingClientRect()
  const x = (clientX - box.left) / box.width
  const y = (clientY - box.top) / box.height
  const sides: [Side, number][] = [
    ['left', x],
    ['right', 1 - x],
    ['up', y],
    ['down', 1 - y],
  ]
  const [side, distance] = sides.toSorted((a, b) => a[1] - b[1])[0] ?? ['left', 1]
  return distance < EDGE ? side : 'middle'
}
