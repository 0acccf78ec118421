import { createHash } from 'node:crypto'
import type { ToolSchema } from '../../model/provider'

/** Facts about tools have this before the tool's name. */
export const TOOL_KEY = 'tool:'

const lines = new WeakMap<ToolSchema, string>()
const digests = new WeakMap<ToolSchema, string>()

/** A tool as it is told in a message: all of it, on one line. Made once: schemas are never changed. */
export function toolLine(tool: ToolSchema): string {
  let line = lines.get(tool)
  if (line === undefined) {
    const { name, description, schema } = tool
    lines.set(tool, (line = JSON.stringify({ name, description, input_schema: schema })))
  }
  return line
}

/** Tells whether what was told of a tool still holds. */
export function toolDigest(tool: ToolSchema): string {
  let digest = digests.get(tool)
  if (digest === undefined) digests.set(tool, (digest = createHash('sha256').update(toolLine(tool)).digest('base64url').slice(0, 16)))
  return digest
}
