import type { Document, Pair } from 'yaml'

/** A parsed YAML text, or its first mistake with its line. */
export type ParsedYaml =
  | { document: Document.Parsed; lineAt(offset: number): number }
  | { mistake: { line: number; message: string } }

/**
 * Parses YAML that a project may have written. The library compares each key of a mapping with every other one, which
 * takes minutes for a file of 256 KB; here each key is looked up.
 */
export async function parseYaml(text: string): Promise<ParsedYaml> {
  const { LineCounter, isScalar, parseDocument, visit } = await import('yaml')
  const lines = new LineCounter()
  const lineAt = (offset: number): number => lines.linePos(offset).line
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false })
  const [error] = document.errors
  if (error) return { mistake: { line: lineAt(error.pos[0]), message: error.message } }
  const keyOf = ({ key }: Pair): { value: unknown; at: number } | undefined =>
    isScalar(key) ? { value: key.value, at: key.range?.[0] ?? 0 } : undefined
  let repeated: number | undefined
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>()
      for (const item of items) {
        const key = keyOf(item)
        if (key && seen.has(key.value)) repeated ??= key.at
        seen.add(key?.value)
      }
      return repeated === undefined ? undefined : visit.BREAK
    },
  })
  if (repeated !== undefined) return { mistake: { line: lineAt(repeated), message: 'Map keys must be unique' } }
  return { document, lineAt }
}
