import { hostAllowed } from '../../sandbox/network/host-list'
import type { Policy } from '../policy'

/**
 * A page of a host that is not listed asks, in every mode: an address can carry text out of the project. Listed are the hosts of the sandbox, those of `[web]`, and what
 * rules allow.
 */
export const webAddresses: Policy = ({ call, sandboxes }) => {
  if (!sandboxes) return undefined
  for (const access of call.accesses) {
    if (access.kind !== 'network' || access.url === undefined) continue
    const { protocol, port, hostname } = new URL(access.url)
    const number = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
    if (!hostAllowed(sandboxes.webHosts, hostname, number))
      return {
        decision: 'ask',
        reason: `It connects to ${hostname}, which is not a listed host; the address can carry text out of the project.`,
      }
  }
  return undefined
}
