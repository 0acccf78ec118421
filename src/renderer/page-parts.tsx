import { preloadMarkdown } from './features/chat/markdown/markdown-on-demand'
import { AnswerCard, RestoreDialog, TaskTerminal, ToolsDialog } from './session-parts'
import type { MainView } from './state/layout-state'
import { onDemand } from './ui/on-demand'
import { ViewSkeleton } from './ui/view-skeleton'

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

export const Palette = onDemand(() => import('./features/palette/palette').then((module) => module.Palette))
export const ShortcutsDialog = onDemand(() => import('./features/palette/shortcuts-dialog').then((module) => module.ShortcutsDialog))
export const MessagesDialog = onDemand(() => import('./features/shell/messages-dialog').then((module) => module.MessagesDialog))

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
]

/** Fetches the rest one after the other while the page has nothing to do, so that no click waits for code. */
export function preloadWhenIdle(): void {
  const next = (at: number): void => {
    const part = LATER[at]
    if (!part) return
    whenIdle(() => void part.preload().then(() => next(at + 1)))
  }
  next(0)
}

/** Safari has no requestIdleCallback; there, after the events that are waiting. */
function whenIdle(job: () => void): void {
  if ('requestIdleCallback' in window) requestIdleCallback(job, { timeout: 5000 })
  else setTimeout(job, 200)
}
