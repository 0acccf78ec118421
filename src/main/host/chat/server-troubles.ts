import type { McpServerView } from '../../../shared/model/mcp'
import { oneLine } from './screen/safe-text'

/** Says once of each MCP server that it gives no tools, and what to do about it. */
export class ServerTroubles {
  readonly #told = new Set<string>()

  /** The lines that have not been said yet. */
  news(servers: readonly McpServerView[]): string[] {
    return servers.flatMap(({ serverId, name, state, hiddenBy, error }) => {
      if (hiddenBy !== undefined || (state !== 'sign_in' && state !== 'failed')) return []
      const key = `${serverId} ${state}`
      if (this.#told.has(key)) return []
      this.#told.add(key)
      const shown = oneLine(name)
      if (state === 'sign_in')
        return [`The MCP server ${shown} wants you to sign in: trestle mcp login ${shown}. The agent goes on without it.`]
      return [
        `The MCP server ${shown} could not be reached: ${oneLine(error?.message ?? 'it does not say why.')} The agent goes on without it.`,
      ]
    })
  }
}
