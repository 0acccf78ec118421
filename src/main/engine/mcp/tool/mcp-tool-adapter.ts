import { z } from 'zod'
import { argumentText } from '../../../../shared/model/argument-text'
import type { CallArgument, Preview } from '../../../../shared/model/preview'
import { visibleText } from '../../../../shared/model/visible-text'
import type { CallContext, Tool, ToolResult } from '../../tool/tool'
import type { McpTool } from '../mcp-tool'

/** The server judges its input itself: it alone knows its schema in full. */
const anyObject = z.record(z.string(), z.unknown())

const MOST_SUMMARY = 120
/** Characters of an approval card. */
const MOST_PREVIEW = 20_000

/** A tool of a server as the loop takes it. Time limits are kept by `call`, which knows of progress and of questions to a person. */
export function mcpTool(
  tool: McpTool,
  call: (input: Record<string, unknown>, ctx: CallContext) => Promise<ToolResult>,
): Tool<typeof anyObject> {
  const { server, serverId, name, fullName, title, description, inputSchema, annotations, saysDestructive, isLocal } = tool
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

/** The first values that say something, on one line. */
function summaryOf(input: Record<string, unknown>): string {
  const text = Object.values(input)
    .flatMap((value) => (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : []))
    .join(', ')
    .replaceAll(/\s+/g, ' ')
  return text.length > MOST_SUMMARY ? `${text.slice(0, MOST_SUMMARY - 1)}…` : text
}

function previewOf({ server, name, title }: McpTool, input: Record<string, unknown>): Preview {
  let room = MOST_PREVIEW
  let left = 0
  const values: CallArgument[] = []
  for (const [key, value] of Object.entries(input)) {
    const [shownKey, text] = [visibleText(key), visibleText(argumentText(value))]
    const shown = text.slice(0, Math.max(0, room - shownKey.length))
    if (room > shownKey.length) values.push({ name: shownKey, text: shown })
    left += text.length - shown.length + (room > shownKey.length ? 0 : shownKey.length)
    room -= shownKey.length + shown.length
  }
  return { kind: 'call', server, tool: name, ...(title !== undefined && { title }), arguments: values, ...(left > 0 && { left }) }
}
