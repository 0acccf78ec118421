import { preloadMarkdown } from '../features/chat/markdown/markdown-on-demand'
import { AnswerCard, RestoreDialog, TaskTerminal, ToolsDialog } from './lazy-session-parts'
import type { MainView } from '../state/page/layout-state'
import { useSessions } from '../state/session/sessions-state'
import { onDemand } from '../ui/on-demand'
import { ViewSkeleton } from '../ui/loading'

/** The views of the main area and what lies over them: none is in what every start loads. */

export const SessionPage = onDemand(
  () => import('./session-page').then((module) => module.SessionPage),
  () => <ViewSkeleton label="Loading the conversation" />,
)

export const SessionInspector = onDemand(() => import('./session-inspector').then((module) => module.SessionInspector))

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

export const BeginView = onDemand(
  () => import('./begin-view').then((module) => module.BeginView),
  () => <ViewSkeleton label="Loading" />,
)

export const Palette = onDemand(() => import('../features/shell/palette').then((module) => module.Palette))
export const ShortcutsDialog = onDemand(() =>
  import('../features/shell/shortcuts-dialog').then((module) => module.ShortcutsDialog),
)
export const MessagesDialog = onDemand(() =>
  import('../features/shell/messages-dialog').then((module) => module.MessagesDialog),
)

export const QuickPrompt = onDemand(() =>
  import('../features/new-session/quick-prompt').then((module) => module.QuickPrompt),
)

export const FileViewer = onDemand(() => import('../features/session/file-viewer').then((module) => module.FileViewer))

/** Fetches what a view is made of, at the same time as everything else the page starts with. */
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
    case 'new':
      void BeginView.preload()
  }
}

/** What is likely to be opened next, likeliest first. */
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
  FileViewer,
]

/** Fetches the rest one after the other once the list is there and the page has nothing to do, so that no click waits for code and no code delays the list. */
export function preloadWhenIdle(): void {
  if (begin()) return
  const stop = useSessions.subscribe(() => begin() && stop())
}

/** Whether the list is there, and so the fetching has begun. */
function begin(): boolean {
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

/** Safari has no requestIdleCallback; there, after the events that are waiting. */
function idle(): Promise<void> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve(), { timeout: 5000 })
    else setTimeout(resolve, 200)
  })
}
