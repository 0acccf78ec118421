import { ignoreOthers } from './event-uses'
import {
  newCallRow,
  applyCallEvent,
  applyCompactionEvent,
  compactionRow,
  modelFallbackText,
  restoredRow,
} from './transcript-rows'
import type { LiveEvent, RecordedEvent } from './event'
import { textOf, type UserPart } from '../model/turn/message'
import { noticeText } from './notice-text'
import type { TaskNotification } from '../model/task/task'
import {
  PROGRESS_LIMIT,
  type AnswerItem,
  type AnswerSegment,
  type CompactionItem,
  type ToolItem,
  type TranscriptItem,
} from './transcript-item'

/**
 * The items of a transcript while a batch of events is folded in: the array is copied once, at the first change;
 * unchanged items keep their identity.
 */
export class TranscriptDraft {
  readonly #before: readonly TranscriptItem[]
  #items: TranscriptItem[] | undefined

  constructor(items: readonly TranscriptItem[]) {
    this.#before = items
  }

  get items(): readonly TranscriptItem[] {
    return this.#items ?? this.#before
  }

  recorded(event: RecordedEvent): void {
    switch (event.type) {
      case 'turn.started':
        if (event.news) return this.#news(event, event.news, false)
        return this.#push({
          kind: 'user',
          id: `u${event.seq}`,
          turnId: event.turnId,
          at: event.at,
          parts: event.parts,
          steered: false,
        })
      case 'turn.steered':
        if (event.news) return this.#news(event, event.news, true)
        // It is part of the row that shows where the agent went back.
        if (event.by === 'd-mail') return
        if (event.by === 'guard')
          return this.#push({
            kind: 'notice',
            id: `n${event.seq}`,
            turnId: event.turnId,
            at: event.at,
            text: noticeText(event),
          })
        return this.#push({
          kind: 'user',
          id: `u${event.seq}`,
          turnId: event.turnId,
          at: event.at,
          parts: event.parts,
          steered: true,
        })
      case 'step.started':
        return this.#push({
          kind: 'answer',
          id: `s:${event.stepId}`,
          turnId: event.turnId,
          stepId: event.stepId,
          at: event.at,
          model: event.model,
          segments: [],
          streaming: true,
          partial: false,
          attempts: [],
        })
      case 'step.retried':
        return this.#retried(event)
      case 'step.finished':
        return this.#answered(event)
      case 'tool.started':
        return this.#toolStarted(event)
      case 'approval.requested':
        return this.#tool(event.approval.callId, (item) => applyCallEvent(item, event))
      case 'approval.resolved':
      case 'tool.judged':
      case 'tool.finished':
        return this.#tool(event.callId, (item) => applyCallEvent(item, event))
      case 'subagent.started': {
        const { agentId, agentType: type, description, background } = event
        return this.#tool(event.callId, (item) => ({ ...item, agent: { agentId, type, description, background } }))
      }
      case 'compaction.started':
      case 'compaction.undone':
        return this.#push(compactionRow(event))
      case 'compaction.retried':
      case 'compaction.finished':
      case 'compaction.failed': {
        const { compactionId } = event
        const index = this.#find(
          (item) => item.kind === 'compaction' && item.compactionId === compactionId && item.state === 'running',
        )
        if (index !== undefined) this.#set(index, applyCompactionEvent(this.items[index] as CompactionItem, event))
        return
      }
      case 'checkpoint.restored':
        return this.#push(restoredRow(event))
      case 'model.fell_back':
        if (event.quiet) return
        return this.#push({
          kind: 'notice',
          id: `n${event.seq}`,
          turnId: event.turnId,
          at: event.at,
          text: modelFallbackText(event),
          toPerson: true,
        })
      case 'turn.finished':
        this.#closeTurn(event.at)
        if (event.stop === 'end_turn') return this.#ended(event)
        return this.#push({
          kind: 'end',
          id: `e${event.seq}`,
          turnId: event.turnId,
          at: event.at,
          stop: event.stop,
          steps: event.steps,
          durationMs: event.durationMs,
          ...(event.failure && { failure: event.failure }),
        })
      default:
        ignoreOthers<'transcript'>(event)
    }
  }

  /** Ignores live events that do not match (a finished step, an unknown call). */
  live(event: LiveEvent): void {
    switch (event.type) {
      case 'text.delta':
      case 'thinking.delta': {
        const index = this.#streaming(event.stepId)
        if (index === undefined) return
        const { retry: _over, ...item } = this.items[index] as AnswerItem
        this.#set(index, {
          ...item,
          segments: appended(item.segments, event.type === 'text.delta' ? 'text' : 'thinking', event.text),
        })
        return
      }
      case 'tool.drafting': {
        const step = this.#streaming(event.stepId)
        if (step === undefined) return
        const index = this.#find((item) => item.kind === 'tool' && item.callId === event.callId)
        if (index !== undefined) {
          const item = this.items[index] as ToolItem
          if (item.state === 'drafting')
            this.#set(index, { ...item, name: event.name, chars: event.chars, summary: event.subject ?? '' })
          return
        }
        const answer = this.items[step] as AnswerItem
        if (answer.retry) {
          const { retry: _over, ...rest } = answer
          this.#set(step, rest)
        }
        this.#push({
          ...newCallRow(answer, event.callId, event.name),
          at: answer.at,
          state: 'drafting',
          chars: event.chars,
          summary: event.subject ?? '',
        })
        return
      }
      case 'tool.progress':
        return this.#tool(event.callId, (item) =>
          item.state === 'running' ? { ...item, progress: tail(item.progress + event.text) } : item,
        )
    }
  }

  /** Removes everything that live events added, before they are sent again from the start. */
  forgetLive(): void {
    for (let index = this.items.length - 1; index >= 0; index -= 1) {
      const item = this.items[index]
      if (!item || isTurnStart(item)) return
      if (item.kind === 'tool' && item.state === 'drafting') this.#remove(index)
      else if (item.kind === 'tool' && item.progress !== '') this.#set(index, { ...item, progress: '' })
      else if (item.kind === 'answer' && item.streaming && item.segments.length > 0)
        this.#set(index, { ...item, segments: [] })
    }
  }

  #news(
    event: RecordedEvent & { turnId: string; parts: UserPart[] },
    tasks: readonly TaskNotification[],
    steered: boolean,
  ): void {
    const { seq, turnId, at, parts } = event
    this.#push({ kind: 'news', id: `w${seq}`, turnId, at, tasks, text: textOf(parts), steered })
  }

  #retried(event: Extract<RecordedEvent, { type: 'step.retried' }>): void {
    const index = this.#streaming(event.stepId)
    if (index === undefined) return
    this.#removeDrafts()
    const item = this.items[index] as AnswerItem
    const attempt = {
      attempt: event.attempt,
      failure: event.failure,
      text: event.superseded.text,
      thinking: event.superseded.thinking,
    }
    const retry = { attempt: event.attempt + 1, of: event.of, failure: event.failure, until: event.at + event.delayMs }
    this.#set(index, { ...item, segments: [], attempts: [...item.attempts, attempt], retry })
  }

  #answered(event: Extract<RecordedEvent, { type: 'step.finished' }>): void {
    const index = this.#streaming(event.stepId)
    if (index === undefined) return
    this.#removeDrafts()
    const { retry: _over, ...item } = this.items[index] as AnswerItem
    const answer: AnswerItem = {
      ...item,
      segments: segmentsOf(event.parts),
      streaming: false,
      partial: event.partial ?? false,
      durationMs: event.durationMs,
      ...(event.usage && { usage: event.usage }),
    }
    this.#set(index, answer)
    for (const part of event.parts) {
      if (part.type !== 'tool_call') continue
      this.#push({
        ...newCallRow(answer, part.callId, part.name),
        at: event.at,
        state: 'ready',
        input: part.input,
        chars: part.input.length,
      })
    }
  }

  #ended({ turnId, seq, at, durationMs }: Extract<RecordedEvent, { type: 'turn.finished' }>): void {
    const index = this.#find((item) => item.kind === 'answer' && item.turnId === turnId)
    if (index !== undefined) this.#set(index, { ...(this.items[index] as AnswerItem), ended: { seq, at, durationMs } })
  }

  #toolStarted(event: Extract<RecordedEvent, { type: 'tool.started' }>): void {
    const index = this.#find((item) => item.kind === 'tool' && item.callId === event.callId)
    const known = index === undefined ? undefined : (this.items[index] as ToolItem)
    if (known?.content) return
    const item = applyCallEvent(known ?? newCallRow(event, event.callId, event.name), event)
    if (index === undefined) this.#push(item)
    else this.#set(index, item)
  }

  /** Whatever is still open when a turn ends will not be completed. */
  #closeTurn(at: number): void {
    for (let index = this.items.length - 1; index >= 0; index -= 1) {
      const item = this.items[index]
      if (!item || isTurnStart(item)) return
      if (item.kind === 'tool' && item.state === 'drafting') this.#remove(index)
      else if (item.kind === 'tool' && !item.content && item.state !== 'interrupted')
        this.#set(index, { ...item, state: 'interrupted', at, progress: '' })
      else if (item.kind === 'answer' && item.streaming) {
        const { retry: _over, ...rest } = item
        // None of it was recorded: streamed text is not in the log and would be missing after a restart.
        this.#set(index, { ...rest, segments: [], streaming: false, partial: true })
      }
    }
  }

  #removeDrafts(): void {
    for (let index = this.items.length - 1; index >= 0; index -= 1) {
      const item = this.items[index]
      if (item?.kind !== 'tool' || item.state !== 'drafting') return
      this.#remove(index)
    }
  }

  #tool(callId: string, change: (item: ToolItem) => ToolItem): void {
    const index = this.#find((item) => item.kind === 'tool' && item.callId === callId)
    if (index === undefined) return
    const item = this.items[index] as ToolItem
    const next = change(item)
    if (next !== item) this.#set(index, next)
  }

  #streaming(stepId: string): number | undefined {
    return this.#find((item) => item.kind === 'answer' && item.stepId === stepId && item.streaming)
  }

  /** Searches backward to the start of the latest turn: events only refer to items in it. */
  #find(matches: (item: TranscriptItem) => boolean): number | undefined {
    for (let index = this.items.length - 1; index >= 0; index -= 1) {
      const item = this.items[index]
      if (!item || isTurnStart(item)) return undefined
      if (matches(item)) return index
    }
    return undefined
  }

  #own(): TranscriptItem[] {
    return (this.#items ??= [...this.#before])
  }

  #push(item: TranscriptItem): void {
    this.#own().push(item)
  }

  #set(index: number, item: TranscriptItem): void {
    this.#own()[index] = item
  }

  #remove(index: number): void {
    this.#own().splice(index, 1)
  }
}

function isTurnStart(item: TranscriptItem): boolean {
  return (item.kind === 'user' || item.kind === 'news') && !item.steered
}

function appended(
  segments: readonly AnswerSegment[],
  type: AnswerSegment['type'],
  text: string,
): readonly AnswerSegment[] {
  const last = segments.at(-1)
  if (last?.type !== type) return [...segments, { type, text }]
  return [...segments.slice(0, -1), { type, text: last.text + text }]
}

function segmentsOf(parts: readonly { type: string; text?: string }[]): AnswerSegment[] {
  const segments: AnswerSegment[] = []
  for (const { type, text } of parts) {
    if ((type === 'text' || type === 'thinking') && text !== undefined && text !== '') segments.push({ type, text })
  }
  return segments
}

/** The end of a text, cut at a nearby line start if there is one. Cut rarely, so that it stays cheap. */
function tail(text: string): string {
  if (text.length <= PROGRESS_LIMIT * 2) return text
  const rest = text.slice(-PROGRESS_LIMIT)
  const line = rest.indexOf('\n')
  return line >= 0 && line < 2000 ? rest.slice(line + 1) : rest
}
