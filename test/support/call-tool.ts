import { callContext } from './call-context'
import type { z } from 'zod'
import type { LazySchema, SchemaOutput } from '../../src/shared/lazy-schema'
import { textOf } from '../../src/shared/model/turn/message'
import type { PreparedCall, Tool, ToolResult } from '../../src/main/engine/tool/tool'

/** A result, in a form for tests. */
export interface Outcome extends ToolResult {
  text: string
}

/** Validates, prepares and runs one call, as the loop does when it is allowed. */
export async function callTool<Schema extends LazySchema>(
  tool: Tool<Schema>,
  input: z.input<ReturnType<Schema>>,
  signal: AbortSignal = new AbortController().signal,
): Promise<Outcome> {
  const prepared = await tool.prepare(tool.input().parse(input) as SchemaOutput<Schema>)
  if ('refused' in prepared) return outcome(prepared.refused)
  return outcome(await prepared.run(callContext({ signal })))
}

/** Prepares a call that must not be rejected. */
export async function prepareCall<Schema extends LazySchema>(
  tool: Tool<Schema>,
  input: z.input<ReturnType<Schema>>,
): Promise<PreparedCall> {
  const prepared = await tool.prepare(tool.input().parse(input) as SchemaOutput<Schema>)
  if ('refused' in prepared) throw new Error(`refused: ${textOf(prepared.refused.content)}`)
  return prepared
}

function outcome(result: ToolResult): Outcome {
  return { ...result, text: textOf(result.content) }
}
