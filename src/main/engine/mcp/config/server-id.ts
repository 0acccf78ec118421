import type { McpScope } from '../../../../shared/model/mcp'

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
