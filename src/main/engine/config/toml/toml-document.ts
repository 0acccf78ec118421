import { parseTOML, type AST } from 'toml-eslint-parser'

export type Path = readonly (string | number)[]

/** One `key = value`, anywhere in the text. */
export interface KeyEntry {
  /** The full path, including its tables; numbers are array indexes. */
  path: Path
  node: AST.TOMLKeyValue
  /** Path of the table the key is written in. */
  base: Path
  /** The inline table it is written in, if any. */
  inline: AST.TOMLInlineTable | undefined
}

/** The positions of everything in a TOML text. `readDocument` throws ParseError if it does not parse. */
export interface TomlDocument {
  text: string
  /** In the order of the text, outer before inner. */
  entries: KeyEntry[]
  headers: AST.TOMLTable[]
  comments: AST.Comment[]
  /** Line and column (from 1) of keys, tables and array elements. */
  placeOf(path: Path): { line: number; column: number } | undefined
}

export function readDocument(text: string): TomlDocument {
  const program = parseTOML(text, { tomlVersion: '1.1' })
  const entries: KeyEntry[] = []
  const headers: AST.TOMLTable[] = []
  const places = new Map<string, AST.Position>()
  const put = (path: Path, node: AST.HasLocs): void => {
    const key = JSON.stringify(path)
    if (!places.has(key)) places.set(key, node.loc.start)
  }
  const visitValue = (path: Path, value: AST.TOMLContentNode): void => {
    if (value.type === 'TOMLInlineTable') for (const node of value.body) visit(node, path, value)
    if (value.type !== 'TOMLArray') return
    for (const [index, element] of value.elements.entries()) {
      put([...path, index], element)
      visitValue([...path, index], element)
    }
  }
  const visit = (node: AST.TOMLKeyValue, base: Path, inline: AST.TOMLInlineTable | undefined): void => {
    const path = [...base, ...node.key.keys.map(nameOf)]
    node.key.keys.forEach((part, index) => put([...base, ...node.key.keys.slice(0, index + 1).map(nameOf)], part))
    entries.push({ path, node, base, inline })
    visitValue(path, node.value)
  }
  for (const node of program.body[0].body) {
    if (node.type === 'TOMLKeyValue') {
      visit(node, [], undefined)
      continue
    }
    headers.push(node)
    for (let length = 1; length <= node.resolvedKey.length; length += 1)
      put(node.resolvedKey.slice(0, length), node.key)
    for (const entry of node.body) visit(entry, node.resolvedKey, undefined)
  }
  return {
    text,
    entries,
    headers,
    comments: program.comments,
    placeOf(path) {
      const start = places.get(JSON.stringify(path))
      return start && { line: start.line, column: start.column + 1 }
    },
  }
}

export function startsWith(path: Path, prefix: Path): boolean {
  return prefix.length <= path.length && prefix.every((part, index) => part === path[index])
}

export function samePath(a: Path, b: Path): boolean {
  return a.length === b.length && startsWith(a, b)
}

function nameOf(part: AST.TOMLBare | AST.TOMLQuoted): string {
  return part.type === 'TOMLBare' ? part.name : part.value
}
