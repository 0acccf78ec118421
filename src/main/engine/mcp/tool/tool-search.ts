import { z } from 'zod'
import { lazySchema, type SchemaOutput } from '../../../../shared/lazy-schema'
import { nearest } from '../../../../shared/nearest'
import { toolDigest, toolLine } from '../../context/facts/context-fact'
import { CALL_TOOL } from '../../tool/call-tool'
import { toolSchema } from '../../tool/registry'
import { serverToolId, type ServerTool, failed, ok, refuse, type Tool, type ToolResult } from '../../tool/tool'
import description from './tool-search.md?raw'
import type { ToolIndex } from './tool-index'
import { shortText } from '../../../../shared/cut-text'

const input = lazySchema(() =>
  z.strictObject({
    tool_id: z
      .string()
      .trim()
      .min(1)
      .max(300)
      .optional()
      .describe('Exact id of a tool, in the form server_name::tool_name'),
    query: z.string().trim().min(1).max(1000).optional().describe('Keywords to search for matching tools'),
    max_results: z.int().min(1).max(50).default(5).describe('Most results of a query'),
  }),
)

type Input = SchemaOutput<typeof input>

/** Maximum characters of a description that are shown to the user. */
const SHOWN_CHARS = 200
/** Maximum characters of schemas in a result; the first tool is included at any size. */
const MAX_SCHEMA_CHARS = 40_000
/** Longer than the longest schema that a server can have. */
const MAX_RESULT_CHARS = 400_000

export const TOOL_SEARCH = 'tool_search'

/**
 * Finds servers' tools by id or keywords; found tools are loaded for the session, which the result's details record.
 */
export function toolSearchTool(deps: {
  /** The searchable tools. */
  tools: readonly ServerTool[]
  /** Created on first use. */
  index(): Promise<ToolIndex>
  threshold: number
}): Tool<typeof input> {
  return {
    name: TOOL_SEARCH,
    description,
    input,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    maxResultChars: MAX_RESULT_CHARS,
    async prepare(asked) {
      const { tool_id: id, query } = asked
      if ((id === undefined) === (query === undefined))
        return refuse(
          'Give exactly one of tool_id (an exact id, server_name::tool_name) and query (keywords), not both.',
        )
      return {
        summary: id ?? query ?? '',
        accesses: [],
        run: async () => (id === undefined ? byKeywords(asked) : byId(id)),
      }
    },
  }

  function byId(id: string): ToolResult {
    const tool = deps.tools.find((each) => serverToolId(each) === id || each.name === id)
    if (tool) return loadResult(id, [tool])
    const near = nearest(id, deps.tools.map(serverToolId))
    const advice = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'Search for it with query.'
    return failed(`There is no tool with the id ${JSON.stringify(id)}. ${advice}`)
  }

  async function byKeywords({ query = '', max_results: limit }: Input): Promise<ToolResult> {
    const index = await deps.index()
    const matches = index.search(query, { limit, threshold: deps.threshold })
    if (matches.length === 0)
      return ok(
        `No tools match ${JSON.stringify(query)}. ` +
          'Try other words for what is to be done and to what, or an exact id from the list (tool_id).',
        { kind: 'tools', query, tools: [] },
      )
    return loadResult(
      query,
      matches.map(({ tool }) => tool),
    )
  }
}

/** The result that loads these tools. */
function loadResult(query: string, tools: readonly ServerTool[]): ToolResult {
  const lines: string[] = []
  const left: string[] = []
  let chars = 0
  for (const tool of tools) {
    const line = `${tool.name} (${serverToolId(tool)})\n${toolLine(toolSchema(tool))}`
    chars += line.length
    if (lines.length > 0 && (chars > MAX_SCHEMA_CHARS || left.length > 0)) left.push(serverToolId(tool))
    else lines.push(line)
  }
  const more =
    left.length === 0
      ? ''
      : `\n\nThese match too, but their schemas are too long to load all at once: ${left.join(', ')}`
  return ok(
    `Loaded. From your next step on, call ${lines.length === 1 ? 'it' : 'them'} with ${CALL_TOOL}, by name:\n\n` +
      `${lines.join('\n\n')}${more}`,
    loadDetails(query, tools.slice(0, lines.length)),
  )
}

/** The details of a result that loads tools; the result's content must contain their schemas. */
function loadDetails(query: string, tools: readonly ServerTool[]): NonNullable<ToolResult['details']> {
  return {
    kind: 'tools',
    query,
    tools: tools.map((tool) => ({
      id: serverToolId(tool),
      name: tool.name,
      description: beginning(tool.description),
      digest: toolDigest(toolSchema(tool)),
    })),
  }
}

function beginning(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return shortText(line, SHOWN_CHARS)
}

/**
 * Replaces a tool that is called before it was loaded. The model has not seen its schema, so its input is a guess and
 * is not run; the result contains the parameters and loads the tool.
 */
export function unloadedTool(tool: ServerTool): Tool {
  const { name, annotations, server } = tool
  const text =
    `${name} was not loaded, so it was not run: its parameters were not known to you. ` +
    `It is loaded now; call it again in your next step, with ${CALL_TOOL}:\n${toolLine(toolSchema(tool))}`
  return {
    name,
    description: tool.description,
    input: lazySchema(() => z.unknown()),
    annotations,
    server,
    prepare: async () => ({ refused: failed(text, loadDetails(serverToolId(tool), [tool])) }),
  }
}
