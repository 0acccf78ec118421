import type { McpServerDefinition } from '../../../../shared/model/mcp'
import type { ConfiguredServer } from '../mcp-config'
import type { Listing } from '../connection/listing'
import type { McpTool } from '../mcp-tool'
import type { ListedTool } from '../tool/read-tools'
import { toolNames } from '../tool/tool-names'

/** A server of a session, and what it is known to offer. */
export interface OfferingServer {
  server: ConfiguredServer
  tools: readonly ListedTool[]
}

/** The tools of these servers that a model can be offered, under names of their own. */
export function sessionTools(servers: readonly OfferingServer[]): McpTool[] {
  return named(
    servers.flatMap(({ server, tools }) => {
      const { fitting } = offeredTools(server.definition, tools)
      return fitting.map((tool) => ({ server, tool }))
    }),
  )
}

/** Those that could be offered, were they not switched off. */
export function switchedOffTools(servers: readonly OfferingServer[]): McpTool[] {
  return named(
    servers.flatMap(({ server, tools }) =>
      tools.filter((tool) => tool.problem === undefined && !isOn(server.definition, tool.name)).map((tool) => ({ server, tool })),
    ),
  )
}

function named(offered: readonly { server: ConfiguredServer; tool: ListedTool }[]): McpTool[] {
  const names = toolNames(offered.map(({ server, tool }) => ({ server: server.name, name: tool.name })))
  const taken = new Set<string>()
  return offered.flatMap(({ server, tool }, index): McpTool[] => {
    const fullName = names[index]!
    // Only somebody who computes our hashes comes here.
    if (taken.has(fullName)) return []
    taken.add(fullName)
    const { name, title, description, inputSchema, annotations, saysDestructive, needsTask } = tool
    return [
      {
        server: server.name,
        serverId: server.serverId,
        name,
        fullName,
        ...(title !== undefined && { title }),
        description,
        inputSchema,
        annotations,
        saysDestructive,
        ...(needsTask && { needsTask }),
        isLocal: isLocal(server),
      },
    ]
  })
}

/** The same list while nothing has changed: requests to models are compared by identity. */
export function unchanged(before: readonly McpTool[], after: readonly McpTool[]): readonly McpTool[] {
  const isSame =
    before.length === after.length &&
    before.every((tool, index) => {
      const other = after[index]!
      // A listing that stays the same keeps its objects.
      return tool.fullName === other.fullName && tool.inputSchema === other.inputSchema && tool.description === other.description
    })
  return isSame ? before : after
}

/** Characters of all schemas and descriptions of a server: more than any real one has, and not so many that nothing else fits into a request. */
const MOST_CHARS = 256 * 1024

/** What the model is told of a server whose tools it does not have all: it would look for them, or say that there are none. */
export function leftOut({ definition }: Pick<ConfiguredServer, 'definition'>, { tools, hasMoreTools }: Listing): string[] {
  const { left } = offeredTools(definition, tools)
  return [
    ...(hasMoreTools ? [`[The server has more tools than the ${tools.length} that were read.]`] : []),
    ...(left.size > 0
      ? [`[${left.size} tools of the server are not offered, because there are too many: the user can switch off others.]`]
      : []),
  ]
}

/** What of a server's tools can be offered: those that can be used and are switched on, as far as they fit; `left`: those that do not. */
export function offeredTools(
  definition: Pick<McpServerDefinition, 'disabledTools' | 'enabledTools'>,
  tools: readonly ListedTool[],
): { fitting: ListedTool[]; left: ReadonlySet<ListedTool> } {
  let chars = 0
  const fitting: ListedTool[] = []
  const left = new Set<ListedTool>()
  for (const tool of tools) {
    if (tool.problem !== undefined || !isOn(definition, tool.name)) continue
    chars += sizeOf(tool)
    if (chars <= MOST_CHARS) fitting.push(tool)
    else left.add(tool)
  }
  return { fitting, left }
}

const sizes = new WeakMap<ListedTool, number>()

function sizeOf(tool: ListedTool): number {
  const size = sizes.get(tool) ?? tool.name.length + tool.description.length + JSON.stringify(tool.inputSchema).length
  sizes.set(tool, size)
  return size
}

/** Whether the user lets this tool be offered. */
export function isOn({ disabledTools, enabledTools }: Pick<McpServerDefinition, 'disabledTools' | 'enabledTools'>, tool: string): boolean {
  return !disabledTools.includes(tool) && (enabledTools?.includes(tool) ?? true)
}

/** Whether it can touch the files of this machine. */
function isLocal({ definition }: ConfiguredServer): boolean {
  if (definition.transport === 'stdio') return true
  const host = URL.canParse(definition.url) ? new URL(definition.url).hostname : ''
  return host === 'localhost' || host === '[::1]' || host.startsWith('127.')
}
