import { useCallback, useRef, useState } from 'react'
import type { McpPrompt } from '../../shared/model/mcp-content'
import { useClient } from './trestle-context'

const NONE: readonly McpPrompt[] = []
/** So long a list counts as fresh, in ms. */
const FRESH_MS = 2_000

/**
 * Prompts of the MCP servers of a session, looked up when somebody writes a command. `lookUp` gets what stands behind the slash: with `mcp:server:` that server is
 * asked, and started where it was never seen.
 */
export function useMcpPrompts(sessionId: string): { prompts: readonly McpPrompt[]; lookUp: (query: string) => void } {
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
      // Without the list a command can still be written, and sending it says what is wrong.
      client.mcpContent.prompts({ sessionId, ...(server !== '' && { server }) }).then(take, () => undefined)
    },
    [client, sessionId],
  )
  return { prompts, lookUp }
}
