import { useSyncExternalStore } from 'react'
import { useAppCommands } from './app-commands'
import type { Connection } from './client/connection'
import { BeginPage } from './features/first-run/begin-page'
import { McpSection } from './features/mcp/mcp-section'
import { ToolSearchPart } from './features/settings/tool-search-part'
import { Palette } from './features/palette/palette'
import { ShortcutsDialog } from './features/palette/shortcuts-dialog'
import { Sidebar } from './features/sessions/sidebar'
import { ConnectProvider } from './features/settings/connect-provider'
import { SettingsPage } from './features/settings/settings-page'
import { Columns, useRoom } from './features/shell/columns'
import { ConnectionBanner } from './features/shell/connection-banner'
import { HeaderBar } from './features/shell/header-bar'
import { LockedOut } from './features/shell/locked-out'
import { MessagesDialog } from './features/shell/messages-dialog'
import { ConfigBanner, StartNotices } from './features/shell/notices'
import { Toasts } from './features/shell/toasts'
import { TasksPage } from './features/tasks/tasks-page'
import { TaskTerminal } from './features/terminal/task-terminal'
import { FileViewer } from './features/viewer/file-viewer'
import { TrustQuestion } from './features/trust/trust-question'
import { TrustedFolders } from './features/trust/trusted-folders'
import { InboxView } from './inbox-view'
import { SessionInspector, SessionPage } from './session-page'
import { useLayout } from './state/layout-state'
import { useAppInfo, useSettings } from './state/settings-query'
import { useShortcuts } from './state/shortcut-listener'
import { useCalling } from './state/use-calling'
import { useOpenLink } from './state/use-open-link'
import { useWaitingSigns } from './state/use-waiting-signs'

/** The whole page: columns, what is in them, and what lies over them. */
export function App({ connection }: { connection: Connection }) {
  const connectionState = useSyncExternalStore(
    (changed) => connection.state.subscribe(changed),
    () => connection.state.get(),
  )
  const { data: info } = useAppInfo()
  const { data: settings } = useSettings()
  const room = useRoom()
  const view = useLayout((layout) => layout.view)
  const lastSessionId = useLayout((layout) => layout.lastSessionId)
  const inspectorOpen = useLayout((layout) => layout.inspectorOpen)
  const drawer = useLayout((layout) => layout.drawer)
  const paletteOpen = useLayout((layout) => layout.paletteOpen)
  const shortcutsOpen = useLayout((layout) => layout.shortcutsOpen)
  const messagesOpen = useLayout((layout) => layout.messagesOpen)
  const openLink = useOpenLink()
  useWaitingSigns()
  useCalling(info?.host, settings?.notifications)

  const userHome = info?.userHome
  const sessionId = view.kind === 'session' ? view.sessionId : undefined
  const inspector =
    sessionId === undefined
      ? undefined
      : room.inspector
        ? { open: inspectorOpen, toggle: toggleColumn }
        : { open: drawer === 'inspector', toggle: toggleDrawer }
  const commands = useAppCommands({ settings, userHome, toggleInspector: inspector?.toggle, withSessions: paletteOpen })
  useShortcuts([
    { shortcut: 'Mod+K', run: () => useLayout.getState().setPaletteOpen(true) },
    ...commands,
    ...(view.kind === 'session' ? [] : [{ shortcut: 'Esc', run: leave }]),
  ])

  if (connectionState.failure?.code === 'connection.refused') return <LockedOut failure={connectionState.failure} />

  const frame = { userHome, onOpenSidebar: room.sidebar ? undefined : openSidebar, inspector }
  const banners = (
    <>
      <ConnectionBanner connection={connectionState} onReconnect={() => connection.reconnectNow()} />
      {settings && <ConfigBanner problems={settings.problems} userHome={userHome} />}
      {info && <StartNotices notices={info.notices} />}
    </>
  )

  return (
    <>
      <Columns
        sidebar={<Sidebar userHome={userHome} />}
        inspector={
          sessionId === undefined ? undefined : <SessionInspector key={sessionId} sessionId={sessionId} isDrawer={!room.inspector} />
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
            <SettingsPage
              section={view.section}
              info={info}
              trustedFolders={<TrustedFolders />}
              mcpServers={
                <McpSection
                  info={info}
                  shown={view.item}
                  renderTrust={(folder) => <TrustQuestion folder={folder} userHome={userHome} />}
                  toolSearch={settings && <ToolSearchPart toolSearch={settings.toolSearch} />}
                />
              }
            />
          </>
        )}
        {view.kind === 'tasks' && (
          <>
            <HeaderBar {...frame} title="Tasks" folder={undefined} onClose={() => useLayout.getState().goBack()} />
            {banners}
            <TasksPage
              taskId={view.taskId}
              userHome={userHome}
              connected={connectionState.status === 'open'}
              renderTerminal={(taskId) => <TaskTerminal taskId={taskId} size="page" onOpenLink={openLink} />}
            />
          </>
        )}
        {view.kind === 'inbox' && (
          <>
            <HeaderBar {...frame} title="Inbox" folder={undefined} onClose={leave} />
            {banners}
            <InboxView connected={connectionState.status === 'open'} userHome={userHome} />
          </>
        )}
        {view.kind === 'new' && (
          <>
            <HeaderBar {...frame} title="New session" folder={undefined} {...(lastSessionId !== undefined && { onClose: leave })} />
            {banners}
            <BeginPage
              key={view.folder}
              info={info}
              settings={settings}
              folder={view.folder}
              renderConnect={(form) => settings && <ConnectProvider settings={settings} {...form} />}
            />
          </>
        )}
      </Columns>
      <Palette open={paletteOpen} onOpenChange={(open) => useLayout.getState().setPaletteOpen(open)} commands={commands} />
      <ShortcutsDialog open={shortcutsOpen} onOpenChange={(open) => useLayout.getState().setShortcutsOpen(open)} />
      <MessagesDialog open={messagesOpen} onOpenChange={(open) => useLayout.getState().setMessagesOpen(open)} />
      <FileViewer />
      <Toasts />
    </>
  )
}

function toggleColumn(): void {
  const layout = useLayout.getState()
  layout.setInspectorOpen(!layout.inspectorOpen)
}

function toggleDrawer(): void {
  const layout = useLayout.getState()
  layout.setDrawer(layout.drawer === 'inspector' ? 'none' : 'inspector')
}

function openSidebar(): void {
  useLayout.getState().setDrawer('sidebar')
}

/** One step back: an open terminal first, then the page. */
function leave(): void {
  const { view, openTasks, goBack } = useLayout.getState()
  if (view.kind === 'tasks' && view.taskId !== undefined) openTasks()
  else goBack()
}
