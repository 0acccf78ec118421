import { createHash } from 'node:crypto'

const LONGEST = 64
const HASH_DIGITS = 8

/** A tool, and the server's name in the configuration. */
export interface NamedTool {
  server: string
  name: string
}

/**
 * What the model calls each tool: `mcp__server__tool`, of letters, digits, `_` and `-`, at most 64 characters, no two the same, and the same whatever order servers
 * come in. A name that is too long is cut, one that is not the only one of its kind is marked: with a hash of what the server calls it. No server's name runs into
 * that of a tool, so a rule for `mcp__server__*` means that server.
 */
export function toolNames(tools: readonly NamedTool[]): string[] {
  const servers = serverNames([...new Set(tools.map(({ server }) => server))])
  const wanted = tools.map(({ server, name }) => `mcp__${servers.get(server)!}__${cleaned(name)}`)
  const counts = new Map<string, number>()
  for (const name of wanted) counts.set(name, (counts.get(name) ?? 0) + 1)
  return wanted.map((name, index) => {
    if (name.length <= LONGEST && counts.get(name) === 1) return name
    const { server, name: tool } = tools[index]!
    return withHash(name, LONGEST, `${server}::${tool}`)
  })
}

/** What each server is called in the names of its tools: without double or outer underscores, and told apart. */
function serverNames(servers: readonly string[]): Map<string, string> {
  const counts = new Map<string, number>()
  for (const server of servers) counts.set(plain(server), (counts.get(plain(server)) ?? 0) + 1)
  return new Map(
    servers.map((server) => {
      const name = plain(server)
      const isItself = name === server
      return [server, (isItself || counts.get(name) === 1) && name.length <= LONGEST / 2 ? name : withHash(name, LONGEST / 2, server)]
    }),
  )
}

function plain(server: string): string {
  return cleaned(server).replaceAll(/_+/g, '_').replaceAll(/^_|_$/g, '') || 'server'
}

function cleaned(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/gu, '_')
}

function withHash(name: string, longest: number, of: string): string {
  const hash = createHash('sha256').update(of).digest('hex').slice(0, HASH_DIGITS)
  return `${name.slice(0, longest - HASH_DIGITS - 1).replace(/_+$/, '')}_${hash}`
}
