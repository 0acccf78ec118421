import { RequestError, type McpServer } from '@agentclientprotocol/sdk'
import type { McpServerDefinition } from '../../../../shared/model/mcp'

const START_MS = 30_000
const CALL_MS = 60_000

/** The servers that a client brings along for a session, by name. */
export function mcpServers(servers: readonly McpServer[], cwd: string): Record<string, McpServerDefinition> {
  const found: Record<string, McpServerDefinition> = {}
  for (const server of servers) {
    if (Object.hasOwn(found, server.name))
      throw RequestError.invalidParams({ name: server.name }, `two MCP servers are called ${server.name}`)
    found[server.name] = definitionOf(server, cwd)
  }
  return found
}

function definitionOf(server: McpServer, cwd: string): McpServerDefinition {
  const common = { enabled: true, startTimeoutMs: START_MS, callTimeoutMs: CALL_MS, disabledTools: [] }
  if ('url' in server) return { ...common, transport: server.type, url: server.url, headers: named(server.headers) }
  return { ...common, transport: 'stdio', command: server.command, args: server.args, env: named(server.env), cwd }
}

function named(values: readonly { name: string; value: string }[]): Record<string, string> {
  return Object.fromEntries(values.map(({ name, value }) => [name, value]))
}
