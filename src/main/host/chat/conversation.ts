import { stopRinging } from '../../console/stop-ringing'
import { notificationLine, type UserNotification } from '../../../shared/model/assistant/notification'
import { REJECT_STOP, type AskKind, type InboxEntry } from '../../../shared/model/approval/approval'
import { failureOf } from '../../../shared/errors'
import type { RecordedEvent } from '../../../shared/events/event'
import { isUserProvided, textOf } from '../../../shared/model/turn/message'
import type { SessionHeader } from '../../../shared/model/session/session'
import type { ClientEngine } from '../../role/joined/client-engine'
import { askApproval, askSandbox, reviewPlan } from './ask/ask-approval'
import { askForm, askQuestions } from './ask/ask-questions'
import type { Answer, ApprovalPrompt } from './ask/ask'
import { Printer } from './printer'
import { oneLine } from './screen/text-layout'
import type { Terminal } from './screen/terminal'
import { contextShare } from '../../../shared/configuration/session-model'
import { MODE_NAMES } from '../../../shared/configuration/sandbox-text'
import type { SettingsView } from '../../../shared/configuration/settings'

/** Maximum events of a continued session searched for its last answer. */
const PAST_EVENTS = 400

const PROMPTS: Partial<Record<AskKind | 'call', (asked: ApprovalPrompt) => Promise<Answer>>> = {
  plan: reviewPlan,
  questions: askQuestions,
  form: askForm,
  sandbox: askSandbox,
}

/** The current session of the chat: prints its events and asks the user its requests. Can switch to another session. */
export class Conversation {
  readonly engine: ClientEngine
  readonly terminal: Terminal
  readonly printer: Printer
  #sessionId = ''
  #isLeaving = false
  #hasFailed = false
  /** The request that is being asked. */
  #asking: { entry: InboxEntry; controller: AbortController } | undefined
  /** Requests not to ask again: the user has not answered them, and their turn is being stopped. */
  readonly #dismissed = new Set<string>()
  #stopListening: () => void = () => {}
  #withdrawn: string[] = []
  readonly #stopWatching: () => void
  readonly #watchers = new Set<() => void>()

  constructor(engine: ClientEngine, terminal: Terminal) {
    this.engine = engine
    this.terminal = terminal
    this.printer = new Printer(terminal)
    this.#stopWatching = engine.onChange((change) => {
      if (change.kind === 'notice') this.printer.note(change.text)
      if (change.kind === 'notification') this.#notify(change.notification)
      if (change.kind === 'inbox') this.#endGoneQuestion()
      this.#changed()
    })
  }

  /** An alarm rings only once here: there is no button to stop it. */
  #notify(notification: UserNotification): void {
    this.terminal.alert(`${notification.title} – Trestle`)
    this.printer.note(
      `${notification.source === 'alarm' ? 'Alarm' : 'Notification'}: ${notificationLine(notification)}`,
    )
    if (notification.source === 'alarm') stopRinging(this.engine)
  }

  get sessionId(): string {
    return this.#sessionId
  }

  /** Whether the last message got no answer: its turn failed, or could not start. */
  get hasFailed(): boolean {
    return this.#hasFailed
  }

  get header(): SessionHeader {
    return this.engine.sessions.header(this.#sessionId)
  }

  /** Whether a turn or a compaction runs. */
  get isBusy(): boolean {
    const { turnId, compacting } = this.header
    return turnId !== undefined || compacting !== undefined
  }

  /** Switches to a session that is open in this process. */
  switchTo(sessionId: string): void {
    this.#stopListening()
    this.#sessionId = sessionId
    this.#stopListening = this.engine.sessions.listen(sessionId, (event) => {
      this.printer.event(event)
      if (event.type === 'turn.finished') this.#hasFailed = event.stop === 'error'
      if (event.type === 'turn.started' || event.type === 'turn.finished' || event.type.startsWith('compaction.'))
        this.#changed()
    })
  }

  /** A message could not be sent. */
  reportUnsent(error: unknown): void {
    this.#hasFailed = true
    this.printer.failure(failureOf(error))
  }

  /** Prints the session's title and last message. */
  async showLastMessages(): Promise<void> {
    const { title } = this.header
    this.printer.note(`Continuing "${title}".`)
    const { events } = await this.engine.sessions.open(this.#sessionId, PAST_EVENTS)
    const asked = events.findLast((event) => event.type === 'turn.started' && !event.news)
    if (asked?.type !== 'turn.started') return
    this.printer.event({ ...asked, type: 'turn.started', promptId: '' })
    const said = events.findLast(
      (event): event is RecordedEvent & { type: 'step.finished' } =>
        event.type === 'step.finished' && textOf(event.parts) !== '',
    )
    if (said && said.seq > asked.seq) this.printer.event(said)
  }

  /** Pending requests of this session and its subagents, first in first out. */
  pendingRequest(): InboxEntry | undefined {
    return this.engine.inbox
      .list()
      .find(
        ({ sessionId, agent, elsewhere, approvalId }) =>
          (sessionId === this.#sessionId || agent?.rootId === this.#sessionId) &&
          elsewhere === undefined &&
          !this.#dismissed.has(approvalId),
      )
  }

  /** Asks the user a request and forwards the answer. Ctrl-C stops the turn instead. */
  async ask(entry: InboxEntry): Promise<void> {
    const { engine, terminal } = this
    const { sessionId, approvalId } = entry
    const controller = new AbortController()
    this.#asking = { entry, controller }
    try {
      const approval = await engine.inbox.get(sessionId, approvalId)
      const asked = {
        approval,
        terminal,
        signal: controller.signal,
        choices: () => engine.inbox.choices(sessionId, approvalId),
        ...(entry.agent && { agent: entry.agent.type }),
      }
      const ask = PROMPTS[approval.asks ?? 'call'] ?? askApproval
      const answer = await ask(asked)
      if (answer) {
        await engine.sessions.reply(sessionId, { approvalId, ...answer })
        if (answer.optionId === REJECT_STOP && sessionId === this.#sessionId) await this.#withdrawQueue()
      } else if (this.#isLeaving) return
      else if (controller.signal.aborted) this.printer.note('This was answered elsewhere, or is no longer pending.')
      else await this.stop(approvalId)
    } catch (error) {
      this.printer.failure(failureOf(error))
    } finally {
      this.#asking = undefined
    }
  }

  /** Ends the turn; drops its requests, and withdraws queued messages. */
  async stop(approvalId?: string): Promise<void> {
    if (approvalId !== undefined) this.#dismissed.add(approvalId)
    await this.#withdrawQueue()
    await this.engine.sessions.stop(this.#sessionId).catch((error: unknown) => this.printer.failure(failureOf(error)))
  }

  /** The status line: model, mode, and usage of the context window. */
  showStatus(): void {
    if (this.terminal.isInteractive) this.printer.note(statusLine(this.header, this.engine.settings.view()))
  }

  /** Returns the messages withdrawn from the queue, to be edited and sent again, and clears them. */
  takeWithdrawn(): string {
    const text = this.#withdrawn.join('\n')
    this.#withdrawn = []
    return text
  }

  /** Withdraws queued messages: stopping a turn must not send them after the next one. */
  async #withdrawQueue(): Promise<void> {
    for (const { promptId, parts } of this.header.queue) {
      try {
        await this.engine.sessions.removeQueued(this.#sessionId, promptId)
      } catch {
        // It has just started, and is stopped as a turn.
        continue
      }
      const text = textOf(parts.filter(isUserProvided))
      this.#withdrawn.push(text)
      this.printer.note(`Not sent, and back for you to edit: ${oneLine(text)}`)
    }
  }

  /** Resolves after the next change that may matter to a waiter. */
  nextChange(): Promise<void> {
    return new Promise((resolve) => this.#watchers.add(resolve))
  }

  /** The user has left: the current request stays pending. */
  leave(): void {
    this.#isLeaving = true
    this.#asking?.controller.abort()
    this.terminal.close()
  }

  close(): void {
    this.#stopListening()
    this.#stopWatching()
  }

  #changed(): void {
    for (const resolve of this.#watchers) resolve()
    this.#watchers.clear()
  }

  #endGoneQuestion(): void {
    const { entry, controller } = this.#asking ?? {}
    if (entry && !this.engine.inbox.list().some(({ approvalId }) => approvalId === entry.approvalId))
      controller?.abort()
  }
}

type Header = Pick<SessionHeader, 'model' | 'mode' | 'plan' | 'context' | 'learnedWindow'>

/** Model, mode and usage of the context window, e.g. `Claude Sonnet 5 · Ask first · 12% of context`. */
export function statusLine(header: Header, settings: Pick<SettingsView, 'models' | 'defaultModel'>): string {
  const id = header.model ?? settings.defaultModel
  const model = id === undefined ? 'No model' : (settings.models.find((one) => one.id === id)?.label ?? id)
  const mode = MODE_NAMES[header.plan?.active ? 'plan' : header.mode]
  const context = contextShare(header, settings)
  return [model, mode, ...(context ? [`${context.percent}% of context`] : [])].join(' · ')
}
