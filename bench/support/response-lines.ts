/** Answers of the scripted model as server-sent events, in the formats of the measured programs. */
import type { Answer } from './model-server.ts'

/** OpenAI Chat Completions, OpenAI Responses, Anthropic Messages, Gemini. */
export const WIRE_FORMATS = ['chat', 'responses', 'anthropic', 'google'] as const
export type WireFormat = (typeof WIRE_FORMATS)[number]

/** The response format for a request path. */
export function wireOf(path: string): WireFormat {
  if (path.includes('/responses')) return 'responses'
  if (path.includes('/messages')) return 'anthropic'
  return path.includes(':streamGenerateContent') ? 'google' : 'chat'
}

/** The events of the n-th answer, to be written one by one. */
export function linesOf(answer: Answer, n: number, wire: WireFormat): string[] {
  return LINES[wire](answer, n)
}

const LINES: Readonly<Record<WireFormat, (answer: Answer, n: number) => string[]>> = {
  chat: chatLines,
  responses: responsesLines,
  anthropic: anthropicLines,
  google: googleLines,
}

function chatLines(answer: Answer, n: number): string[] {
  const chunk = (fields: object): string => {
    const head = { id: `c${n}`, object: 'chat.completion.chunk', created: 1, model: 'scripted' }
    return `data: ${JSON.stringify({ ...head, ...fields })}\n\n`
  }
  const event = (delta: object, finish: string | null = null): string =>
    chunk({ choices: [{ index: 0, delta, finish_reason: finish }] })
  const start = event({ role: 'assistant', content: '' })
  const usage = chunk({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } })
  const end = [usage, 'data: [DONE]\n\n']
  if ('calls' in answer) {
    const calls = answer.calls.map(({ name, input }, index) =>
      event({
        tool_calls: [
          { index, id: `call_${n}_${index}`, type: 'function', function: { name, arguments: JSON.stringify(input) } },
        ],
      }),
    )
    return [start, ...calls, event({}, 'tool_calls'), ...end]
  }
  return [start, ...pieces(answer).map((content) => event({ content })), event({}, 'stop'), ...end]
}

function responsesLines(answer: Answer, n: number): string[] {
  let sequence = 0
  const event = (type: string, body: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...body })}\n\n`
  const id = `resp_${n}`
  const response = { id, object: 'response', created_at: 1, model: 'scripted' }
  const start = event('response.created', { response: { ...response, status: 'in_progress', output: [] } })
  const end = (output: readonly object[]): string =>
    event('response.completed', {
      response: {
        ...response,
        status: 'completed',
        output,
        usage: {
          input_tokens: 100,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: 20,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: 120,
        },
      },
    })
  if ('calls' in answer) {
    const items = answer.calls.map(({ name, input }, index) => ({
      type: 'function_call',
      id: `fc_${n}_${index}`,
      call_id: `call_${n}_${index}`,
      status: 'completed',
      name,
      arguments: JSON.stringify(input),
    }))
    const lines = items.flatMap((item, index) => [
      event('response.output_item.added', { output_index: index, item: { ...item, arguments: '' } }),
      event('response.function_call_arguments.delta', {
        output_index: index,
        item_id: item.id,
        delta: item.arguments,
      }),
      event('response.output_item.done', { output_index: index, item }),
    ])
    return [start, ...lines, end(items)]
  }
  const message = {
    type: 'message',
    id: `msg_${n}`,
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: answer.text, annotations: [] }],
  }
  return [
    start,
    event('response.output_item.added', { output_index: 0, item: { ...message, content: [] } }),
    ...pieces(answer).map((delta) =>
      event('response.output_text.delta', { output_index: 0, content_index: 0, item_id: message.id, delta }),
    ),
    event('response.output_item.done', { output_index: 0, item: message }),
    end([message]),
  ]
}

function anthropicEvent(type: string, body: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...body })}\n\n`
}

function anthropicLines(answer: Answer, n: number): string[] {
  const start = anthropicEvent('message_start', {
    message: {
      id: `msg_${n}`,
      type: 'message',
      role: 'assistant',
      model: 'scripted',
      content: [],
      usage: { input_tokens: 100, output_tokens: 1 },
    },
  })
  const block = (index: number, content: object, deltas: readonly object[]): string[] => [
    anthropicEvent('content_block_start', { index, content_block: content }),
    ...deltas.map((delta) => anthropicEvent('content_block_delta', { index, delta })),
    anthropicEvent('content_block_stop', { index }),
  ]
  const end = (reason: string): string[] => [
    anthropicEvent('message_delta', {
      delta: { stop_reason: reason, stop_sequence: null },
      usage: { output_tokens: 20 },
    }),
    anthropicEvent('message_stop'),
  ]
  if ('calls' in answer) {
    const calls = answer.calls.flatMap(({ name, input }, index) =>
      block(index, { type: 'tool_use', id: `call_${n}_${index}`, name, input: {} }, [
        { type: 'input_json_delta', partial_json: JSON.stringify(input) },
      ]),
    )
    return [start, ...calls, ...end('tool_use')]
  }
  const deltas = pieces(answer).map((text) => ({ type: 'text_delta', text }))
  return [start, ...block(0, { type: 'text', text: '' }, deltas), ...end('end_turn')]
}

function googleLines(answer: Answer, n: number): string[] {
  const counts = { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 }
  const event = (parts: readonly object[], finishReason?: string): string => {
    const candidates = [{ content: { role: 'model', parts }, index: 0, finishReason }]
    const whole = { candidates, usageMetadata: counts, modelVersion: 'scripted', responseId: `r${n}` }
    return `data: ${JSON.stringify(whole)}\n\n`
  }
  if ('calls' in answer) {
    return [
      event(
        answer.calls.map(({ name, input }) => ({ functionCall: { name, args: input } })),
        'STOP',
      ),
    ]
  }
  return [...pieces(answer).map((text) => event([{ text }])), event([{ text: '' }], 'STOP')]
}

/** Splits the text into the number of pieces in the script. */
function pieces({ text, chunks = 1 }: Extract<Answer, { text: string }>): string[] {
  const size = Math.ceil(text.length / chunks)
  return Array.from({ length: chunks }, (_, index) => text.slice(index * size, (index + 1) * size))
}
