import type { Failure } from '../../../shared/errors'
import { type LiveEvent, type SessionEvent, isRecorded } from '../../../shared/events/event'
import { modelFallbackText } from '../../../shared/events/transcript-rows'
import { textOf, type Usage } from '../../../shared/model/turn/message'
import type { StopReason } from '../../../shared/model/session/session'
import type { UserNotification } from '../../../shared/model/assistant/notification'
import { toolLabel } from '../../../shared/tool-label'
import { oneLine } from '../../console/output'
import type { OutputFormat } from './print-options'

/**
 * How a printed turn ended: the object of `--output-format json` and the last line of `stream-json`
 * (docs/print-mode.md).
 */
export interface PrintResult {
  type: 'result'
  /** Absent when the turn could not start. */
  sessionId?: string
  stop: StopReason
  /** The text of the last step. */
  answer: string
  failure?: Failure
  /** Does not count the closing answer of a turn that was ended. */
  steps: number
  /** The denied calls. */
  denials: Denial[]
  durationMs: number
  usage: Usage
}

type Delta = Extract<LiveEvent, { type: 'text.delta' | 'thinking.delta' | 'tool.progress' }>

export interface PrintOutput {
  event(event: SessionEvent): void
  /** A notification for the user: a line in `stream-json`; other formats print it to stderr. */
  notification(notification: UserNotification): void
  /** Resolves when everything is written. */
  finish(result: PrintResult): Promise<void>
  /** The text of the last finished step. */
  answer(): string
}

/**
 * Writes a turn in one of the three formats. Nothing else may write to `out`. `progress` gets each call, `notes` each
 * retry, which can take minutes.
 */
export function createPrintOutput(
  format: OutputFormat,
  out: NodeJS.WritableStream,
  progress?: NodeJS.WritableStream,
  notes: NodeJS.WritableStream | undefined = progress,
): PrintOutput {
  let answer = ''
  let pending: Delta[] = []
  let scheduled = false
  const line = (value: object): void => {
    out.write(`${JSON.stringify(value)}\n`)
  }
  const flush = (): void => {
    scheduled = false
    const deltas = pending
    pending = []
    for (const delta of deltas) line(delta)
  }
  const stream = (event: SessionEvent): void => {
    if (isRecorded(event)) {
      flush()
      line(event)
    } else if (event.type !== 'tool.drafting') {
      merge(pending, event)
      if (!scheduled) setImmediate(flush)
      scheduled = true
    }
  }
  return {
    event(event) {
      if (event.type === 'step.finished') answer = textOf(event.parts)
      if (format === 'stream-json') stream(event)
      if (event.type === 'tool.started') progress?.write(`· ${oneLine(`${toolLabel(event.name)} ${event.summary}`)}\n`)
      if (event.type === 'model.fell_back' && !event.quiet) progress?.write(`· ${modelFallbackText(event)}\n`)
      if (event.type === 'step.retried')
        notes?.write(
          `· ${event.failure.title}; ` +
            `attempt ${event.attempt + 1} of ${event.of} in ${(event.delayMs / 1000).toFixed(1)} s\n`,
        )
    },
    notification(notification) {
      if (format !== 'stream-json') return
      flush()
      line({ type: 'notification', ...notification })
    },
    answer: () => answer,
    async finish(result) {
      flush()
      if (format === 'text') {
        if (result.answer !== '') out.write(result.answer.endsWith('\n') ? result.answer : `${result.answer}\n`)
      } else {
        line(result)
      }
      await new Promise<void>((resolve) => {
        out.write('', () => resolve())
      })
    },
  }
}

/** Merges deltas between two flushes into one line per part. */
function merge(pending: Delta[], event: Delta): void {
  const last = pending.at(-1)
  if (last && last.type === event.type && idOf(last) === idOf(event))
    pending[pending.length - 1] = { ...last, text: last.text + event.text }
  else pending.push(event)
}

function idOf(delta: Delta): string {
  return delta.type === 'tool.progress' ? delta.callId : delta.stepId
}

/** A call that a rule, the permission mode or a hook denied, or that needed approval. */
interface Denial {
  tool: string
  /** The call in one line. */
  summary: string
  /** Why, as a sentence. */
  reason: string
  /** The subagent's session; absent for calls of the main agent. */
  agentId?: string
}

/** Maximum calls listed on a terminal; the result contains all of them. */
const MAX_LISTED = 5

type Listen = (sessionId: string, listener: (event: SessionEvent) => void) => () => void

/** The denied calls of a session's turn and of the subagents it starts, in the order in which they were denied. */
export class DeniedCalls {
  readonly list: Denial[] = []
  readonly #listen: Listen
  readonly #calls = new Map<string, { tool: string; summary: string }>()
  readonly #followed = new Set<string>()

  constructor(listen: Listen) {
    this.#listen = listen
  }

  /** Processes an event of the session; `agentId`: the subagent it belongs to. */
  onEvent(event: SessionEvent, agentId?: string): void {
    // Call ids come from models: two agents may use the same one.
    const key = 'callId' in event ? `${agentId ?? ''} ${event.callId}` : ''
    if (event.type === 'tool.started') this.#calls.set(key, { tool: event.name, summary: event.summary })
    else if (event.type === 'tool.finished') this.#calls.delete(key)
    else if (event.type === 'subagent.started') this.#follow(event.agentId)
    else if (event.type === 'tool.judged' && event.decision === 'deny') {
      const call = this.#calls.get(key)
      if (call) this.list.push({ ...call, reason: event.reason, ...(agentId !== undefined && { agentId }) })
    }
  }

  /** The summary for stderr; empty when nothing was denied. */
  toText(): string {
    const { length } = this.list
    if (length === 0) return ''
    const lines = this.list
      .slice(0, MAX_LISTED)
      .map(({ tool, summary, reason, agentId }) =>
        oneLine(`${toolLabel(tool)} ${summary}${agentId === undefined ? '' : ` (of ${agentId})`}: ${reason}`),
      )
    if (length > MAX_LISTED) lines.push(`${length - MAX_LISTED} more`)
    const head = `trestle: ${length === 1 ? '1 call was' : `${length} calls were`} denied:`
    const advice =
      'Allow such calls with a rule ("trestle permission check" shows what decides) or with --permission-mode.'
    return `${[head, ...lines.map((line) => `  ${line}`), advice].join('\n')}\n`
  }

  #follow(agentId: string): void {
    if (this.#followed.has(agentId)) return
    this.#followed.add(agentId)
    this.#listen(agentId, (event) => this.onEvent(event, agentId))
  }
}
