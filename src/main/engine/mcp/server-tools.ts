import { z } from 'zod'
import type { ServerTool, ServerTools, CallContext, Tool, ToolResult } from '../tool/tool'
import type { McpSessions, McpTool, McpUser } from './hub/session-tools'
import { argumentText } from '../../../shared/tool-label'
import type { CallArgument, Preview } from '../../../shared/model/preview'
import { visibleText } from '../../../shared/visible-text'

/**
 * The tools of a session's servers, for its turns: the same array of the same tools until something changes. Undefined
 * without configured servers. With a signal, as before a turn, new servers get a moment to list their tools; without
 * one nothing is started.
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
    disabledTools: () => source.switchedOff().map(toolOf),
    instructions: source.instructions,
  }
}

/** The server validates its own input: only it knows its full schema. */
const anyObject = z.record(z.string(), z.unknown())

const MAX_SUMMARY = 120
/** Maximum characters on an approval card. */
const MAX_PREVIEW = 20_000

/** A server's tool for the loop. `call` enforces timeouts, since it knows of progress and of questions to the user. */
export function mcpTool(
  tool: McpTool,
  call: (input: Record<string, unknown>, ctx: CallContext) => Promise<ToolResult>,
): Tool<typeof anyObject> {
  const { server, serverId, name, fullName, title, description, inputSchema, annotations, saysDestructive, isLocal } =
    tool
  return {
    name: fullName,
    description: description === '' ? (title ?? `${name} of the MCP server ${server}`) : description,
    input: anyObject,
    schema: inputSchema,
    annotations,
    server: { name: server, ...(serverId !== undefined && { id: serverId }), tool: name, saysDestructive },
    timeoutMs: null,
    async prepare(input) {
      return {
        summary: summaryOf(input),
        accesses: [{ kind: 'server', server, local: isLocal, write: !annotations.readOnly }],
        preview: async () => previewOf(tool, input),
        run: (ctx) => call(input, ctx),
      }
    },
  }
}

/** The first simple values, on one line. */
function summaryOf(input: Record<string, unknown>): string {
  const text = Object.values(input)
    .flatMap((value) =>
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : [],
    )
    .join(', ')
    .replaceAll(/\s+/g, ' ')
  return text.length > MAX_SUMMARY ? `${text.slice(0, MAX_SUMMARY - 1)}…` : text
}

function previewOf({ server, name, title }: McpTool, input: Record<string, unknown>): Preview {
  let room = MAX_PREVIEW
  let left = 0
  const values: CallArgument[] = []
  for (const [key, value] of Object.entries(input)) {
    const [shownKey, text] = [visibleText(key), visibleText(argumentText(value))]
    const shown = text.slice(0, Math.max(0, room - shownKey.length))
    if (room > shownKey.length) values.push({ name: shownKey, text: shown })
    left += text.length - shown.length + (room > shownKey.length ? 0 : shownKey.length)
    room -= shownKey.length + shown.length
  }
  return {
    kind: 'call',
    server,
    tool: name,
    ...(title !== undefined && { title }),
    arguments: values,
    ...(left > 0 && { left }),
  }
}
