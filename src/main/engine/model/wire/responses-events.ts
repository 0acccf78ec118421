import { isFields, type Fields } from '../field-of'

const ITEMS: ReadonlySet<unknown> = new Set(['message', 'reasoning', 'function_call', 'custom_tool_call'])
const PHASES: ReadonlySet<unknown> = new Set(['commentary', 'final_answer'])

/** Sources and pieces of images and code: none are asked for, and their forms grow. */
const LEFT_OUT: ReadonlySet<unknown> = new Set([
  'response.output_text.annotation.added',
  'response.image_generation_call.partial_image',
  'response.code_interpreter_call_code.delta',
  'response.code_interpreter_call_code.done',
  'response.apply_patch_call_operation_diff.delta',
  'response.apply_patch_call_operation_diff.done',
])

/** An event of OpenAI's Responses without what the package refuses because it does not know it. Whole events that it does not know it leaves out itself. */
export function responsesEvent(event: Fields): Fields | undefined {
  const { type, item } = event
  if (typeof type !== 'string') return isFields(event['error']) ? event : undefined
  if (LEFT_OUT.has(type)) return undefined
  if (type !== 'response.output_item.added' && type !== 'response.output_item.done') return event
  if (!isFields(item) || !ITEMS.has(item['type'])) return undefined
  const { phase, ...rest } = item
  return phase === undefined || phase === null || PHASES.has(phase) ? event : { ...event, item: rest }
}
