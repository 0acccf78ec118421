import type { AnthropicLanguageModelOptions } from '@ai-sdk/anthropic'
import type { Message } from '../../../../shared/model/turn/message'
import {
  beginsWithThinking,
  plainCallId,
  type PromptRules,
  type ModelProtocol,
  type ProtocolSettings,
  withVersion,
} from './protocol'
import { requestedThinking, type RequestedThinking, modelFamily } from '../thinking'
import type { Effort } from '../../../../shared/model/turn/effort'
import type { ModelRequest } from '../provider'
import { isRecord, type JsonObject } from '../../../../shared/json-fields'
import type { EventFilter, AnswerPieces } from './event-stream'

/** Anthropic Messages. */
export async function anthropicProtocol(settings: ProtocolSettings): Promise<ModelProtocol> {
  const { createAnthropic } = await import('@ai-sdk/anthropic')
  const baseURL = withVersion(settings.baseUrl ?? 'https://api.anthropic.com', 'v1')
  const isOfficial = baseURL.startsWith('https://api.anthropic.com/')
  const rules: PromptRules = {
    metadataKey: 'anthropic',
    imagesInResults: true,
    marksErrors: true,
    video: false,
    pdf: 'everywhere',
    rawInput: false,
    cacheMarks: true,
    callId: plainCallId,
    thinking: 'signed-parts',
    isSigned: (metadata) => typeof metadata['signature'] === 'string' || typeof metadata['redactedData'] === 'string',
    thinkingReplay: (request) => {
      const { isOff, bindsThinking } = requestedThinking('anthropic', request)
      return { isOff, losesStale: bindsThinking || request.traits?.losesStaleThinking === true }
    },
  }
  return {
    announcesStart: true,
    rules,
    readable: anthropicEvents,
    pieces: anthropicPieces,
    model: (id, fetch) => createAnthropic({ baseURL, apiKey: settings.key, fetch }).messages(id),
    options: (request) => {
      const isProven = (message: Message): boolean => beginsWithThinking(message, request, rules)
      const { options, maxOutputTokens } = anthropicThinking(request, isProven)
      return {
        ...(maxOutputTokens !== undefined && { maxOutputTokens }),
        // Without it, the arguments of a long Write arrive in one burst after minutes of silence. Other servers may not
        // know the field.
        providerOptions: { anthropic: { toolStreaming: isOfficial, ...options } },
      }
    },
  }
}

/** The longest answer of a model that the package doesn't know, if nothing is configured. */
const DEFAULT_MAX_OUTPUT = 32_000
/** The same for Anthropic models that think by budget, according to the package. */
const CLAUDE_MAX_OUTPUT = 64_000
const OPUS_MAX_OUTPUT = 32_000

/** With this much left, the package's default for the longest answer of an Anthropic model fits. */
const LONGEST_CLAUDE_ANSWER = 130_000
const MIN_ANSWER = 2000

/** Tokens of thinking; the two highest levels use everything that the answer doesn't need. */
const BUDGETS: Readonly<Record<Exclude<Effort, 'none' | 'xhigh' | 'max'>, number>> = {
  minimal: 2048,
  low: 4096,
  medium: 10_240,
  high: 24_576,
}
/** The protocol's smallest budget. */
const MIN_BUDGET = 1024
/** Output tokens reserved for the answer; a quarter of a small output. */
const ROOM_FOR_ANSWER = 8192

const INTERLEAVED = 'interleaved-thinking-2025-05-14'

export interface AnthropicThinking {
  options: Pick<AnthropicLanguageModelOptions, 'thinking' | 'effort' | 'anthropicBeta'>
  /** Tokens of the answer without its thinking, as the package expects; undefined: the model's default. */
  maxOutputTokens: number | undefined
}

/**
 * How the requested thinking is expressed in Anthropic's protocol. `isProven`: whether an answer is sent back with its
 * thinking.
 */
function anthropicThinking(request: ModelRequest, isProven: (message: Message) => boolean): AnthropicThinking {
  const requested = requestedThinking('anthropic', request)
  const isClaude = modelFamily(request.model) === 'claude'
  const maxOutputTokens = request.maxOutputTokens ?? longestAnswer(isClaude, request.availableOutputTokens)
  switch (requested.control) {
    case 'adaptive':
      return { options: adaptive(requested), maxOutputTokens }
    case 'budget':
    case 'effort':
    case 'switch': {
      const effort = requested.control === 'effort' ? effortOption(requested) : {}
      if (requested.isOff) return { options: { thinking: { type: 'disabled' } }, maxOutputTokens }
      const total =
        maxOutputTokens ?? (/opus-4(?:[-.]1|-2|$)/.test(request.model) ? OPUS_MAX_OUTPUT : CLAUDE_MAX_OUTPUT)
      const budgetTokens = budgetOf(requested.effort, total)
      const isPossible = budgetTokens >= MIN_BUDGET && (!isClaude || continuesThinking(request.messages, isProven))
      if (!requested.thinks || !isPossible) return { options: effort, maxOutputTokens }
      return {
        options: {
          thinking: { type: 'enabled', budgetTokens },
          ...effort,
          ...(requested.needsInterleavedHeader && { anthropicBeta: [INTERLEAVED] }),
        },
        // The package adds the budget to it; the sum never exceeds the model's limit.
        maxOutputTokens: total - budgetTokens,
      }
    }
    default:
      return { options: {}, maxOutputTokens }
  }
}

/**
 * The protocol requires a limit. For Anthropic's models, the package knows the default, which must fit into what is
 * left of the window.
 */
function longestAnswer(isClaude: boolean, room = Number.POSITIVE_INFINITY): number | undefined {
  if (isClaude && room > LONGEST_CLAUDE_ANSWER) return undefined
  return Math.max(MIN_ANSWER, Math.min(DEFAULT_MAX_OUTPUT, room))
}

function adaptive(requested: RequestedThinking): AnthropicThinking['options'] {
  if (requested.isOff) return { thinking: { type: 'disabled' } }
  // Makes the provider drop a block whose prefix has changed. Otherwise, this request and every later one would be
  // rejected.
  const binding = { blockBinding: { prefixMismatchBehavior: 'drop_block' as const } }
  const effort = effortOption(requested)
  if (!requested.thinks) return requested.bindsThinking ? { thinking: binding, ...effort } : effort
  return { thinking: { type: 'adaptive', display: 'summarized', ...(requested.bindsThinking && binding) }, ...effort }
}

function effortOption({ effort }: RequestedThinking): Pick<AnthropicLanguageModelOptions, 'effort'> {
  return effort === undefined || effort === 'none' || effort === 'minimal' ? {} : { effort }
}

function budgetOf(effort: Effort = 'high', total: number): number {
  const most = total - Math.min(ROOM_FOR_ANSWER, Math.ceil(total / 4))
  return effort === 'xhigh' || effort === 'max' || effort === 'none' ? most : Math.min(BUDGETS[effort], most)
}

/**
 * Whether the answer being continued after tool results started with thinking that is sent back. If not (another model
 * started it, or its thinking was dropped), models that think by budget reject thinking until the next prompt.
 */
function continuesThinking(messages: readonly Message[], isProven: (message: Message) => boolean): boolean {
  let end = messages.length
  while (messages[end - 1]?.role === 'user') end -= 1
  if (messages[end - 1]?.role !== 'tool') return true
  let first: Message | undefined
  for (let index = end - 1; index >= 0 && messages[index]!.role !== 'user'; index -= 1) {
    if (messages[index]!.role === 'assistant') first = messages[index]
  }
  return first === undefined || isProven(first)
}

const PASSED: ReadonlySet<unknown> = new Set(['ping', 'content_block_stop', 'message_stop', 'error'])
/**
 * Blocks that models write themselves. Blocks of tools that the provider runs are omitted, because we don't request
 * any.
 */
const BLOCKS: ReadonlySet<unknown> = new Set(['text', 'thinking', 'redacted_thinking', 'tool_use', 'compaction'])
const DELTAS: ReadonlySet<unknown> = new Set([
  'text_delta',
  'thinking_delta',
  'signature_delta',
  'input_json_delta',
  'compaction_delta',
])
const CALLERS: ReadonlySet<unknown> = new Set(['direct', 'code_execution_20250825', 'code_execution_20260120'])
/**
 * What one request can consist of: the answer, a compaction before it, a second model's answer. Other passes are
 * ignored.
 */
const ITERATIONS: ReadonlySet<unknown> = new Set(['message', 'compaction', 'fallback_message'])
const COUNTS = ['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens']

/** The field with the text of each kind of delta. */
const TEXT_FIELDS: ReadonlyMap<unknown, string> = new Map([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['input_json_delta', 'partial_json'],
])

const anthropicPieces: AnswerPieces = {
  of({ type, index, delta }) {
    if (type !== 'content_block_delta' || !isRecord(delta)) return undefined
    const field = TEXT_FIELDS.get(delta['type'])
    const said = field && delta[field]
    return typeof said === 'string' ? { kind: `${field} ${String(index)}`, said } : undefined
  },
  withAll(event, said) {
    const { type } = event['delta'] as JsonObject
    return { ...event, delta: { type, [TEXT_FIELDS.get(type)!]: said } }
  },
}

/** The events of one answer in Anthropic's protocol without unknown parts that the package would reject. */
export function anthropicEvents(): EventFilter {
  let stopReason: unknown
  /** Later counts replace earlier ones; an event without counts leaves them unchanged. */
  let counted: JsonObject = { output_tokens: 0 }
  return (event) => {
    if (PASSED.has(event['type']) || isRecord(event['error'])) return event
    switch (event['type']) {
      case 'message_start':
        return { type: 'message_start', message: openingOf(event['message']) }
      case 'content_block_start':
        return blockStart(event)
      case 'content_block_delta':
        return isRecord(event['delta']) && DELTAS.has(event['delta']['type']) ? event : undefined
      case 'message_delta': {
        const delta = isRecord(event['delta']) ? event['delta'] : {}
        if (typeof delta['stop_reason'] === 'string') stopReason = delta['stop_reason']
        counted = { ...counted, ...countsOf(event['usage']) }
        return {
          type: 'message_delta',
          delta: { ...(stopReason !== undefined && { stop_reason: stopReason }) },
          usage: counted,
        }
      }
      default:
        return undefined
    }
  }
}

function openingOf(message: unknown): JsonObject {
  const { id, model, role, usage } = isRecord(message) ? message : ({} as JsonObject)
  const said = Object.entries({ id, model, role }).filter(([, value]) => typeof value === 'string')
  return { ...Object.fromEntries(said), usage: { input_tokens: 0, ...countsOf(usage) } }
}

function blockStart(event: JsonObject): JsonObject | undefined {
  const block = event['content_block']
  if (!isRecord(block) || !BLOCKS.has(block['type'])) return undefined
  const { caller, ...rest } = block
  return isRecord(caller) && !CALLERS.has(caller['type']) ? { ...event, content_block: rest } : event
}

function countsOf(usage: unknown): JsonObject {
  if (!isRecord(usage)) return {}
  const counts = Object.fromEntries(
    COUNTS.flatMap((name) => (typeof usage[name] === 'number' ? [[name, usage[name]]] : [])),
  )
  const details = usage['output_tokens_details']
  const thinking = isRecord(details) ? details['thinking_tokens'] : undefined
  const iterations = iterationsOf(usage['iterations'])
  return {
    ...counts,
    ...(typeof thinking === 'number' && { output_tokens_details: { thinking_tokens: thinking } }),
    ...(iterations.length > 0 && { iterations }),
  }
}

/** The passes that a request was billed for: with a compaction, the top-level counts cover only the answer. */
function iterationsOf(passes: unknown): JsonObject[] {
  if (!Array.isArray(passes)) return []
  return passes.flatMap((pass: unknown) => {
    if (!isRecord(pass) || !ITERATIONS.has(pass['type'])) return []
    const { input_tokens = 0, output_tokens = 0 } = countsOf(pass)
    return [{ type: pass['type'], input_tokens, output_tokens }]
  })
}
