import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { promptCommand, type McpPrompt } from '../shared/model/mcp-content'
import { SESSION_MODES } from '../shared/model/approval'
import { MODE_NAMES } from '../shared/model/sandbox-words'
import type { SlashCommand } from './features/composer/slash-commands'
import { useMcpPrompts } from './state/mcp-prompts'
import { useLayout } from './state/layout-state'
import { useSessionActions } from './state/session-actions'
import { changeMode } from './state/session-mode'
import { useSessionStore } from './state/session-view'
import { tellFailure } from './state/toasts-state'
import { useClient } from './state/trestle-context'

const ORIGINS = { project: 'this project', user: 'personal', 'built-in': 'Trestle' } as const

/** What `/` offers in a session: the commands of the app, then the skills of its project, which are looked up anew when the list is opened. */
export function useSlashCommands(
  sessionId: string,
  folder: string | undefined,
  openTools: () => void,
): { commands: readonly SlashCommand[]; prompts: readonly McpPrompt[]; refresh: (query: string) => void } {
  const client = useClient()
  const { store } = useSessionStore(sessionId)
  const actions = useSessionActions()
  const skills = useQuery({
    queryKey: ['skills', folder],
    queryFn: () => client.skill.list({ folder: folder ?? '' }),
    enabled: folder !== undefined,
    staleTime: 2_000,
  })
  const { data, refetch, isStale } = skills
  const { prompts, lookUp } = useMcpPrompts(sessionId)
  const refresh = useCallback(
    (query: string) => {
      if (isStale) void refetch()
      lookUp(query)
    },
    [isStale, refetch, lookUp],
  )
  const commands = useMemo(() => {
    const layout = useLayout.getState
    const own: SlashCommand[] = [
      ...(folder === undefined
        ? []
        : [{ name: 'new', description: 'Start another session in this project', run: () => actions.begin(folder) }]),
      { name: 'stop', description: 'Stop the running turn', run: () => void client.session.stop({ sessionId }).catch(tellFailure) },
      {
        name: 'compact',
        description: 'Summarize the conversation to free up context. Add what to keep.',
        send: (argument) => client.session.compact({ sessionId, ...(argument !== '' && { instruction: argument }) }),
      },
      ...SESSION_MODES.map((mode) => ({
        name: mode,
        description: `${mode === 'plan' ? 'Plan mode' : 'Permission mode'}: ${MODE_NAMES[mode]}`,
        run: () => {
          const header = store.getState().view?.header
          if (header) changeMode(client, header, mode)
        },
      })),
      { name: 'tools', description: 'All tools and their token cost', run: openTools },
      { name: 'tasks', description: 'All tasks', run: () => layout().openTasks() },
      { name: 'inbox', description: 'Pending requests', run: () => layout().openInbox() },
      { name: 'settings', description: 'Providers, models, skills', run: () => layout().openSettings() },
      { name: 'help', description: 'Keyboard shortcuts and commands', run: () => layout().setShortcutsOpen(true) },
    ]
    const found = (data?.skills ?? []).filter((skill) => skill.hiddenBy === undefined && !own.some(({ name }) => name === skill.name))
    return [
      ...own,
      ...found.map(({ name, description, source }) => ({ name, description, origin: ORIGINS[source] })),
      ...prompts.map((prompt) => ({
        name: promptCommand(prompt),
        description: prompt.description || (prompt.title ?? prompt.name),
        origin: prompt.server,
      })),
    ]
  }, [actions, client, data, folder, openTools, prompts, sessionId, store])
  return { commands, prompts, refresh }
}
