import type { ContextView, ToolsView } from '../../../shared/model/context'
import { isAgentId } from '../../../shared/model/agent'
import type { Effort } from '../../../shared/model/effort'
import { CodedError, failureOf, type Failure } from '../../../shared/errors'
import { isMidCall, type RuleChoice } from '../../../shared/model/approval'
import type { EventBody, LiveEvent, RecordedEvent, SessionEvent } from '../../../shared/events/event'
import { applyHeader } from '../../../shared/events/fold-header'
import { isUserProvided, textOf, type UserPart } from '../../../shared/model/message'
import type { SessionHeader } from '../../../shared/model/session'
import { prepareUserParts, PromptQueue } from './prompt-queue'
import type { TaskNotification } from '../../../shared/model/task'
import { createGate, type ApprovalGate } from '../approval/gate'
import type { CompactionEnd } from '../context/compaction/compact'
import { type OpenTurn, type TurnLiveEvent, TurnStopped, TurnSuspended } from '../loop/turn-context'
import type { TurnEnd } from '../loop/turn'
import { LiveEvents } from './live-events'
import {
  endOpenCompaction,
  undoCompactionEvent,
  closingEvents,
  reopenTurn,
  unfinishedTurn,
  type UnfinishedTurn,
} from './unfinished-turn'
import { PreparedNotifications } from './task-notifications'
import type { SessionDeps } from './session-deps'
import { titleFrom } from './title'
import type { ApprovalAnswer } from '../approval/waiting-requests'

const CLOSED = 'Trestle was closed before it was answered.'
const CLOSED_WITHOUT_USER = 'Trestle was closed before it was answered, and nobody could be asked any more.'

/** A message that joins a turn: a prompt from the queue, or news of tasks. */
export interface Steering {
  parts: UserPart[]
  promptId?: string
  news?: TaskNotification[]
}

/** One open session: its turns, its queue, its approvals and who is watching. Only one process has it at a time (the store's lease). */
export class Session {
  readonly id: string
  readonly approvals: ApprovalGate
  /** What is prepared of the news that the header owes. */
  readonly notifications = new PreparedNotifications(() => this.#header.news)
  /** Calls that a dead process had begun: what they started may still run. */
  readonly cutOffCalls: ReadonlySet<string>
  readonly #deps: SessionDeps<Session>
  #header: SessionHeader
  readonly #liveEvents = new LiveEvents()
  readonly #queue: PromptQueue
  #running: { abort: AbortController; done: Promise<void> } | undefined
  #starting: Promise<void> | undefined
  /** A turn that waits for a person since before this process began; it goes on when somebody attends to it. */
  #open: OpenTurn | undefined

  constructor(id: string, deps: SessionDeps<Session>) {
    this.id = id
    this.#deps = deps
    this.approvals = createGate(deps.gateFor(this))
    this.#queue = new PromptQueue({
      header: () => this.header,
      record: (event) => void this.record(event),
      newId: deps.newId,
    })
    const unfinished = unfinishedTurn(deps.store, id)
    const taken = [...endOpenCompaction(deps.store.header(id)), ...(unfinished ? this.#recover(unfinished) : [])]
    if (taken.length > 0) deps.store.append(id, taken)
    this.cutOffCalls = new Set(taken.flatMap((event) => (event.type === 'tool.finished' ? [event.callId] : [])))
    const header = deps.store.header(id)
    if (!header) throw new CodedError('session.not_found', `There is no session ${id}.`)
    this.#header = header
  }

  /** As of the latest recorded event: this process holds the lease, so nobody else adds any. */
  get header(): SessionHeader {
    return this.#header
  }

  /** Whether a turn is open, be it one that waits since before this process began. */
  get busy(): boolean {
    return this.#running !== undefined || this.#starting !== undefined || this.#open !== undefined
  }

  /** Whether this process has something in hand that is not all in the log. */
  get isWorking(): boolean {
    return this.#open ? this.#starting !== undefined || this.#queue.isSteering : this.busy
  }

  get watched(): boolean {
    return this.#liveEvents.hasListeners
  }

  listen(listener: (event: SessionEvent) => void): () => void {
    return this.#liveEvents.listen(listener)
  }

  /** Records first, tells second. */
  record(...bodies: EventBody[]): RecordedEvent[] {
    return this.#publish(this.#deps.store.append(this.id, bodies))
  }

  /**
   * Records what ends something. Where the log cannot take it (a full disk, say) it is held in memory until it can: an end always comes. `instead` is what
   * the end is then.
   */
  recordEnd(bodies: EventBody[], instead: (failure: Failure) => EventBody[] = () => bodies): void {
    const { seq } = this.#header
    try {
      if (bodies.length > 0) this.record(...bodies)
    } catch (error) {
      const failure = failureOf(error)
      this.#deps.log(`An end could not be recorded in ${this.id}: ${failure.message}`)
      // What another process has is not ours to end; and what failed after it was recorded has its end.
      const isOurs =
        failure.code !== 'session.elsewhere' && failure.code !== 'session.not_found' && this.#header.seq === seq
      if (isOurs) this.#publish(this.#deps.store.hold(this.id, instead(failure)))
    }
  }

  #publish(events: RecordedEvent[]): RecordedEvent[] {
    const before = this.#header
    for (const event of events) {
      this.#header = applyHeader(this.#header, event)
      this.#liveEvents.recorded(event)
    }
    this.#deps.onRecorded(this, before, events)
    return events
  }

  live(event: TurnLiveEvent): void {
    this.#liveEvents.live({ ...event, sessionId: this.id })
  }

  liveSnapshot(): LiveEvent[] {
    return this.#liveEvents.snapshot(this.id)
  }

  /** Starts a turn, or queues the prompt while one runs. */
  async prompt(
    parts: UserPart[],
    by: 'person' | 'agent' = 'person',
    effort?: Effort,
  ): Promise<{ queued: boolean; promptId?: string }> {
    const said = by === 'person' ? await this.#prepareInput(parts) : parts
    if (this.busy) return { queued: true, promptId: this.#queue.add(said, effort) }
    await this.#start(said, undefined, effort)
    return { queued: false }
  }

  /** Lets a message join the running turn before its next step; without a turn it starts one. */
  async steer({ parts, promptId }: { parts?: UserPart[]; promptId?: string }): Promise<void> {
    const queued = promptId === undefined ? undefined : this.#queue.get(promptId)
    if (!parts && !queued)
      throw new CodedError('request.invalid', 'Give the parts of a message, or the promptId of a queued one.')
    const said = parts && (await this.#prepareInput(parts))
    if (!this.busy) return this.#start(said ?? queued!.parts, promptId, queued?.effort)
    // It goes through the queue, so that it is stored: if the turn ends before its next step, the message starts the next one.
    this.#queue.steer(promptId ?? this.#queue.add(said!))
  }

  /** What a person says, when it may be said, with what it names. */
  async #prepareInput(given: UserPart[]): Promise<UserPart[]> {
    const parts = await prepareUserParts(given)
    await this.#deps.submit?.(this, parts)
    return this.#deps.attach ? this.#deps.attach(this, parts) : parts
  }

  /** What joins the running turn now: news of tasks, then what the user wrote. */
  takeSteering(): Steering[] {
    const news = this.notifications.message()
    return [...(news ? [news] : []), ...this.#queue.takeSteering()]
  }

  /** Starts a turn with the news that is ready, unless one runs (which it joins then) or the session is archived. */
  async deliverNotifications(): Promise<void> {
    // A subagent whose work has ended hears of its tasks when it is given more.
    const hasEnded = this.header.agent !== undefined && this.header.agent.status !== 'running'
    if (this.busy || hasEnded || this.header.archived || !this.notifications.message()) return
    await this.#start('news')
  }

  async editQueued(promptId: string, parts: UserPart[]): Promise<void> {
    this.#queue.edit(promptId, await this.#prepareInput(parts))
  }

  removeQueued(promptId: string): void {
    this.#queue.remove(promptId)
  }

  /** Ends the running turn; resolves when its end is recorded. What is queued stays queued. */
  async stop(why?: string): Promise<void> {
    await this.#starting?.catch(() => undefined)
    if (this.#open) this.#endOpenTurn({ stop: 'cancelled', why: new TurnStopped(why).message })
    await this.#abort(new TurnStopped(why))
  }

  /** Begins to end the running turn, at once: no further step of it is taken. Its end is recorded later. */
  endTurn(): void {
    this.#running?.abort.abort(new TurnStopped())
  }

  /** Ends what this process does. A turn that waits for a person stays open for a later one; any other is stopped. */
  async close(): Promise<void> {
    await this.#starting?.catch(() => undefined)
    const waits =
      this.#deps.interactive && !this.header.agent && this.header.approvals.some((approval) => !isMidCall(approval))
    await this.#abort(waits ? new TurnSuspended() : new TurnStopped('Trestle was closed.'))
  }

  /** Answers a request; the turn goes on with it. */
  async reply(answer: ApprovalAnswer): Promise<void> {
    await this.#resumeIfOpen()
    await this.approvals.reply(answer)
  }

  /** What "always" can cover for a waiting request. */
  async choices(approvalId: string): Promise<RuleChoice[]> {
    await this.#resumeIfOpen()
    return this.approvals.choices(approvalId)
  }

  /** Compacts the conversation; prompts that come meanwhile wait. False when it was stopped. */
  async compact(instruction?: string): Promise<boolean> {
    if (this.busy) throw new CodedError('session.busy', 'The conversation can be compacted when the turn has ended.')
    const abort = new AbortController()
    const compacting = this.#deps.runner
      .compact(this, instruction, abort.signal)
      .finally(() => (this.#running = undefined))
    this.#running = { abort, done: compacting.then(nothing, nothing) }
    let end: CompactionEnd
    try {
      end = await compacting
    } finally {
      this.recordEnd(endOpenCompaction(this.header))
      if (!abort.signal.aborted && this.#deps.runsQueue) await this.#startNext()
      if (!abort.signal.aborted && this.#deps.interactive) await this.#notifyAfterTurn()
    }
    if (end.kind === 'failed') throw new CodedError(end.failure.code, end.failure.message)
    return end.kind === 'done'
  }

  /** Lets the model see again what the latest compaction stands for. */
  undoCompaction(compactionId: string): void {
    if (this.busy) throw new CodedError('session.busy', 'A compaction can be undone when the turn has ended.')
    this.record(undoCompactionEvent(this.#deps.store, this.header, compactionId))
  }

  async context(): Promise<ContextView> {
    return this.#deps.runner.context(this)
  }

  async tools(): Promise<ToolsView> {
    return this.#deps.runner.tools(this)
  }

  /** Runs `work` while no turn can start; `session.busy` when one is open. What is queued meanwhile starts afterwards. */
  async whileIdle<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.busy) throw new CodedError('session.busy', 'A turn is running or waits for an answer.')
    const waiting = this.header.queue.length
    const done = Promise.resolve().then(work)
    this.#starting = done.then(
      () => undefined,
      () => undefined,
    )
    try {
      return await done
    } finally {
      this.#starting = undefined
      if (this.header.queue.length > waiting) await this.#startNext()
    }
  }

  /** Resolves when no turn runs any more. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running.done
  }

  async #abort(reason: Error): Promise<void> {
    const running = this.#running
    running?.abort.abort(reason)
    await running?.done
  }

  /** What a dead process left open: what waits for a person is kept where one can be asked, the rest ends. */
  #recover(turn: UnfinishedTurn): EventBody[] {
    // What waits for a subagent's answer ends with this process, and so does the subagent.
    const isAgent = isAgentId(this.id)
    if (!this.#deps.interactive || isAgent || turn.approvals.every(isMidCall))
      return closingEvents(turn, {
        stop: 'interrupted',
        why: isAgent || this.#deps.interactive ? CLOSED : CLOSED_WITHOUT_USER,
      })
    const { open, events } = reopenTurn(turn)
    this.#open = open
    this.approvals.expect(open.approvals)
    return events
  }

  /** Lets a turn from before this process began go on, so that its requests can be answered. */
  async #resumeIfOpen(): Promise<void> {
    if (!this.#open) return
    this.#starting ??= this.#resume(this.#open).finally(() => (this.#starting = undefined))
    await this.#starting
  }

  async #resume(open: OpenTurn): Promise<void> {
    try {
      await this.#deps.runner.ready(this)
    } catch (error) {
      const failure = failureOf(error)
      // Anything else (a model that is not configured, say) can be mended; meanwhile the request waits on.
      if (failure.code === 'session.folder_missing') this.#endOpenTurn({ stop: 'error', why: failure.message, failure })
      throw error
    }
    this.#open = undefined
    const abort = new AbortController()
    this.#running = { abort, done: this.#run(open.turnId, abort.signal, this.#deps.runsQueue, open) }
  }

  #endOpenTurn(end: Parameters<typeof closingEvents>[1]): void {
    this.#open = undefined
    this.#recordTurnEnd(end)
  }

  /** Records the end of the turn, and of everything in it that is open. */
  #recordTurnEnd(end: Parameters<typeof closingEvents>[1]): void {
    try {
      const turn = unfinishedTurn(this.#deps.store, this.id)
      if (turn) this.recordEnd([...endOpenCompaction(this.header), ...closingEvents(turn, end)])
    } catch (error) {
      // The store cannot be read any more (it was closed, say): the log keeps what it has, and the next start closes the turn.
      this.#deps.log(`The end of a turn could not be recorded: ${failureOf(error).message}`)
    }
    this.approvals.expect([])
  }

  async #start(prompt: UserPart[] | 'news', promptId?: string, effort?: Effort): Promise<void> {
    this.#starting = this.#startTurn(prompt, promptId, effort)
    try {
      await this.#starting
    } finally {
      this.#starting = undefined
    }
  }

  async #startTurn(
    prompt: UserPart[] | 'news',
    promptId: string | undefined,
    effort: Effort | undefined,
  ): Promise<void> {
    const { modelId } = await this.#deps.runner.ready(this)
    const turnId = this.#deps.newId('turn')
    const { header } = this
    const told = prompt === 'news' ? this.notifications.message() : undefined
    if (prompt === 'news' && !told) return
    const said = told?.parts ?? (prompt as UserPart[])
    // What another agent has written starts no skill that only a person may start.
    const isPersons = header.agent?.status !== 'running'
    const parts = told || !isPersons ? said : await this.#deps.withSkill(header, said)
    const titled =
      !told && !header.agent && header.turns === 0 && !header.titleIsCustom
        ? titleFrom(textOf(said.filter(isUserProvided)))
        : undefined
    const started: EventBody = {
      type: 'turn.started',
      turnId,
      parts,
      model: modelId,
      ...(effort !== undefined && { effort }),
      ...(promptId !== undefined && { promptId }),
      ...(told && { news: told.news }),
    }
    // Both or neither: a turn whose beginning is recorded is run.
    this.record(
      started,
      ...(titled === undefined ? [] : [{ type: 'session.changed' as const, title: titled, titleIsCustom: false }]),
    )
    const abort = new AbortController()
    // Prompts that stayed in the queue when the user stopped a turn are not set going by news.
    const runsQueue = this.#deps.runsQueue && !(told && header.queue.length > 0)
    this.#running = { abort, done: this.#run(turnId, abort.signal, runsQueue) }
  }

  async #run(turnId: string, signal: AbortSignal, runsQueue: boolean, open?: OpenTurn): Promise<void> {
    // What a turn took in an earlier process is known by the wall clock alone.
    const begunAt = Math.round(performance.now()) - (open ? Math.max(0, this.#deps.now() - open.startedAt) : 0)
    const end = await this.#deps.runner.run(this, turnId, signal, open).catch((error: unknown): TurnEnd => {
      this.#deps.log(error instanceof Error ? (error.stack ?? error.message) : String(error))
      return { stop: 'error', failure: failureOf(error), steps: 0 }
    })
    this.#running = undefined
    const { stop, failure, steps } = end
    if (stop === 'suspended') return
    if (stop === 'error')
      this.#recordTurnEnd({ stop, why: failure?.message ?? 'The turn failed.', ...(failure && { failure }) })
    else {
      const finished = {
        type: 'turn.finished' as const,
        turnId,
        stop,
        steps,
        durationMs: Math.round(performance.now()) - begunAt,
      }
      this.recordEnd([finished], (unrecorded) => [
        stop === 'cancelled' ? finished : { ...finished, stop: 'error', failure: unrecorded },
      ])
    }
    if (end.stop === 'end_turn' && runsQueue) await this.#startNext()
    // A stop is obeyed, and a failing model is not asked at once again: then it waits for the next turn.
    if (this.#deps.interactive && end.stop !== 'cancelled' && end.stop !== 'error') {
      await this.#notifyAfterTurn()
    }
  }

  async #notifyAfterTurn(): Promise<void> {
    await this.deliverNotifications().catch((error: unknown) =>
      this.#deps.log(`News could not be told: ${failureOf(error).message}`),
    )
  }

  async #startNext(): Promise<void> {
    const next = this.header.queue[0]
    if (!next || this.busy) return
    await this.#start(next.parts, next.promptId, next.effort).catch((error: unknown) =>
      this.#deps.log(`A queued prompt could not start: ${failureOf(error).message}`),
    )
  }
}

function nothing(): void {}
