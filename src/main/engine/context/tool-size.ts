import type { ToolSchema } from '../model/provider'
import { textTokens } from './estimate'

const written = new WeakMap<ToolSchema, { bytes: number; tokens: number }>()

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
