import ipaddr from 'ipaddr.js'

/**
 * Descriptions of non-public ranges, by their ipaddr.js name. Everything but `unicast` is refused, so this only affects
 * messages.
 */
const DESCRIPTIONS: Record<string, string> = {
  loopback: 'this machine itself',
  private: 'a private network',
  linkLocal: 'the local link',
  uniqueLocal: 'a private network',
  carrierGradeNat: "a provider's inner network",
  unspecified: 'no address at all',
}

/** The kind of an IP address that is not on the open internet; undefined if it is public. */
export function nonPublicKind(address: string): string | undefined {
  let parsed: ipaddr.IPv4 | ipaddr.IPv6
  try {
    parsed = ipaddr.parse(address.replace(/%.*$/, ''))
  } catch {
    return 'no address at all'
  }
  const range = parsed.kind() === 'ipv6' ? rangeOf6(parsed as ipaddr.IPv6) : parsed.range()
  return range === 'unicast' ? undefined : (DESCRIPTIONS[range] ?? 'not on the open internet')
}

/**
 * An IPv6 address that embeds an IPv4 address is only as public as that; of the rest only 2000::/3 is allocated (RFC
 * 4291).
 */
function rangeOf6(address: ipaddr.IPv6): string {
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().range()
  const isGlobal = (address.parts[0]! & 0xe000) === 0x2000
  return isGlobal ? address.range() : address.range() === 'unicast' ? 'reserved' : address.range()
}
