import {
  FolderTree,
  FileDiff,
  Bell,
  Inbox,
  Keyboard,
  Link,
  MessageSquare,
  Monitor,
  PanelLeft,
  PanelRight,
  Plus,
  ShieldQuestion,
  Sparkles,
  Square,
  Search,
  Copy,
  ExternalLink,
  Upload,
  ArrowDown,
  ArrowUp,
  TriangleAlert,
} from 'lucide-react'
import { useMemo } from 'react'
import { SESSION_MODES, type SessionMode } from '../shared/model/approval/approval'
import type { SandboxStatus } from '../shared/model/task/sandbox'
import { confinementOf, MODE_NAMES, modeDescription } from '../shared/configuration/sandbox-text'
import type { SettingsView } from '../shared/configuration/settings'
import type { TrestleClient } from '../shared/contract'
import type { Command } from './features/shell/palette'
import { pageCommands } from './page-commands'
import { manageCommands } from './session-commands'
import { answerTask, useTasks } from './state/tasks/tasks-state'
import { gitCommands } from './features/git/git-commands'
import { folderName } from './format/folder-name'
import { useInbox } from './state/inbox-state'
import { openFind, useLayout } from './state/page/layout-state'
import { changeMode, useSessionActions } from './state/session/session-actions'
import { adjacentSession, projectsOf, titleOf, useSessions, waitingSessions } from './state/session-list/sessions-state'
import { isFindInConversation } from './state/session/find-state'
import { hasLinks } from './state/session/route'
import { sessionStore } from './state/session/session-view'
import { openPane, useFrontSession } from './state/panes/panes-state'
import { paneCommands, usePaneCommands } from './views/panes/pane-commands'
import { openInNewWindow } from './state/new-window'
import { THEMES } from '../shared/configuration/appearance'
import { changeAppearance, useAppearance } from './state/page/appearance'
import { useCommandKeys } from './state/page/shortcuts'
import { showFailureToast } from './state/page/toasts-state'
import { useClient } from './state/page/queries'
import { StatusDot } from './ui/badge'

/** What the commands depend on. */
export interface CommandInput {
  settings: SettingsView | undefined
  userHome: string | undefined
  /** Shows or hides the inspector, as a column or a drawer; undefined when the view has no inspector. */
  toggleInspector: (() => void) | undefined
  toggleSidebar: () => void
  /** Whether to list the sessions too: only the palette needs them, shortcuts do not. */
  withSessions: boolean
}

/** Every command of the palette and every shortcut of the app that is available right now. */
export function useAppCommands({
  settings,
  userHome,
  toggleInspector,
  toggleSidebar,
  withSessions,
}: CommandInput): Command[] {
  const client = useClient()
  const actions = useSessionActions()
  const view = useLayout((layout) => layout.view)
  const sessionId = view.kind === 'session' ? view.sessionId : undefined
  const frontId = useFrontSession()
  const current = useSessions((state) => (frontId === undefined ? undefined : state.sessions.get(frontId)))
  const panes = usePaneCommands(sessionId ?? '')
  const firstWaiting = useSessions((state) => waitingSessions(state).find((summary) => summary.sessionId !== sessionId))
  const waiting = useInbox((state) => state.entries.length)
  const listed = useSessions((state) => (withSessions ? state : undefined))
  const prompts = useTasks((state) => state.waiting)
  const theme = useAppearance((appearance) => appearance.theme)
  const commands = useMemo(() => {
    const projects = listed ? projectsOf(listed) : []
    const step = (by: 1 | -1) => (): void => {
      const next = adjacentSession(projectsOf(useSessions.getState()), sessionId, by)
      if (next !== undefined) actions.open(next)
    }
    const change = (input: { model?: string }): void => {
      if (current) client.session.change({ sessionId: current.sessionId, ...input }).catch(showFailureToast)
    }

    const switchMode = (mode: SessionMode): void => {
      if (!current) return
      const { sessionId: id } = current
      client.session
        .open({ sessionId: id, limit: 1 })
        .then(({ header }) => changeMode(client, header, mode), showFailureToast)
    }

    const ofSession: Command[] = !current
      ? []
      : [
          ...(current.status === 'running' || current.status === 'waiting'
            ? [
                {
                  id: 'stop',
                  group: 'This session',
                  label: 'Stop the running turn',
                  icon: <Square aria-hidden />,
                  run: () => void client.session.stop({ sessionId: current.sessionId }).catch(showFailureToast),
                },
              ]
            : []),
          {
            id: 'files',
            group: 'This session',
            label: 'Show the files',
            shortcut: 'Mod+Shift+E',
            icon: <FolderTree aria-hidden />,
            run: () => openPane(current.sessionId, { kind: 'files' }),
          },
          {
            id: 'find',
            group: 'This session',
            label: 'Find in this session',
            icon: <Search aria-hidden />,
            isFor: isFindInConversation,
            run: () => openFind(frontId),
          },
          ...gitCommands(client, current.sessionId),
          {
            id: 'review',
            group: 'This session',
            label: 'Review changes',
            keywords: 'diff files compare branch turn undo comment',
            icon: <FileDiff aria-hidden />,
            run: () => openPane(current.sessionId, { kind: 'review', scope: { kind: 'session' } }),
          },
          {
            id: 'model',
            group: 'This session',
            label: 'Switch model…',
            icon: <Sparkles aria-hidden />,
            page: {
              title: 'Model',
              commands: () =>
                (settings?.models ?? []).map((model) => ({
                  id: model.id,
                  group: model.scripted ? 'Demo' : model.providerId,
                  label: model.label,
                  ...(model.scripted && { hint: 'A scripted demo, no AI model' }),
                  chosen: model.id === (current.model ?? settings?.defaultModel),
                  run: () => change({ model: model.id }),
                })),
            },
          },
          {
            id: 'mode',
            group: 'This session',
            label: 'Switch permission mode…',
            icon: <ShieldQuestion aria-hidden />,
            page: {
              title: 'Permission mode',
              commands: () =>
                SESSION_MODES.map((mode) => ({
                  id: mode,
                  group: 'Permission mode',
                  label: MODE_NAMES[mode],
                  hint: modeDescription(mode, confinementOf(sandboxOf(client, current.sessionId), settings?.sandbox)),
                  run: () => switchMode(mode),
                })),
            },
          },
          {
            id: 'new-window',
            group: 'This session',
            label: 'Open in a new window',
            icon: <ExternalLink aria-hidden />,
            run: () => openInNewWindow(client, current.sessionId),
          },
          ...manageCommands(client, actions, current),
          ...(hasLinks
            ? [
                {
                  id: 'copy-link',
                  group: 'This session',
                  label: 'Copy link to this session',
                  icon: <Link aria-hidden />,
                  run: () => actions.copyLink(current.sessionId),
                },
              ]
            : []),
          {
            id: 'copy-id',
            group: 'This session',
            label: 'Copy session ID',
            icon: <Copy aria-hidden />,
            run: () => actions.copyId(current.sessionId),
          },
        ]

    const general: Command[] = [
      {
        id: 'new',
        group: 'Go to',
        label: 'New session',
        icon: <Plus aria-hidden />,
        run: () => useLayout.getState().openNew(),
      },
      {
        id: 'import',
        group: 'Go to',
        label: 'Import a session…',
        keywords: 'open file json exported',
        onlySearched: true,
        icon: <Upload aria-hidden />,
        run: () => actions.importFile(),
      },
      {
        id: 'inbox',
        group: 'Go to',
        label: 'Inbox',
        keywords: 'approvals requests waiting',
        ...(waiting > 0 && { hint: `${waiting} pending` }),
        icon: <Inbox aria-hidden />,
        run: () => useLayout.getState().openInbox(),
      },
      ...(firstWaiting
        ? [
            {
              id: 'waiting',
              group: 'Go to',
              label: 'Next session that needs you',
              hint: titleOf(firstWaiting),
              icon: <TriangleAlert aria-hidden />,
              run: () => actions.open(firstWaiting.sessionId),
            },
          ]
        : []),
      {
        id: 'previous',
        group: 'Go to',
        label: 'Previous session',
        icon: <ArrowUp aria-hidden />,
        run: step(-1),
      },
      {
        id: 'next',
        group: 'Go to',
        label: 'Next session',
        icon: <ArrowDown aria-hidden />,
        run: step(1),
      },
      ...prompts.map((task) => ({
        id: `answer-${task.taskId}`,
        group: 'Go to',
        label: `Answer ${task.command.slice(0, 60)}`,
        hint: task.prompt?.text ?? '',
        icon: <TriangleAlert aria-hidden />,
        run: () => answerTask(task),
      })),
      ...pageCommands(settings),
    ]

    const viewing: Command[] = [
      {
        id: 'sidebar',
        group: 'View',
        label: 'Show or hide the sidebar',
        icon: <PanelLeft aria-hidden />,
        run: toggleSidebar,
      },
      ...(toggleInspector
        ? [
            {
              id: 'inspector',
              group: 'View',
              label: 'Show or hide the inspector',
              icon: <PanelRight aria-hidden />,
              run: toggleInspector,
            },
          ]
        : []),
      ...THEMES.map((choice) => ({
        id: `theme-${choice}`,
        group: 'View',
        label: `Theme: ${choice}`,
        keywords: 'appearance colour dark light',
        icon: <Monitor aria-hidden />,
        chosen: theme === choice,
        run: () => changeAppearance(client, { theme: choice }),
      })),
      {
        id: 'messages',
        group: 'View',
        label: 'Messages',
        keywords: 'notices failures errors toasts',
        icon: <Bell aria-hidden />,
        run: () => useLayout.getState().setMessagesOpen(true),
      },
      {
        id: 'shortcuts',
        group: 'View',
        label: 'Keyboard shortcuts',
        keywords: 'help keys',
        icon: <Keyboard aria-hidden />,
        run: () => useLayout.getState().setShortcutsOpen(true),
      },
    ]

    const sessions: Command[] = projects.flatMap(({ folder, sessions: list }) =>
      list.map((summary) => ({
        id: summary.sessionId,
        group: 'Sessions',
        label: titleOf(summary),
        hint: folderName(folder, userHome).name,
        icon: summary.status === 'idle' ? <MessageSquare aria-hidden /> : <StatusDot status={summary.status} />,
        run: () => actions.open(summary.sessionId),
      })),
    )
    const newIn: Command[] = projects.map(({ folder }) => {
      const { name, parent } = folderName(folder, userHome)
      return {
        id: `new-in:${folder}`,
        group: 'New session in',
        label: `New session in ${name}`,
        onlySearched: true,
        hint: parent,
        icon: <Plus aria-hidden />,
        run: () => actions.begin(folder),
      }
    })
    return [
      ...ofSession,
      ...(sessionId === undefined ? [] : paneCommands(sessionId, panes, projects)),
      ...general,
      ...sessions,
      ...viewing,
      ...newIn,
    ]
  }, [
    client,
    actions,
    listed,
    current,
    firstWaiting,
    waiting,
    sessionId,
    frontId,
    panes,
    theme,
    prompts,
    settings,
    userHome,
    toggleInspector,
    toggleSidebar,
  ])
  return useCommandKeys(commands)
}

/** The sandbox of a session that has been opened in this window. */
function sandboxOf(client: TrestleClient, sessionId: string): SandboxStatus | undefined {
  return sessionStore(client, sessionId).store.getState().view?.header.sandbox
}
