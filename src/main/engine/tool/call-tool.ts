import { z } from 'zod'
import { lazySchema } from '../../../shared/lazy-schema'
import type { ToolCallPart } from '../../../shared/model/turn/message'
import { refuse, type Tool } from './tool'

export const CALL_TOOL = 'call_tool'

const input = lazySchema(() =>
  z.strictObject({
    name: z.string().trim().min(1).max(300),
    arguments: z.record(z.string(), z.unknown()).default({}),
  }),
)

/**
 * Calls a tool that is not in the list of tools. The list stays as it is at the start of a conversation, so that
 * providers keep finding it in their caches. The loop replaces this call with the call of the tool it names, so it
 * never runs itself.
 */
export function callTool(): Tool<typeof input> {
  return {
    name: CALL_TOOL,
    description: 'Calls a tool that is not in this list. A message or a search has given its name and schema.',
    input,
    schema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Name of the tool' },
        arguments: { type: 'object', description: 'Its input, as its schema says' },
      },
      required: ['name'],
    },
    annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
    subject: ['name'],
    prepare: async ({ name }) =>
      refuse(`${CALL_TOOL} cannot call ${JSON.stringify(name)}. Give the exact name of another tool.`),
  }
}

/** The inner call of a `call_tool` call. An invalid call is returned unchanged and answered with an error. */
export function unwrapCallTool(call: ToolCallPart): ToolCallPart {
  if (call.name !== CALL_TOOL) return call
  const meant = parseCallTool(call.input)
  return meant ? { ...call, ...meant, sentAs: { name: call.name, input: call.input } } : call
}

function parseCallTool(written: string): { name: string; input: string } | undefined {
  try {
    const raw: unknown = JSON.parse(written)
    const { name, arguments: given = {} } = raw as { name?: unknown; arguments?: unknown }
    if (typeof name !== 'string' || name.trim() === CALL_TOOL || name.trim() === '') return undefined
    // Some models write the inner arguments as text, as in their own calls.
    return { name: name.trim(), input: typeof given === 'string' ? given : JSON.stringify(given) }
  } catch {
    return undefined
  }
}
