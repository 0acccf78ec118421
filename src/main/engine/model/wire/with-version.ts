/**
 * A base URL with the protocol's version as its last segment, added when none is there: the makers' own libraries leave it out, the packages used here
 * want it, and people write both.
 */
export function withVersion(baseUrl: string, version: string): string {
  const trimmed = baseUrl.replace(/\/+$/, '')
  return /\/v\d+[a-z0-9]*$/i.test(trimmed) ? trimmed : `${trimmed}/${version}`
}
