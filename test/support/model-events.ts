import { argumentsText, piecesOf, type ScriptStep, type WireName } from './model-script.ts'

/** The events of an answer as text; `end`: those that complete it. */
export interface StepEvents {
  events: string[]
  end: string[]
}

interface Context {
  /** Number of the server's answer, from which ids are derived. */
  n: number
  model: string
}

/** The answer for `step` in the format of `wire`. */
export function eventsOfStep(wire: WireName, step: ScriptStep, context: Context): StepEvents {
  return WIRES[wire](step, context, step.deltaChars ?? 12)
}

const usageOf = (step: ScriptStep) => ({ input: 10, output: 5, cached: 0, thinking: 0, ...step.usage })
const finishOf = (step: ScriptStep) => step.finish ?? (step.toolCalls?.length ? 'tool_calls' : 'stop')
const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
const named = (value: { type: string } & Record<string, unknown>): string => `event: ${value.type}\n${data(value)}`

const WIRES: Record<WireName, (step: ScriptStep, context: Context, size: number) => StepEvents> = {
  chat,
  responses,
  anthropic,
  gemini,
}

function chat(step: ScriptStep, { n, model }: Context, size: number): StepEvents {
  const chunk = (delta: unknown, rest: object = {}, outer: object = {}): string =>
    data({
      id: `chatcmpl-${n}`,
      object: 'chat.completion.chunk',
      created: 1_790_000_000,
      model,
      choices: [{ index: 0, delta, finish_reason: null, ...rest }],
      ...outer,
    })
  const events = [chunk({ role: 'assistant', content: '' })]
  const field = step.thinkingField ?? 'reasoning_content'
  if (step.thinking === '') events.push(chunk({ [field]: '' }))
  for (const piece of piecesOf(step.thinking ?? '', size)) events.push(chunk({ [field]: piece }))
  for (const piece of piecesOf(step.text ?? '', size)) events.push(chunk({ content: piece }))
  const calls = step.toolCalls ?? []
  for (const [index, call] of calls.entries()) {
    events.push(
      chunk({
        tool_calls: [
          {
            index,
            id: call.id ?? `call_${n}_${index}`,
            type: 'function',
            function: { name: call.name, arguments: '' },
          },
        ],
      }),
    )
  }
  // Parallel calls arrive interleaved.
  const pieces = calls.map((call) => piecesOf(argumentsText(call), size))
  for (let round = 0; pieces.some((list) => round < list.length); round += 1) {
    for (const [index, list] of pieces.entries()) {
      const piece = list[round]
      if (piece !== undefined) events.push(chunk({ tool_calls: [{ index, function: { arguments: piece } }] }))
    }
  }
  const { input, output, cached, thinking } = usageOf(step)
  const usage = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(step.usageInChoice ? { cached_tokens: cached } : { prompt_tokens_details: { cached_tokens: cached } }),
    completion_tokens_details: { reasoning_tokens: thinking },
  }
  const finish = { stop: 'stop', tool_calls: 'tool_calls', length: 'length', refusal: 'content_filter' }[finishOf(step)]
  const end = [chunk({}, { finish_reason: finish, ...(step.usageInChoice && { usage }) })]
  if (!step.usageInChoice)
    end.push(
      data({ id: `chatcmpl-${n}`, object: 'chat.completion.chunk', created: 1_790_000_000, model, choices: [], usage }),
    )
  return { events, end: [...end, 'data: [DONE]\n\n'] }
}

function responses(step: ScriptStep, { n, model }: Context, size: number): StepEvents {
  let sequence = 0
  const event = (type: string, rest: object): string => named({ type, sequence_number: sequence++, ...rest })
  const response = (status: string, rest: object = {}) => ({
    id: `resp_${n}`,
    object: 'response',
    created_at: 1_790_000_000,
    status,
    model,
    output: [],
    ...rest,
  })
  const events = [
    event('response.created', { response: response('in_progress') }),
    event('response.in_progress', { response: response('in_progress') }),
  ]
  const output: object[] = []
  const item = (added: object, middle: (index: number) => string[], done: object): void => {
    const index = output.length
    events.push(event('response.output_item.added', { output_index: index, item: added }))
    events.push(...middle(index), event('response.output_item.done', { output_index: index, item: done }))
    output.push(done)
  }
  if (step.thinking !== undefined) {
    const id = `rs_${n}`
    const part = { type: 'summary_text', text: step.thinking }
    item(
      { type: 'reasoning', id, summary: [], encrypted_content: '' },
      (index) => [
        event('response.reasoning_summary_part.added', {
          item_id: id,
          output_index: index,
          summary_index: 0,
          part: { type: 'summary_text', text: '' },
        }),
        ...piecesOf(step.thinking!, size).map((delta) =>
          event('response.reasoning_summary_text.delta', { item_id: id, output_index: index, summary_index: 0, delta }),
        ),
        event('response.reasoning_summary_text.done', {
          item_id: id,
          output_index: index,
          summary_index: 0,
          text: step.thinking,
        }),
        event('response.reasoning_summary_part.done', { item_id: id, output_index: index, summary_index: 0, part }),
      ],
      { type: 'reasoning', id, summary: [part], encrypted_content: `sealed-${n}` },
    )
  }
  if (step.text !== undefined) {
    const id = `msg_${n}`
    const part = { type: 'output_text', text: step.text, annotations: [] }
    const at = (index: number) => ({ item_id: id, output_index: index, content_index: 0 })
    item(
      { type: 'message', id, role: 'assistant', status: 'in_progress', content: [] },
      (index) => [
        event('response.content_part.added', { ...at(index), part: { ...part, text: '' } }),
        ...piecesOf(step.text!, size).map((delta) =>
          event('response.output_text.delta', { ...at(index), delta, logprobs: [] }),
        ),
        event('response.output_text.done', { ...at(index), text: step.text, logprobs: [] }),
        event('response.content_part.done', { ...at(index), part }),
      ],
      { type: 'message', id, role: 'assistant', status: 'completed', content: [part] },
    )
  }
  for (const [position, call] of (step.toolCalls ?? []).entries()) {
    const id = `fc_${n}_${position}`
    const base = { type: 'function_call', id, call_id: call.id ?? `call_${n}_${position}`, name: call.name }
    const text = argumentsText(call)
    item(
      { ...base, status: 'in_progress', arguments: '' },
      (index) => [
        ...piecesOf(text, size).map((delta) =>
          event('response.function_call_arguments.delta', { item_id: id, output_index: index, delta }),
        ),
        event('response.function_call_arguments.done', {
          item_id: id,
          output_index: index,
          name: call.name,
          arguments: text,
        }),
      ],
      { ...base, status: 'completed', arguments: text },
    )
  }
  const { input, output: written, cached, thinking } = usageOf(step)
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: written,
    output_tokens_details: { reasoning_tokens: thinking },
    total_tokens: input + written,
  }
  const reason = { length: 'max_output_tokens', refusal: 'content_filter', stop: undefined, tool_calls: undefined }[
    finishOf(step)
  ]
  const status = reason === undefined ? 'completed' : 'incomplete'
  const details = reason === undefined ? {} : { incomplete_details: { reason } }
  return { events, end: [event(`response.${status}`, { response: response(status, { output, usage, ...details }) })] }
}

function anthropic(step: ScriptStep, { n, model }: Context, size: number): StepEvents {
  const { input, output, cached } = usageOf(step)
  const counts = { input_tokens: input - cached, cache_creation_input_tokens: 0, cache_read_input_tokens: cached }
  const message = {
    id: `msg_${n}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...counts, output_tokens: 1 },
  }
  const events = [named({ type: 'message_start', message }), named({ type: 'ping' })]
  let index = 0
  const block = (content: object, deltas: object[]): void => {
    events.push(named({ type: 'content_block_start', index, content_block: content }))
    for (const delta of deltas) events.push(named({ type: 'content_block_delta', index, delta }))
    events.push(named({ type: 'content_block_stop', index }))
    index += 1
  }
  if (step.thinking !== undefined) {
    const deltas = piecesOf(step.thinking, size).map((thinking) => ({ type: 'thinking_delta', thinking }))
    block({ type: 'thinking', thinking: '', signature: '' }, [
      ...deltas,
      { type: 'signature_delta', signature: `signed-${n}` },
    ])
  }
  if (step.text !== undefined)
    block(
      { type: 'text', text: '' },
      piecesOf(step.text, size).map((text) => ({ type: 'text_delta', text })),
    )
  for (const [position, call] of (step.toolCalls ?? []).entries()) {
    const pieces = ['', ...piecesOf(argumentsText(call), size)]
    block(
      { type: 'tool_use', id: call.id ?? `toolu_${n}_${position}`, name: call.name, input: {} },
      pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
    )
  }
  const stop_reason = { stop: 'end_turn', tool_calls: 'tool_use', length: 'max_tokens', refusal: 'refusal' }[
    finishOf(step)
  ]
  const end = [
    named({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: output } }),
    named({ type: 'message_stop' }),
  ]
  return { events, end }
}

function gemini(step: ScriptStep, { n, model }: Context, size: number): StepEvents {
  const event = (parts: object[], rest: object = {}, outer: object = {}): string => {
    const candidates = [{ content: { parts, role: 'model' }, index: 0, ...rest }]
    return `data: ${JSON.stringify({ candidates, modelVersion: model, responseId: `gen-${n}`, ...outer })}\r\n\r\n`
  }
  const events: string[] = []
  for (const text of piecesOf(step.thinking ?? '', size)) events.push(event([{ text, thought: true }]))
  for (const text of piecesOf(step.text ?? '', size)) events.push(event([{ text }]))
  for (const [position, call] of (step.toolCalls ?? []).entries()) {
    // Gemini sends arguments as an object; a script's raw text is sent as a string, which no real server does.
    const signature = position === 0 ? { thoughtSignature: `c2lnbmVkLS${n}` } : {}
    events.push(
      event([
        {
          functionCall: { ...(call.id !== undefined && { id: call.id }), name: call.name, args: call.input },
          ...signature,
        },
      ]),
    )
  }
  const { input, output, cached, thinking } = usageOf(step)
  const finishReason = { stop: 'STOP', tool_calls: 'STOP', length: 'MAX_TOKENS', refusal: 'SAFETY' }[finishOf(step)]
  const usageMetadata = {
    promptTokenCount: input,
    candidatesTokenCount: output - thinking,
    thoughtsTokenCount: thinking,
    cachedContentTokenCount: cached,
    totalTokenCount: input + output,
  }
  return { events, end: [event([{ text: '' }], { finishReason }, { usageMetadata })] }
}

/** An error object in a stream. */
export function streamErrorOf(
  wire: WireName,
  error: { message: string; type?: string; code?: string | number },
): string {
  const { message, type = 'server_error', code } = error
  if (wire === 'anthropic') return named({ type: 'error', error: { type, message } })
  if (wire === 'responses')
    return named({ type: 'error', sequence_number: 99, error: { type, code: code ?? null, message, param: null } })
  if (wire === 'gemini')
    return `data: ${JSON.stringify({ error: { code: code ?? 500, message, status: type } })}\r\n\r\n`
  return data({ error: { message, type, ...(code !== undefined && { code }) } })
}
