import type {
  McpScope,
  McpServerDefinition,
  McpServerInput,
  McpServerList,
} from '../../../../shared/configuration/customize/mcp'

/** Identifies a server: its scope and its name there. `folder` is set for `project`. */
export type McpPlace = { scope: 'user'; name: string } | { scope: 'project'; folder: string; name: string }

/** A server as configured, whether or not it can be used. */
export interface ConfiguredServer {
  /** Stable as long as scope, location and name stay the same. */
  serverId: string
  name: string
  scope: McpScope
  /** The file that defines it; absent for a session's server. */
  file?: string
  /** The project it belongs to; a project's server without `cwd` runs in it. */
  folder?: string
  /** The plugin it belongs to, and the folder with its files. */
  plugin?: { name: string; root: string }
  /** As written; variables like `${NAME}` are not expanded. */
  definition: McpServerDefinition
  /**
   * False for a project's server whose exact definition has not been accepted. It is not started, connected or
   * resolved.
   */
  isAccepted: boolean
}

/** The files that define servers. */
export interface McpConfig {
  /**
   * The user's servers, then those of the project in `folder`. Only reads files; problems with one server never affect
   * the others.
   */
  read(folder?: string): Promise<{ servers: ConfiguredServer[]; problems: McpServerList['problems'] }>
  /**
   * The definition with its variables expanded, for immediate use. Throws a `CodedError` that names what is missing.
   */
  expand(server: ConfiguredServer): McpServerDefinition
  /** The definition for a form, without values that could be secrets. */
  input(server: ConfiguredServer): McpServerInput
  /** Throws `config.write_failed`, also when the name is already taken. */
  save(place: McpPlace, definition: McpServerInput, previousName?: string): Promise<void>
  /**
   * Adds servers to the user's own, all or none. Throws `request.invalid` when a name is taken and `replace` is not
   * set.
   */
  addAll(servers: readonly { name: string; definition: McpServerDefinition; replace: boolean }[]): Promise<void>
  remove(place: McpPlace): Promise<void>
  /** Changes only this setting of one server; consent is kept if this is the only change. */
  setEnabled(server: ConfiguredServer, enabled: boolean): Promise<void>
  setToolEnabled(server: ConfiguredServer, tool: string, enabled: boolean): Promise<void>
  /** The listener is called when a file or what is accepted has changed. */
  onChange(listener: () => void): void
  /** Call when trust has changed in a folder. */
  trustChanged(): void
  close(): void
}

/**
 * An id for a server in hosts, stable as long as scope, location and name stay the same. `where`: the project's folder,
 * or the session.
 */
export function serverIdOf(scope: McpScope, name: string, where?: string): string {
  return [scope, ...(where === undefined ? [] : [encodeURIComponent(where)]), encodeURIComponent(name)].join('/')
}

/** What an id identifies; `where` is the folder of a project, or a session. Undefined for an invalid id. */
export function readServerId(serverId: string): { scope: McpScope; name: string; where?: string } | undefined {
  try {
    const [scope, ...rest] = serverId.split('/').map(decodeURIComponent)
    const [first, second] = rest
    if (scope === 'user' && rest.length === 1 && first) return { scope, name: first }
    return (scope === 'project' || scope === 'session') && rest.length === 2 && first && second
      ? { scope, where: first, name: second }
      : undefined
  } catch {
    return undefined
  }
}

/** A configured server, and whether another one with the same name overrides it. */
export interface EffectiveServer {
  server: ConfiguredServer
  /** Where the server that overrides it is defined: its file, or `this session`. */
  hiddenBy?: string
}

const PRECEDENCE = ['session', 'project', 'user'] as const

/**
 * Which of several servers with one name applies: the one nearest to the session. Servers that are not accepted or are
 * disabled override nothing.
 */
export function effectiveServers(servers: readonly ConfiguredServer[]): EffectiveServer[] {
  return servers.map((server) => {
    const hiding = servers.find(
      (other) =>
        other.name === server.name && other.isAccepted && other.definition.enabled && rank(other) < rank(server),
    )
    return { server, ...(hiding && { hiddenBy: hiding.file ?? 'this session' }) }
  })
}

/** Whether calls can use it. */
export function isUsable({ server, hiddenBy }: EffectiveServer): boolean {
  return server.isAccepted && server.definition.enabled && hiddenBy === undefined
}

function rank({ scope }: ConfiguredServer): number {
  return PRECEDENCE.indexOf(scope)
}
