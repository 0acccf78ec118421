import { createHash } from 'node:crypto'

/**
 * What Trestle calls a container, pod or job that it starts for a place: other homes and places never have the same. It
 * is a valid name for container programs and in DNS.
 */
export function instanceName(clientId: string, placeId: string): string {
  const readable = placeId.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  const hash = createHash('sha256').update(`${clientId} ${placeId}`).digest('hex').slice(0, 8)
  return `trestle-${readable}-${hash}`
}
