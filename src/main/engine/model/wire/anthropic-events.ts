import { isFields, type Fields } from '../field-of'
import type { ReadableEvent } from '../event-filter'

const PASSED: ReadonlySet<unknown> = new Set(['ping', 'content_block_stop', 'message_stop', 'error'])
/** What models write themselves. Blocks of tools that the provider runs are not among them: none are asked for. */
const BLOCKS: ReadonlySet<unknown> = new Set(['text', 'thinking', 'redacted_thinking', 'tool_use', 'compaction'])
const DELTAS: ReadonlySet<unknown> = new Set(['text_delta', 'thinking_delta', 'signature_delta', 'input_json_delta', 'compaction_delta'])
const CALLERS: ReadonlySet<unknown> = new Set(['direct', 'code_execution_20250825', 'code_execution_20260120'])
/** What one request can consist of: the answer, a compaction before it, a second model's answer. Other passes are not counted. */
const ITERATIONS: ReadonlySet<unknown> = new Set(['message', 'compaction', 'fallback_message'])
const COUNTS = ['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens']

/** The events of one answer in Anthropic's protocol without what the package refuses because it does not know it. */
export function anthropicEvents(): ReadableEvent {
  let stopReason: unknown
  /** A later count replaces an earlier one; an event without any leaves it as it was. */
  let counted: Fields = { output_tokens: 0 }
  return (event) => {
    if (PASSED.has(event['type']) || isFields(event['error'])) return event
    switch (event['type']) {
      case 'message_start':
        return { type: 'message_start', message: openingOf(event['message']) }
      case 'content_block_start':
        return blockStart(event)
      case 'content_block_delta':
        return isFields(event['delta']) && DELTAS.has(event['delta']['type']) ? event : undefined
      case 'message_delta': {
        const delta = isFields(event['delta']) ? event['delta'] : {}
        if (typeof delta['stop_reason'] === 'string') stopReason = delta['stop_reason']
        counted = { ...counted, ...countsOf(event['usage']) }
        return { type: 'message_delta', delta: { ...(stopReason !== undefined && { stop_reason: stopReason }) }, usage: counted }
      }
      default:
        return undefined
    }
  }
}

function openingOf(message: unknown): Fields {
  const { id, model, role, usage } = isFields(message) ? message : ({} as Fields)
  const said = Object.entries({ id, model, role }).filter(([, value]) => typeof value === 'string')
  return { ...Object.fromEntries(said), usage: { input_tokens: 0, ...countsOf(usage) } }
}

function blockStart(event: Fields): Fields | undefined {
  const block = event['content_block']
  if (!isFields(block) || !BLOCKS.has(block['type'])) return undefined
  const { caller, ...rest } = block
  return isFields(caller) && !CALLERS.has(caller['type']) ? { ...event, content_block: rest } : event
}

function countsOf(usage: unknown): Fields {
  if (!isFields(usage)) return {}
  const counts = Object.fromEntries(COUNTS.flatMap((name) => (typeof usage[name] === 'number' ? [[name, usage[name]]] : [])))
  const details = usage['output_tokens_details']
  const thinking = isFields(details) ? details['thinking_tokens'] : undefined
  const iterations = iterationsOf(usage['iterations'])
  return {
    ...counts,
    ...(typeof thinking === 'number' && { output_tokens_details: { thinking_tokens: thinking } }),
    ...(iterations.length > 0 && { iterations }),
  }
}

/** The passes that a request was billed for: with a compaction, the counts beside them are those of the answer alone. */
function iterationsOf(passes: unknown): Fields[] {
  if (!Array.isArray(passes)) return []
  return passes.flatMap((pass: unknown) => {
    if (!isFields(pass) || !ITERATIONS.has(pass['type'])) return []
    const { input_tokens = 0, output_tokens = 0 } = countsOf(pass)
    return [{ type: pass['type'], input_tokens, output_tokens }]
  })
}
