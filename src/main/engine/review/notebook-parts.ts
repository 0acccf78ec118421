import type { NotebookPart } from '../../../shared/model/session/review'
import { memberOf, parseJson, valueNode, valueOf, type JsonNode } from '../config/json/parse-json'

/**
 * Where the cells of a changed notebook and their outputs start; undefined if one of its versions is not a notebook.
 * A version without text is a file that does not exist.
 */
export function notebookParts(before: string, after: string): NotebookPart[] | undefined {
  const [old, fresh] = [before, after].map((text) => (text === '' ? [] : cellsIn(text)))
  if (!old || !fresh) return undefined
  let [line, counted] = [1, 0]
  const lineAt = (offset: number): number => {
    for (let end = after.indexOf('\n', counted); end >= 0 && end < offset; end = after.indexOf('\n', counted)) {
      line += 1
      counted = end + 1
    }
    return line
  }
  return fresh.flatMap((node, index): NotebookPart[] => {
    const part = { cell: index + 1, kind: kindOf(node) }
    const start = { line: lineAt(node.offset), ...part }
    const outputs = valueIn(node, 'outputs')
    if (outputs?.type !== 'array' || !outputs.children?.length) return [start]
    return [
      start,
      { line: lineAt(outputs.offset), ...part, isOutput: true },
      { line: lineAt(outputs.offset + outputs.length), ...part },
    ]
  })
}

const LANGUAGE = /^[\w+#-]{1,40}$/

/** The language of the code cells, in lower case; undefined if the notebook does not name it. */
export function notebookLanguage(text: string): string | undefined {
  const parsed = parseJson(text)
  const metadata = 'root' in parsed ? valueIn(parsed.root, 'metadata') : undefined
  const name = nameIn(metadata, 'language_info', 'name') ?? nameIn(metadata, 'kernelspec', 'language')
  return name?.toLowerCase()
}

function nameIn(metadata: JsonNode | undefined, group: string, name: string): string | undefined {
  const fields = metadata && valueIn(metadata, group)
  const node = fields && valueIn(fields, name)
  const value: unknown = node && valueOf(node)
  return typeof value === 'string' && LANGUAGE.test(value) ? value : undefined
}

/** The nodes of the cells; undefined if the text is not a notebook. */
function cellsIn(text: string): JsonNode[] | undefined {
  const parsed = isStrictJson(text) ? parseJson(text) : undefined
  if (!parsed || !('root' in parsed)) return undefined
  const cells = valueIn(parsed.root, 'cells')
  return cells?.type === 'array' ? (cells.children ?? []) : undefined
}

/** The other parser accepts comments and trailing commas, too. */
function isStrictJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function kindOf(cell: JsonNode): NotebookPart['kind'] {
  const type = valueIn(cell, 'cell_type')
  const kind = type && valueOf(type)
  return kind === 'markdown' || kind === 'raw' ? kind : 'code'
}

function valueIn(node: JsonNode, name: string): JsonNode | undefined {
  const member = memberOf(node, name)
  return member && valueNode(member)
}
