import ipaddr from 'ipaddr.js'

/** Ranges that no page on the open web is in; the names are those of ipaddr.js. Everything but `unicast` is refused, so this is only for words. */
const WORDS: Record<string, string> = {
  loopback: 'this machine itself',
  private: 'a private network',
  linkLocal: 'the local link',
  uniqueLocal: 'a private network',
  carrierGradeNat: "a provider's inner network",
  unspecified: 'no address at all',
}

/** What kind of place an IP address is when it is not on the open internet; undefined when it is. */
export function nonPublicKind(address: string): string | undefined {
  let parsed: ipaddr.IPv4 | ipaddr.IPv6
  try {
    parsed = ipaddr.parse(address.replace(/%.*$/, ''))
  } catch {
    return 'no address at all'
  }
  const range = parsed.kind() === 'ipv6' ? rangeOf6(parsed as ipaddr.IPv6) : parsed.range()
  return range === 'unicast' ? undefined : (WORDS[range] ?? 'not on the open internet')
}

/** IPv6 that only carries an IPv4 address is as public as that one, and never more; of the rest only 2000::/3 is given out (RFC 4291). */
function rangeOf6(address: ipaddr.IPv6): string {
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().range()
  const isGlobal = (address.parts[0]! & 0xe000) === 0x2000
  return isGlobal ? address.range() : address.range() === 'unicast' ? 'reserved' : address.range()
}
