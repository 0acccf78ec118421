import { isRecord } from '../../../../shared/json-fields'
/** A JSON Schema for a tool's input that every provider accepts. */
export type InputSchema = Readonly<Record<string, unknown>>

const MAX_BYTES = 64 * 1024
const MAX_DEPTH = 24
const TYPES: ReadonlySet<unknown> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'])
/** Names of properties that every provider accepts. */
const PROPERTY = /^[a-zA-Z0-9_.-]{1,64}$/
/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const ONE: ReadonlySet<string> = new Set([
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
])
const LIST: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])
const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
])
/** Keywords that models cannot use, or that refer to other documents. */
const DROPPED: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$anchor',
  '$dynamicAnchor',
  '$dynamicRef',
  '$comment',
  '$vocabulary',
])

/**
 * A server's input schema, cleaned so that no provider rejects a request because of it: invalid schemas are left out,
 * the root is an object without alternatives, arrays have items, references resolve. If that is impossible, the problem
 * as a sentence.
 */
export function cleanSchema(given: unknown): { schema: InputSchema } | { problem: string } {
  if (given === undefined || given === null) return { schema: { type: 'object', properties: {} } }
  if (!isRecord(given)) return { problem: 'The schema of its input is no JSON Schema.' }
  let size: number
  try {
    size = JSON.stringify(given).length
  } catch {
    return { problem: 'The schema of its input is nested too deeply.' }
  }
  if (size > MAX_BYTES)
    return {
      problem: `The schema of its input has ${Math.round(size / 1024)} kB; at most ${MAX_BYTES / 1024} kB can be sent.`,
    }
  const type = given['type']
  const isObject = type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'))
  if (!isObject) return { problem: `Its input is ${JSON.stringify(type)?.slice(0, 60)}; only objects can be sent.` }
  const top = withoutAlternatives(clean(given, 0, given))
  const properties = isRecord(top['properties']) ? top['properties'] : {}
  const odd = Object.keys(properties).find((name) => !PROPERTY.test(name))
  if (odd !== undefined)
    return { problem: `Its input has a field ${JSON.stringify(odd.slice(0, 80))}, which cannot be sent to models.` }
  return { schema: { ...top, type: 'object', properties } }
}

function clean(schema: Record<string, unknown>, depth: number, root: Record<string, unknown>): Record<string, unknown> {
  if (depth > MAX_DEPTH) return {}
  const made: [string, unknown][] = []
  for (const [key, value] of Object.entries(schema)) {
    if (DROPPED.has(key) || key === '__proto__') continue
    const kept = cleanKeyword(key, value, depth, root)
    if (kept !== undefined) made.push([key, kept])
  }
  const result = Object.fromEntries(made)
  const isArray = result['type'] === 'array' || (Array.isArray(result['type']) && result['type'].includes('array'))
  if (isArray && !('items' in result) && !('prefixItems' in result)) result['items'] = {}
  return result
}

function cleanKeyword(key: string, value: unknown, depth: number, root: Record<string, unknown>): unknown {
  if (ONE.has(key)) return cleanOne(value, depth, root)
  if (LIST.has(key)) {
    const list = Array.isArray(value) ? value.flatMap((each) => cleanOne(each, depth, root) ?? []) : []
    return list.length > 0 ? list : undefined
  }
  if (NAMED.has(key)) {
    if (!isRecord(value)) return undefined
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, each]) => {
        const one = name === '__proto__' ? undefined : cleanOne(each, depth, root)
        return one === undefined ? [] : [[name, one]]
      }),
    )
  }
  switch (key) {
    case 'type':
      return cleanType(value)
    case 'required':
      return Array.isArray(value) ? [...new Set(value.filter((name) => typeof name === 'string'))] : undefined
    case 'enum':
      return Array.isArray(value) && value.length > 0 ? value : undefined
    case 'pattern':
      return typeof value === 'string' && isPattern(value) ? value : undefined
    case '$ref':
      return typeof value === 'string' && resolves(value, root) ? value : undefined
    case 'title':
    case 'description':
    case 'format':
      return typeof value === 'string' ? value : undefined
    default:
      return value
  }
}

/** `true`, `false` or a schema; for a list, which `items` used to allow, its first item. */
function cleanOne(value: unknown, depth: number, root: Record<string, unknown>): unknown {
  if (typeof value === 'boolean') return value
  const one: unknown = Array.isArray(value) ? value[0] : value
  return isRecord(one) ? clean(one, depth + 1, root) : undefined
}

function cleanType(value: unknown): unknown {
  if (!Array.isArray(value)) return TYPES.has(value) ? value : undefined
  const types = [...new Set(value.filter((each) => TYPES.has(each)))]
  return types.length > 1 ? types : types[0]
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u').source !== ''
  } catch {
    return false
  }
}

/** Whether a reference within the schema resolves; other references lead out of the document. */
function resolves(reference: string, root: Record<string, unknown>): boolean {
  if (reference === '#') return true
  if (!reference.startsWith('#/')) return false
  let at: unknown = root
  for (const part of reference.slice(2).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (!isRecord(at) || !Object.hasOwn(at, name)) return false
    at = at[name]
  }
  return isRecord(at)
}

/**
 * Providers reject alternatives at the root. Instead, all their fields are offered, and only fields that every
 * alternative requires are required.
 */
function withoutAlternatives(schema: Record<string, unknown>): Record<string, unknown> {
  const {
    anyOf,
    oneOf,
    allOf,
    not: _not,
    if: _if,
    then: _then,
    else: _else,
    enum: _enum,
    const: _const,
    ...rest
  } = schema
  const choices = [anyOf, oneOf].filter(Array.isArray).flat().filter(isRecord)
  const parts = Array.isArray(allOf) ? allOf.filter(isRecord) : []
  if (choices.length === 0 && parts.length === 0) return rest
  const fields = [...choices, ...parts].map((each) => (isRecord(each['properties']) ? each['properties'] : {}))
  const ofAll =
    choices.length === 0
      ? []
      : requiredOf(choices[0]!).filter((name) => choices.every((each) => requiredOf(each).includes(name)))
  const required = [...new Set([...requiredOf(rest), ...parts.flatMap(requiredOf), ...ofAll])]
  return {
    ...rest,
    properties: Object.assign({}, ...fields, isRecord(rest['properties']) ? rest['properties'] : {}) as Record<
      string,
      unknown
    >,
    ...(required.length > 0 && { required }),
  }
}

function requiredOf(schema: Record<string, unknown>): string[] {
  const { required } = schema
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
}
