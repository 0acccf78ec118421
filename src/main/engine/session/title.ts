const MAX = 72

/** A session's title from its first prompt: the first line that says something, cut at a word. Undefined when there is no text. */
export function titleFrom(text: string): string | undefined {
  const line = text
    .split('\n')
    .map((candidate) =>
      candidate
        .replace(/^[#>*\-\s]+/, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .find((candidate) => candidate !== '')
  if (line === undefined) return undefined
  // Nothing has more characters than code units, and finding characters takes milliseconds the first time.
  if (line.length <= MAX) return line
  const characters = Array.from(new Intl.Segmenter().segment(line), ({ segment }) => segment)
  if (characters.length <= MAX) return line
  const cut = characters.slice(0, MAX).join('')
  const space = cut.lastIndexOf(' ')
  return `${(space > MAX / 2 ? cut.slice(0, space) : cut).trimEnd()}…`
}
