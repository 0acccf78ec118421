import { create } from 'zustand'
import { useSyncExternalStore } from 'react'
import { browserStorage } from './browser-storage'

export const SETTINGS_SECTIONS = [
  'providers',
  'models',
  'mcp',
  'mail',
  'skills',
  'agents',
  'hooks',
  'plugins',
  'permissions',
  'sandbox',
  'worktrees',
  'places',
  'devices',
  'general',
  'appearance',
  'shortcuts',
  'desktop',
  'diagnostics',
  'about',
] as const
export type SettingsSection = (typeof SETTINGS_SECTIONS)[number]

export const INSPECTOR_TABS = ['tasks', 'todos', 'plan', 'changes', 'context', 'mcp'] as const
export type InspectorTab = (typeof INSPECTOR_TABS)[number]

/** The columns beside the main area. Widths in px. */
export const COLUMN_WIDTHS = {
  sidebar: { min: 200, initial: 252, max: 420 },
  inspector: { min: 300, initial: 376, max: 720 },
} as const
export type ColumnName = keyof typeof COLUMN_WIDTHS

/** The view in the main area. `new` is the page that starts a session, in `folder` if one was chosen. */
export type MainView =
  | { kind: 'session'; sessionId: string }
  /** `item`: the entry of the section to open. */
  | { kind: 'settings'; section: SettingsSection; item?: string }
  | { kind: 'new'; folder?: string }
  /** All tasks, with the terminal of one of them. */
  | { kind: 'tasks'; taskId?: string }
  /** All pending requests. */
  | { kind: 'inbox' }
  /** The memory, with one entry open. */
  | { kind: 'memory'; id?: number }
  /** The usage of models. */
  | { kind: 'usage' }
  /** Alarms and notifications. */
  | { kind: 'notifications' }
  /** The schedules, with one of them open. */
  | { kind: 'schedules'; id?: string }

interface LayoutState {
  view: MainView
  /** The session to return to from settings and the new-session page. */
  lastSessionId: string | undefined
  /** Beside the main area in a wide window. */
  sidebarOpen: boolean
  inspectorOpen: boolean
  /** As chosen by the user; a small window may show fewer. */
  columnWidths: Readonly<Record<ColumnName, number>>
  inspectorTab: InspectorTab
  /** The drawer that replaces a column in a narrow window. */
  drawer: 'none' | 'sidebar' | 'inspector'
  paletteOpen: boolean
  shortcutsOpen: boolean
  messagesOpen: boolean
  dismissedNotices: readonly string[]

  openSession(sessionId: string): void
  openSettings(section?: SettingsSection, item?: string): void
  openNew(folder?: string): void
  /** The page of all tasks; `taskId`: with the terminal of that task. */
  openTasks(taskId?: string): void
  openInbox(): void
  /** The usage page. */
  openUsage(): void
  /** The page of alarms and notifications. */
  openNotifications(): void
  /** The memory page; `id`: with that entry open. */
  openMemory(id?: number): void
  /** The page of schedules; `id`: with that one open. */
  openSchedules(id?: string): void
  /** Leaves settings or the new-session page. */
  goBack(): void
  /** The session was deleted: shows the new-session page if the session was on screen. */
  forgetSession(sessionId: string): void
  setSidebarOpen(open: boolean): void
  setInspectorOpen(open: boolean): void
  /** Clamped to the limits of the column. */
  setColumnWidth(column: ColumnName, width: number): void
  setInspectorTab(tab: InspectorTab): void
  setDrawer(drawer: LayoutState['drawer']): void
  setPaletteOpen(open: boolean): void
  setShortcutsOpen(open: boolean): void
  setMessagesOpen(open: boolean): void
  dismissNotice(notice: string): void
}

const SESSION_KEY = 'trestle.session'
const INSPECTOR_KEY = 'trestle.inspector'
const SIDEBAR_KEY = 'trestle.sidebar'
const WIDTH_KEY = 'trestle.width.'
const TAB_KEY = 'trestle.inspectorTab'

/** The layout on screen: chosen by the user, never by the engine. Parts of it are restored at the next start. */
export const useLayout = create<LayoutState>()((set, get) => {
  const lastSessionId = browserStorage.read(SESSION_KEY)
  const tab = INSPECTOR_TABS.find((name) => name === browserStorage.read(TAB_KEY))
  return {
    view: lastSessionId === undefined ? { kind: 'new' } : { kind: 'session', sessionId: lastSessionId },
    lastSessionId,
    sidebarOpen: browserStorage.read(SIDEBAR_KEY) !== 'closed',
    inspectorOpen: browserStorage.read(INSPECTOR_KEY) !== 'closed',
    columnWidths: { sidebar: storedWidth('sidebar'), inspector: storedWidth('inspector') },
    inspectorTab: tab ?? 'todos',
    drawer: 'none',
    paletteOpen: false,
    shortcutsOpen: false,
    messagesOpen: false,
    dismissedNotices: [],

    openSession: (sessionId) => {
      browserStorage.write(SESSION_KEY, sessionId)
      set({ view: { kind: 'session', sessionId }, lastSessionId: sessionId, drawer: 'none' })
    },
    openSettings: (section, item) => {
      const { view } = get()
      const shown = section ?? (view.kind === 'settings' ? view.section : 'providers')
      set({ view: { kind: 'settings', section: shown, ...(item !== undefined && { item }) }, drawer: 'none' })
    },
    openNew: (folder) => set({ view: { kind: 'new', ...(folder !== undefined && { folder }) }, drawer: 'none' }),
    openTasks: (taskId) => set({ view: { kind: 'tasks', ...(taskId !== undefined && { taskId }) }, drawer: 'none' }),
    openInbox: () => set({ view: { kind: 'inbox' }, drawer: 'none' }),
    openUsage: () => set({ view: { kind: 'usage' }, drawer: 'none' }),
    openNotifications: () => set({ view: { kind: 'notifications' }, drawer: 'none' }),
    openMemory: (id) => set({ view: { kind: 'memory', ...(id !== undefined && { id }) }, drawer: 'none' }),
    openSchedules: (id) => set({ view: { kind: 'schedules', ...(id !== undefined && { id }) }, drawer: 'none' }),
    goBack: () => {
      const { lastSessionId: sessionId } = get()
      set({ view: sessionId === undefined ? { kind: 'new' } : { kind: 'session', sessionId }, drawer: 'none' })
    },
    forgetSession: (sessionId) => {
      const { view, lastSessionId: last } = get()
      if (last === sessionId) {
        browserStorage.write(SESSION_KEY, undefined)
        set({ lastSessionId: undefined })
      }
      if (view.kind === 'session' && view.sessionId === sessionId) set({ view: { kind: 'new' } })
    },
    setSidebarOpen: (open) => {
      browserStorage.write(SIDEBAR_KEY, open ? 'open' : 'closed')
      set({ sidebarOpen: open })
    },
    setColumnWidth: (column, width) => {
      const within = clamped(column, width)
      browserStorage.write(WIDTH_KEY + column, String(within))
      set({ columnWidths: { ...get().columnWidths, [column]: within } })
    },
    setInspectorOpen: (open) => {
      browserStorage.write(INSPECTOR_KEY, open ? 'open' : 'closed')
      set({ inspectorOpen: open })
    },
    setInspectorTab: (inspectorTab) => {
      browserStorage.write(TAB_KEY, inspectorTab)
      set({ inspectorTab })
    },
    setDrawer: (drawer) => set({ drawer }),
    setPaletteOpen: (paletteOpen) => set({ paletteOpen }),
    setShortcutsOpen: (shortcutsOpen) => set({ shortcutsOpen }),
    setMessagesOpen: (messagesOpen) => set({ messagesOpen }),
    dismissNotice: (notice) => set({ dismissedNotices: [...get().dismissedNotices, notice] }),
  }
})

function storedWidth(column: ColumnName): number {
  return clamped(column, Number(browserStorage.read(WIDTH_KEY + column) ?? COLUMN_WIDTHS[column].initial))
}

function clamped(column: ColumnName, width: number): number {
  const { min, initial, max } = COLUMN_WIDTHS[column]
  return Number.isFinite(width) ? Math.round(Math.max(min, Math.min(max, width))) : initial
}

/** The session with an open find bar; `asked` counts how often the user opened it, to focus the field again. */
export const useFind = create<{ sessionId: string | undefined; asked: number }>()(() => ({
  sessionId: undefined,
  asked: 0,
}))

/** Opens the find bar of a session on screen; does nothing in other views. */
export function openFind(sessionId: string | undefined): void {
  if (sessionId !== undefined) useFind.setState(({ asked }) => ({ sessionId, asked: asked + 1 }))
}

export function closeFind(): void {
  useFind.setState({ sessionId: undefined })
}

/** Minimum window width for the inspector as a column, as in columns.tsx. */
const INSPECTOR_NEEDS = '(min-width: 1240px)'

/** Shows a tab of the inspector, as a column or as a drawer. */
export function showInspectorTab(tab: InspectorTab): void {
  const layout = useLayout.getState()
  layout.setInspectorTab(tab)
  if (matchMedia(INSPECTOR_NEEDS).matches) layout.setInspectorOpen(true)
  else layout.setDrawer('inspector')
}

/** Whether a media query matches, updated when it changes. */
export function useMediaQuery(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const list = matchMedia(query)
      list.addEventListener('change', changed)
      return () => list.removeEventListener('change', changed)
    },
    () => matchMedia(query).matches,
  )
}
