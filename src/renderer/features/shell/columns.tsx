import type { ReactNode } from 'react'
import { useLayout } from '../../state/layout-state'
import { useMediaQuery } from '../../state/media-query'
import { ColumnHandle } from './column-handle'
import { Drawer } from './drawer'

/** Below these widths a column becomes a drawer: beside both columns the main area still has room for a conversation. */
const SIDEBAR_NEEDS = '(min-width: 720px)'
const INSPECTOR_NEEDS = '(min-width: 1240px)'
/** What the columns leave to the main area, however wide they were made, in px. */
const MAIN_NEEDS = 460

export function useRoom(): { sidebar: boolean; inspector: boolean } {
  return { sidebar: useMediaQuery(SIDEBAR_NEEDS), inspector: useMediaQuery(INSPECTOR_NEEDS) }
}

interface ColumnsProps {
  sidebar: ReactNode
  /** Undefined where there is nothing to inspect. */
  inspector: ReactNode | undefined
  children: ReactNode
}

/** Sidebar, main area, inspector: the outer two can be hidden and resized; on narrow windows they are drawers. */
export function Columns({ sidebar, inspector, children }: ColumnsProps) {
  const room = useRoom()
  const drawer = useLayout((layout) => layout.drawer)
  const sidebarOpen = useLayout((layout) => layout.sidebarOpen)
  const inspectorOpen = useLayout((layout) => layout.inspectorOpen)
  const widths = useLayout((layout) => layout.columnWidths)
  const hasSidebar = room.sidebar && sidebarOpen
  return (
    <div className="flex h-full min-h-0">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:border focus:border-line-strong focus:bg-raised focus:px-3 focus:py-1.5 focus:text-ui focus:font-medium focus:shadow-high"
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
              style={{ width: `min(${widths.inspector}px, calc(100vw - ${(hasSidebar ? widths.sidebar : 0) + MAIN_NEEDS}px))` }}
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
