import { isRecord } from '../../../../shared/json-fields'
/** A value of a tool's input that is also sent as a header, so that a proxy can route the call without parsing it. */
export interface ParamHeader {
  /** The server's name for it; the header is `Mcp-Param-` followed by this name. */
  name: string
  /** The path of the value in the input. */
  path: string[]
}

const MARK = 'x-mcp-header'
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const TYPES = new Set<unknown>(['string', 'integer', 'boolean'])
const LONGEST_NAME = 100
const DEEPEST = 50
/** Keywords that contain schemas by name. */
const MAPS = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'])
/** Keywords that contain values, not schemas. */
const VALUES = new Set(['default', 'examples', 'const', 'enum', 'required'])

/**
 * The headers that an input schema asks for (`x-mcp-header`), or why such a tool must not be used: a proxy could see
 * other values than the server. They are allowed only on strings, integers and booleans that are reached through
 * `properties` alone.
 */
export function readParamHeaders(schema: unknown): { headers: ParamHeader[] } | { problem: string } {
  const headers: ParamHeader[] = []
  const problem = visit(schema, [], headers, 0)
  return problem === undefined
    ? { headers }
    : { problem: `Its input asks for a header that cannot be sent: ${problem}.` }
}

/** `path`: undefined if no value of the input can be addressed by name. */
function visit(node: unknown, path: string[] | undefined, headers: ParamHeader[], depth: number): string | undefined {
  if (typeof node !== 'object' || node === null || depth > DEEPEST) return undefined
  if (Array.isArray(node)) return firstOf(node, (item) => visit(item, undefined, headers, depth + 1))
  const schema = node as Record<string, unknown>
  if (Object.hasOwn(schema, MARK)) {
    const problem = noted(schema, path, headers)
    if (problem !== undefined) return problem
  }
  return firstOf(Object.entries(schema), ([key, value]) => {
    if (key === MARK || VALUES.has(key)) return undefined
    if (!MAPS.has(key) || typeof value !== 'object' || value === null)
      return visit(value, undefined, headers, depth + 1)
    return firstOf(Object.entries(value), ([name, child]) =>
      visit(child, key === 'properties' && path ? [...path, name] : undefined, headers, depth + 1),
    )
  })
}

function noted(
  schema: Record<string, unknown>,
  path: string[] | undefined,
  headers: ParamHeader[],
): string | undefined {
  const name = schema[MARK]
  if (typeof name !== 'string' || name.length > LONGEST_NAME || !TOKEN.test(name))
    return 'its name is not one of a header'
  if (!path || path.length === 0) return `${name} does not stand at a value of its own`
  if (!TYPES.has(schema['type'])) return `${name} is not for a string, an integer or a boolean`
  if (headers.some((header) => header.name.toLowerCase() === name.toLowerCase())) return `${name} is asked for twice`
  headers.push({ name, path })
  return undefined
}

function firstOf<Item>(items: readonly Item[], find: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

/** The headers of a call with this input; a missing or null value gets no header. */
export function paramHeaders(
  headers: readonly ParamHeader[],
  input: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const sent: Record<string, string> = {}
  for (const { name, path } of headers) {
    const value = path.reduce<unknown>(
      (at, key) => (isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined),
      input,
    )
    const isSent = typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value)
    if (isSent) sent[`Mcp-Param-${name}`] = encoded(String(value))
  }
  return sent
}

/** The plain value if a header can carry it; otherwise base64 with the protocol's marker. */
function encoded(text: string): string {
  const isPlain =
    /^[\t\x20-\x7e]+$/.test(text) && text === text.trim() && !(text.startsWith('=?base64?') && text.endsWith('?='))
  return isPlain ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`
}
