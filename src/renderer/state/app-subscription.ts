import type { QueryClient } from '@tanstack/react-query'
import { subscribeApp } from '../client/subscriptions'
import type { TrestleClient } from '../../shared/contract'
import { TaskFollower } from './tasks/tasks-state'
import { useInbox } from './inbox-state'
import { showNoticeToast, showUserToast } from './page/toasts-state'
import { forgetPanes, frontSession } from './panes/panes-state'
import { useSessions, withListPush } from './session-list/sessions-state'
import { loadMarks } from './session-list/session-marks'
import { useLayout, openFind, SETTINGS_SECTIONS } from './page/layout-state'
import type { HostCommand } from '../../shared/events/push'
import type { UserNotification } from '../../shared/model/assistant/notification'
import { playNotificationSound } from './notifications'

/**
 * Keeps the session list in sync with the engine, and invalidates the settings when they change or may have changed
 * while disconnected. Returns the stop function.
 */
export function followApp(client: TrestleClient, queryClient: QueryClient): () => void {
  const tasks = new TaskFollower(client)
  /**
   * The sessions that the initial list of the subscription has contained so far; undefined once the list is complete.
   */
  let named: Set<string> | undefined = new Set()
  let starts = 0
  return subscribeApp(
    client,
    (push) => {
      switch (push.type) {
        case 'sessions':
          for (const { sessionId } of push.changed) named?.add(sessionId)
          useSessions.setState((state) => withListPush(state, push, named))
          if (!push.more) named = undefined
          for (const sessionId of push.removed) {
            useLayout.getState().forgetSession(sessionId)
            forgetPanes(sessionId)
          }
          break
        case 'tasks':
          tasks.onChanged(push.changed, push.removed)
          break
        case 'inbox':
          useInbox.setState({ entries: push.entries, loaded: true })
          break
        case 'trust':
          for (const key of ['trust', 'rule', 'customize']) void queryClient.invalidateQueries({ queryKey: [[key]] })
          break
        case 'terminals':
          void queryClient.invalidateQueries({ queryKey: [['terminal', 'list']] })
          break
        case 'mcp':
        case 'memory':
        case 'git':
          void queryClient.invalidateQueries({ queryKey: [[push.type]] })
          break
        case 'marks':
          void loadMarks(client)
          break
        case 'worktrees':
          void queryClient.invalidateQueries({ queryKey: [['worktree']] })
          break
        case 'places':
          void queryClient.invalidateQueries({ queryKey: [['place', 'list']] })
          break
        case 'schedules':
          void queryClient.invalidateQueries({ queryKey: [['schedule']] })
          break
        case 'plugins':
          for (const key of ['plugin', 'mcp']) void queryClient.invalidateQueries({ queryKey: [[key]] })
          for (const key of ['skills', 'hooks', 'agents']) void queryClient.invalidateQueries({ queryKey: [key] })
          break
        case 'settings':
          for (const key of ['rule', 'customize']) void queryClient.invalidateQueries({ queryKey: [[key]] })
          for (const key of ['skills', 'hooks', 'agents']) void queryClient.invalidateQueries({ queryKey: [key] })
          void queryClient.invalidateQueries({ queryKey: [['mail']] })
          void queryClient.invalidateQueries({ queryKey: [['settings', 'get']] })
          break
        case 'models':
          void queryClient.invalidateQueries({ queryKey: [['settings', 'get']] })
          break
        case 'notification':
          void notifyUser(push.notification, client)
          break
        case 'notifications':
        case 'alarms':
          void queryClient.invalidateQueries({ queryKey: [[push.type === 'alarms' ? 'alarm' : 'notification']] })
          break
        case 'command':
          followHostCommand(push.command, queryClient)
          break
        case 'notice':
          // Server problems are shown above the conversation.
          if (push.about === undefined) showNoticeToast(push.text, push.tone)
          break
        case 'heartbeat':
          break
      }
    },
    {
      onStart: () => {
        named = new Set()
        starts += 1
        void tasks.onSubscribed()
        void loadMarks(client)
        if (starts > 1) void queryClient.invalidateQueries()
      },
    },
  )
}

/** Carries out requests of a native menu, a link or a notification. It only changes what is shown. */
function followHostCommand(command: HostCommand, queryClient: QueryClient): void {
  const layout = useLayout.getState()
  switch (command) {
    case 'new-session':
      return layout.openNew()
    case 'open-settings':
      return layout.openSettings()
    case 'open-inbox':
      return layout.openInbox()
    case 'open-notifications':
      return layout.openNotifications()
    case 'show-shortcuts':
      return layout.setShortcutsOpen(true)
    case 'find':
      return openFind(frontSession())
    case 'desktop-changed':
      return void queryClient.invalidateQueries({ queryKey: [['desktop']] })
  }
  if ('tell' in command) return showNoticeToast(command.tell, command.tone)
  switch (command.open) {
    case 'session':
      return layout.openSession(command.sessionId)
    case 'task':
      return layout.openTasks(command.taskId)
    case 'folder':
      return layout.openNew(command.folder)
    case 'settings':
      return layout.openSettings(SETTINGS_SECTIONS.find((section) => section === command.section))
  }
}

/**
 * Shows a notification from an agent or an alarm: as a toast, and as a browser notification if allowed and no page is
 * in front. The tag merges those of several open pages into one. The desktop app shows its own.
 */
async function notifyUser(notification: UserNotification, client: TrestleClient): Promise<void> {
  const { id, title, body, source, sessionId } = notification
  const open = (): void => {
    if (sessionId === undefined) useLayout.getState().openNotifications()
    else useLayout.getState().openSession(sessionId)
  }
  // A ringing alarm has its own bar, above everything else.
  if (!(await isRinging(notification, client))) showUserToast(title, body, { label: 'Show', run: open })
  if (document.visibilityState === 'visible' && document.hasFocus()) return
  if (!('Notification' in globalThis) || Notification.permission !== 'granted') return
  const shown = new Notification(title, { body, tag: `trestle-notification-${id}`, icon: '/icon.svg', silent: true })
  shown.addEventListener('click', () => {
    window.focus()
    open()
    shown.close()
  })
  // An alarm has its own sound.
  if (source === 'alarm') return
  void navigator.locks
    .request(`trestle.notification.${id}`, { ifAvailable: true }, (lock) =>
      lock ? playNotificationSound() : undefined,
    )
    .catch(() => {})
}

async function isRinging({ source, title }: UserNotification, client: TrestleClient): Promise<boolean> {
  if (source !== 'alarm') return false
  const alarms = await client.alarm.list({}).catch(() => [])
  return alarms.some(({ label, status }) => label === title && status === 'ringing')
}
