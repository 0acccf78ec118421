import { ignoreOthers } from '../../../../shared/events/event-uses'
import type { CompactionResult } from '../../../../shared/model/turn/context'
import type { RecordedEvent } from '../../../../shared/events/event'
import type { AssistantPart, Message, ToolCallPart, ToolMessage, Usage } from '../../../../shared/model/turn/message'
import { markCheckpoint, dropThinking } from '../../loop/model-request'
import { applyTrim } from './trim'
import { emptySize, addSizes, sizeOf } from '../tokens/token-estimate'
import type { TokenCalibration, CountedRequest } from '../tokens/token-count'

/** The result for a call without one, because protocols reject unanswered calls. */
const NOT_RUN = 'This call was not run: the turn was stopped or interrupted before.'
/** Text before a prompt if the previous turn was cut short. */
const CUT_SHORT = {
  answer: 'Your last answer was interrupted before it was complete, by the user or by an error.',
  turn: 'The last turn was interrupted before it was finished, by the user or by an error.',
}

/** Receives the provider's token counts while a history is folded. */
interface TokenCountReader {
  /** A turn with this model starts. */
  turn(model: string): void
  /** A request with these messages was counted. */
  counted(messages: readonly Message[], usage: Usage): void
  /** The messages so far were changed. */
  replaced(): void
}

export interface HistoryOptions {
  /** Whether the model sees the numbers of checkpoints. */
  marks?: boolean
  counts?: TokenCountReader
  /** Ranges of the log in which the conversation started with a compaction that was undone since. */
  undone?: readonly { from: number; to: number }[]
}

type TrimEvent = Extract<RecordedEvent, { type: 'context.trimmed' }>

/**
 * The conversation as sent to the model, folded from recorded events in order. Every tool call gets exactly one result,
 * in call order; partial answers are included if safe; trims are applied as recorded.
 */
export function foldHistory(
  events: Iterable<RecordedEvent>,
  { marks = false, counts, undone = [] }: HistoryOptions = {},
  before: readonly Message[] = [],
): Message[] {
  let messages: Message[] = [...before]
  let open: { calls: ToolCallPart[]; results: Map<string, ToolMessage> } = { calls: [], results: new Map() }
  /** Set while a turn has no answer that ends it. */
  let cutShort: keyof typeof CUT_SHORT | undefined
  const settle = (): void => {
    for (const call of open.calls) {
      const result = open.results.get(call.callId) ?? notRun(call)
      messages.push(call.sentAs ? { ...result, sentAs: call.sentAs.name } : result)
    }
    open = { calls: [], results: new Map() }
  }
  /**
   * Position and turn of an answer that broke off. If its turn made another request, that request did not include it.
   */
  let brokenOff: { at: number; turnId: string } | undefined
  const withoutBroken = (turnId: string): void => {
    if (brokenOff?.turnId === turnId && messages.length === brokenOff.at + 1) messages.pop()
    brokenOff = undefined
  }
  /** The model of the turn: in old logs an answer does not name its own. */
  let turnModel: string | undefined
  const isOtherwise = ({ seq }: RecordedEvent): boolean => undone.some(({ from, to }) => seq > from && seq < to)
  for (const event of events) {
    switch (event.type) {
      case 'turn.started':
      case 'turn.steered':
        settle()
        if (event.type === 'turn.steered') withoutBroken(event.turnId)
        if (event.type === 'turn.started') {
          if (cutShort)
            messages.push({ role: 'user', parts: [{ type: 'text', text: CUT_SHORT[cutShort] }], by: 'guard' })
          cutShort = 'turn'
          turnModel = event.model
        }
        if (event.type === 'turn.started') counts?.turn(event.model)
        // A D-Mail restores everything, including the checkpoint's mark.
        if (marks && event.type === 'turn.steered' && event.checkpoint !== undefined)
          markCheckpoint(messages, event.checkpoint)
        messages.push({ role: 'user', parts: event.parts, ...byOf(event) })
        break
      case 'step.finished': {
        settle()
        withoutBroken(event.turnId)
        if (marks && event.checkpoint !== undefined) markCheckpoint(messages, event.checkpoint)
        cutShort = event.partial ? 'answer' : event.parts.some((part) => part.type === 'tool_call') ? 'turn' : undefined
        if (event.thinkingDropped) dropThinking(messages)
        if (event.usage) {
          if (event.model !== undefined) counts?.turn(event.model)
          // A count of another history says nothing about this one.
          if (isOtherwise(event)) counts?.replaced()
          else counts?.counted(messages, event.usage)
        }
        if (event.parts.length === 0) break
        const model = event.model ?? turnModel
        if (event.partial) brokenOff = { at: messages.length, turnId: event.turnId }
        messages.push({
          role: 'assistant',
          parts: event.parts,
          ...(model !== undefined && { model }),
          ...(isOtherwise(event) && hasThinking(event.parts) && { staleThinking: true }),
        })
        open.calls = event.parts.filter((part) => part.type === 'tool_call')
        break
      }
      case 'tool.finished':
        open.results.set(event.callId, {
          role: 'tool',
          callId: event.callId,
          name: event.name,
          isError: event.isError,
          content: event.content,
        })
        break
      case 'context.trimmed':
        settle()
        messages = applyTrim(messages, event)
        counts?.replaced()
        break
      default:
        ignoreOthers<'history'>(event)
    }
  }
  settle()
  return messages
}

function hasThinking(parts: readonly AssistantPart[]): boolean {
  return parts.some(({ type }) => type === 'thinking')
}

function notRun(call: ToolCallPart): ToolMessage {
  return {
    role: 'tool',
    callId: call.callId,
    name: call.name,
    isError: true,
    content: [{ type: 'text', text: NOT_RUN }],
  }
}

/** The author of a user message, if it is not the user. */
function byOf(event: Extract<RecordedEvent, { type: 'turn.started' | 'turn.steered' }>): {
  by?: 'guard' | 'task' | 'd-mail'
} {
  if (event.news) return { by: 'task' }
  return event.type === 'turn.steered' && (event.by === 'guard' || event.by === 'd-mail') ? { by: event.by } : {}
}

/** The message that replaces everything before a compaction. */
export function compactedHistory({ kept, note }: Pick<CompactionResult, 'kept' | 'note'>): Message[] {
  return [
    ...kept.map((parts): Message => ({ role: 'user', parts })),
    { role: 'user', parts: [{ type: 'text', text: note }], by: 'compaction' },
  ]
}

/** What a history is folded from, in addition to the events. */
export interface HistorySource extends HistoryOptions {
  /** The compaction that replaces everything before it. */
  compacted?: Extract<RecordedEvent, { type: 'compaction.finished' }> | undefined
  /** The active trims, in order. */
  trims?: readonly TrimEvent[]
}

/**
 * The latest part of a session's conversation, about `maxChars` long, starting with a prompt; after a compaction,
 * everything since. `backwards` is newest first and only read as far as needed. Trimmed content does not count, so that
 * the start stays the same from turn to turn.
 */
export function recentHistory(
  backwards: Iterable<RecordedEvent>,
  maxChars: number,
  source: HistorySource = {},
): Message[] {
  const { compacted, trims = [], marks, counts, undone = [] } = source
  let isWhole = true
  const trimmed = new Set(trims.flatMap(({ results, calls }) => [...results, ...calls]))
  const events: RecordedEvent[] = []
  let chars = 0
  for (const event of backwards) {
    if (compacted && event.seq < compacted.seq) break
    events.push(event)
    if (compacted) continue
    chars += charsOf(event, trimmed)
    if (chars > maxChars && event.type === 'turn.started') {
      isWhole = false
      break
    }
  }
  const first = events.at(-1)?.seq ?? 0
  const activeTrims = trims.filter(({ seq }) => seq > Math.max(first, compacted?.seq ?? 0))
  const ordered = [...events.toReversed(), ...activeTrims]
  // Counts include the start of the conversation, so they are only valid with it.
  const options = {
    ...(marks !== undefined && { marks }),
    ...(counts && isWhole && { counts }),
    // The active compaction may have been undone and then restored.
    undone: undone.filter(({ from }) => from > (compacted?.seq ?? 0)),
  }
  return foldHistory(
    activeTrims.length > 0 ? ordered.toSorted((a, b) => a.seq - b.seq) : ordered,
    options,
    compacted ? compactedHistory(compacted) : [],
  )
}

/** Characters of an event that are in the conversation. */
function charsOf(event: RecordedEvent, trimmed: ReadonlySet<string>): number {
  if (event.type === 'tool.finished') return trimmed.has(event.callId) ? 0 : charsIn(event.content)
  if (event.type === 'turn.started' || event.type === 'turn.steered') return charsIn(event.parts)
  return event.type === 'step.finished'
    ? charsIn(event.parts.filter((part) => part.type !== 'tool_call' || !trimmed.has(part.callId)))
    : 0
}

function charsIn(parts: readonly { type: string; text?: string; input?: string }[]): number {
  return parts.reduce((chars, { text = '', input = '' }) => chars + text.length + input.length, 0)
}

export interface RecordedTokenCounts extends TokenCountReader {
  /** The latest count, if it is still valid for the folded history. */
  latest(): CountedRequest | undefined
}

/**
 * Reads from the log the provider's counts for requests of `model`, so that its calibration survives a restart. `sizes`
 * learn from them only if they have learned nothing in this process.
 */
export function createRecordedTokenCounts(model: string, sizes: TokenCalibration): RecordedTokenCounts {
  const learns = !sizes.hasLearned()
  let asked = model
  let latest: CountedRequest | undefined
  return {
    turn(of) {
      asked = of
      if (of !== model) latest = undefined
    },
    counted(messages: readonly Message[], usage: Usage) {
      if (asked !== model) return
      // Learns from the difference between two requests: instructions and tools are in both.
      if (latest && learns) {
        const since = messages
          .slice(latest.messages)
          .reduce((size, message) => addSizes(size, sizeOf(message)), emptySize())
        sizes.learn(since, usage.input - latest.usage.input)
      }
      latest = { messages: messages.length, usage }
    },
    replaced() {
      latest = undefined
    },
    latest: () => latest,
  }
}
