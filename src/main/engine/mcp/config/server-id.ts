import { createHash } from 'node:crypto'
import type { McpScope, McpServerDefinition } from '../../../../shared/model/mcp'
import type { McpPlace } from '../mcp'

/** Names a server for hosts, as long as scope, place and name stay. `where`: the project's folder, or the session. */
export function serverIdOf(scope: McpScope, name: string, where?: string): string {
  return [scope, ...(where === undefined ? [] : [encodeURIComponent(where)]), encodeURIComponent(name)].join('/')
}

/** What an id names; undefined when it names nothing. */
export function placeOfId(serverId: string): McpPlace | { scope: 'session'; sessionId: string; name: string } | undefined {
  try {
    const [scope, ...rest] = serverId.split('/').map(decodeURIComponent)
    const [where, name] = rest
    if (scope === 'user' && rest.length === 1 && where) return { scope, name: where }
    if (rest.length !== 2 || !where || !name) return undefined
    if (scope === 'project') return { scope, folder: where, name }
    return scope === 'session' ? { scope, sessionId: where, name } : undefined
  } catch {
    return undefined
  }
}

/** Of what is run or connected to and with what, so that whoever wants the same shares it. `base`: the folder a command starts in by default. */
export function definitionHash(definition: McpServerDefinition, base: string): string {
  const sorted = (pairs: Readonly<Record<string, string>>): [string, string][] =>
    Object.entries(pairs).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const what =
    definition.transport === 'stdio'
      ? [definition.command, definition.args, sorted(definition.env), definition.cwd ?? null, base]
      : [definition.url, sorted(definition.headers), definition.oauth ?? null]
  return createHash('sha256')
    .update(JSON.stringify([definition.transport, what]))
    .digest('hex')
}
