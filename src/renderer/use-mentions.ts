import { useCallback } from 'react'
import type { Complete, CompletionSources } from './features/composer/use-completion'
import { useClient } from './state/trestle-context'

const LIMIT = 12

/** What `@` offers in a session: files of its project, then resources of its MCP servers; behind `server:` only those. */
export function useMentions(sessionId: string): Complete {
  const client = useClient()
  return useCallback(
    async (query) => {
      const [files, resources] = await Promise.all([
        client.folder.complete({ sessionId, query, limit: LIMIT }),
        // A server that does not work is no reason to offer no files.
        client.mcpContent.resources({ sessionId, query, limit: 50 }).catch(() => []),
      ])
      // An address was begun: files come after it.
      const isServers = query.includes(':') && resources.length > 0
      const found = resources.slice(0, isServers ? 50 : LIMIT).map((resource) => ({ resource }))
      return isServers ? [...found, ...files] : [...files, ...found]
    },
    [client, sessionId],
  )
}

/** Values for the argument of a prompt, as its server proposes them. */
export function usePromptArguments(sessionId: string): CompletionSources['completeArgument'] {
  const client = useClient()
  return useCallback(
    ({ prompt: { server, name }, argument, query, given }) =>
      client.mcpContent.complete({ sessionId, server, prompt: name, argument: argument.name, value: query, given }),
    [client, sessionId],
  )
}
