import { globMatcher } from '../../workspace/glob-matcher'

/**
 * A test for addresses of pages. A pattern is a host (`example.org`, `*.example.org`) or begins with a scheme (`https://example.org/docs/**`); `*` stays
 * within a part of it, `**` does not. With `broad` (for deny and ask) a host means those below it too, and an address all that begins with it.
 */
export function webGlob(pattern: string, { broad = false } = {}): (url: string) => boolean {
  const text = pattern.trim().toLowerCase()
  if (text.includes('://')) {
    const address = text.replace(/\/$/, '').replace(/[?[\]{}\\]/g, String.raw`\$&`)
    const endings = broad ? ['', '/**', String.raw`\?**`, '#**'] : ['', '/']
    const matchers = endings.map((ending) => globMatcher(address + ending, { escapes: true }))
    return (url) => matchers.some((matcher) => matcher.matches(url.toLowerCase()))
  }
  const hosts = (broad ? [text, `*.${text}`] : [text]).map((host) => globMatcher(host, { starOnly: true }))
  return (url) => URL.canParse(url) && hosts.some((host) => host.matches(new URL(url).hostname) || host.matches(new URL(url).host))
}
