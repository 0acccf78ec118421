import { createHash } from 'node:crypto'
import type { ConfiguredServer, McpConfig } from '../config/configured-server'
import { type ServerSandboxes, type SharedServerDeps, type StartPlan, sandboxSetting } from './start-plan'
import { SharedServer } from './shared-server'
import type { McpServerDefinition } from '../../../../shared/configuration/customize/mcp'

export interface HubDeps extends SharedServerDeps {
  config: McpConfig
  sandboxes: ServerSandboxes
}

/** All servers of the app: one instance for each definition, shared by all sessions. */
export interface Hub {
  /** The shared server for a configured server that has been accepted. */
  sharedOf(server: ConfiguredServer): SharedServer
  /** The same, or undefined if it was never requested. */
  knownOf(server: ConfiguredServer): SharedServer | undefined
  planOf(server: ConfiguredServer): StartPlan
  keyOf(server: ConfiguredServer): string
  /** The projects whose servers were requested. */
  folders(): readonly string[]
  /** Call when the session was removed. */
  leave(sessionId: string): void
  /** Ends servers whose definition is no longer configured. */
  stopOthers(isWanted: (key: string) => boolean): void
  all(): readonly SharedServer[]
  close(): Promise<void>
}

export function createHub(deps: HubDeps): Hub {
  const { config, sandboxes } = deps
  const servers = new Map<string, SharedServer>()
  const folders = new Set<string>()
  let isClosed = false
  const { cwdOf } = sandboxes
  const keyOf = (server: ConfiguredServer): string => definitionKey(server, cwdOf(server))

  return {
    keyOf,
    knownOf: (server) => servers.get(keyOf(server)),
    sharedOf(server) {
      if (!server.isAccepted) throw new Error(`${server.name} was not accepted.`)
      if (isClosed) throw new Error('The hub is closed.')
      if (server.folder !== undefined) folders.add(server.folder)
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
    folders: () => [...folders],
    leave(sessionId) {
      for (const shared of servers.values()) shared.leave(sessionId)
    },
    stopOthers(isWanted) {
      for (const [key, shared] of servers) {
        if (isWanted(key)) continue
        servers.delete(key)
        void shared.stop('Its definition was changed or removed.')
      }
    },
    all: () => [...servers.values()],
    async close() {
      isClosed = true
      await Promise.all([...servers.values()].map((shared) => shared.stop('Trestle is closed.')))
    },
  }
}

/**
 * Identifies what is run or connected to, and with what: equal for two servers that can share one process or
 * connection. `cwd`: the folder for a server whose definition has none. Excludes settings that do not affect the server
 * itself: whether it is enabled, timeouts, disabled tools. 24 hex digits.
 */
function definitionKey({ definition, scope, folder }: ConfiguredServer, cwd: string): string {
  const sandbox = definition.transport === 'stdio' ? sandboxSetting({ scope, definition }) : 'unrestricted'
  // A sandbox belongs to one project, so other projects' servers cannot share it.
  const what = [...whatRuns(definition, cwd), ...(sandbox === 'unrestricted' ? [] : [sandbox, folder ?? ''])]
  // Variables differ by scope: a project's definition cannot use all those that the user's own can.
  const meaning = JSON.stringify(what).includes('${') ? [scope, folder ?? ''] : []
  return createHash('sha256')
    .update(JSON.stringify([what, meaning]))
    .digest('hex')
    .slice(0, 24)
}

function whatRuns(definition: McpServerDefinition, cwd: string): unknown[] {
  if (definition.transport === 'stdio')
    return ['stdio', definition.command, definition.args, sorted(definition.env), definition.cwd ?? cwd]
  return [definition.transport, definition.url, sorted(definition.headers), sorted({ ...definition.oauth })]
}

function sorted(record: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1))
}
