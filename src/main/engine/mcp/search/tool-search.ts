import { z } from 'zod'
import { nearest } from '../../../../shared/nearest'
import { serverToolId, type ServerTool } from '../../tool/server-tool'
import { failed, ok, refuse, type Tool, type ToolResult } from '../../tool/tool'
import description from './tool-search.md?raw'
import type { ToolIndex } from '../ranking/tool-index'

const input = z.strictObject({
  tool_id: z.string().trim().min(1).max(300).optional().describe('Exact id of a tool, in the form server_name::tool_name'),
  query: z.string().trim().min(1).max(1000).optional().describe('Keywords to search for matching tools'),
  max_results: z.int().min(1).max(50).default(5).describe('Most results of a query'),
})

type Input = z.output<typeof input>

/** Characters of a description in a result; the whole comes with the schema. */
const SHOWN = 200

export const TOOL_SEARCH = 'tool_search'

/** Finds tools of servers by id or keywords; what it finds is loaded for the session, which the details of its result record. */
export function toolSearchTool(deps: {
  /** Those that can be found. */
  tools: readonly ServerTool[]
  /** Made when it is first needed. */
  index(): Promise<ToolIndex>
  threshold: number
}): Tool<typeof input> {
  return {
    name: TOOL_SEARCH,
    description,
    input,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    async prepare(asked) {
      const { tool_id: id, query } = asked
      if ((id === undefined) === (query === undefined))
        return refuse('Give exactly one of tool_id (an exact id, server_name::tool_name) and query (keywords), not both.')
      return {
        summary: id ?? query ?? '',
        accesses: [],
        run: async () => (id === undefined ? byKeywords(asked) : byId(id)),
      }
    },
  }

  function byId(id: string): ToolResult {
    const tool = deps.tools.find((each) => serverToolId(each) === id || each.name === id)
    if (tool) return loaded(id, [tool])
    const near = nearest(id, deps.tools.map(serverToolId))
    const advice = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'Search for it with query.'
    return failed(`There is no tool with the id ${JSON.stringify(id)}. ${advice}`)
  }

  async function byKeywords({ query = '', max_results: limit }: Input): Promise<ToolResult> {
    const index = await deps.index()
    const matches = index.search(query, { limit, threshold: deps.threshold })
    if (matches.length === 0)
      return ok(
        `No tool matches ${JSON.stringify(query)}. Try other words for what is to be done and to what, or an exact id from the list (tool_id).`,
        { kind: 'tools', query, tools: [] },
      )
    return loaded(
      query,
      matches.map(({ tool }) => tool),
    )
  }
}

/** The result that loads these tools. */
function loaded(query: string, tools: readonly ServerTool[]): ToolResult {
  const lines = tools.map((tool) => `- ${tool.name} (${serverToolId(tool)}): ${beginning(tool.description)}`)
  return ok(
    `Loaded; you can call ${tools.length === 1 ? 'it' : 'them'} from your next step on:\n${lines.join('\n')}`,
    loading(query, tools),
  )
}

/** What a result records that loads tools. */
export function loading(query: string, tools: readonly ServerTool[]): NonNullable<ToolResult['details']> {
  return {
    kind: 'tools',
    query,
    tools: tools.map((tool) => ({ id: serverToolId(tool), name: tool.name, description: beginning(tool.description) })),
  }
}

function beginning(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > SHOWN ? `${line.slice(0, SHOWN - 1).toWellFormed()}…` : line
}
