import type { LookupAddress } from 'node:dns'
import { CodedError } from '../../../../shared/errors'
import { isLoopbackName } from '../../../../shared/loopback'
import { checkedLookup, nonPublicKindOf, systemLookup, type Resolve } from '../../network/checked-lookup'
import { httpModule } from '../../network/http-agents'
import type { Route } from '../../network/http-fetch'
import { nonPublicKind } from '../../network/public-address'
import { literalAddress } from '../../web/fetch-guards'

/** An idle connection to a server is closed after this, in ms. */
const IDLE_MS = 60_000

/**
 * The host of a server, and the network that its name leads to. The owner of a name controls its DNS answers and can
 * change them at any time, so a name that has once led to the internet counts as public from then on.
 */
export class ServerHost {
  readonly #hostname: string
  readonly #resolve: Resolve
  #wasPublic = false
  readonly #routes = new Map<string, Route>()

  /** `resolve` defaults to the system's resolver. */
  constructor(hostname: string, resolve: Resolve = systemLookup) {
    this.#hostname = hostname
    this.#resolve = resolve
  }

  /**
   * The kind of network it is in. Undefined when any of its addresses is on the open internet, or was in an earlier DNS
   * answer, or when the name cannot be resolved.
   */
  async kind(): Promise<string | undefined> {
    const known = fixedKind(this.#hostname)
    if (known) return known.kind
    const addresses = await this.#resolve(this.#hostname).catch(() => [])
    this.#note(addresses)
    return this.#wasPublic || addresses.length === 0 ? undefined : nonPublicKindOf(addresses)
  }

  /** The agent and the lookup for requests to it; undefined for other hosts, and if its address needs no lookup. */
  route({ protocol, hostname }: URL): Route | undefined {
    if (hostname !== this.#hostname || fixedKind(hostname)) return undefined
    let route = this.#routes.get(protocol)
    if (!route) {
      const isPlain = protocol === 'http:'
      const lookup = checkedLookup(this.#resolve, (name, addresses) => this.#check(name, addresses, isPlain))
      const agent = new (httpModule(isPlain ? 'http:' : 'https:').Agent)({ keepAlive: true, timeout: IDLE_MS })
      route = { agent, lookup }
      this.#routes.set(protocol, route)
    }
    return route
  }

  /**
   * Refuses a connection without TLS to a private address if the name has led to the internet before. Over TLS it is
   * allowed: only the server itself has the certificate, and a name can lead to the internet in one network and to a
   * private address in another.
   */
  #check(name: string, addresses: readonly LookupAddress[], isPlain: boolean): void {
    this.#note(addresses)
    const kind = nonPublicKindOf(addresses)
    if (isPlain && this.#wasPublic && kind !== undefined)
      throw new CodedError(
        'mcp.connection',
        `The name ${name} has led to the internet before and leads to ${kind} now, so it is not connected to. ` +
          'If that is right, use https or restart Trestle.',
      )
  }

  #note(addresses: readonly LookupAddress[]): void {
    this.#wasPublic ||= addresses.some(({ address }) => nonPublicKind(address) === undefined)
  }
}

/** What is known about a host without a lookup. */
function fixedKind(hostname: string): { kind: string | undefined } | undefined {
  if (isLoopbackName(hostname)) return { kind: 'this machine itself' }
  const literal = literalAddress({ hostname })
  return literal === undefined ? undefined : { kind: nonPublicKind(literal) }
}

/** Maximum number of names that are remembered. */
const MAX_HOSTS = 1000
const hosts = new Map<string, ServerHost>()

/** The host of an address: one object for each name, because earlier DNS answers are remembered. */
export function serverHost(url: string): ServerHost {
  const { hostname } = new URL(url)
  const known = hosts.get(hostname)
  if (known) return known
  const [oldest] = hosts.keys()
  if (hosts.size >= MAX_HOSTS && oldest !== undefined) hosts.delete(oldest)
  const host = new ServerHost(hostname)
  hosts.set(hostname, host)
  return host
}
