import { plural } from '../../../shared/language/plural'
import { ignoreOthers } from '../../../shared/events/event-uses'
import { type ErrorCode, type Failure, failureText } from '../../../shared/errors'
import type { RecordedEvent, SessionEvent } from '../../../shared/events/event'
import { modelFallbackText } from '../../../shared/events/transcript-rows'
import { isUserProvided, textOf } from '../../../shared/model/turn/message'
import { noticeText } from '../../../shared/events/notice-text'
import { sandboxLabel, unavailableText } from '../../../shared/configuration/sandbox-text'
import type { TaskNotification } from '../../../shared/model/task/task'
import type { Todo } from '../../../shared/model/turn/plan'
import { toolLabel } from '../../../shared/tool-label'
import { inTerminal } from '../../console/report'
import { MarkdownStream } from './screen/markdown-stream'
import { truncateToWidth, lastColumns, oneLine, safeText, wrapText, WordWrap } from './screen/text-layout'
import type { Terminal } from './screen/terminal'
import { duration, finishedLines, startedLine } from './tool-lines'

/** Delay in ms before the live output of a running call is shown. */
const QUIET_MS = 1000
const FRAME_MS = 100
/** Maximum characters of incomplete text used for the status line. */
const TAIL_CHARS = 1000
/**
 * Advice with commands of the chat. Other failures get advice with terminal commands, because the chat has no Settings
 * page.
 */
const CHAT_ADVICE: Partial<Record<ErrorCode, string>> = {
  'model.not_configured':
    'Connect a provider in another terminal: trestle provider add NAME. ' +
    '/model lists the models there are; /model demo/scripted tries the demo.',
  'model.not_found': '/model lists the models there are, /model PROVIDER/MODEL uses one of them.',
}

type Section = 'thinking' | 'text' | 'line'
type TurnFinished = RecordedEvent & { type: 'turn.finished' }

/** Prints a session's events as a conversation, in order, without ever rewriting printed text. */
export class Printer {
  readonly #terminal: Terminal
  readonly #wrap: WordWrap
  /** Renders answers as Markdown when styles are visible. */
  readonly #markdown: MarkdownStream | undefined
  #section: Section = 'line'
  /** The step whose text is being written, and whether any of it was. */
  #streamed: { stepId: string; hasText: boolean } = { stepId: '', hasText: false }
  /** Running calls by id, and the one whose line is still open for its result. */
  readonly #calls = new Map<string, { name: string; summary: string; at: number }>()
  /** Those that are running or have run. */
  readonly #running = new Set<string>()
  #openCall: string | undefined
  /** When a temporary status was last written. */
  #animatedAt = 0

  constructor(terminal: Terminal) {
    this.#terminal = terminal
    this.#wrap = new WordWrap(() => terminal.columns)
    if (terminal.style.hasColor) this.#markdown = new MarkdownStream(terminal.style, () => terminal.columns)
  }

  /** A line from Trestle itself. */
  line(text: string): void {
    this.#begin('line')
    this.#terminal.freshLine()
    this.#terminal.write(`${text}\n`)
  }

  note(text: string): void {
    this.line(this.#terminal.style.dim(wrapText(safeText(text), this.#terminal.columns).join('\n')))
  }

  /** Shows a temporary status, erased by the next line. */
  status(text: string): void {
    this.#terminal.status(truncateToWidth(`… ${oneLine(text)}`, this.#terminal.columns - 1))
  }

  failure(failure: Failure): void {
    const { code, message } = failure
    const advice = CHAT_ADVICE[code] ?? inTerminal(failure).advice
    const { style } = this.#terminal
    const columns = this.#terminal.columns - 2
    if (code === 'request.invalid') {
      this.line(`${style.red('✗')} ${wrapText(safeText(message), columns).join('\n  ')}`)
      return
    }
    const lines = wrapText(safeText(failureText(failure)), columns)
    this.line(
      `${style.red('✗')} ${lines.join('\n  ')}\n  ` + style.dim(wrapText(safeText(advice), columns).join('\n  ')),
    )
  }

  event(event: SessionEvent): void {
    const { style } = this.#terminal
    switch (event.type) {
      case 'text.delta':
        this.#stream('text', event.stepId, event.text)
        break
      case 'thinking.delta':
        this.#stream('thinking', event.stepId, event.text)
        break
      case 'step.started':
        this.status('waiting for the model (Ctrl-C stops)')
        break
      case 'tool.drafting':
        this.#animate(
          `writing a call of ${event.name}${event.subject === undefined ? '' : ` ${event.subject}`} ` +
            `(${event.chars} characters)`,
        )
        break
      case 'turn.started':
        if (event.news) this.#news(event.news)
        else if (event.promptId !== undefined)
          this.line(`${style.blue('›')} ${oneLine(textOf(event.parts.filter(isUserProvided)))}`)
        break
      case 'turn.steered':
        if (event.by === 'user' && !event.again)
          this.line(`${style.blue('›')} ${oneLine(textOf(event.parts.filter(isUserProvided)))}`)
        else if (event.by === 'task') this.#news(event.news ?? [])
        else if (event.plan === undefined && !event.again) this.note(oneLine(noticeText(event)))
        break
      case 'step.retried':
        this.line(
          style.amber(
            `! ${oneLine(event.failure.title)}; attempt ${event.attempt + 1} of ${event.of} in ` +
              `${duration(event.delayMs)}${event.superseded.text === '' ? '' : '. The answer begins again.'}`,
          ),
        )
        break
      case 'step.finished':
        this.#finishStep(event)
        break
      case 'tool.started':
        this.#calls.set(event.callId, { name: event.name, summary: event.summary, at: performance.now() })
        break
      case 'tool.judged':
        if (event.decision === 'allow') this.#runs(event)
        break
      case 'approval.resolved':
        if (event.outcome === 'allow_once' || event.outcome === 'allow_always') this.#runs(event)
        break
      case 'tool.progress': {
        const { at } = this.#calls.get(event.callId) ?? { at: performance.now() }
        const line = event.text.trim().split('\n').at(-1) ?? ''
        if (line !== '' && performance.now() - at > QUIET_MS) this.#animate(line)
        break
      }
      case 'tool.finished':
        this.#finishCall(event)
        break
      case 'sandbox.changed': {
        const { sandbox } = event
        const about = sandbox.unavailable
          ? `. ${unavailableText(sandbox.unavailable)}`
          : '. /status shows what commands can reach.'
        this.note(`Sandbox: ${sandboxLabel(sandbox)}${about}`)
        break
      }
      case 'todos.changed':
        this.line(event.todos.map((todo) => this.#todo(todo)).join('\n'))
        break
      case 'task.started':
        this.note(`  ${event.task.taskId} continues in the background; /tasks lists what runs.`)
        break
      case 'subagent.started':
        if (event.background) this.note(`  ${event.agentId} works on in the background; /tasks lists what runs.`)
        break
      case 'compaction.started':
        this.note('Compacting the conversation…')
        break
      case 'compaction.finished':
        this.note(
          `Compacted from about ${event.before} to ${event.after} tokens; the full history stays in the session.`,
        )
        break
      case 'compaction.failed':
        if (event.failure) this.failure(event.failure)
        else this.note('The compaction was stopped.')
        break
      case 'model.fell_back':
        if (!event.quiet) this.note(modelFallbackText(event))
        break
      case 'plan.entered':
        this.note(
          `Plan mode is on${event.by === 'agent' ? ', as the agent asked' : ''}: nothing but the plan can change.`,
        )
        break
      case 'plan.left':
        this.note('Plan mode is off.')
        break
      case 'checkpoint.restored':
        if (event.dMail)
          this.note(
            'The agent returns to an earlier ' +
              `point${event.count > 0 ? `, with ${event.count} ${event.count === 1 ? 'file' : 'files'}` : ''}, ` +
              'and tells itself:',
          )
        break
      case 'turn.finished':
        this.#finishTurn(event)
        break
      default:
        ignoreOthers<'chat'>(event)
    }
  }

  /**
   * Shows a call once it runs: before that it may wait behind another, or be rejected. Requests during the call do not
   * restart it.
   */
  #runs({ callId }: { callId: string }): void {
    const call = this.#calls.get(callId)
    if (!call || this.#running.has(callId)) return
    this.#running.add(callId)
    this.#calls.set(callId, { ...call, at: performance.now() })
    this.#begin('line')
    this.#terminal.freshLine()
    this.#terminal.write(startedLine(call, this.#terminal.columns, this.#terminal.style))
    this.#openCall = callId
  }

  /** Throttles a status that changes often, to save bandwidth on slow connections. */
  #animate(text: string): void {
    if (performance.now() - this.#animatedAt < FRAME_MS) return
    this.#animatedAt = performance.now()
    this.#begin('line')
    this.#terminal.freshLine()
    this.status(text)
  }

  /** Ends the current section; later text starts on a new line. */
  #begin(section: Section): void {
    this.#openCall = undefined
    if (this.#section !== 'line' && section !== this.#section) {
      const held = this.#section === 'text' && this.#markdown ? this.#markdown.end() : this.#wrap.end()
      this.#terminal.write(this.#section === 'thinking' ? this.#terminal.style.dim(held) : held)
      this.#terminal.freshLine()
    }
    this.#section = section
  }

  #stream(section: 'text' | 'thinking', stepId: string, text: string): void {
    if (this.#streamed.stepId !== stepId) this.#streamed = { stepId, hasText: false }
    const isNew = this.#section !== section
    if (isNew && text.trim() === '') return
    this.#begin(section)
    if (isNew) this.#terminal.freshLine()
    if (section === 'text') this.#streamed.hasText = true
    const safe = safeText(isNew ? text.replace(/^\s+/, '') : text)
    if (section === 'text' && this.#markdown) return this.#streamMarkdown(this.#markdown, safe)
    const wrapped = this.#wrap.add(safe)
    this.#terminal.write(section === 'thinking' ? this.#terminal.style.dim(wrapped) : wrapped)
  }

  /** Writes a paragraph when it is complete; until then the status shows its growing end. */
  #streamMarkdown(markdown: MarkdownStream, safe: string): void {
    const lines = markdown.add(safe)
    this.#terminal.write(lines)
    if (lines === '' && performance.now() - this.#animatedAt < FRAME_MS) return
    this.#animatedAt = performance.now()
    const tail = markdown.pending.slice(-TAIL_CHARS).trimEnd()
    if (tail !== '') this.status(lastColumns(oneLine(tail), this.#terminal.columns - 4))
  }

  #finishStep(event: RecordedEvent & { type: 'step.finished' }): void {
    const text = textOf(event.parts)
    // Print text that was not streamed.
    if (text !== '' && !(this.#streamed.stepId === event.stepId && this.#streamed.hasText))
      this.#stream('text', event.stepId, text)
    this.#begin('line')
    this.#terminal.freshLine()
    if (event.finish === 'length') this.note('(cut off at the output limit of the model)')
  }

  #finishCall(event: RecordedEvent & { type: 'tool.finished' }): void {
    const { style, columns } = this.#terminal
    const { sign, notes, lines } = finishedLines(event, columns, style)
    const call = this.#calls.get(event.callId)
    this.#calls.delete(event.callId)
    this.#running.delete(event.callId)
    if (this.#openCall === event.callId && this.#terminal.isMidLine) {
      this.#openCall = undefined
      this.#terminal.write(`  ${sign} ${style.dim(notes)}\n`)
    } else {
      const name = truncateToWidth(
        oneLine(call ? `${toolLabel(call.name)} ${call.summary}` : toolLabel(event.name)),
        Math.max(10, columns - notes.length - 8),
      )
      this.line(`  ${sign} ${name}  ${style.dim(notes)}`)
    }
    for (const line of lines) this.line(line)
  }

  #finishTurn({ stop, failure, steps, durationMs }: TurnFinished): void {
    this.#calls.clear()
    this.#running.clear()
    if (failure) this.failure(failure)
    const why = {
      end_turn: undefined,
      cancelled: 'Stopped.',
      max_tokens: 'The answer was cut off at the output limit of the model.',
      max_turn_requests: `Ended after ${steps} ${plural(steps, 'step')}; the answer is what the model had so far.`,
      repetition:
        `Ended after ${steps} ${plural(steps, 'step')}, ` +
        `because the model kept making the same call with the same result.`,
      refusal: 'The provider withheld the answer.',
      error: undefined,
      interrupted: 'Interrupted: the program that ran this turn has ended.',
    }[stop]
    if (why !== undefined) this.line(this.#terminal.style.amber(why))
    else if (!failure) this.note(`${steps} ${steps === 1 ? 'step' : 'steps'}, ${duration(durationMs)}`)
  }

  #news(tasks: readonly TaskNotification[]): void {
    for (const { taskId, description, command, status, exitCode } of tasks) {
      const how = status.replace('_', ' ') + (exitCode === undefined ? '' : `, exit ${exitCode}`)
      this.note(`Trestle tells the agent: ${taskId} (${truncateToWidth(oneLine(description ?? command), 60)}) ${how}`)
    }
  }

  #todo({ title, status }: Todo): string {
    const { style } = this.#terminal
    const text = oneLine(title)
    if (status === 'done') return `  ${style.green('[x]')} ${style.dim(text)}`
    return status === 'in_progress' ? `  ${style.blue('[~]')} ${text}` : `  [ ] ${text}`
  }
}
