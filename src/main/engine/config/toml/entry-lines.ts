/**
 * The lines of the first `count` tables of a list written as `[[a.b]]`. The module that knows positions is loaded only for a file that is
 * not written the usual way.
 */
export async function entryLines(text: string, path: readonly string[], count: number): Promise<(number | undefined)[]> {
  const header = new RegExp(`^\\s*\\[\\[\\s*${path.join('\\s*\\.\\s*')}\\s*\\]\\]`)
  const lines = text.split('\n').flatMap((line, index) => (header.test(line) ? [index + 1] : []))
  const all = Array.from({ length: count }, (_, index) => index)
  if (!/'''|"""/.test(text) && lines.length >= count) return all.map((index) => lines[index])
  const { readDocument } = await import('./toml-document')
  try {
    const { placeOf } = readDocument(text.replace(/^\ufeff/, ''))
    return all.map((index) => placeOf([...path, index])?.line)
  } catch {
    return all.map(() => undefined)
  }
}
