import { CodedError, failureOf } from '../../../../shared/errors'
import type { EventBody } from '../../../../shared/events/event'
import type { Effort } from '../../../../shared/model/turn/effort'
import { isUserProvided, typedText, type UserPart } from '../../../../shared/model/turn/message'
import type { SessionHeader, QueuedPrompt } from '../../../../shared/model/session/session'
import type { TaskNotification } from '../../../../shared/model/task/task'
import { PreparedNotifications } from './task-notifications'
import { titleFrom } from './title'

/** A message that joins a turn: a prompt from the queue, or task notifications. */
export interface Steering {
  parts: UserPart[]
  promptId?: string
  news?: TaskNotification[]
}

/** What a turn starts with: a message, or the task notifications that are due (`'news'`). */
export interface TurnInput {
  prompt: UserPart[] | 'news'
  /** The id of the prompt, if it was queued. */
  promptId?: string
  effort?: Effort
}

interface SessionInputDeps {
  header(): SessionHeader
  /** Whether a turn is open. */
  busy(): boolean
  record(event: EventBody): void
  newId(prefix: string): string
  start(input: TurnInput): Promise<void>
  /** Throws `hook.blocked` when the message may not be sent. */
  submit(parts: readonly UserPart[]): Promise<void>
  /** Attaches the MCP prompts and resources that the message names. */
  attach(parts: UserPart[]): Promise<UserPart[]>
  withSkill(header: SessionHeader, parts: UserPart[]): Promise<UserPart[]>
  log(message: string): void
}

/** The events that start a turn. They are recorded together: a turn whose start is recorded is run. */
interface TurnStart {
  events: EventBody[]
  /** Whether the turn starts with task notifications instead of a message. */
  isNews: boolean
}

/** What a session's turns start with or receive while they run: prompts, steering, the queue and task notifications. */
export class SessionInput {
  /** Task notifications that are ready to be sent to the agent. */
  readonly notifications = new PreparedNotifications(() => this.#deps.header().news)
  readonly #deps: SessionInputDeps
  readonly #queue: PromptQueue

  constructor(deps: SessionInputDeps) {
    this.#deps = deps
    this.#queue = new PromptQueue(deps)
  }

  get isSteering(): boolean {
    return this.#queue.isSteering
  }

  /** Starts a turn, or queues the prompt while one runs. */
  async prompt(
    parts: UserPart[],
    by: 'person' | 'agent' = 'person',
    effort?: Effort,
  ): Promise<{ queued: boolean; promptId?: string }> {
    const prompt = by === 'person' ? await this.#prepare(parts) : parts
    if (by === 'person') this.#restore()
    if (this.#deps.busy()) return { queued: true, promptId: this.#queue.add(prompt, effort) }
    await this.#deps.start({ prompt, ...(effort !== undefined && { effort }) })
    return { queued: false }
  }

  /** Adds a message to the running turn before its next step; starts a turn if none is running. */
  async steer({ parts, promptId }: { parts?: UserPart[]; promptId?: string }): Promise<void> {
    const queued = promptId === undefined ? undefined : this.#queue.get(promptId)
    if (!parts && !queued)
      throw new CodedError('request.invalid', 'Give the parts of a message, or the promptId of a queued one.')
    const message = parts && (await this.#prepare(parts))
    this.#restore()
    if (!this.#deps.busy())
      return this.#deps.start({
        prompt: message ?? queued!.parts,
        ...(promptId !== undefined && { promptId }),
        ...(queued?.effort !== undefined && { effort: queued.effort }),
      })
    // The queue stores it: if the turn ends before its next step, the message starts the next turn.
    this.#queue.steer(promptId ?? this.#queue.add(message!))
  }

  async editQueued(promptId: string, parts: UserPart[]): Promise<void> {
    this.#queue.edit(promptId, await this.#prepare(parts))
  }

  removeQueued(promptId: string): void {
    this.#queue.remove(promptId)
  }

  moveQueued(promptId: string, to: number): void {
    this.#queue.move(promptId, to)
  }

  /** What joins the running turn now: task notifications, then what the user wrote. */
  takeSteering(): Steering[] {
    const notification = this.notifications.message()
    return [...(notification ? [notification] : []), ...this.#queue.takeSteering()]
  }

  /**
   * Starts a turn with the notifications that are ready, unless a turn runs (which takes them before its next step) or
   * the session is archived.
   */
  async deliverNotifications(): Promise<void> {
    const { agent, archived } = this.#deps.header()
    // A finished subagent is notified of its tasks when it is given more work.
    const hasEnded = agent !== undefined && agent.status !== 'running'
    if (this.#deps.busy() || hasEnded || archived || !this.notifications.message()) return
    await this.#deps.start({ prompt: 'news' })
  }

  /** The same at the end of a turn. Never rejects. */
  async notifyAfterTurn(): Promise<void> {
    await this.deliverNotifications().catch((error: unknown) =>
      this.#deps.log(`Task notifications could not be delivered: ${failureOf(error).message}`),
    )
  }

  /** Starts a turn with the first queued prompt, if there is one and no turn is open. Never rejects. */
  async startNext(): Promise<void> {
    const next = this.#deps.header().queue[0]
    if (!next || this.#deps.busy()) return
    const { parts: prompt, promptId, effort } = next
    await this.#deps
      .start({ prompt, promptId, ...(effort !== undefined && { effort }) })
      .catch((error: unknown) => this.#deps.log(`A queued prompt could not start: ${failureOf(error).message}`))
  }

  /** What to record when a turn starts; undefined if it should start with notifications but they are no longer due. */
  async turnStart(
    { prompt, promptId, effort }: TurnInput,
    turnId: string,
    model: string,
  ): Promise<TurnStart | undefined> {
    const header = this.#deps.header()
    const notification = prompt === 'news' ? this.notifications.message() : undefined
    if (prompt === 'news' && !notification) return undefined
    const message = notification?.parts ?? (prompt as UserPart[])
    // A prompt written by another agent does not start skills that only the user may start.
    const isFromUser = header.agent?.status !== 'running'
    const parts = notification || !isFromUser ? message : await this.#deps.withSkill(header, message)
    const title =
      !notification && !header.agent && header.turns === 0 && !header.titleIsCustom
        ? titleFrom(typedText(message.filter(isUserProvided)))
        : undefined
    const started: EventBody = {
      type: 'turn.started',
      turnId,
      parts,
      model,
      ...(effort !== undefined && { effort }),
      ...(promptId !== undefined && { promptId }),
      ...(notification && { news: notification.news }),
    }
    return {
      events: [
        started,
        ...(title === undefined ? [] : [{ type: 'session.changed' as const, title, titleIsCustom: false }]),
      ],
      isNews: notification !== undefined,
    }
  }

  /** A session that works again is no longer archived, so that its requests are visible and its tasks reported. */
  #restore(): void {
    if (this.#deps.header().archived) this.#deps.record({ type: 'session.changed', archived: false })
  }

  /**
   * The user's message, scaled and checked, with what it mentions attached. Throws a `CodedError` when it may not be
   * sent.
   */
  async #prepare(given: UserPart[]): Promise<UserPart[]> {
    const parts = await prepareUserParts(given)
    await this.#deps.submit(parts)
    return this.#deps.attach(parts)
  }
}

interface PromptQueueDeps {
  header(): SessionHeader
  record(event: EventBody): void
  newId(prefix: string): string
}

/**
 * The queued prompts of a session: they start the next turn, or join the running one (steering). The header holds them
 * all.
 */
export class PromptQueue {
  readonly #deps: PromptQueueDeps

  constructor(deps: PromptQueueDeps) {
    this.#deps = deps
  }

  /** Whether a queued prompt is to join the running turn. */
  get isSteering(): boolean {
    return this.takeSteering().length > 0
  }

  add(parts: UserPart[], effort?: Effort): string {
    const promptId = this.#deps.newId('prompt')
    this.#deps.record({ type: 'prompt.queued', promptId, parts, ...(effort !== undefined && { effort }) })
    return promptId
  }

  get(promptId: string): QueuedPrompt {
    const prompt = this.#deps.header().queue.find((candidate) => candidate.promptId === promptId)
    if (!prompt) throw new CodedError('request.invalid', 'promptId: this prompt is no longer in the queue.')
    return prompt
  }

  edit(promptId: string, parts: UserPart[]): void {
    this.get(promptId)
    this.#deps.record({ type: 'prompt.edited', promptId, parts })
  }

  remove(promptId: string): void {
    this.get(promptId)
    this.#deps.record({ type: 'prompt.removed', promptId })
  }

  /** Moves a prompt to a place in the queue, counted from 0. */
  move(promptId: string, to: number): void {
    this.get(promptId)
    const { queue } = this.#deps.header()
    const place = Math.min(to, queue.length - 1)
    if (queue[place]?.promptId !== promptId) this.#deps.record({ type: 'prompt.moved', promptId, to: place })
  }

  steer(promptId: string): void {
    if (!this.get(promptId).joins) this.#deps.record({ type: 'prompt.joins', promptId })
  }

  /** The prompts that join the running turn. They leave the queue when the caller records them as part of it. */
  takeSteering(): QueuedPrompt[] {
    return this.#deps.header().queue.filter(({ joins }) => joins)
  }
}

/**
 * Prepares the user's message for models: scales images down and extracts the text of PDFs. Every message passes
 * through here. Throws `request.invalid`, naming the file, for an attachment that no model can take: a provider would
 * refuse it now and in every later request.
 */
async function prepareUserParts(parts: readonly UserPart[]): Promise<UserPart[]> {
  if (parts.every(({ type }) => type === 'text')) return [...parts]
  const { fitMedia, MediaProblem } = await import('../../model/media/fit-media')
  const fitted: UserPart[] = []
  // One at a time: each can take a lot of memory.
  for (const part of parts) {
    if (part.type === 'text') {
      fitted.push(part)
      continue
    }
    try {
      fitted.push({ ...part, ...(await fitMedia(part)) })
    } catch (error) {
      if (!(error instanceof MediaProblem)) throw error
      throw new CodedError('request.invalid', `${part.name ?? 'The attachment'} cannot be sent. ${error.message}`, {
        cause: error,
      })
    }
  }
  return fitted
}
