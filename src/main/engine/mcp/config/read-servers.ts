import type { McpServerDefinition } from '../../../../shared/configuration/customize/mcp'
import type { ConfigProblem } from '../../../../shared/configuration/settings'
import {
  memberOf,
  membersOf,
  nameOf,
  parseJson,
  placeAt,
  valueNode,
  valueOf,
  type JsonNode,
} from '../../config/json/parse-json'
import type { DefinitionProblem } from './definition-reader'
import { readDefinition } from './read-definition'

/** A server as a file defines it. */
export interface WrittenServer {
  name: string
  line: number
  /** As written, with variables. */
  definition: McpServerDefinition
  /** Its exact definition, without comments and whitespace. */
  words: string
}

export interface WrittenServers {
  servers: WrittenServer[]
  problems: ConfigProblem[]
}

/** More than any real list; a longer one would only serve to hide something. */
const MAX_SERVERS = 200
const MAX_KEPT = 32
const kept = new Map<string, WrittenServers>()

/** The servers under `mcpServers` of a JSON text. An invalid one affects only itself. Never fails. */
export function readServers(text: string, file: string): WrittenServers {
  const key = JSON.stringify([file, text])
  const known = kept.get(key)
  if (known) return known
  const read = parse(text, file)
  kept.set(key, read)
  for (const oldest of kept.keys()) if (kept.size > MAX_KEPT) kept.delete(oldest)
  return read
}

/** The names of all defined servers, including unusable ones. */
export function writtenNames(text: string): string[] {
  const parsed = parseJson(text)
  const list = 'root' in parsed ? memberOf(parsed.root, 'mcpServers') : undefined
  return list ? membersOf(valueNode(list)).map(nameOf) : []
}

/** A server's definition without the user's own switches. */
export function writtenServer(text: string, name: string): McpServerDefinition | undefined {
  return readServers(text, '').servers.find((server) => server.name === name)?.definition
}

/** Why this cannot be the name of a server. */
export function nameProblem(name: string): string | undefined {
  if (name.trim() !== name || name === '') return 'Enter a name without spaces around it.'
  return name.length > 64 || /[\p{C}\p{Zl}\p{Zp}]/u.test(name)
    ? 'A name has at most 64 signs, and none that cannot be seen.'
    : undefined
}

function parse(text: string, file: string): WrittenServers {
  if (text.trim() === '') return { servers: [], problems: [] }
  const parsed = parseJson(text)
  if ('problem' in parsed) return { servers: [], problems: [{ file, ...parsed.problem }] }
  const problems: ConfigProblem[] = []
  const report = (offset: number, message: string): void =>
    void problems.push({ file, ...placeAt(text, offset), message })
  const member = memberOf(parsed.root, 'mcpServers')
  const elsewhere = memberOf(parsed.root, 'servers')
  const list = member && valueNode(member)
  if (parsed.root.type !== 'object') report(parsed.root.offset, 'The file must be an object with "mcpServers" in it.')
  else if (!list && elsewhere) report(elsewhere.offset, 'Servers go under "mcpServers" here, not "servers".')
  else if (list && list.type !== 'object')
    report(list.offset, '"mcpServers" must be an object: a name, and what the server is.')
  const servers: WrittenServer[] = []
  for (const [index, entry] of membersOf(list).entries()) {
    if (index === MAX_SERVERS) report(entry.offset, `Only the first ${MAX_SERVERS} servers count.`)
    if (index >= MAX_SERVERS) break
    const name = nameOf(entry)
    const shown = JSON.stringify(name).slice(1, -1).slice(0, 64)
    const mistake = nameProblem(name)
    if (mistake !== undefined) report(entry.offset, `${shown}: ${mistake}`)
    else if (memberOf(list, name) !== entry)
      report(entry.offset, `${shown}: is written again further down; that one counts.`)
    else {
      const found: DefinitionProblem[] = []
      const raw = valueOf(valueNode(entry))
      const definition = readDefinition(raw, found)
      for (const { path, message } of found) report(offsetOf(entry, path), `${[shown, ...path].join('.')}: ${message}`)
      if (definition)
        servers.push({ name, line: placeAt(text, entry.offset).line, definition, words: JSON.stringify(raw) })
    }
  }
  return { servers, problems: problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0)) }
}

function offsetOf(entry: JsonNode, path: readonly (string | number)[]): number {
  let { offset } = entry
  let node: JsonNode | undefined = valueNode(entry)
  for (const part of path) {
    const inner: JsonNode | undefined = typeof part === 'string' ? memberOf(node, part) : undefined
    node = inner
      ? valueNode(inner)
      : typeof part === 'number' && node?.type === 'array'
        ? node.children?.[part]
        : undefined
    offset = inner?.offset ?? node?.offset ?? offset
  }
  return offset
}
