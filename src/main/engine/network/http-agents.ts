import type { Agent } from 'node:http'
import type { ChosenProxy } from './choose-proxy'

type Protocol = 'http:' | 'https:'

/**
 * How long a connection waits for the next request. Servers that close earlier announce it in `Keep-Alive`, which the
 * agent respects.
 */
const IDLE_LIMIT_MS = 60_000

const agents = new Map<string, Agent>()

/** Keeps connections to servers of this protocol alive, directly or through a proxy. */
export function agentFor(protocol: Protocol, proxy?: ChosenProxy): Agent {
  const key = `${protocol} ${proxy?.url ?? ''}`
  let agent = agents.get(key)
  if (!agent) {
    const proxyEnv = proxy && { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url }
    agent = new (httpModule(protocol).Agent)({ keepAlive: true, timeout: IDLE_LIMIT_MS, ...(proxyEnv && { proxyEnv }) })
    agents.set(key, agent)
  }
  return agent
}

/**
 * Drops connections that were lost during sleep: idle ones, or with `inUse` all. Requests on those fail, and the loop
 * retries them.
 */
export function dropConnections({ inUse }: { inUse: boolean }): void {
  for (const agent of agents.values()) {
    if (inUse) agent.destroy()
    else for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
  }
}

/**
 * Without `import`, which would evaluate everything that node:http exports, including the WebSocket of Node's `fetch`.
 */
export function httpModule(protocol: Protocol) {
  return protocol === 'https:' ? process.getBuiltinModule('node:https') : process.getBuiltinModule('node:http')
}

/** Adds the proxy's label to the error of a request, and to its cause: packages keep only the latter. */
export function withProxyLabel(error: unknown, proxy: ChosenProxy | undefined): unknown {
  if (!proxy) return error
  for (const each of [error, error instanceof Error ? error.cause : undefined])
    if (each instanceof Error) Object.assign(each, { proxy: proxy.label })
  return error
}
