import { useRef, type KeyboardEvent, type PointerEvent } from 'react'
import { COLUMN_WIDTHS, useLayout, type ColumnName } from '../../state/layout-state'
import { cx } from '../../ui/cx'

/** How far one press of an arrow key moves it, in px. */
const KEY_STEP = 16

const NAMES: Record<ColumnName, string> = { sidebar: 'Width of the sidebar', inspector: 'Width of the inspector' }

/** The edge between a column and the main area: dragged, moved with the arrow keys, and put back by a double click. */
export function ColumnHandle({ column }: { column: ColumnName }) {
  const width = useLayout((layout) => layout.columnWidths[column])
  const { least, usual, most } = COLUMN_WIDTHS[column]
  const drag = useRef<{ x: number; width: number }>(undefined)
  // Right of the sidebar, but left of the inspector.
  const direction = column === 'sidebar' ? 1 : -1
  const set = (next: number): void => useLayout.getState().setColumnWidth(column, next)

  const onPointerDown = (event: PointerEvent<HTMLDivElement>): void => {
    if (event.button !== 0) return
    event.preventDefault()
    event.currentTarget.setPointerCapture(event.pointerId)
    // What is on screen counts: a window that is too small shows less than was chosen.
    const shown = event.currentTarget.parentElement?.getBoundingClientRect().width
    drag.current = { x: event.clientX, width: shown ?? width }
  }
  const onPointerMove = (event: PointerEvent<HTMLDivElement>): void => {
    if (drag.current) set(drag.current.width + direction * (event.clientX - drag.current.x))
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowRight: KEY_STEP * direction, ArrowLeft: -KEY_STEP * direction }[event.key]
    if (step !== undefined) set(width + step)
    else if (event.key === 'Home') set(least)
    else if (event.key === 'End') set(most)
    else if (event.key === 'Enter') set(usual)
    else return
    event.preventDefault()
  }
  const end = (): void => {
    drag.current = undefined
  }

  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={NAMES[column]}
      aria-valuenow={Math.round(width)}
      aria-valuemin={least}
      aria-valuemax={most}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={end}
      onPointerCancel={end}
      onDoubleClick={() => set(usual)}
      onKeyDown={onKeyDown}
      className={cx(
        'absolute inset-y-0 z-10 w-[7px] cursor-col-resize touch-none transition-colors duration-100 hover:bg-line-strong focus-visible:bg-focus focus-visible:outline-none active:bg-line-strong',
        column === 'sidebar' ? '-right-[4px]' : '-left-[4px]',
      )}
    />
  )
}
