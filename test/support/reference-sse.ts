/**
 * A second, simple parser of the four stream formats, written from their documentation and independent of the product
 * and of every package: recorded streams are compared with it. It reads the whole body at once and trusts it.
 */
export interface ReferenceAnswer {
  text: string
  thinking: string
  calls: { name: string; input: string }[]
  usage: { input: number; output: number; cached: number; thinking: number } | undefined
}

/** The value at `path` in `value`, or undefined. */
const at = (value: unknown, ...path: (string | number)[]): unknown =>
  path.reduce(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string | number, unknown>)[key] : undefined,
    value,
  )
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const count = (value: unknown): number => (typeof value === 'number' ? value : 0)
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const nothing = (): ReferenceAnswer => ({ text: '', thinking: '', calls: [], usage: undefined })

/** The `data:` payloads of an event stream, joined per event, without comments. */
export function eventsOf(body: string): string[] {
  const events: string[] = []
  for (const block of body
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .split('\n\n')) {
    const data = block
      .split('\n')
      .flatMap((line) => (line.startsWith('data:') ? [line.slice(5).replace(/^ /, '')] : []))
    if (data.length > 0) events.push(data.join('\n'))
  }
  return events
}

/** The answer in `body`. */
export function referenceAnswer(kind: string, body: string): ReferenceAnswer {
  const events = eventsOf(body)
    .filter((data) => data !== '[DONE]')
    .map((data): unknown => JSON.parse(data))
  if (kind === 'chat') return chat(events)
  if (kind === 'responses') return responses(events)
  return kind === 'anthropic' ? anthropic(events) : gemini(events)
}

function chat(events: unknown[]): ReferenceAnswer {
  const answer = nothing()
  const calls = new Map<unknown, { name: string; input: string }>()
  for (const event of events) {
    const choice = at(event, 'choices', 0)
    const usage = at(event, 'usage') ?? at(choice, 'usage') ?? at(event, 'x_groq', 'usage')
    if (usage !== undefined && usage !== null) {
      answer.usage = {
        input: count(at(usage, 'prompt_tokens')),
        output: count(at(usage, 'completion_tokens')),
        cached: count(at(usage, 'cached_tokens') ?? at(usage, 'prompt_tokens_details', 'cached_tokens')),
        thinking: count(at(usage, 'completion_tokens_details', 'reasoning_tokens')),
      }
    }
    const delta = at(choice, 'delta')
    answer.text += text(at(delta, 'content'))
    // Mistral sends a list of parts, with thinking among them.
    for (const part of list(at(delta, 'content'))) {
      if (at(part, 'type') === 'text') answer.text += text(at(part, 'text'))
      for (const piece of list(at(part, 'thinking'))) answer.thinking += text(at(piece, 'text'))
    }
    answer.thinking += text(at(delta, 'reasoning_content') ?? at(delta, 'reasoning'))
    for (const piece of list(at(delta, 'tool_calls'))) {
      const call = calls.get(at(piece, 'index')) ?? { name: '', input: '' }
      calls.set(at(piece, 'index'), call)
      call.name ||= text(at(piece, 'function', 'name'))
      call.input += text(at(piece, 'function', 'arguments'))
    }
  }
  answer.calls = [...calls.values()]
  return answer
}

function responses(events: unknown[]): ReferenceAnswer {
  const answer = nothing()
  for (const event of events) {
    const type = at(event, 'type')
    if (type === 'response.output_text.delta') answer.text += text(at(event, 'delta'))
    if (type === 'response.reasoning_summary_text.delta') answer.thinking += text(at(event, 'delta'))
    const item = type === 'response.output_item.done' ? at(event, 'item') : undefined
    if (at(item, 'type') === 'function_call')
      answer.calls.push({ name: text(at(item, 'name')), input: text(at(item, 'arguments')) })
  }
  const usage = at(events.at(-1), 'response', 'usage')
  if (usage !== undefined && usage !== null) {
    answer.usage = {
      input: count(at(usage, 'input_tokens')),
      output: count(at(usage, 'output_tokens')),
      cached: count(at(usage, 'input_tokens_details', 'cached_tokens')),
      thinking: count(at(usage, 'output_tokens_details', 'reasoning_tokens')),
    }
  }
  return answer
}

function anthropic(events: unknown[]): ReferenceAnswer {
  const answer = nothing()
  const blocks = new Map<unknown, { type: unknown; name: string; input: string }>()
  const usage: Record<string, unknown> = {}
  for (const event of events) {
    const type = at(event, 'type')
    const block = blocks.get(at(event, 'index'))
    if (type === 'message_start') Object.assign(usage, at(event, 'message', 'usage'))
    if (type === 'message_delta') {
      for (const [name, value] of Object.entries(at(event, 'usage') ?? {})) if (value !== null) usage[name] = value
    }
    if (type === 'content_block_start') {
      const start = at(event, 'content_block')
      blocks.set(at(event, 'index'), { type: at(start, 'type'), name: text(at(start, 'name')), input: '' })
    }
    const delta = type === 'content_block_delta' ? at(event, 'delta') : undefined
    // The text of a compaction block is not part of the answer.
    if (at(delta, 'type') === 'text_delta' && block?.type === 'text') answer.text += text(at(delta, 'text'))
    if (at(delta, 'type') === 'thinking_delta') answer.thinking += text(at(delta, 'thinking'))
    if (at(delta, 'type') === 'input_json_delta' && block) block.input += text(at(delta, 'partial_json'))
    if (type === 'content_block_stop' && block?.type === 'tool_use')
      answer.calls.push({ name: block.name, input: block.input || '{}' })
  }
  const own = list(usage['iterations']).filter(
    (one) => at(one, 'type') === 'message' || at(one, 'type') === 'compaction',
  )
  const sum = (name: string): number =>
    own.length > 0 ? own.reduce<number>((total, one) => total + count(at(one, name)), 0) : count(usage[name])
  answer.usage = {
    input: sum('input_tokens') + count(usage['cache_read_input_tokens']) + count(usage['cache_creation_input_tokens']),
    output: sum('output_tokens'),
    cached: count(usage['cache_read_input_tokens']),
    thinking: count(at(usage, 'output_tokens_details', 'thinking_tokens')),
  }
  return answer
}

function gemini(events: unknown[]): ReferenceAnswer {
  const answer = nothing()
  for (const event of events) {
    const usage = at(event, 'usageMetadata')
    if (usage !== undefined) {
      const thinking = count(at(usage, 'thoughtsTokenCount'))
      answer.usage = {
        input: count(at(usage, 'promptTokenCount')) + count(at(usage, 'toolUsePromptTokenCount')),
        output: count(at(usage, 'candidatesTokenCount')) + thinking,
        cached: count(at(usage, 'cachedContentTokenCount')),
        thinking,
      }
    }
    for (const part of list(at(event, 'candidates', 0, 'content', 'parts'))) {
      answer[at(part, 'thought') === true ? 'thinking' : 'text'] += text(at(part, 'text'))
      const call = at(part, 'functionCall')
      if (call !== undefined)
        answer.calls.push({ name: text(at(call, 'name')), input: JSON.stringify(at(call, 'args') ?? {}) })
    }
  }
  return answer
}
