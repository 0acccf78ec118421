import type { McpServerDefinition } from '../../../../shared/model/mcp'
import type { ConfigProblem } from '../../../../shared/model/settings'
import { memberOf, parseJson, placeAt, valueOf, type JsonMember, type JsonNode } from '../../config/json/parse-json'
import type { DefinitionProblem } from './definition-reader'
import { readDefinition } from './read-definition'

/** A server as a file has it. */
export interface WrittenServer {
  name: string
  line: number
  /** As it is written, variables and all. */
  definition: McpServerDefinition
  /** Word for word what is written about it, but for comments and blanks. */
  words: string
}

export interface WrittenServers {
  servers: WrittenServer[]
  problems: ConfigProblem[]
}

/** More than anybody has; a longer list would only hide something. */
const MOST_SERVERS = 200
const MOST_KEPT = 32
const kept = new Map<string, WrittenServers>()

/** The servers under `mcpServers` of a JSON text. One that is wrong costs only itself. Never fails. */
export function readServers(text: string, file: string): WrittenServers {
  const key = JSON.stringify([file, text])
  const known = kept.get(key)
  if (known) return known
  const read = parse(text, file)
  kept.set(key, read)
  for (const oldest of kept.keys()) if (kept.size > MOST_KEPT) kept.delete(oldest)
  return read
}

/** The names of all servers that are written, also of those that cannot be used. */
export function writtenNames(text: string): string[] {
  const parsed = parseJson(text)
  const list = 'root' in parsed ? memberOf(parsed.root, 'mcpServers')?.node : undefined
  return list?.kind === 'object' ? list.members.map(({ key }) => key) : []
}

/** Why this cannot be the name of a server. */
export function nameMistake(name: string): string | undefined {
  if (name.trim() !== name || name === '') return 'A name is needed, without blanks around it.'
  return name.length > 64 || /[\p{C}\p{Zl}\p{Zp}]/u.test(name) ? 'A name has at most 64 signs, and none that cannot be seen.' : undefined
}

function parse(text: string, file: string): WrittenServers {
  if (text.trim() === '') return { servers: [], problems: [] }
  const parsed = parseJson(text)
  if ('problem' in parsed) return { servers: [], problems: [{ file, ...parsed.problem }] }
  const problems: ConfigProblem[] = []
  const tell = (offset: number, message: string): void => void problems.push({ file, ...placeAt(text, offset), message })
  const list = memberOf(parsed.root, 'mcpServers')
  if (parsed.root.kind !== 'object') tell(parsed.root.start, 'The file must be an object with "mcpServers" in it.')
  else if (!list && memberOf(parsed.root, 'servers'))
    tell(memberOf(parsed.root, 'servers')!.start, 'Servers stand under "mcpServers" here, not "servers".')
  else if (list && list.node.kind !== 'object') tell(list.node.start, '"mcpServers" must be an object: a name, and what the server is.')
  const servers: WrittenServer[] = []
  const members = list?.node.kind === 'object' ? list.node.members : []
  for (const [index, member] of members.entries()) {
    if (index === MOST_SERVERS) tell(member.start, `Only the first ${MOST_SERVERS} servers count.`)
    if (index >= MOST_SERVERS) break
    const shown = JSON.stringify(member.key).slice(1, -1).slice(0, 64)
    const mistake = nameMistake(member.key)
    if (mistake !== undefined) tell(member.start, `${shown}: ${mistake}`)
    else if (memberOf(list!.node, member.key) !== member) tell(member.start, `${shown}: is written again further down; that one counts.`)
    else {
      const found: DefinitionProblem[] = []
      const raw = valueOf(member.node)
      const definition = readDefinition(raw, found)
      for (const { path, message } of found) tell(offsetOf(member, path), `${[shown, ...path].join('.')}: ${message}`)
      if (definition) servers.push({ name: member.key, line: placeAt(text, member.start).line, definition, words: JSON.stringify(raw) })
    }
  }
  return { servers, problems: problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0)) }
}

function offsetOf(member: JsonMember, path: readonly (string | number)[]): number {
  let offset = member.start
  let node: JsonNode | undefined = member.node
  for (const part of path) {
    const inner: JsonMember | undefined = typeof part === 'string' ? memberOf(node, part) : undefined
    node = inner?.node ?? (typeof part === 'number' && node?.kind === 'array' ? node.items[part] : undefined)
    offset = inner?.start ?? node?.start ?? offset
  }
  return offset
}
