import type { ConfiguredServer, McpConfig } from '../mcp-config'
import { definitionKey } from '../definition-key'
import type { ServerSandboxes } from './server-sandboxes'
import { SharedServer } from './shared-server'
import type { SharedServerDeps, StartPlan } from './shared-server-deps'

export interface HubDeps extends SharedServerDeps {
  config: McpConfig
  sandboxes: ServerSandboxes
}

/** All servers of the app: one for each definition, whoever uses it. */
export interface Hub {
  /** What runs, or could run, for a configured server that is accepted. */
  sharedOf(server: ConfiguredServer): SharedServer
  /** The same, if anybody has ever asked for it. */
  knownOf(server: ConfiguredServer): SharedServer | undefined
  planOf(server: ConfiguredServer): StartPlan
  keyOf(server: ConfiguredServer): string
  /** The session is gone. */
  leave(sessionId: string): void
  /** Ends those whose definition nobody has any more. */
  stopOthers(isWanted: (key: string) => boolean): void
  all(): readonly SharedServer[]
  close(): Promise<void>
}

export function createHub(deps: HubDeps): Hub {
  const { config, sandboxes } = deps
  const servers = new Map<string, SharedServer>()
  let isClosed = false
  const { cwdOf } = sandboxes
  const keyOf = (server: ConfiguredServer): string => definitionKey(server, cwdOf(server))

  return {
    keyOf,
    knownOf: (server) => servers.get(keyOf(server)),
    sharedOf(server) {
      if (!server.isAccepted) throw new Error(`${server.name} was not accepted.`)
      if (isClosed) throw new Error('The hub is closed.')
      const key = keyOf(server)
      let shared = servers.get(key)
      if (!shared) servers.set(key, (shared = new SharedServer(key, deps)))
      return shared
    },
    planOf: (server) => ({
      name: server.name,
      cwd: cwdOf(server),
      definition: () => config.expand(server),
      sandbox: (definition) => sandboxes.policyOf(server, definition),
    }),
    leave(sessionId) {
      for (const shared of servers.values()) shared.leave(sessionId)
    },
    stopOthers(isWanted) {
      for (const [key, shared] of servers) {
        if (isWanted(key)) continue
        servers.delete(key)
        void shared.stop('Its definition has changed, or nobody has it any more.')
      }
    },
    all: () => [...servers.values()],
    async close() {
      isClosed = true
      await Promise.all([...servers.values()].map((shared) => shared.stop('Trestle is closed.')))
    },
  }
}
