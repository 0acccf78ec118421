import type { McpScope, McpServerDefinition, McpServerInput, McpServerList } from '../../../../shared/configuration/mcp'
import type { McpPlace } from '../hub/mcp'

/** A server as it is written somewhere, whether or not it may be used. */
export interface ConfiguredServer {
  /** Stable as long as scope, place and name stay. */
  serverId: string
  name: string
  scope: McpScope
  /** Where it is written; absent for a session's. */
  file?: string
  /** The project it belongs to; a server of a project without `cwd` runs there. */
  folder?: string
  /** As written: variables like `${NAME}` stand in it unexpanded. */
  definition: McpServerDefinition
  /** False: a project's, and nobody has accepted exactly this definition. Nothing of it is started, connected or resolved. */
  isAccepted: boolean
}

/** The files servers are written in. */
export interface McpConfig {
  /** Those of the user, then those of the project in `folder`. Reads files at most; `problems` never spoil other servers. */
  read(folder?: string): Promise<{ servers: ConfiguredServer[]; problems: McpServerList['problems'] }>
  /** The definition with its variables filled in, just before it is used. Throws a `CodedError` that names what is missing. */
  expand(server: ConfiguredServer): McpServerDefinition
  /** What is written, for a form: without the values that could be secrets. */
  input(server: ConfiguredServer): McpServerInput
  /** CodedError `config.write_failed`, also when there is another of this name already. */
  save(place: McpPlace, definition: McpServerInput, previousName?: string): Promise<void>
  /** Adds servers to the user's own, all or none. CodedError `request.invalid` when a name is taken and `replace` is not set. */
  addAll(servers: readonly { name: string; definition: McpServerDefinition; replace: boolean }[]): Promise<void>
  remove(place: McpPlace): Promise<void>
  /** What is written for one server is changed, nothing else; with consent staying as it was where only this changes. */
  setEnabled(server: ConfiguredServer, enabled: boolean): Promise<void>
  setToolEnabled(server: ConfiguredServer, tool: string, enabled: boolean): Promise<void>
  /** Called when a file has changed, or what is accepted. */
  onChange(listener: () => void): void
  /** To be called when what is trusted has changed in some folder. */
  trustChanged(): void
  close(): void
}

/** Names a server for hosts, as long as scope, place and name stay. `where`: the project's folder, or the session. */
export function serverIdOf(scope: McpScope, name: string, where?: string): string {
  return [scope, ...(where === undefined ? [] : [encodeURIComponent(where)]), encodeURIComponent(name)].join('/')
}

/** What an id names, `where` being the folder of a project or a session; undefined when it names nothing. */
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

/** A configured server, and whether another of its name is used instead. */
export interface EffectiveServer {
  server: ConfiguredServer
  /** The place of the one that hides it. */
  hiddenBy?: string
}

const PRECEDENCE = ['session', 'project', 'user'] as const

/** Which of several servers of one name counts: that nearest to the session. One that nobody has accepted, or that is switched off, hides nothing. */
export function effectiveServers(servers: readonly ConfiguredServer[]): EffectiveServer[] {
  return servers.map((server) => {
    const hiding = servers.find(
      (other) =>
        other.name === server.name && other.isAccepted && other.definition.enabled && rank(other) < rank(server),
    )
    return { server, ...(hiding && { hiddenBy: hiding.file ?? 'this session' }) }
  })
}

/** Whether calls may use it. */
export function isUsable({ server, hiddenBy }: EffectiveServer): boolean {
  return server.isAccepted && server.definition.enabled && hiddenBy === undefined
}

function rank({ scope }: ConfiguredServer): number {
  return PRECEDENCE.indexOf(scope)
}
