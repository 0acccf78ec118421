/**
 * A second, plain reading of the four stream formats, written from their documentation and independent of the product and of every package: what
 * recorded streams are compared with. It reads the whole body at once and trusts it.
 */
export interface ReferenceAnswer {
  text: string
  thinking: string
  calls: { name: string; input: string }[]
  usage: { input: number; output: number; cached: number; thinking: number } | undefined
}

type Json = { [key: string]: Json } & Json[] & string & number

/** The `data:` payloads of an event stream, joined per event, comments left out. */
export function eventsOf(body: string): string[] {
  const events: string[] = []
  for (const block of body
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .split('\n\n')) {
    const data = block.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice(5).replace(/^ /, '')] : []))
    if (data.length > 0) events.push(data.join('\n'))
  }
  return events
}

/** What the answer in `body` says. */
export function referenceAnswer(kind: string, body: string): ReferenceAnswer {
  const events = eventsOf(body)
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data) as Json)
  if (kind === 'chat') return chat(events)
  if (kind === 'responses') return responses(events)
  return kind === 'anthropic' ? anthropic(events) : gemini(events)
}

function chat(events: Json[]): ReferenceAnswer {
  const answer: ReferenceAnswer = { text: '', thinking: '', calls: [], usage: undefined }
  const calls = new Map<number, { name: string; input: string }>()
  for (const event of events) {
    const choice = event['choices']?.[0]
    const usage = event['usage'] ?? choice?.['usage'] ?? event['x_groq']?.['usage']
    if (usage) {
      answer.usage = {
        input: usage['prompt_tokens'] ?? 0,
        output: usage['completion_tokens'] ?? 0,
        cached: usage['cached_tokens'] ?? usage['prompt_tokens_details']?.['cached_tokens'] ?? 0,
        thinking: usage['completion_tokens_details']?.['reasoning_tokens'] ?? 0,
      }
    }
    const delta = choice?.['delta']
    if (!delta) continue
    const content: unknown = delta['content']
    if (typeof content === 'string') answer.text += content
    // Mistral sends a list of parts, with thinking among them.
    if (Array.isArray(content)) {
      for (const part of content as Json[]) {
        if (part['type'] === 'text') answer.text += part['text']
        if (part['type'] === 'thinking') answer.thinking += (part['thinking'] as Json[]).map((piece) => piece['text']).join('')
      }
    }
    answer.thinking += delta['reasoning_content'] ?? delta['reasoning'] ?? ''
    for (const piece of (delta['tool_calls'] ?? []) as Json[]) {
      const call = calls.get(piece['index'] as number) ?? { name: '', input: '' }
      calls.set(piece['index'] as number, call)
      call.name ||= piece['function']?.['name'] ?? ''
      call.input += piece['function']?.['arguments'] ?? ''
    }
  }
  answer.calls = [...calls.values()]
  return answer
}

function responses(events: Json[]): ReferenceAnswer {
  const final = events.at(-1)!['response']!
  const answer: ReferenceAnswer = { text: '', thinking: '', calls: [], usage: undefined }
  for (const event of events) {
    if (event['type'] === 'response.output_text.delta') answer.text += event['delta']
    if (event['type'] === 'response.reasoning_summary_text.delta') answer.thinking += event['delta']
    const item = event['type'] === 'response.output_item.done' ? event['item']! : undefined
    if (item?.['type'] === 'function_call') answer.calls.push({ name: item['name'] as string, input: item['arguments'] as string })
  }
  const usage = final['usage']
  if (usage) {
    answer.usage = {
      input: usage['input_tokens'] as number,
      output: usage['output_tokens'] as number,
      cached: usage['input_tokens_details']?.['cached_tokens'] ?? 0,
      thinking: usage['output_tokens_details']?.['reasoning_tokens'] ?? 0,
    }
  }
  return answer
}

function anthropic(events: Json[]): ReferenceAnswer {
  const answer: ReferenceAnswer = { text: '', thinking: '', calls: [], usage: undefined }
  const blocks = new Map<number, { type: string; name: string; input: string }>()
  const usage: { [name: string]: number } = {}
  for (const event of events) {
    const block = blocks.get(event['index'] as number)
    if (event['type'] === 'message_start') Object.assign(usage, event['message']!['usage'])
    if (event['type'] === 'message_delta') {
      for (const [name, value] of Object.entries(event['usage'] as object)) if (value !== null) usage[name] = value as number
    }
    if (event['type'] === 'content_block_start') {
      const start = event['content_block']!
      blocks.set(event['index'] as number, { type: start['type'] as string, name: start['name'] as string, input: '' })
    }
    const delta = event['type'] === 'content_block_delta' ? event['delta']! : undefined
    // The text of a compaction block is not part of the answer.
    if (delta?.['type'] === 'text_delta' && block?.type === 'text') answer.text += delta['text']
    if (delta?.['type'] === 'thinking_delta') answer.thinking += delta['thinking']
    if (delta?.['type'] === 'input_json_delta' && block) block.input += delta['partial_json']
    if (event['type'] === 'content_block_stop' && block?.type === 'tool_use')
      answer.calls.push({ name: block.name, input: block.input || '{}' })
  }
  const iterations = usage['iterations'] as unknown as Json[] | undefined
  const own = iterations?.filter((one) => one['type'] === 'message' || one['type'] === 'compaction') ?? []
  const sum = (name: string): number => (own.length > 0 ? own.reduce((total, one) => total + (one[name] as number), 0) : (usage[name] ?? 0))
  answer.usage = {
    input: sum('input_tokens') + (usage['cache_read_input_tokens'] ?? 0) + (usage['cache_creation_input_tokens'] ?? 0),
    output: sum('output_tokens'),
    cached: usage['cache_read_input_tokens'] ?? 0,
    thinking: (usage['output_tokens_details'] as unknown as { thinking_tokens?: number } | undefined)?.thinking_tokens ?? 0,
  }
  return answer
}

function gemini(events: Json[]): ReferenceAnswer {
  const answer: ReferenceAnswer = { text: '', thinking: '', calls: [], usage: undefined }
  for (const event of events) {
    const usage = event['usageMetadata']
    if (usage) {
      answer.usage = {
        input: (usage['promptTokenCount'] ?? 0) + (usage['toolUsePromptTokenCount'] ?? 0),
        output: (usage['candidatesTokenCount'] ?? 0) + (usage['thoughtsTokenCount'] ?? 0),
        cached: usage['cachedContentTokenCount'] ?? 0,
        thinking: usage['thoughtsTokenCount'] ?? 0,
      }
    }
    for (const part of (event['candidates']?.[0]?.['content']?.['parts'] ?? []) as Json[]) {
      if (typeof part['text'] === 'string') answer[part['thought'] ? 'thinking' : 'text'] += part['text']
      const call = part['functionCall']
      if (call) answer.calls.push({ name: call['name'] as string, input: JSON.stringify(call['args'] ?? {}) })
    }
  }
  return answer
}
