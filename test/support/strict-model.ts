import { createHash } from 'node:crypto'
import type { RecordedRequest, ScriptedFaults, ScriptStep, WireName } from './model-script.ts'

export interface StrictOptions {
  wire: WireName
  /** Bytes of text per token, for every kind of text. */
  bytesPerToken: number
  window: number
  /** Signed thinking must follow exactly the context in which it was produced (Anthropic's wire only). */
  bindsThinking?: boolean
  /** Whether the server drops such blocks if the request asks for that, instead of rejecting it. */
  dropsBlocks?: boolean
  /**
   * Whether a request is rejected if it and the longest answer it requests exceed the window; default: as the vendor
   * does.
   */
  countsAnswer?: boolean
}

/** A request, as the strict server sees it. */
export interface StrictRequest {
  /** Tokens of its instructions, tools and messages. */
  tokens: number
  rejected?: 'overflow' | 'thinking'
}

export interface StrictModel {
  /** In order of arrival. */
  requests: StrictRequest[]
  /** Plays `step` with the server's token count as its usage, or rejects the request. */
  play(request: RecordedRequest, index: number, step: ScriptStep): ScriptStep
}

/**
 * A model that counts the tokens of each request itself, rejects requests longer than its window with the vendor's
 * message, and rejects signed thinking after any context other than the one in which it was produced, as Anthropic
 * documents.
 */
export function strictModel(options: StrictOptions): StrictModel {
  const { wire, window, bytesPerToken, bindsThinking = false, dropsBlocks = false } = options
  const countsAnswer = options.countsAnswer ?? (wire === 'anthropic' || wire === 'chat')
  const requests: StrictRequest[] = []
  /** The context in which each signature was produced. */
  const signed = new Map<string, string>()
  return {
    requests,
    play({ body }, index, step) {
      const tokens = Math.ceil(contentBytes(body) / bytesPerToken)
      const seen: StrictRequest = { tokens }
      requests.push(seen)
      const longest = countsAnswer ? longestAnswer(body) : 0
      if (tokens + longest > window) {
        seen.rejected = 'overflow'
        return { faults: overflow(wire, tokens, longest, window) }
      }
      if (wire === 'anthropic' && bindsThinking) {
        const { moved, whole } = checkThinking(body, signed)
        if (moved !== undefined && !(dropsBlocks && asksToDrop(body))) {
          seen.rejected = 'thinking'
          return { faults: moved }
        }
        // Like model-events.ts signs the answer to this request.
        if (step.thinking !== undefined) signed.set(`signed-${index + 1}`, whole)
      }
      const output = Math.max(30, Math.ceil(textBytes([step.thinking, step.text]) / bytesPerToken))
      return { ...step, usage: { output, ...step.usage, input: tokens } }
    },
  }
}

/** Everything that a model reads in a request: the text of instructions and messages, and the tools as written. */
export function contentBytes(body: Record<string, unknown>): number {
  const { system, systemInstruction, tools, messages, input, contents } = body
  const written = tools === undefined ? 0 : Buffer.byteLength(withoutMarks(tools))
  return written + textBytes([system, systemInstruction, messages, input, contents])
}

/** The text of the last message, if it is the user's; a result has none. */
export function lastWords(body: Record<string, unknown>): string | undefined {
  const list = (body['messages'] ?? body['input'] ?? body['contents']) as {
    role?: string
    content?: unknown
    parts?: unknown
  }[]
  const last = list.at(-1)
  if (last?.role !== 'user') return undefined
  const content = last.content ?? last.parts
  if (typeof content === 'string') return content
  const part = (content as { text?: unknown }[]).at(-1)
  return typeof part?.text === 'string' ? part.text : undefined
}

/** Bytes of all texts in a value, without its structure. */
export function textBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value !== 'object' || value === null) return 0
  let bytes = 0
  for (const each of Object.values(value)) bytes += textBytes(each)
  return bytes
}

function longestAnswer(body: Record<string, unknown>): number {
  const limit = body['max_tokens'] ?? body['max_completion_tokens']
  return typeof limit === 'number' ? limit : 0
}

/** Removes cache marks, which a model does not read. */
function withoutMarks(value: unknown): string {
  return JSON.stringify(value).replaceAll(/,?"cache_control":\{[^}]*\}/g, '')
}

interface Block {
  type: string
  signature?: string
}

/**
 * Whether signed thinking follows another context than the one in which it was produced; and the context of an answer
 * to this request.
 */
function checkThinking(
  body: Record<string, unknown>,
  signed: ReadonlyMap<string, string>,
): { moved?: ScriptedFaults; whole: string } {
  const hash = createHash('sha256').update(withoutMarks([body['tools'], body['system']]))
  const messages = body['messages'] as { role: string; content: string | Block[] }[]
  for (const [position, message] of messages.entries()) {
    if (message.role === 'assistant' && typeof message.content !== 'string') {
      const before = hash.copy().digest('base64')
      for (const [place, { type, signature }] of message.content.entries()) {
        if (type !== 'thinking' || signature === undefined || signed.get(signature) === before) continue
        const words =
          `messages.${position}.content.${place}: \`thinking\` block is bound to a different conversation. ` +
          'The content before it must be the same as when it was returned.'
        return {
          moved: { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message: words } } },
          whole: '',
        }
      }
    }
    hash.update(withoutMarks(message))
  }
  return { whole: hash.digest('base64') }
}

function asksToDrop(body: Record<string, unknown>): boolean {
  const { block_binding: binding } = (body['thinking'] ?? {}) as {
    block_binding?: { prefix_mismatch_behavior?: string }
  }
  return binding?.prefix_mismatch_behavior === 'drop_block'
}

/** The error as the wire's vendor words it. */
function overflow(wire: WireName, tokens: number, output: number, window: number): ScriptedFaults {
  if (wire === 'anthropic') {
    const message =
      tokens > window
        ? `prompt is too long: ${tokens} tokens > ${window} maximum`
        : `input length and \`max_tokens\` exceed context limit: ${tokens} + ${output} > ${window}, ` +
          'decrease input length or `max_tokens` and try again'
    return { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message } } }
  }
  if (wire === 'gemini') {
    const message = `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${window}).`
    return { status: 400, body: { error: { code: 400, status: 'INVALID_ARGUMENT', message } } }
  }
  if (wire === 'responses') {
    const message = 'Your input exceeds the context window of this model. Please adjust your input and try again.'
    return { status: 400, body: { error: { message, type: 'invalid_request_error', code: 'context_length_exceeded' } } }
  }
  const message =
    output > 0
      ? `This model's maximum context length is ${window} tokens. ` +
        `However, you requested ${tokens + output} tokens (${tokens} in the messages, ` +
        `${output} in the completion). Please reduce the length of the messages or completion.`
      : `This model's maximum context length is ${window} tokens. ` +
        `However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`
  return { status: 400, body: { error: { message, type: 'invalid_request_error', code: 'context_length_exceeded' } } }
}
