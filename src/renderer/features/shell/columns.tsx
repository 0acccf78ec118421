import { type ReactNode, useEffect, useRef, type KeyboardEvent, type PointerEvent } from 'react'
import { Dialog } from 'radix-ui'
import { useLayout, useMediaQuery, COLUMN_WIDTHS, type ColumnName } from '../../state/page/layout-state'
import { cx } from '../../ui/cx'
import { isFocusLost } from '../../ui/overlay/return-focus'

/** Below these widths a column becomes a drawer: beside it the main area would be too narrow for a conversation. */
const SIDEBAR_NEEDS = '(min-width: 1000px)'
/** Beside both columns a conversation and a pane still fit. */
const INSPECTOR_NEEDS = '(min-width: 1240px)'
/** Minimum width of the main area beside the columns, in px. */
const MAIN_NEEDS = 460

export function useColumnSpace(): { sidebar: boolean; inspector: boolean } {
  return { sidebar: useMediaQuery(SIDEBAR_NEEDS), inspector: useMediaQuery(INSPECTOR_NEEDS) }
}

/**
 * Focuses the main area of a new view if the focus was lost with the link that opened it. Sessions and the start page
 * focus their message field instead.
 */
function useFocusOfNewView(): void {
  const kind = useLayout(({ view }) => view.kind)
  const last = useRef(kind)
  useEffect(() => {
    if (last.current === kind) return
    last.current = kind
    if (kind !== 'session' && kind !== 'new' && isFocusLost()) document.getElementById('main')?.focus()
  }, [kind])
}

interface ColumnsProps {
  sidebar: ReactNode
  /** Undefined when the view has no inspector. */
  inspector: ReactNode | undefined
  children: ReactNode
}

/** Sidebar, main area, inspector: the outer two can be hidden and resized; in narrow windows they are drawers. */
export function Columns({ sidebar, inspector, children }: ColumnsProps) {
  const room = useColumnSpace()
  const drawer = useLayout((layout) => layout.drawer)
  const sidebarOpen = useLayout((layout) => layout.sidebarOpen)
  const inspectorOpen = useLayout((layout) => layout.inspectorOpen)
  const widths = useLayout((layout) => layout.columnWidths)
  const hasSidebar = room.sidebar && sidebarOpen
  useFocusOfNewView()
  return (
    <div className="flex h-full min-h-0">
      <a
        href="#main"
        className={cx(
          'sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50',
          'focus:rounded-md focus:border focus:border-line-strong focus:bg-raised',
          'focus:px-3 focus:py-1.5 focus:text-ui focus:font-medium focus:shadow-high',
        )}
        onClick={(event) => {
          event.preventDefault()
          document.getElementById('main')?.focus()
        }}
      >
        Skip to the conversation
      </a>
      {room.sidebar ? (
        sidebarOpen && (
          <nav
            data-sidebar
            aria-label="Projects and sessions"
            style={{ width: `min(${widths.sidebar}px, calc(100vw - ${MAIN_NEEDS}px))` }}
            className="relative flex-none border-r border-line bg-panel"
          >
            {sidebar}
            <ColumnHandle column="sidebar" />
          </nav>
        )
      ) : (
        <Drawer open={drawer === 'sidebar'} onClose={closeDrawer} side="left" label="Projects and sessions">
          <nav data-sidebar aria-label="Projects and sessions" className="min-h-0 flex-1">
            {sidebar}
          </nav>
        </Drawer>
      )}
      <main id="main" tabIndex={-1} className="flex min-h-0 min-w-0 flex-1 flex-col outline-none">
        {children}
      </main>
      {inspector !== undefined &&
        (room.inspector ? (
          inspectorOpen && (
            <aside
              aria-label="Inspector"
              style={{
                width: `min(${widths.inspector}px, calc(100vw - ${(hasSidebar ? widths.sidebar : 0) + MAIN_NEEDS}px))`,
              }}
              className="relative flex flex-none flex-col border-l border-line bg-panel"
            >
              {inspector}
              <ColumnHandle column="inspector" />
            </aside>
          )
        ) : (
          <Drawer open={drawer === 'inspector'} onClose={closeDrawer} side="right" label="Inspector">
            <aside aria-label="Inspector" className="flex min-h-0 flex-1 flex-col">
              {inspector}
            </aside>
          </Drawer>
        ))}
    </div>
  )
}

function closeDrawer(): void {
  useLayout.getState().setDrawer('none')
}

/** How far one press of an arrow key moves it, in px. */
const KEY_STEP = 16

const NAMES: Record<ColumnName, string> = { sidebar: 'Width of the sidebar', inspector: 'Width of the inspector' }

/** The resize handle of a column: drag it, move it with the arrow keys, or double-click to reset it. */
function ColumnHandle({ column }: { column: ColumnName }) {
  const width = useLayout((layout) => layout.columnWidths[column])
  const { min, initial, max } = COLUMN_WIDTHS[column]
  const drag = useRef<{ x: number; width: number }>(undefined)
  // Right of the sidebar, but left of the inspector.
  const direction = column === 'sidebar' ? 1 : -1
  const set = (next: number): void => useLayout.getState().setColumnWidth(column, next)

  const onPointerDown = (event: PointerEvent<HTMLDivElement>): void => {
    if (event.button !== 0) return
    event.preventDefault()
    event.currentTarget.setPointerCapture(event.pointerId)
    // Use the width on screen: a small window may show less than was chosen.
    const shown = event.currentTarget.parentElement?.getBoundingClientRect().width
    drag.current = { x: event.clientX, width: shown ?? width }
  }
  const onPointerMove = (event: PointerEvent<HTMLDivElement>): void => {
    if (drag.current) set(drag.current.width + direction * (event.clientX - drag.current.x))
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowRight: KEY_STEP * direction, ArrowLeft: -KEY_STEP * direction }[event.key]
    if (step !== undefined) set(width + step)
    else if (event.key === 'Home') set(min)
    else if (event.key === 'End') set(max)
    else if (event.key === 'Enter') set(initial)
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
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={end}
      onPointerCancel={end}
      onDoubleClick={() => set(initial)}
      onKeyDown={onKeyDown}
      className={cx(
        'absolute inset-y-0 z-10 w-[7px] cursor-col-resize touch-none transition-colors duration-100',
        'hover:bg-line-strong focus-visible:bg-focus focus-visible:outline-none active:bg-line-strong',
        column === 'sidebar' ? '-right-[4px]' : '-left-[4px]',
      )}
    />
  )
}

interface DrawerProps {
  open: boolean
  onClose: () => void
  side: 'left' | 'right'
  label: string
  children: ReactNode
}

/**
 * A column without space beside the others: it slides over them and traps the focus; Escape or a click outside closes
 * it.
 */
function Drawer({ open, onClose, side, label, children }: DrawerProps) {
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-30 bg-scrim" />
        <Dialog.Content
          aria-describedby={undefined}
          // Focus the drawer itself: no tooltip opens, no field brings up a keyboard.
          onOpenAutoFocus={(event) => {
            event.preventDefault()
            if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus()
          }}
          className={cx(
            'fixed inset-y-0 z-30 flex w-[min(360px,calc(100vw-44px))] flex-col bg-panel shadow-high outline-none',
            side === 'left' ? 'left-0 border-r border-line' : 'right-0 border-l border-line',
          )}
        >
          <Dialog.Title className="sr-only">{label}</Dialog.Title>
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
