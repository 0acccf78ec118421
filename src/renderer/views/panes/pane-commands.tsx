import { Columns3, Files, GitBranch, GitCompare, ListTodo, SquareTerminal } from 'lucide-react'
import { useMemo, type ReactNode } from 'react'
import type { Command } from '../../features/shell/palette'
import { paneKey } from '../../state/panes/pane'
import { groupsOf, groupWith, panesIn, placeBeside, SIDES } from '../../state/panes/pane-tree'
import { closePane, movePane, openPane, sessionPanes, showPane, toggleMaximized } from '../../state/panes/panes-state'
import { conversationPane } from '../../state/panes/stored-panes'
import { useClient } from '../../state/page/queries'
import { openNewTerminal } from '../../state/tasks/user-terminals'
import { titleOf, type Project } from '../../state/session-list/sessions-state'

/** Something that opens a pane. */
export interface PaneCommand {
  id: string
  label: string
  keywords: string
  icon: ReactNode
  run: () => void
}

/** The commands that open panes beside a session's conversation: for its menu and for the palette. */
export function usePaneCommands(sessionId: string): PaneCommand[] {
  const client = useClient()
  return useMemo(
    () => [
      {
        id: 'pane-files',
        label: 'Files',
        keywords: 'tree folder open file pane',
        icon: <Files aria-hidden />,
        run: () => openPane(sessionId, { kind: 'files' }),
      },
      {
        id: 'pane-review',
        label: 'Review',
        keywords: 'changes diff pane',
        icon: <GitCompare aria-hidden />,
        run: () => openPane(sessionId, { kind: 'review', scope: { kind: 'session' } }),
      },
      {
        id: 'pane-git',
        label: 'Git',
        keywords: 'branch commit stage history pane',
        icon: <GitBranch aria-hidden />,
        run: () => openPane(sessionId, { kind: 'git' }),
      },
      {
        id: 'pane-terminal',
        label: 'New terminal',
        keywords: 'shell command line console pane',
        icon: <SquareTerminal aria-hidden />,
        run: () => openNewTerminal(client, sessionId),
      },
      {
        id: 'pane-tasks',
        label: 'Tasks',
        keywords: 'background commands pane',
        icon: <ListTodo aria-hidden />,
        run: () => openPane(sessionId, { kind: 'tasks' }),
      },
    ],
    [client, sessionId],
  )
}

const GROUP = 'Panes'
/** The palette has separate commands for these. */
const NAMED_OTHERWISE: ReadonlySet<string> = new Set(['pane-files', 'pane-review', 'pane-git'])

/** The palette's commands for the panes of the session on screen. */
export function paneCommands(
  sessionId: string,
  opening: readonly PaneCommand[],
  projects: readonly Project[],
): Command[] {
  const own = paneKey(conversationPane(sessionId))
  const onFront = (act: (key: string) => void) => (): void => act(sessionPanes(sessionId).front)
  const move = (side: (typeof SIDES)[number]) =>
    onFront((key) => {
      const place = placeBeside(sessionPanes(sessionId).root, key, side)
      if (place) movePane(sessionId, key, place)
    })
  return [
    ...opening
      .filter(({ id }) => !NAMED_OTHERWISE.has(id))
      .map(({ id, label, keywords, icon, run }) => ({
        id,
        group: GROUP,
        label: label.startsWith('New') ? label : `Open ${label.toLocaleLowerCase()}`,
        keywords,
        icon,
        run,
      })),
    {
      id: 'pane-session',
      group: GROUP,
      label: 'Show another session beside this one…',
      icon: <Columns3 aria-hidden />,
      page: {
        title: 'Another session',
        commands: () =>
          projects
            .flatMap((project) => project.sessions)
            .filter((summary) => summary.sessionId !== sessionId)
            .map((summary) => ({
              id: summary.sessionId,
              group: 'Sessions',
              label: titleOf(summary),
              run: () => openPane(sessionId, conversationPane(summary.sessionId)),
            })),
      },
    },
    {
      id: 'pane-next',
      group: GROUP,
      label: 'Go to the next pane',
      shortcut: 'F6',
      onlySearched: true,
      run: () => stepPane(sessionId, 1),
    },
    {
      id: 'pane-previous',
      group: GROUP,
      label: 'Go to the previous pane',
      shortcut: 'Shift+F6',
      onlySearched: true,
      run: () => stepPane(sessionId, -1),
    },
    ...SIDES.map((side) => ({
      id: `pane-${side}`,
      group: GROUP,
      label: `Move the pane ${side}`,
      keywords: 'split',
      onlySearched: true,
      run: move(side),
    })),
    {
      id: 'pane-maximize',
      group: GROUP,
      label: 'Maximize or restore the pane',
      shortcut: 'Mod+Shift+M',
      onlySearched: true,
      run: onFront((key) => {
        const { root } = sessionPanes(sessionId)
        const group = groupWith(root, key)
        if (group && groupsOf(root).length > 1) toggleMaximized(sessionId, group.id)
      }),
    },
    {
      id: 'pane-close',
      group: GROUP,
      label: 'Close the pane',
      onlySearched: true,
      run: onFront((key) => key !== own && closePane(sessionId, key)),
    },
  ]
}

/** Puts the next pane on screen in front, with the focus in it. */
function stepPane(sessionId: string, step: 1 | -1): void {
  const { root, front } = sessionPanes(sessionId)
  const keys = groupsOf(root).length > 1 ? groupsOf(root).map(({ active }) => active) : panesIn(root).map(paneKey)
  const key = keys.at((keys.indexOf(front) + step) % keys.length)
  if (key === undefined) return
  showPane(sessionId, key)
  requestAnimationFrame(() => focusIn(key))
}

const FOCUSABLE = 'textarea:not([tabindex="-1"]), [contenteditable="true"], [tabindex="0"], button, input, a[href]'

/** Focuses what a user would use first in a pane: the message box of a conversation, the terminal, the list. */
function focusIn(key: string): void {
  const pane = document.querySelector<HTMLElement>(`[data-pane-key="${CSS.escape(key)}"]`)
  const typing = pane?.querySelector<HTMLElement>('textarea[data-composer], .xterm-helper-textarea, .cm-content')
  const target = typing ?? pane?.querySelector<HTMLElement>(FOCUSABLE)
  const tab = document.querySelector<HTMLElement>(`[data-pane-tab="${CSS.escape(key)}"]`)
  ;(target ?? tab)?.focus()
}
