import type { ToolSchema } from '../model/provider'
import { textTokens } from './estimate'

const written = new WeakMap<ToolSchema, { bytes: number; tokens: number }>()

/** Instructions that were counted; sessions and their subagents have some of their own each. */
const systems = new Map<string, number>()
const MOST_SYSTEMS = 50

/** What a tool takes in a request, by its name, description and schema as JSON. Counted once: schemas are never changed. */
export function toolSize(schema: ToolSchema): { bytes: number; tokens: number } {
  let size = written.get(schema)
  if (!size) {
    const text = JSON.stringify(schema)
    written.set(schema, (size = { bytes: Buffer.byteLength(text), tokens: textTokens(text) }))
  }
  return size
}

/** Tokens of the tools of a request. */
export function toolTokens(tools: readonly ToolSchema[]): number {
  return tools.reduce((sum, schema) => sum + toolSize(schema).tokens, 0)
}

/** Tokens of the instructions and tools that a request begins with. They rarely change, and are asked for before each request. */
export function headTokens(system: string, tools: readonly ToolSchema[]): number {
  let tokens = systems.get(system)
  if (tokens === undefined) {
    if (systems.size >= MOST_SYSTEMS) systems.clear()
    systems.set(system, (tokens = textTokens(system)))
  }
  return tokens + toolTokens(tools)
}
