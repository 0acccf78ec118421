import { useCallback, useMemo, useRef, useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { Complete, CompletionSources } from '../../features/composer/completion-list'
import { useClient, useSettings } from '../../state/page/queries'
import { slashCommands } from './slash-commands'
import { promptCommand, type McpPrompt } from '../../../shared/configuration/customize/mcp-content'
import type { SlashCommand } from '../../features/composer/completion'
import { useSessionActions } from '../../state/session/session-actions'
import { useSessionStore } from '../../state/session/session-view'

const LIMIT = 12

/**
 * The entries for `@` in a session: files of its project, then resources of its MCP servers; after `server:` only
 * those.
 */
export function useMentions(sessionId: string): Complete {
  const client = useClient()
  return useCallback(
    async (query) => {
      const [files, resources] = await Promise.all([
        client.folder.complete({ sessionId, query, limit: LIMIT }),
        // A failing server must not hide the files.
        client.mcpContent.resources({ sessionId, query, limit: 50 }).catch(() => []),
      ])
      // The query is a URI, so files come last.
      const isServers = query.includes(':') && resources.length > 0
      const found = resources.slice(0, isServers ? 50 : LIMIT).map((resource) => ({ resource }))
      return isServers ? [...found, ...files] : [...files, ...found]
    },
    [client, sessionId],
  )
}

/** Values for the argument of a prompt, as proposed by its server. */
export function usePromptArguments(sessionId: string): CompletionSources['completeArgument'] {
  const client = useClient()
  return useCallback(
    ({ prompt: { server, name }, argument, query, given }) =>
      client.mcpContent.complete({ sessionId, server, prompt: name, argument: argument.name, value: query, given }),
    [client, sessionId],
  )
}

const ORIGINS = { project: 'this project', user: 'personal', plugin: 'plugin', 'built-in': 'Trestle' } as const

/**
 * The entries for `/` in a session: the app's commands, then the project's skills, which are read again when the list
 * opens.
 */
export function useSlashCommands(
  sessionId: string,
  folder: string | undefined,
  openTools: () => void,
): { commands: readonly SlashCommand[]; prompts: readonly McpPrompt[]; refresh: (query: string) => void } {
  const client = useClient()
  const { store } = useSessionStore(sessionId)
  const actions = useSessionActions()
  const { data: settings } = useSettings()
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
    const own = slashCommands({
      client,
      actions,
      sessionId,
      folder,
      view: () => store.getState().view,
      settings: () => settings,
      openTools,
    })
    const found = (data?.skills ?? []).filter(
      (skill) => skill.hiddenBy === undefined && !own.some(({ name }) => name === skill.name),
    )
    return [
      ...own,
      ...found.map(({ name, description, source }) => ({ name, description, origin: ORIGINS[source] })),
      ...prompts.map((prompt) => ({
        name: promptCommand(prompt),
        description: prompt.description || (prompt.title ?? prompt.name),
        origin: prompt.server,
      })),
    ]
  }, [actions, client, data, folder, openTools, prompts, sessionId, settings, store])
  return { commands, prompts, refresh }
}

const NONE: readonly McpPrompt[] = []
/** How long a list counts as fresh, in ms. */
const FRESH_MS = 2_000

/**
 * Prompts of the MCP servers of a session, loaded when the user types a command. `lookUp` gets the text after the
 * slash: with `mcp:server:` that server is queried, and started if needed.
 */
function useMcpPrompts(sessionId: string): { prompts: readonly McpPrompt[]; lookUp: (query: string) => void } {
  const client = useClient()
  const [prompts, setPrompts] = useState(NONE)
  const asked = useRef(new Map<string, number>())
  const lookUp = useCallback(
    (query: string) => {
      const server = /^mcp:([^:]+):/.exec(query)?.[1] ?? ''
      const now = performance.now()
      if (now - (asked.current.get(server) ?? Number.NEGATIVE_INFINITY) < FRESH_MS) return
      asked.current.set(server, now)
      const take = (found: readonly McpPrompt[]): void =>
        setPrompts((before) => {
          const others = server === '' ? [] : before.filter((one) => !found.some((two) => two.server === one.server))
          const next = [...others, ...found]
          return JSON.stringify(next) === JSON.stringify(before) ? before : next
        })
      // Without the list a command can still be typed, and sending it reports errors.
      client.mcpContent.prompts({ sessionId, ...(server !== '' && { server }) }).then(take, () => undefined)
    },
    [client, sessionId],
  )
  return { prompts, lookUp }
}
