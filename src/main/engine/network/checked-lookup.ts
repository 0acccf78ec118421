import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import { nonPublicKind } from './public-address'

/** Resolves a name to all its addresses. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>

export const systemLookup: Resolve = async (name) => {
  const { lookup } = await import('node:dns/promises')
  return lookup(name, { all: true, verbatim: true })
}

/** The kind of the first of these addresses that is not on the open internet; undefined when all are public. */
export function nonPublicKindOf(addresses: readonly LookupAddress[]): string | undefined {
  return addresses.map(({ address }) => nonPublicKind(address)).find((kind) => kind !== undefined)
}

/**
 * For the connections of node:http: what `check` accepts is what is connected to, so a name whose DNS answers change
 * cannot lead elsewhere after the check. `check` throws to refuse. Node does not call it for a literal address.
 */
export function checkedLookup(
  resolve: Resolve,
  check: (name: string, addresses: readonly LookupAddress[]) => void,
): LookupFunction {
  const all = callbackify(async (name: string): Promise<LookupAddress[]> => {
    const addresses = await resolve(name)
    check(name, addresses)
    if (addresses.length === 0) throw Object.assign(new Error(`${name} has no address`), { code: 'ENOTFOUND' })
    return [...addresses]
  })
  return (name, options, callback) =>
    all(name, (error, addresses) => {
      const [first] = addresses ?? []
      if (error !== null || !first) callback(error, '')
      else if (options.all === true) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
}
