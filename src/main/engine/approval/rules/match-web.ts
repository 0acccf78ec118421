/**
 * A test for addresses of pages. A pattern is a host (`example.org`, `*.example.org`) or begins with a scheme (`https://example.org/docs/**`); `*` stays
 * within a part of it, `**` does not. With `broad` (for deny and ask) a host means those below it too, and an address all that begins with it.
 */
export function webGlob(pattern: string, { broad = false } = {}): (url: string) => boolean {
  const text = pattern.trim().toLowerCase()
  if (text.includes('://')) {
    const expression = new RegExp(`^${source(text.replace(/\/$/, ''), '[^/]*')}${broad ? '(?:[/?#].*)?' : '/?'}$`, 's')
    return (url) => expression.test(url.toLowerCase())
  }
  const expression = new RegExp(`^${broad ? '(?:.*\\.)?' : ''}${source(text, '.*')}$`, 's')
  return (url) => URL.canParse(url) && (expression.test(new URL(url).hostname) || expression.test(new URL(url).host))
}

function source(glob: string, star: string): string {
  return glob
    .split(/(\*\*|\*)/)
    .map((piece) => (piece === '**' ? '.*' : piece === '*' ? star : piece.replace(/[\\^$.|?+()[\]{}/]/g, '\\$&')))
    .join('')
}
