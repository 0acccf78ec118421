import { CALL_TOOL } from './call-tool'
import { toolSchema } from './registry'
import type { Tool } from './tool'

interface JsonSchema {
  type?: string
  enum?: unknown[]
  const?: unknown
  format?: string
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: string[]
  anyOf?: JsonSchema[]
}

/**
 * The list of brief tools for the model: a line `Name(field: type, field?: type) description` for each; undefined
 * without any.
 */
export function briefToolList(tools: readonly Tool[]): string | undefined {
  if (tools.length === 0) return undefined
  return [`More tools, to be called with ${CALL_TOOL}:`, ...tools.map(briefLine)].join('\n')
}

/** A tool in one line, e.g. `- MemoryForget(key: string) Deletes a memory.` */
export function briefLine(tool: Tool): string {
  const schema = toolSchema(tool).schema as JsonSchema
  return `- ${tool.name}(${fields(schema)}) ${tool.description.replaceAll(/\s+/g, ' ').trim()}`
}

function fields({ properties = {}, required = [] }: JsonSchema): string {
  return Object.entries(properties)
    .map(([name, schema]) => `${name}${required.includes(name) ? '' : '?'}: ${typeText(schema)}`)
    .join(', ')
}

function typeText(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join('|')
  if (schema.anyOf) return schema.anyOf.map(typeText).join('|')
  if (schema.type === 'array') return `${schema.items ? typeText(schema.items) : 'any'}[]`
  if (schema.type === 'object') return schema.properties ? `{${fields(schema)}}` : 'object'
  return schema.type === 'integer' ? 'int' : (schema.type ?? 'any')
}
