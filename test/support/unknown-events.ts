import type { WireName } from './model-script.ts'

/** Something that a wire may contain and that no protocol described when this was written. */
export interface Unknown {
  name: string
  /** Events that are inserted before each event of an answer. */
  events?: readonly string[]
  /** Changes an event of the answer itself; usage may change, too. */
  change?: (event: string) => string
}

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
const named = (value: { type: string } & Record<string, unknown>): string => `event: ${value.type}\n${data(value)}`
const TEN = Array.from({ length: 10 }, (_, index) => index)

/** A parsed value of any shape. */
type Json = ReturnType<typeof JSON.parse>

/** Changes the JSON of every event for which `edit` returns a value. */
const edited =
  (edit: (event: Json) => object | undefined) =>
  (event: string): string => {
    const found = /^data: (\{.*\})$/m.exec(event)
    const result = found && edit(JSON.parse(found[1]!))
    return result ? data(result) : event
  }

const anything = (unknown: string): Unknown[] => [
  { name: `an event named ${unknown}`, events: [named({ type: unknown, detail: { text: 'not said' } })] },
]

const block = (content: object, deltas: object[] = []): string[] => [
  named({ type: 'content_block_start', index: 90, content_block: content }),
  ...deltas.map((delta) => named({ type: 'content_block_delta', index: 90, delta })),
  named({ type: 'content_block_stop', index: 90 }),
]

const anthropic: Unknown[] = [
  ...['heartbeat', 'message_progress', 'content_block_progress', 'usage', 'session_update', 'response.created'].flatMap(
    anything,
  ),
  { name: 'an event without a type', events: [data({ detail: 1 })] },
  { name: 'a ping with fields', events: [named({ type: 'ping', at: 12, nested: { a: [1] } })] },
  ...TEN.map((n) => ({
    name: `a block of an unknown type with deltas of a known one (${n})`,
    events: block(
      { type: `novel_block_${n}`, text: 'not said', [`field_${n}`]: n },
      [
        [{ type: 'text_delta', text: 'not said' }],
        [{ type: 'thinking_delta', thinking: 'not thought' }],
        [{ type: 'input_json_delta', partial_json: '{"not":"called"}' }],
        [{ type: 'signature_delta', signature: 'none' }],
        [],
      ][n % 5],
    ),
  })),
  {
    name: 'the block of a tool that the provider runs, and its result in a new form',
    events: [
      ...block({ type: 'server_tool_use', id: 'srv_1', name: 'quantum_search', input: {} }, [
        { type: 'input_json_delta', partial_json: '{}' },
      ]),
      ...block({ type: 'quantum_search_tool_result', tool_use_id: 'srv_1', content: { type: 'novel' } }),
      ...block({ type: 'web_search_tool_result', tool_use_id: 'srv_1', content: { type: 'novel' } }),
    ],
  },
  ...TEN.map((n) => ({
    name: `a delta of an unknown type ${n}`,
    events: [
      named({ type: 'content_block_delta', index: n % 4, delta: { type: `novel_delta_${n}`, text: 'not said', n } }),
    ],
  })),
  {
    name: 'a citation of an unknown kind',
    events: [
      named({
        type: 'content_block_delta',
        index: 1,
        delta: { type: 'citations_delta', citation: { type: 'novel_location' } },
      }),
    ],
  },
  {
    name: 'a message_delta without usage',
    change: edited((event) => (event['type'] === 'message_delta' ? { ...event, usage: undefined } : undefined)),
  },
  {
    name: 'a message_delta with fields it does not know',
    change: edited((event) =>
      event['type'] === 'message_delta'
        ? {
            ...event,
            context_management: { applied_edits: [{ type: 'novel' }] },
            delta: { ...event['delta'], stop_details: { type: 'novel' }, container: 'novel' },
            usage: { ...event['usage'], iterations: [{ type: 'novel' }], output_tokens_details: 'many' },
          }
        : undefined,
    ),
  },
  {
    name: 'a message_start with fields it does not know',
    change: edited((event) =>
      event['type'] === 'message_start'
        ? {
            ...event,
            message: {
              ...event['message'],
              container: 'novel',
              content: [{ type: 'novel' }],
              input_transformations: 'novel',
            },
          }
        : undefined,
    ),
  },
  {
    name: 'a message_start without usage',
    change: edited((event) =>
      event['type'] === 'message_start' ? { ...event, message: { ...event['message'], usage: undefined } } : undefined,
    ),
  },
  {
    name: 'a call with a caller of an unknown kind',
    change: edited((event) =>
      event['content_block']?.type === 'tool_use'
        ? { ...event, content_block: { ...event['content_block'], caller: { type: 'novel' } } }
        : undefined,
    ),
  },
]

const item = (type: string): string[] => [
  named({
    type: 'response.output_item.added',
    output_index: 90,
    item: { type, id: 'new_1', payload: { text: 'not said' } },
  }),
  named({
    type: 'response.output_item.done',
    output_index: 90,
    item: { type, id: 'new_1', payload: { text: 'not said' } },
  }),
]

const responses: Unknown[] = [
  ...[
    'response.novel',
    'response.novel.delta',
    'response.heartbeat',
    'keepalive',
    'response.queued',
    'session.updated',
  ].flatMap(anything),
  { name: 'an event without a type', events: [data({ detail: 1 })] },
  ...TEN.map((n) => ({ name: `an item of an unknown type ${n}`, events: item(`novel_item_${n}`) })),
  ...['web_search_call', 'file_search_call', 'mcp_call', 'image_generation_call', 'shell_call', 'program'].map(
    (type) => ({
      name: `an item ${type} in a new form`,
      events: item(type),
    }),
  ),
  ...TEN.map((n) => ({
    name: `a delta of an unknown type ${n}`,
    events: [named({ type: `response.novel_${n}.delta`, item_id: 'msg_1', output_index: 1, delta: 'not said' })],
  })),
  {
    name: 'an annotation of an unknown kind',
    events: [
      named({
        type: 'response.output_text.annotation.added',
        item_id: 'msg_1',
        output_index: 1,
        annotation: { type: 'novel', detail: 1 },
      }),
    ],
  },
  {
    name: 'a phase of an unknown name',
    change: edited((event) =>
      event['item']?.type === 'message' ? { ...event, item: { ...event['item'], phase: 'novel' } } : undefined,
    ),
  },
]

const chunk = (delta: unknown, rest: object = {}): string =>
  data({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    model: 'scripted',
    choices: [{ index: 0, delta, finish_reason: null, ...rest }],
  })
const asEvery = (name: string, edit: (choice: Json) => object): Unknown => ({
  name,
  change: edited((event) =>
    Array.isArray(event['choices']) && event['choices'].length > 0
      ? { ...event, choices: event['choices'].map((choice: Json) => edit(choice)) }
      : undefined,
  ),
})

const chat: Unknown[] = [
  ...['ping', 'heartbeat', 'progress', 'x.status'].flatMap(anything),
  { name: 'an event without anything known', events: [data({ detail: 1 })] },
  { name: 'an event whose choices are null', events: [data({ id: 'chatcmpl-1', choices: null })] },
  { name: 'an event without choices', events: [data({ id: 'chatcmpl-1', choices: [] })] },
  { name: 'a choice that is not an object', events: [data({ id: 'chatcmpl-1', choices: ['novel'] })] },
  ...TEN.map((n) => ({
    name: `a delta with an unknown field ${n}`,
    events: [chunk({ [`novel_${n}`]: { text: 'not said' } })],
  })),
  ...['content', 'reasoning', 'reasoning_content', 'role', 'tool_calls'].map((field) => ({
    name: `a delta whose ${field} is in a form it does not know`,
    events: [chunk({ [field]: { novel: true } })],
  })),
  ...['custom', 'mcp', 'retrieval', 'code', 'search'].map((type) => ({
    name: `a call of the unknown type ${type}`,
    events: [chunk({ tool_calls: [{ index: 0, id: 'novel', type, [type]: { text: 'not said' } }] })],
  })),
  asEvery('fields it does not know in every choice', (choice) => ({
    ...choice,
    novel: { a: 1 },
    logprobs: 'many',
    delta: { ...choice['delta'], x: [] },
  })),
  asEvery('a role it does not know', (choice) => ({
    ...choice,
    delta: { ...choice['delta'], ...(choice['delta'].role && { role: 'model' }) },
  })),
  {
    name: 'an id, a time and a model in forms it does not know',
    change: edited((event) => ({ ...event, id: 7, created: 'now', model: { id: 'x' } })),
  },
  { name: 'empty usage in every event', change: edited((event) => ({ usage: null, service_tier: 1, ...event })) },
]

const parts = (...list: object[]): string =>
  data({ responseId: 'response-1', candidates: [{ index: 0, content: { role: 'model', parts: list } }] })
const inCandidate = (name: string, more: object): Unknown => ({
  name,
  change: edited((event) =>
    Array.isArray(event['candidates'])
      ? { ...event, candidates: event['candidates'].map((candidate: object) => ({ ...candidate, ...more })) }
      : undefined,
  ),
})

const gemini: Unknown[] = [
  ...['ping', 'heartbeat', 'progress', 'serverContent'].flatMap(anything),
  { name: 'an event without anything known', events: [data({ detail: 1 })] },
  { name: 'an event whose candidates are no list', events: [data({ candidates: { novel: true } })] },
  ...TEN.map((n) => ({
    name: `a part with an unknown field ${n}`,
    events: [parts({ [`novel${n}`]: { text: 'not said' } })],
  })),
  ...['functionCall', 'inlineData', 'executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse', 'text'].map(
    (field) => ({
      name: `a part whose ${field} is in a form it does not know`,
      events: [parts({ [field]: 12 })],
    }),
  ),
  {
    name: 'a part that is not an object',
    events: [data({ responseId: 'response-1', candidates: [{ content: { parts: ['novel'] } }] })],
  },
  { name: 'content without parts', events: [data({ responseId: 'response-1', candidates: [{ content: {} }] })] },
  {
    name: 'parts that are no list',
    events: [data({ responseId: 'response-1', candidates: [{ content: { parts: 'novel' } }] })],
  },
  inCandidate('ratings in a new form', { safetyRatings: 'novel' }),
  inCandidate('grounding in a new form', {
    groundingMetadata: { groundingChunks: [{ novel: 1 }], searchEntryPoint: 7 },
  }),
  inCandidate('addresses in a new form', { urlContextMetadata: [1] }),
  inCandidate('fields it does not know', { novel: { a: 1 }, avgLogprobs: 'many' }),
  {
    name: 'usage with details in a new form',
    change: edited(
      (event) =>
        event['usageMetadata'] && {
          ...event,
          usageMetadata: { ...event['usageMetadata'], promptTokensDetails: 'novel' },
        },
    ),
  },
  {
    name: 'feedback in a new form',
    change: edited((event) => ({ ...event, promptFeedback: { safetyRatings: 'novel' } })),
  },
]

/** For each wire: what an answer must survive. */
export const UNKNOWN: Readonly<Record<WireName, readonly Unknown[]>> = { anthropic, responses, chat, gemini }
