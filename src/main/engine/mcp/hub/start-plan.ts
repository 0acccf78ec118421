import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type {
  McpServerDefinition,
  McpServerSandbox,
  McpServerView,
} from '../../../../shared/configuration/customize/mcp'
import type { ClientFeatures } from '../ask/client-features'
import type { ConnectionHooks, ConnectionPlan } from '../protocol/connection'
import type { ListingCache } from './server-listing'
import { CodedError } from '../../../../shared/errors'
import type { ProgramSandboxes } from '../../sandbox/program-sandboxes'
import type { SandboxPolicy } from '../../sandbox/sandbox-policy'
import { isWithin } from '../../workspace/path/real-path'
import { realFolder } from '../config/find-servers'
import type { ConfiguredServer } from '../config/configured-server'

/** What a shared server needs from the hub. */
export interface SharedServerDeps {
  home: string
  version: string
  /** Loads the protocol library. */
  hooks(): Promise<ServerHooks>
  cache: ListingCache
  /** The environment of commands. */
  env(): Record<string, string>
  /** Resolves when the environment is complete. */
  ready?(): Promise<void>
  /** It is stopped after this long without use; 0: never. */
  idleMs(): number
  /** Called when another session uses it. */
  joined(): void
  /** Called when its displayed state or its tools may have changed. */
  changed(): void
  random(): number
}

/** The hooks of every connection, plus what a call may require before it can be made. */
export type ServerHooks = ConnectionHooks & Pick<ClientFeatures, 'openPages'>

/** How the server is started: everything that differs between the users of one definition. */
export interface StartPlan {
  name: string
  cwd: string
  /** With variables expanded; throws a `CodedError`. */
  definition(): McpServerDefinition
  /** The start options of a program in its sandbox. */
  sandbox: ConnectionPlan['sandbox']
}

/** The sandboxes of servers that run on this machine. */
export interface ServerSandboxes {
  /** The folder where a server without `cwd` runs. */
  cwdOf(server: ConfiguredServer): string
  /** The planned sandbox; undefined for a remote server. */
  view(server: ConfiguredServer): Promise<McpServerView['sandbox']>
  /** The start options; `definition` has its variables expanded. Throws `mcp.start`. */
  policyOf(server: ConfiguredServer, definition: McpServerDefinition): Promise<SandboxPolicy | undefined>
}

export interface ServerSandboxesDeps {
  home: string
  userHome: string
  /** Absent: nothing is sandboxed. */
  sandboxes?: ProgramSandboxes
}

/**
 * A project's server always runs in a sandbox: its definition can only make the sandbox stricter. The user's own
 * servers, and those of an editor, run in one only if their definition requests it.
 */
export function sandboxSetting({
  scope,
  definition,
}: Pick<ConfiguredServer, 'scope' | 'definition'>): McpServerSandbox {
  const asked = definition.transport === 'stdio' ? definition.sandbox : undefined
  if (scope === 'project') return asked === 'project-offline' ? asked : 'project'
  return asked ?? 'unrestricted'
}

export function createServerSandboxes({ home, userHome, sandboxes }: ServerSandboxesDeps): ServerSandboxes {
  /** The user's own server serves every project, so without `cwd`, its sandbox has a separate folder to write to. */
  const ownFolder = ({ serverId }: ConfiguredServer): string =>
    join(home, 'mcp-data', createHash('sha256').update(serverId).digest('hex').slice(0, 24))

  const cwdOf = (server: ConfiguredServer): string => {
    if (server.folder !== undefined) return server.folder
    return server.definition.transport === 'stdio' && sandboxSetting(server) !== 'unrestricted'
      ? ownFolder(server)
      : userHome
  }

  return {
    cwdOf,
    async view(server) {
      if (server.definition.transport !== 'stdio') return undefined
      if (!sandboxes || sandboxSetting(server) === 'unrestricted') return { level: 'unrestricted', network: 'open' }
      return sandboxes.describe({ root: cwdOf(server), network: networkOf(server) })
    },
    async policyOf(server, definition) {
      if (!sandboxes || definition.transport !== 'stdio' || sandboxSetting(server) === 'unrestricted') return undefined
      const root = server.scope === 'user' ? (definition.cwd ?? cwdOf(server)) : cwdOf(server)
      const names = [definition.command, ...definition.args]
      const program = {
        root,
        network: networkOf(server),
        scope: `mcp-${randomBytes(8).toString('hex')}`,
        names,
        own: server.plugin ? [server.plugin.root] : [],
      }
      const policy = await sandboxes.policy(program).catch((error: Error) => {
        throw new CodedError('mcp.start', error.message, { cause: error })
      })
      const cwd = realFolder(definition.cwd ?? root)
      if (
        policy &&
        ![policy.root, ...policy.read, ...policy.write, ...(policy.own ?? [])].some((folder) => isWithin(cwd, folder))
      )
        throw new CodedError(
          'mcp.start',
          `It runs in ${cwd}, which is outside the project. ` +
            'Its sandbox shows that folder only if [sandbox] read in config.toml lists it.',
        )
      return policy
    },
  }
}

function networkOf(server: ConfiguredServer): 'none' | 'open' {
  return sandboxSetting(server) === 'project-offline' ? 'none' : 'open'
}
