import { useSyncExternalStore } from 'react'
import type { Connection } from './client/connection'
import { Sidebar } from './features/sessions/sidebar'
import { Columns, useColumnSpace } from './features/shell/columns'
import {
  ConnectionBanner,
  InterruptedBanner,
  ConfigBanner,
  ReadOnlyBanner,
  StartNotices,
} from './features/shell/banners'
import { HeaderBar } from './features/shell/header-bar'
import { LockedOut } from './features/shell/locked-out'
import { Toasts } from './features/shell/toasts'
import {
  BeginView,
  InboxView,
  MemoryView,
  MessagesDialog,
  NotificationsView,
  RingingAlarms,
  SchedulesView,
  SessionDialogs,
  SessionInspector,
  SessionPage,
  SettingsView,
  ShortcutsDialog,
  TasksView,
  UsageView,
} from './views/lazy-views'
import { useLayout } from './state/page/layout-state'
import { useSessionDialog } from './state/session/session-dialog-state'
import { useUserPreferences } from './state/page/language'
import { titleOf, useSessions } from './state/session-list/sessions-state'
import { isFeatureOn } from '../shared/configuration/features'
import { useAppInfo, useSettings } from './state/page/queries'
import { useFinishedNotices } from './state/finished-notices'
import { useNotifications, usePendingInTitle } from './state/notifications'
import { useFolderDrop } from './state/page/desktop-bridge'
import { onDemand } from './ui/on-demand'

const AppShortcuts = onDemand(() => import('./app-shortcuts').then((module) => module.AppShortcuts))
// Loaded during the first paint, which needs no commands.
void AppShortcuts.preload()

/** The whole page: the columns, their contents, and the dialogs over them. */
export function App({ connection }: { connection: Connection }) {
  const connectionState = useSyncExternalStore(
    (changed) => connection.state.subscribe(changed),
    () => connection.state.get(),
  )
  const { data: info } = useAppInfo()
  const { data: settings } = useSettings()
  const room = useColumnSpace()
  const view = useLayout((layout) => layout.view)
  const lastSessionId = useLayout((layout) => layout.lastSessionId)
  const sidebarOpen = useLayout((layout) => layout.sidebarOpen)
  const inspectorOpen = useLayout((layout) => layout.inspectorOpen)
  const drawer = useLayout((layout) => layout.drawer)
  const shortcutsOpen = useLayout((layout) => layout.shortcutsOpen)
  const messagesOpen = useLayout((layout) => layout.messagesOpen)
  const asksAboutSession = useSessionDialog((state) => state.dialog !== undefined)
  usePendingInTitle(usePlace())
  useFolderDrop()
  useNotifications(info?.host, settings?.notifications)
  useFinishedNotices(info?.host, settings?.notifications)
  useUserPreferences(settings)

  const userHome = info?.userHome
  const sessionId = view.kind === 'session' ? view.sessionId : undefined
  const inspector =
    sessionId === undefined
      ? undefined
      : room.inspector
        ? { open: inspectorOpen, toggle: toggleColumn }
        : { open: drawer === 'inspector', toggle: toggleDrawer }
  if (connectionState.failure?.code === 'connection.refused') return <LockedOut failure={connectionState.failure} />

  const frame = {
    userHome,
    onOpenSidebar: room.sidebar ? (sidebarOpen ? undefined : toggleSidebar) : openSidebar,
    inspector,
  }
  const banners = (
    <>
      <ConnectionBanner connection={connectionState} onReconnect={() => connection.reconnectNow()} />
      {settings && <ConfigBanner problems={settings.problems} userHome={userHome} />}
      <InterruptedBanner />
      {info?.access === 'read' && <ReadOnlyBanner />}
      {info && <StartNotices notices={info.notices} />}
    </>
  )

  return (
    <>
      <Columns
        sidebar={<Sidebar userHome={userHome} onHide={room.sidebar ? toggleSidebar : undefined} />}
        inspector={
          sessionId === undefined ? undefined : (
            <SessionInspector key={sessionId} sessionId={sessionId} isDrawer={!room.inspector} />
          )
        }
      >
        {view.kind === 'session' && (
          <SessionPage
            key={view.sessionId}
            sessionId={view.sessionId}
            connected={connectionState.status === 'open'}
            frame={frame}
            banners={banners}
          />
        )}
        {view.kind === 'settings' && (
          <>
            <HeaderBar {...frame} title="Settings" folder={undefined} onClose={leave} />
            {banners}
            <SettingsView section={view.section} item={view.item} info={info} />
          </>
        )}
        {view.kind === 'tasks' && (
          <>
            <HeaderBar {...frame} title="Tasks" folder={undefined} onClose={() => useLayout.getState().goBack()} />
            {banners}
            <TasksView taskId={view.taskId} userHome={userHome} connected={connectionState.status === 'open'} />
          </>
        )}
        {view.kind === 'inbox' && (
          <>
            <HeaderBar {...frame} title="Inbox" folder={undefined} onClose={leave} />
            {banners}
            <InboxView connected={connectionState.status === 'open'} userHome={userHome} />
          </>
        )}
        {view.kind === 'usage' && (
          <>
            <HeaderBar {...frame} title="Usage" folder={undefined} onClose={leave} />
            {banners}
            <UsageView userHome={userHome} />
          </>
        )}
        {view.kind === 'memory' && (
          <>
            <HeaderBar {...frame} title="Memory" folder={undefined} onClose={leave} />
            {banners}
            <MemoryView id={view.id} userHome={userHome} isOn={isFeatureOn(settings, 'memory')} />
          </>
        )}
        {view.kind === 'notifications' && (
          <>
            <HeaderBar {...frame} title="Notifications" folder={undefined} onClose={leave} />
            {banners}
            <NotificationsView />
          </>
        )}
        {view.kind === 'schedules' && (
          <>
            <HeaderBar {...frame} title="Schedules" folder={undefined} onClose={leave} />
            {banners}
            <SchedulesView id={view.id} userHome={userHome} isOn={isFeatureOn(settings, 'scheduling')} />
          </>
        )}
        {view.kind === 'new' && (
          <>
            <HeaderBar
              {...frame}
              title="New session"
              folder={undefined}
              {...(lastSessionId !== undefined && { onClose: leave })}
            />
            {banners}
            <BeginView info={info} settings={settings} folder={view.folder} />
          </>
        )}
      </Columns>
      <AppShortcuts
        settings={settings}
        userHome={userHome}
        toggleInspector={inspector?.toggle}
        toggleSidebar={room.sidebar ? toggleSidebar : openSidebar}
        leave={view.kind === 'session' ? undefined : leave}
      />
      {shortcutsOpen && <ShortcutsDialog open onOpenChange={(open) => useLayout.getState().setShortcutsOpen(open)} />}
      {messagesOpen && <MessagesDialog open onOpenChange={(open) => useLayout.getState().setMessagesOpen(open)} />}
      {asksAboutSession && <SessionDialogs />}
      <RingingAlarms />
      <Toasts />
    </>
  )
}

/** The name of the current view, for the page title. */
function usePlace(): string | undefined {
  const view = useLayout((layout) => layout.view)
  const summary = useSessions((state) => (view.kind === 'session' ? state.sessions.get(view.sessionId) : undefined))
  return view.kind === 'session' ? summary && titleOf(summary) : PLACES[view.kind]
}

const PLACES = {
  settings: 'Settings',
  tasks: 'Tasks',
  inbox: 'Inbox',
  memory: 'Memory',
  usage: 'Usage',
  notifications: 'Notifications',
  schedules: 'Schedules',
  new: 'New session',
}

function toggleColumn(): void {
  const layout = useLayout.getState()
  layout.setInspectorOpen(!layout.inspectorOpen)
}

function toggleSidebar(): void {
  const layout = useLayout.getState()
  layout.setSidebarOpen(!layout.sidebarOpen)
}

function toggleDrawer(): void {
  const layout = useLayout.getState()
  layout.setDrawer(layout.drawer === 'inspector' ? 'none' : 'inspector')
}

function openSidebar(): void {
  useLayout.getState().setDrawer('sidebar')
}

/** Goes back one step: closes an open terminal first, then leaves the page. */
function leave(): void {
  const { view, openTasks, goBack } = useLayout.getState()
  if (view.kind === 'tasks' && view.taskId !== undefined) openTasks()
  else goBack()
}
