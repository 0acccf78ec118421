import type { McpServerDefinition } from '../../../../shared/model/mcp'
import type { ConfiguredServer } from '../mcp-config'
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
  const offered = servers.flatMap(({ server, tools }) => {
    return tools.filter(({ name, problem }) => problem === undefined && isOn(server.definition, name)).map((tool) => ({ server, tool }))
  })
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
