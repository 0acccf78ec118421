import { CodedError, failureOf } from '../../../shared/model/errors'
import type { EventBody, LiveEvent, RecordedEvent, SessionEvent } from '../../../shared/model/event'
import { applyHeader } from '../../../shared/model/fold'
import { textOf, type UserPart } from '../../../shared/model/message'
import type { SessionHeader } from '../../../shared/model/session'
import { createGate, type ApprovalGate } from '../approval/gate'
import type { TurnEnd } from '../loop/turn'
import type { TurnLiveEvent } from '../loop/turn-context'
import { LiveState } from './live-state'
import { closingEvents } from './recover'
import type { Store } from './store'
import { titleFrom } from './title'

/** What a session needs from the engine to run a turn. */
export interface TurnRunner {
  /** Checks that a turn can start (model, folder) and says with which model; throws a `CodedError` otherwise. Nothing is recorded before it. */
  ready(header: SessionHeader): Promise<{ modelId: string }>
  run(session: Session, turnId: string, signal: AbortSignal): Promise<TurnEnd>
}

export interface SessionDeps {
  store: Store
  runner: TurnRunner
  gateFor(session: Session): Parameters<typeof createGate>[0]
  newId(prefix: string): string
  now(): number
  /** Whether a person can be asked, as long as this process runs. */
  interactive: boolean
  /** Whether the next queued prompt starts by itself when a turn has ended. */
  runsQueue: boolean
  /** Called after every recorded event. */
  onRecorded(session: Session): void
  log(message: string): void
}

type Listener = (event: SessionEvent) => void

/** One open session: its turns, its queue, its approvals and who is watching. Only one process has it at a time (the store's lease). */
export class Session {
  readonly id: string
  readonly approvals: ApprovalGate
  readonly #deps: SessionDeps
  #header: SessionHeader
  readonly #live = new LiveState()
  readonly #listeners = new Set<Listener>()
  /** Queued prompts that are to join the running turn. */
  #steering: string[] = []
  #running: { abort: AbortController; done: Promise<void> } | undefined
  #starting: Promise<void> | undefined

  constructor(id: string, deps: SessionDeps) {
    this.id = id
    this.#deps = deps
    this.approvals = createGate(deps.gateFor(this))
    const closing = closingEvents(deps.store, id)
    if (closing.length > 0) deps.store.append(id, closing)
    const header = deps.store.header(id)
    if (!header) throw new CodedError('session.not_found', `There is no session ${id}.`)
    this.#header = header
  }

  /** As of the latest recorded event: this process holds the lease, so nobody else adds any. */
  get header(): SessionHeader {
    return this.#header
  }

  get busy(): boolean {
    return this.#running !== undefined || this.#starting !== undefined
  }

  get watched(): boolean {
    return this.#listeners.size > 0
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Records first, tells second. */
  record(...bodies: EventBody[]): RecordedEvent[] {
    const events = this.#deps.store.append(this.id, bodies)
    for (const event of events) {
      this.#header = applyHeader(this.#header, event)
      this.#live.recorded(event)
      this.#tell(event)
    }
    this.#deps.onRecorded(this)
    return events
  }

  live(event: TurnLiveEvent): void {
    const full: LiveEvent = { ...event, sessionId: this.id }
    this.#live.live(full)
    this.#tell(full)
  }

  liveSnapshot(): LiveEvent[] {
    return this.#live.snapshot(this.id)
  }

  /** Starts a turn, or queues the prompt while one runs. */
  async prompt(parts: UserPart[]): Promise<{ queued: boolean; promptId?: string }> {
    if (this.busy) return { queued: true, promptId: this.#queue(parts) }
    await this.#start(parts)
    return { queued: false }
  }

  /** Lets a message join the running turn before its next step; without a turn it starts one. */
  async steer({ parts, promptId }: { parts?: UserPart[]; promptId?: string }): Promise<void> {
    const queued = promptId === undefined ? undefined : this.#queued(promptId)
    if (!parts && !queued) throw new CodedError('request.invalid', 'Give the parts of a message, or the promptId of a queued one.')
    if (!this.busy) return this.#start(parts ?? queued!.parts, promptId)
    // It goes through the queue, so that it is stored: if the turn ends before its next step, the message starts the next one.
    const id = promptId ?? this.#queue(parts!)
    if (!this.#steering.includes(id)) this.#steering.push(id)
  }

  takeSteering(): { parts: UserPart[]; promptId: string }[] {
    const ids = this.#steering
    this.#steering = []
    return ids.flatMap((id) => this.header.queue.filter((prompt) => prompt.promptId === id))
  }

  editQueued(promptId: string, parts: UserPart[]): void {
    this.#queued(promptId)
    this.record({ type: 'prompt.edited', promptId, parts })
  }

  removeQueued(promptId: string): void {
    this.#queued(promptId)
    this.#steering = this.#steering.filter((id) => id !== promptId)
    this.record({ type: 'prompt.removed', promptId })
  }

  /** Ends the running turn; resolves when its end is recorded. What is queued stays queued. */
  async stop(): Promise<void> {
    await this.#starting?.catch(() => undefined)
    const running = this.#running
    running?.abort.abort()
    await running?.done
  }

  /** Resolves when no turn runs any more. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running.done
  }

  #queue(parts: UserPart[]): string {
    const promptId = this.#deps.newId('prompt')
    this.record({ type: 'prompt.queued', promptId, parts })
    return promptId
  }

  #queued(promptId: string) {
    const prompt = this.header.queue.find((candidate) => candidate.promptId === promptId)
    if (!prompt) throw new CodedError('request.invalid', 'promptId: this prompt is not in the queue any more.')
    return prompt
  }

  async #start(parts: UserPart[], promptId?: string): Promise<void> {
    this.#starting = this.#startTurn(parts, promptId)
    try {
      await this.#starting
    } finally {
      this.#starting = undefined
    }
  }

  async #startTurn(parts: UserPart[], promptId: string | undefined): Promise<void> {
    const { modelId } = await this.#deps.runner.ready(this.header)
    const turnId = this.#deps.newId('turn')
    const { header } = this
    const titled = header.turns === 0 && !header.titleIsCustom ? titleFrom(textOf(parts)) : undefined
    this.record({ type: 'turn.started', turnId, parts, model: modelId, ...(promptId !== undefined && { promptId }) })
    if (titled !== undefined) this.record({ type: 'session.changed', title: titled, titleIsCustom: false })
    const abort = new AbortController()
    this.#running = { abort, done: this.#run(turnId, abort.signal) }
  }

  async #run(turnId: string, signal: AbortSignal): Promise<void> {
    const startedAt = this.#deps.now()
    const end = await this.#deps.runner.run(this, turnId, signal).catch((error: unknown): TurnEnd => {
      this.#deps.log(error instanceof Error ? (error.stack ?? error.message) : String(error))
      return { stop: 'error', failure: failureOf(error), steps: 0 }
    })
    this.#running = undefined
    try {
      const { stop, failure, steps } = end
      this.record({ type: 'turn.finished', turnId, stop, steps, durationMs: this.#deps.now() - startedAt, ...(failure && { failure }) })
    } catch (error) {
      // The store failed (a full disk, say): the log keeps what it has, and the next start closes the turn.
      this.#deps.log(`The end of a turn could not be recorded: ${failureOf(error).message}`)
      return
    }
    if (end.stop === 'end_turn' && this.#deps.runsQueue) await this.#startNext()
  }

  async #startNext(): Promise<void> {
    const next = this.header.queue[0]
    if (!next || this.busy) return
    await this.#start(next.parts, next.promptId).catch((error: unknown) =>
      this.#deps.log(`A queued prompt could not start: ${failureOf(error).message}`),
    )
  }

  #tell(event: SessionEvent): void {
    for (const listener of this.#listeners) listener(event)
  }
}
