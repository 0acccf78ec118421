import { preloadMarkdown } from '../features/chat/markdown/markdown-on-demand'
import { AnswerCard, RestoreDialog, TaskTerminal, ToolsDialog } from './session/lazy-session-parts'
import type { MainView } from '../state/page/layout-state'
import { useSessions } from '../state/session-list/sessions-state'
import { onDemand } from '../ui/on-demand'
import { PaletteWaiting } from '../features/shell/palette-waiting'
import { ViewSkeleton } from '../ui/loading'

/** The views of the main area and the dialogs over them: none is loaded at startup. */

export const SessionPage = onDemand(
  () => import('./session-page').then((module) => module.SessionPage),
  () => <ViewSkeleton label="Loading the conversation" />,
)

export const SessionInspector = onDemand(() =>
  import('./session/session-inspector').then((module) => module.SessionInspector),
)

export const SettingsView = onDemand(
  () => import('./settings-view').then((module) => module.SettingsView),
  () => <ViewSkeleton label="Loading the settings" />,
)

export const TasksView = onDemand(
  () => import('./tasks-view').then((module) => module.TasksView),
  () => <ViewSkeleton label="Loading the tasks" />,
)

export const InboxView = onDemand(
  () => import('./inbox-view').then((module) => module.InboxView),
  () => <ViewSkeleton label="Loading the inbox" />,
)

export const MemoryView = onDemand(
  () => import('../features/memory/memory-page').then((module) => module.MemoryPage),
  () => <ViewSkeleton label="Loading the memory" />,
)

export const UsageView = onDemand(
  () => import('../features/usage/usage-page').then((module) => module.UsagePage),
  () => <ViewSkeleton label="Loading the usage" />,
)

export const NotificationsView = onDemand(
  () => import('../features/notifications/notifications-page').then((module) => module.NotificationsPage),
  () => <ViewSkeleton label="Loading the notifications" />,
)

export const RingingAlarms = onDemand(
  () => import('../features/notifications/ringing-alarms').then((module) => module.RingingAlarms),
  () => null,
)

export const SchedulesView = onDemand(
  () => import('../features/schedules/schedules-page').then((module) => module.SchedulesPage),
  () => <ViewSkeleton label="Loading the schedules" />,
)

export const BeginView = onDemand(
  () => import('./begin-view').then((module) => module.BeginView),
  () => <ViewSkeleton label="Loading" />,
)

export const SessionDialogs = onDemand(() =>
  import('./session/session-dialogs').then((module) => module.SessionDialogs),
)
export const Palette = onDemand(
  () => import('../features/shell/palette').then((module) => module.Palette),
  ({ search, onSearch, onOpenChange }) => (
    <PaletteWaiting search={search} onSearch={onSearch} onOpenChange={onOpenChange} />
  ),
)
export const ShortcutsDialog = onDemand(() =>
  import('../features/shell/shortcuts-dialog').then((module) => module.ShortcutsDialog),
)
export const MessagesDialog = onDemand(() =>
  import('../features/shell/messages-dialog').then((module) => module.MessagesDialog),
)

export const QuickPrompt = onDemand(() =>
  import('../features/new-session/quick-prompt').then((module) => module.QuickPrompt),
)

/** Loads the code of a view in parallel with the rest of the startup. */
export function preloadView(view: MainView): void {
  switch (view.kind) {
    case 'session':
      void SessionPage.preload()
      void SessionInspector.preload()
      void preloadMarkdown()
      break
    case 'settings':
      void SettingsView.preload()
      break
    case 'tasks':
      void TasksView.preload()
      break
    case 'inbox':
      void InboxView.preload()
      break
    case 'usage':
      void UsageView.preload()
      break
    case 'memory':
      void MemoryView.preload()
      break
    case 'notifications':
      void NotificationsView.preload()
      break
    case 'schedules':
      void SchedulesView.preload()
      break
    case 'new':
      void BeginView.preload()
  }
}

/** Views that are likely to be opened next, likeliest first. */
const LATER = [
  SessionPage,
  SessionInspector,
  { preload: preloadMarkdown },
  AnswerCard,
  Palette,
  InboxView,
  SettingsView,
  TasksView,
  BeginView,
  TaskTerminal,
  RestoreDialog,
  ToolsDialog,
  ShortcutsDialog,
  MessagesDialog,
]

/**
 * Loads the rest one by one once the list has arrived and the page is idle, so that neither clicks nor the list wait
 * for code.
 */
export function preloadWhenIdle(): void {
  if (startPreloading()) return
  const stop = useSessions.subscribe(() => startPreloading() && stop())
}

/** Starts preloading if the list has arrived; returns whether it has. */
function startPreloading(): boolean {
  const { loaded } = useSessions.getState()
  if (loaded) void preloadInTurn()
  return loaded
}

async function preloadInTurn(): Promise<void> {
  for (const part of LATER) {
    await idle()
    await part.preload()
  }
}

/** Safari has no requestIdleCallback; there, run after the pending events. */
function idle(): Promise<void> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve(), { timeout: 5000 })
    else setTimeout(resolve, 200)
  })
}
