import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider'
import { CodedError } from '../../../../shared/errors'
import type { FinishReason } from '../../../../shared/events/event'
import type { ProviderMetadata, Usage } from '../../../../shared/model/turn/message'
import { modelError } from '../errors/model-errors'
import type { ModelChunk } from '../provider'
import type { Inspector, ModelProtocol } from '../protocol/protocol'

type ToolCallChunk = Extract<ModelChunk, { type: 'tool.call' }>
type Part = LanguageModelV4StreamPart

/** A text or thinking part that has started. */
interface OpenPart {
  kind: 'text' | 'thinking'
  metadata: ProviderMetadata | undefined
  said: boolean
}

/**
 * Turns the parts of one package stream into model chunks, in order. It passes on only complete parts: a call whose
 * arguments may have been cut off is held back until it is known to be complete, and an answer without its end marker
 * ends with `model.incomplete`.
 */
export class ChunkMapper {
  /** Set once `finish` was passed on. */
  finished = false
  readonly #announcesStart: boolean
  readonly #notOurs: (tool: string) => boolean
  readonly #inspector: Inspector | undefined
  readonly #secrets: readonly string[]
  #started = false
  readonly #open = new Map<string, OpenPart>()
  /** The part that got the latest delta: deltas carry no id, so another part's delta ends it. */
  #current: OpenPart | undefined
  /** Calls that have started but are not complete. */
  readonly #drafts = new Map<string, { name: string; chars: number }>()
  /** Calls that the package reports as complete, but whose arguments are missing or don't parse. */
  #doubtful: ToolCallChunk[] = []
  #calls = 0
  #argumentChars = 0
  #thought = false

  /** `offered`: the names of the tools in the request. */
  constructor(wire: ModelProtocol, offered: readonly string[], secrets: readonly string[]) {
    this.#announcesStart = wire.announcesStart
    this.#notOurs = (name) => wire.providerTools?.has(name) === true && !offered.includes(name)
    this.#inspector = wire.inspector?.()
    this.#secrets = secrets
  }

  /** Appends the chunks for `part` to `out`. Throws a `CodedError` for an error in the stream. */
  add(part: Part, out: ModelChunk[]): void {
    switch (part.type) {
      case 'text-delta':
        return this.#delta('text', part.id, part.delta, part.providerMetadata, out)
      case 'reasoning-delta':
        return this.#delta('thinking', part.id, part.delta, part.providerMetadata, out)
      case 'raw':
        return this.#inspector?.see(part.rawValue)
      case 'text-start':
        return this.#begin('text', part.id, part.providerMetadata, out)
      case 'reasoning-start':
        return this.#begin('thinking', part.id, part.providerMetadata, out)
      case 'text-end':
      case 'reasoning-end':
        return this.#end(part.id, part.providerMetadata, out)
      case 'tool-input-start':
        if (part.providerExecuted || this.#notOurs(part.toolName)) return
        this.#requireStart()
        this.#release(out)
        this.#drafts.set(part.id, { name: part.toolName, chars: 0 })
        out.push({ type: 'tool.draft', callId: part.id, name: part.toolName, text: '' })
        return
      case 'tool-input-delta': {
        const draft = this.#drafts.get(part.id)
        if (!draft) return
        draft.chars += part.delta.length
        this.#argumentChars += part.delta.length
        out.push({ type: 'tool.draft', callId: part.id, name: draft.name, text: part.delta })
        return
      }
      case 'tool-call':
        return this.#call(part, out)
      case 'response-metadata':
        this.#started = true
        return
      case 'error':
        throw modelError(part.error, this.#secrets)
      case 'finish':
        return this.#finish(part.finishReason, part.usage, out)
      default:
      // Sources, files and results of tools that the provider ran itself: we don't request any.
    }
  }

  /** Call when the stream has ended. */
  end(): void {
    if (!this.finished) throw new CodedError('model.incomplete', 'The stream ended before the answer was complete.')
  }

  #requireStart(): void {
    if (this.#announcesStart && !this.#started)
      throw new CodedError('model.incomplete', 'The answer began in the middle: the event that opens it is missing.')
  }

  #begin(kind: OpenPart['kind'], id: string, metadata: SharedV4ProviderMetadata | undefined, out: ModelChunk[]): void {
    this.#requireStart()
    // A summary of earlier turns that some servers write on their own is not part of the answer.
    if (metadata?.['anthropic']?.['type'] === 'compaction') return
    this.#release(out)
    this.#open.set(id, { kind, metadata, said: false })
  }

  #delta(
    kind: OpenPart['kind'],
    id: string,
    text: string,
    metadata: SharedV4ProviderMetadata | undefined,
    out: ModelChunk[],
  ): void {
    const part = this.#open.get(id)
    if (!part) return
    if (metadata) part.metadata = merged(part.metadata, metadata)
    if (text === '') return
    if (part !== this.#current) {
      if (this.#current) this.#close(this.#current, out)
      this.#current = part
    }
    part.said = true
    if (kind === 'thinking') this.#thought = true
    out.push({ type: kind, text })
  }

  #end(id: string, metadata: SharedV4ProviderMetadata | undefined, out: ModelChunk[]): void {
    const part = this.#open.get(id)
    if (!part) return
    this.#open.delete(id)
    if (metadata) part.metadata = merged(part.metadata, metadata)
    this.#close(part, out)
  }

  #close(part: OpenPart, out: ModelChunk[]): void {
    for (const [id, open] of this.#open) if (open === part) this.#open.delete(id)
    if (part === this.#current) this.#current = undefined
    const metadata = part.metadata ?? (part.kind === 'thinking' ? this.#inspector?.thinkingMetadata : undefined)
    if (part.said || part.metadata)
      out.push({ type: part.kind === 'text' ? 'text.end' : 'thinking.end', ...(metadata && { metadata }) })
  }

  #call(part: Extract<Part, { type: 'tool-call' }>, out: ModelChunk[]): void {
    if (part.providerExecuted || this.#notOurs(part.toolName)) return
    this.#requireStart()
    if (this.#current) this.#close(this.#current, out)
    const draft = this.#drafts.get(part.toolCallId)
    this.#drafts.delete(part.toolCallId)
    // If there are no characters on the wire, the packages put `{}` in place of missing arguments.
    const isEmpty = part.input.trim() === '' || (part.input === '{}' && draft?.chars === 0)
    const metadata = part.providerMetadata
    const chunk: ToolCallChunk = {
      type: 'tool.call',
      callId: part.toolCallId,
      name: part.toolName,
      input: isEmpty ? '{}' : part.input,
      ...(metadata && { metadata }),
    }
    if (isEmpty || !parses(part.input)) this.#doubtful.push(chunk)
    else this.#pass(chunk, out)
  }

  #pass(chunk: ToolCallChunk, out: ModelChunk[]): void {
    this.#calls += 1
    out.push(chunk)
  }

  /** Passes on the doubtful calls: something follows them, so they were not cut off. */
  #release(out: ModelChunk[]): void {
    if (this.#doubtful.length === 0) return
    for (const chunk of this.#doubtful) this.#pass(chunk, out)
    this.#doubtful = []
  }

  #finish(finish: LanguageModelV4FinishReason, reported: LanguageModelV4Usage, out: ModelChunk[]): void {
    if (finish.unified === 'interrupted')
      throw new CodedError('model.incomplete', 'The stream ended before the answer was complete.')
    if (finish.unified === 'error')
      throw new CodedError(
        'model.incomplete',
        `The provider ended the answer with an error${finish.raw ? `: ${finish.raw}` : '.'}`,
      )
    this.#requireStart()
    this.#inspector?.check(this.#argumentChars)
    for (const part of this.#open.values()) this.#close(part, out)
    const wasCut = finish.unified === 'length' || finish.unified === 'content-filter'
    if (wasCut) this.#doubtful = []
    else if (this.#drafts.size > 0)
      throw new CodedError('model.incomplete', 'The answer ended in the middle of a tool call.')
    this.#release(out)
    if (this.#calls > 0 && !this.#thought && this.#inspector?.emptyThinking)
      out.push({ type: 'thinking.end', metadata: this.#inspector.thinkingMetadata! })
    const usage = countable(this.#inspector?.usage ?? usageOf(reported))
    this.finished = true
    out.push({ type: 'finish', reason: reasonOf(finish.unified, this.#calls), ...(usage && { usage }) })
  }
}

function reasonOf(reason: LanguageModelV4FinishReason['unified'], calls: number): FinishReason {
  switch (reason) {
    case 'length':
      return 'length'
    case 'content-filter':
      return 'refusal'
    case 'tool-calls':
    case 'stop':
      // Some servers report `stop` along with calls, and some report `tool_calls` when only their own tools were
      // called.
      return calls > 0 ? 'tool_calls' : 'stop'
    default:
      return calls > 0 ? 'tool_calls' : 'other'
  }
}

function usageOf(usage: LanguageModelV4Usage): Usage | undefined {
  const { inputTokens: input, outputTokens: output } = usage
  if (input.total === undefined && output.total === undefined) return undefined
  return {
    input: input.total ?? 0,
    output: output.total ?? 0,
    cached: input.cacheRead ?? 0,
    thinking: output.reasoning ?? 0,
    ...(input.cacheWrite !== undefined && input.cacheWrite > 0 && { written: input.cacheWrite }),
  }
}

/** More tokens than this in one request are a fault of the server. */
const MAX_TOKENS = 1e12

/**
 * Only whole numbers from zero up: negative ones would lower what was spent, and fractions or larger numbers could not
 * be stored, so that the answer would be lost.
 */
function countable(usage: Usage | undefined): Usage | undefined {
  if (!usage) return undefined
  const { input, output, cached, thinking, written } = usage
  return {
    input: countOf(input),
    output: countOf(output),
    cached: countOf(cached),
    thinking: countOf(thinking),
    ...(written !== undefined && written > 0 && { written: countOf(written) }),
  }
}

function countOf(tokens: number): number {
  return tokens > 0 ? Math.min(Math.ceil(tokens), MAX_TOKENS) : 0
}

function merged(before: ProviderMetadata | undefined, more: SharedV4ProviderMetadata): ProviderMetadata {
  const result: ProviderMetadata = { ...before }
  for (const [key, values] of Object.entries(more)) {
    // A later `null` means "absent", not "remove".
    const said = Object.entries(values).filter(([, value]) => value !== null && value !== undefined)
    result[key] = { ...result[key], ...Object.fromEntries(said) }
  }
  return result
}

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
