import type { ConfiguredServer } from '../mcp-config'

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
      (other) => other.name === server.name && other.isAccepted && other.definition.enabled && rank(other) < rank(server),
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
