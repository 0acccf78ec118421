import type { ServerTool, ServerTools } from '../../tool/server-tool'
import type { McpSessions, McpTool, McpUser } from '../mcp-tool'
import { mcpTool } from './mcp-tool-adapter'

/**
 * The tools of a session's servers, for its turns: the same array of the same tools until something changes. Undefined where no server is configured. With a signal, as before a turn,
 * servers that are not known yet get a moment to say what they offer; without one nothing is started.
 */
export async function serverTools(
  mcp: Pick<McpSessions, 'forTurn' | 'toolsOf' | 'call'>,
  user: McpUser,
  signal?: AbortSignal,
): Promise<ServerTools | undefined> {
  const source = signal ? await mcp.forTurn(user, signal) : await mcp.toolsOf(user)
  if (!source) return undefined
  const made = new WeakMap<McpTool, ServerTool>()
  let before: readonly McpTool[] | undefined
  let tools: readonly ServerTool[] = []
  const toolOf = (tool: McpTool): ServerTool => {
    const known = made.get(tool)
    if (known) return known
    const adapted = mcpTool(tool, (input, ctx) => mcp.call(user, tool, input, ctx)) as unknown as ServerTool
    made.set(tool, adapted)
    return adapted
  }
  return {
    tools() {
      const now = source.tools()
      if (now !== before) {
        before = now
        tools = now.map(toolOf)
      }
      return tools
    },
    switchedOff: () => source.switchedOff().map(toolOf),
    instructions: source.instructions,
  }
}
