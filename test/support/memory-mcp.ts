import { CodedError } from '../../src/shared/errors'
import type { Engine } from '../../src/main/engine/engine-api'

/** An engine without MCP servers, for unrelated tests. */
export function memoryMcp(): Engine['mcp'] {
  const list = async () => ({ servers: [], problems: [] })
  const none = (serverId: string): Promise<never> =>
    Promise.reject(new CodedError('mcp.not_found', `There is no MCP server ${serverId}.`))
  return {
    list,
    definition: none,
    save: list,
    remove: list,
    import: list,
    imports: async () => [],
    previewImport: none,
    setEnabled: none,
    setToolEnabled: none,
    restart: none,
    test: none,
    logs: none,
    signIn: none,
    signOut: none,
    callTool: none,
    useInSession: () => undefined,
    leave: () => undefined,
  }
}

/** The content of those servers. */
export function memoryMcpContent(): Engine['mcpContent'] {
  return {
    prompts: async () => [],
    resources: async () => [],
    complete: async () => [],
    read: (_sessionId, server) =>
      Promise.reject(new CodedError('request.invalid', `There is no MCP server ${server}.`)),
  }
}
