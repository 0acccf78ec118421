import { ignoreOthers } from '../../../../shared/events/event-uses'
import type { ClientCapabilities, SessionUpdate, ToolCallContent, ToolCallStatus } from '@agentclientprotocol/sdk'
import { isRecorded, type LiveEvent, type RecordedEvent, type SessionEvent } from '../../../../shared/events/event'
import { textOf } from '../../../../shared/model/turn/message'
import { plainText } from '../../../engine/task/output/plain-text'
import type { ClientPaths } from './client-paths'
import {
  compactionUpdate,
  fellBackUpdate,
  taskNotificationText,
  planEntries,
  usageUpdate,
  textBlock,
  type UpdateQueue,
} from './update-queue'
import { callTitle, locationsOf, progressContent, rawInput, resultContent, toolKind } from './tool-call'
import { SubagentUpdates, type SubagentUpdatesDeps } from './subagent-updates'

/** Maximum raw output of a running command kept to show its end. */
const MAX_RAW = 32_000

interface Call {
  name: string
  title: string
  input?: unknown
  /** Its latest raw output. */
  raw: string
  /** The client's terminal that shows it. */
  terminalId?: string
  isRunning: boolean
}

export interface EventUpdatesDeps {
  queue: UpdateQueue
  listen: SubagentUpdatesDeps['listen']
  paths: ClientPaths
  capabilities: ClientCapabilities
  /** Context window of the session's model in tokens; undefined: unknown. */
  contextWindow(): number | undefined
  /** Mode, model, effort or plan mode have changed. */
  onOptions(): void
}

/** Translates a session's events into updates for the client. */
export class EventUpdates {
  readonly #deps: EventUpdatesDeps
  readonly #calls = new Map<string, Call>()
  readonly #agents: SubagentUpdates
  /** Changes when an attempt is discarded: later text belongs to another message. */
  #attempt = 1

  constructor(deps: EventUpdatesDeps) {
    this.#deps = deps
    this.#agents = new SubagentUpdates(deps)
  }

  close(): void {
    this.#agents.close()
  }

  onEvent(event: SessionEvent): void {
    if (isRecorded(event)) this.#recorded(event)
    else this.#live(event)
  }

  /** The client's terminal shows the command of a call. */
  showTerminal(callId: string, terminalId: string): void {
    const call = this.#calls.get(callId)
    // The client does not know the calls of a subagent.
    if (!call) return
    call.terminalId = terminalId
    this.#update(callId, { status: 'in_progress', content: [{ type: 'terminal', terminalId }] })
  }

  #live(event: LiveEvent): void {
    const { queue } = this.#deps
    switch (event.type) {
      case 'text.delta':
        return queue.chunk('agent_message_chunk', this.#messageId(event.stepId), event.text)
      case 'thinking.delta':
        return queue.chunk('agent_thought_chunk', `${this.#messageId(event.stepId)}-thought`, event.text)
      case 'tool.drafting':
        return this.#drafting(event)
      case 'tool.progress':
        return this.#progress(event.callId, event.text)
    }
  }

  #recorded(event: RecordedEvent): void {
    const { queue } = this.#deps
    switch (event.type) {
      case 'turn.started':
        this.#attempt = 1
        queue.startTurn()
        if (event.news) queue.chunk('agent_thought_chunk', `news-${event.seq}`, taskNotificationText(event.news))
        return
      case 'turn.steered':
        if (event.news) queue.chunk('agent_thought_chunk', `news-${event.seq}`, taskNotificationText(event.news))
        return
      case 'step.retried':
        return this.#retried(event)
      case 'step.finished':
        if (event.usage) this.#send(usageUpdate(event.usage, this.#deps.contextWindow()))
        return
      case 'tool.started':
        return this.#started(event)
      case 'tool.judged':
        if (event.decision === 'allow') this.#markRunning(event.callId)
        return
      case 'approval.resolved':
        if (event.outcome === 'allow_once' || event.outcome === 'allow_always') this.#markRunning(event.callId)
        return
      case 'subagent.started':
        return this.#agents.started(event)
      case 'tool.finished':
        return this.#finished(event)
      case 'todos.changed':
        return queue.sendNow({ sessionUpdate: 'plan', entries: planEntries(event.todos) })
      case 'compaction.started':
      case 'compaction.finished':
      case 'compaction.failed':
        return this.#send(compactionUpdate(event, this.#deps.capabilities))
      case 'session.changed':
        if (event.title !== undefined)
          queue.sendNow({
            sessionUpdate: 'session_info_update',
            title: event.title,
            updatedAt: new Date(event.at).toISOString(),
          })
        if (event.mode !== undefined || event.model !== undefined || event.effort !== undefined) this.#deps.onOptions()
        return
      case 'title.made':
        if (event.title !== undefined)
          queue.sendNow({
            sessionUpdate: 'session_info_update',
            title: event.title,
            updatedAt: new Date(event.at).toISOString(),
          })
        return
      case 'model.fell_back':
        if (!event.quiet) this.#send(fellBackUpdate(event, this.#deps.capabilities))
        return
      case 'plan.entered':
      case 'plan.left':
      case 'plan.resolved':
        return this.#deps.onOptions()
      case 'turn.finished':
        this.#calls.clear()
        void queue.flush()
        return
      default:
        ignoreOthers<'acp'>(event)
    }
  }

  #send(update: SessionUpdate | undefined): void {
    if (update) this.#deps.queue.sendNow(update)
  }

  #messageId(stepId: string): string {
    return this.#attempt === 1 ? stepId : `${stepId}-${this.#attempt}`
  }

  #drafting({ callId, name, subject }: LiveEvent & { type: 'tool.drafting' }): void {
    const title = callTitle(name, subject)
    const known = this.#calls.get(callId)
    if (!known) {
      this.#calls.set(callId, { name, title, raw: '', isRunning: false })
      this.#deps.queue.sendNow({
        sessionUpdate: 'tool_call',
        toolCallId: callId,
        title,
        name,
        kind: toolKind(name),
        status: 'pending',
      })
    } else if (known.title !== title) {
      known.title = title
      this.#deps.queue.call(callId, () => ({ title: known.title }))
    }
  }

  #started({ callId, name, input, summary }: RecordedEvent & { type: 'tool.started' }): void {
    const { paths, queue } = this.#deps
    const known = this.#calls.get(callId)
    const parsed = rawInput(input)
    const title = summary === '' ? (known?.title ?? callTitle(name, undefined)) : callTitle(name, summary)
    this.#calls.set(callId, { name, title, input: parsed, raw: '', isRunning: false })
    const fields = {
      toolCallId: callId,
      title,
      name,
      kind: toolKind(name),
      status: 'pending' as const,
      locations: locationsOf({ name, input: parsed }, undefined, paths.absolute, paths.shown),
      rawInput: parsed,
    }
    queue.sendNow(known ? { sessionUpdate: 'tool_call_update', ...fields } : { sessionUpdate: 'tool_call', ...fields })
  }

  #markRunning(callId: string): void {
    const call = this.#calls.get(callId)
    if (!call || call.isRunning) return
    call.isRunning = true
    // Most calls end immediately: then only the end is sent.
    this.#deps.queue.call(callId, () => ({ status: 'in_progress' }))
  }

  #progress(callId: string, raw: string): void {
    const call = this.#calls.get(callId)
    if (!call || call.terminalId !== undefined) return
    call.raw = (call.raw + raw).slice(-MAX_RAW)
    this.#deps.queue.call(callId, () => ({
      status: 'in_progress',
      content: progressContent(plainText([Buffer.from(call.raw)])),
    }))
  }

  #finished({ callId, name, content, details, isError, durationMs }: RecordedEvent & { type: 'tool.finished' }): void {
    const { paths } = this.#deps
    const call = this.#calls.get(callId)
    const locations = locationsOf({ name, input: call?.input }, details, paths.absolute, paths.shown)
    const exitCode = details?.kind === 'output' ? details.exitCode : undefined
    this.#update(callId, {
      status: isError ? 'failed' : 'completed',
      content:
        call?.terminalId === undefined
          ? resultContent(content, details, paths.shown)
          : terminalContent(call.terminalId, isError, exitCode, textOf(content)),
      rawOutput: { durationMs, ...(exitCode !== undefined && { exitCode }) },
      ...(locations.length > 0 && { locations }),
    })
    this.#calls.delete(callId)
    this.#agents.returned(callId)
  }

  #update(
    callId: string,
    fields: { status: ToolCallStatus; content: ToolCallContent[]; [field: string]: unknown },
  ): void {
    this.#deps.queue.sendNow({ sessionUpdate: 'tool_call_update', toolCallId: callId, ...fields })
  }

  /** Sent text cannot be withdrawn; it is marked as discarded. */
  #retried({ stepId, attempt, of, failure, superseded }: RecordedEvent & { type: 'step.retried' }): void {
    const { queue } = this.#deps
    const note = `${failure.title}; trying again (attempt ${attempt + 1} of ${of}).`
    if (superseded.text !== '') queue.chunk('agent_message_chunk', this.#messageId(stepId), `\n\n*${note}*\n\n`)
    else queue.chunk('agent_thought_chunk', `${this.#messageId(stepId)}-thought`, `\n${note}\n`)
    this.#attempt += 1
    for (const [callId, call] of this.#calls) {
      if (call.input !== undefined) continue
      this.#update(callId, {
        status: 'failed',
        content: [{ type: 'content', content: textBlock('The response was cut off before the call was complete.') }],
      })
      this.#calls.delete(callId)
    }
  }
}

/** The terminal shows the output; the outcome is added only when it says more. */
function terminalContent(
  terminalId: string,
  isError: boolean,
  exitCode: number | undefined,
  result: string,
): ToolCallContent[] {
  const last = result.trimEnd().split('\n').at(-1) ?? ''
  const why = isError && exitCode === undefined ? [{ type: 'content' as const, content: textBlock(last) }] : []
  return [{ type: 'terminal', terminalId }, ...why]
}
