/** What a server says in `WWW-Authenticate` when it wants a sign-in, or one for more (RFC 6750, RFC 9728). */
export interface Challenge {
  error?: string
  scopes?: string[]
  /** Where it describes itself; not checked. */
  resourceMetadata?: string
}

const FIELD = /([a-z_]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/gi

/** The Bearer challenge of an answer; empty where there is none. */
export function challengeOf(answer: Pick<Response, 'headers'>): Challenge {
  const header = answer.headers.get('www-authenticate') ?? ''
  const start = /(?:^|,\s*)bearer(?=\s|$)/i.exec(header)
  if (!start) return {}
  const fields = new Map<string, string>()
  for (const [, name = '', quoted, bare] of header.slice(start.index + start[0].length).matchAll(FIELD)) {
    const key = name.toLowerCase()
    // The first one counts: what comes later belongs to another scheme.
    if (!fields.has(key)) fields.set(key, quoted?.replaceAll(/\\(.)/g, '$1') ?? bare ?? '')
  }
  const scopes = fields.get('scope')?.split(/\s+/).filter(Boolean)
  const [error, resourceMetadata] = [fields.get('error'), fields.get('resource_metadata')]
  return {
    ...(error !== undefined && { error }),
    ...(scopes && scopes.length > 0 && { scopes }),
    ...(resourceMetadata !== undefined && { resourceMetadata }),
  }
}
