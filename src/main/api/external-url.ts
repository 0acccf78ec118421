const ALLOWED: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:'])

/** The URL, normalised, when it may be handed to the user's own browser or mail program; undefined for every other scheme and for nonsense. */
export function externalUrl(url: string): string | undefined {
  if (url.length > 8192 || !URL.canParse(url)) return undefined
  const parsed = new URL(url)
  return ALLOWED.has(parsed.protocol) ? parsed.href : undefined
}
