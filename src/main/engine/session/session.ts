import type { ContextView, ToolsView } from '../../../shared/model/turn/context'
import type { Effort } from '../../../shared/model/turn/effort'
import { CodedError, failureOf, type Failure } from '../../../shared/errors'
import { isMidCall } from '../../../shared/model/approval/approval'
import type { ApprovalProposal, EditedProposal, RuleChoice } from '../../../shared/model/approval/approval'
import type { EventBody, LiveEvent, RecordedEvent, SessionEvent } from '../../../shared/events/event'
import type { UserPart } from '../../../shared/model/turn/message'
import type { SessionHeader } from '../../../shared/model/session/session'
import { createGate, type ApprovalGate } from '../approval/gate'
import type { CompactionEnd } from '../context/compaction/compact'
import { type OpenTurn, type TurnLiveEvent, TurnStopped, TurnSuspended } from '../loop/turn-context'
import type { TurnEnd } from '../loop/turn'
import { SessionInput, type Steering, type TurnInput } from './input/session-input'
import { SessionLog } from './session-log'
import { endOpenCompaction, undoCompactionEvent, closingEvents, recoverTurn, unfinishedTurn } from './unfinished-turn'
import type { PreparedNotifications } from './input/task-notifications'
import type { SessionDeps, TurnRelay } from './session-deps'
import type { ApprovalAnswer } from '../approval/waiting-requests'

/**
 * One open session: its turns, its queue, its approvals and its listeners. Only one process has it at a time (the
 * store's lease).
 */
export class Session {
  readonly id: string
  readonly approvals: ApprovalGate
  /** Calls that were running when an earlier process died; processes they started may still run. */
  readonly cutOffCalls: ReadonlySet<string>
  /** Set while its turn runs in another engine. */
  relay?: TurnRelay
  readonly #deps: SessionDeps<Session>
  readonly #log: SessionLog
  readonly #input: SessionInput
  #running: { abort: AbortController; done: Promise<unknown> } | undefined
  #starting: Promise<void> | undefined
  /**
   * A turn of an earlier process: it waits for the user, and resumes when one of its requests is answered or opened, or
   * it is continued.
   */
  #open: OpenTurn | undefined
  #isLeaving = false

  constructor(id: string, deps: SessionDeps<Session>) {
    this.id = id
    this.#deps = deps
    this.approvals = createGate(deps.gateFor(this))
    this.#input = this.#createInput(deps)
    const unfinished = unfinishedTurn(deps.store, id)
    const keeps = deps.keepsTurn?.(id) ?? false
    const { open, events = [] } = unfinished ? recoverTurn(unfinished, id, { ...deps, keeps }) : {}
    this.#open = open
    if (open) this.approvals.expect(open.approvals)
    const recovered = [...endOpenCompaction(deps.store.header(id)), ...events]
    if (recovered.length > 0) deps.store.append(id, recovered)
    this.cutOffCalls = new Set(recovered.flatMap((event) => (event.type === 'tool.finished' ? [event.callId] : [])))
    const header = deps.store.header(id)
    if (!header) throw new CodedError('session.not_found', `There is no session ${id}.`)
    this.#log = new SessionLog(header, {
      store: deps.store,
      onRecorded: (before, events) => deps.onRecorded(this, before, events),
      log: (message) => deps.log(message),
    })
  }

  #createInput(deps: SessionDeps<Session>): SessionInput {
    return new SessionInput({
      header: () => this.header,
      busy: () => this.busy,
      record: (event) => void this.record(event),
      newId: (prefix) => deps.newId(prefix),
      start: (input) => this.#start(input),
      submit: async (parts) => deps.submit?.(this, parts),
      attach: async (parts) => (deps.attach ? deps.attach(this, parts) : parts),
      withSkill: (header, parts) => deps.withSkill(header, parts),
      log: (message) => deps.log(message),
    })
  }

  /** As of the latest recorded event: this process holds the lease, so no other process appends any. */
  get header(): SessionHeader {
    return this.#log.header
  }

  /** Task notifications that are ready to be sent to the agent. */
  get notifications(): PreparedNotifications {
    return this.#input.notifications
  }

  /** Whether a turn is open, including one that an earlier process left waiting for the user. */
  get busy(): boolean {
    return this.#running !== undefined || this.#starting !== undefined || this.#open !== undefined
  }

  /** Whether this process is doing work that is not fully in the log yet. */
  get isWorking(): boolean {
    return this.#open ? this.#starting !== undefined || this.#input.isSteering : this.busy
  }

  /** Whether its turn only waits for answers, which any process can take, and none of its calls is running. */
  get onlyWaits(): boolean {
    const { approvals, agent } = this.header
    if (!this.#deps.interactive || agent || approvals.length === 0 || approvals.some(isMidCall)) return false
    return !unfinishedTurn(this.#deps.store, this.id)?.unfinished.some(({ hasStarted }) => hasStarted)
  }

  /** Whether its turn is left to another process before its next step. */
  get isLeaving(): boolean {
    return this.#isLeaving
  }

  get watched(): boolean {
    return this.#log.hasListeners
  }

  listen(listener: (event: SessionEvent) => void): () => void {
    return this.#log.listen(listener)
  }

  record(...bodies: EventBody[]): RecordedEvent[] {
    return this.#log.record(...bodies)
  }

  recordEnd(bodies: EventBody[], instead?: (failure: Failure) => EventBody[]): void {
    this.#log.recordEnd(bodies, instead)
  }

  readonly follow = (events: readonly RecordedEvent[]): void => this.#log.follow(events)

  live(event: TurnLiveEvent): void {
    this.#log.live(event)
  }

  liveSnapshot(): LiveEvent[] {
    return this.#log.liveSnapshot()
  }

  /** Starts a turn, or queues the prompt while one runs. */
  prompt(parts: UserPart[], by?: 'person' | 'agent', effort?: Effort): Promise<{ queued: boolean; promptId?: string }> {
    return this.#input.prompt(parts, by, effort)
  }

  /** Adds a message to the running turn before its next step; starts a turn if none is running. */
  steer(input: { parts?: UserPart[]; promptId?: string }): Promise<void> {
    return this.#input.steer(input)
  }

  takeSteering(): Steering[] {
    return this.#input.takeSteering()
  }

  deliverNotifications(): Promise<void> {
    return this.#input.deliverNotifications()
  }

  editQueued(promptId: string, parts: UserPart[]): Promise<void> {
    return this.#input.editQueued(promptId, parts)
  }

  removeQueued(promptId: string): void {
    this.#input.removeQueued(promptId)
  }

  moveQueued(promptId: string, to: number): void {
    this.#input.moveQueued(promptId, to)
  }

  /** Ends the running turn; resolves when its end is recorded. What is queued stays queued. */
  async stop(why?: string): Promise<void> {
    await this.#starting?.catch(() => undefined)
    if (this.#open) this.#endOpenTurn({ stop: 'cancelled', why: new TurnStopped(why).message })
    await this.#abort(new TurnStopped(why))
  }

  /** Aborts the running turn without waiting: it takes no further step, and its end is recorded later. */
  endTurn(): void {
    this.#running?.abort.abort(new TurnStopped())
  }

  /**
   * Ends this process's work. A turn that waits for the user stays open for a later process; any other turn is stopped.
   */
  async close(): Promise<void> {
    await this.#starting?.catch(() => undefined)
    const waits =
      this.#deps.interactive && !this.header.agent && this.header.approvals.some((approval) => !isMidCall(approval))
    await this.#abort(waits ? new TurnSuspended() : new TurnStopped('Trestle was closed.'))
  }

  /**
   * Leaves the work to another process: a running turn is suspended before its next step, or in the middle of one when
   * `limit` aborts; queued prompts are not started. Resolves when nothing runs here any longer.
   */
  async leave(limit: AbortSignal): Promise<void> {
    this.#isLeaving = true
    await this.#starting?.catch(() => undefined)
    const running = this.#running
    if (!running) return
    const cut = (): void => running.abort.abort(new TurnSuspended())
    if (limit.aborted || this.onlyWaits) cut()
    else limit.addEventListener('abort', cut, { once: true })
    await running.done
    limit.removeEventListener('abort', cut)
  }

  /** Continues what an earlier process left: its open turn, or otherwise the next queued prompt. */
  async continueTurn(): Promise<void> {
    if (this.#open && this.#open.approvals.length === 0) await this.#resumeIfOpen()
    else if (!this.busy && this.#deps.runsQueue) await this.#input.startNext()
  }

  /** Answers a request, which resumes its turn. */
  async reply(answer: ApprovalAnswer): Promise<void> {
    if (this.relay) return this.relay.reply(answer)
    await this.#resumeIfOpen()
    await this.approvals.reply(answer)
  }

  /** What the call of a pending request proposes to write; see `ApprovalGate`. */
  async proposal(approvalId: string, edited?: EditedProposal): Promise<ApprovalProposal | undefined> {
    if (this.relay) return this.relay.proposal(approvalId, edited)
    await this.#resumeIfOpen()
    return this.approvals.proposal(approvalId, edited)
  }

  /** The rules that "always allow" offers for a pending request. */
  async choices(approvalId: string): Promise<RuleChoice[]> {
    if (this.relay) return this.relay.choices(approvalId)
    await this.#resumeIfOpen()
    return this.approvals.choices(approvalId)
  }

  /** Compacts the conversation; prompts sent meanwhile are queued. Returns false when it was stopped. */
  async compact(instruction?: string): Promise<boolean> {
    if (this.busy) throw new CodedError('session.busy', 'The conversation can be compacted when the turn has ended.')
    const abort = new AbortController()
    const compacting = this.#deps.runner
      .compact(this, instruction, abort.signal)
      .finally(() => (this.#running = undefined))
    this.#running = { abort, done: Promise.allSettled([compacting]) }
    let end: CompactionEnd
    try {
      end = await compacting
    } finally {
      this.recordEnd(endOpenCompaction(this.header))
      if (!abort.signal.aborted && this.#deps.runsQueue) await this.#input.startNext()
      if (!abort.signal.aborted && this.#deps.interactive) await this.#input.notifyAfterTurn()
    }
    if (end.kind === 'failed') throw new CodedError(end.failure.code, end.failure.message)
    return end.kind === 'done'
  }

  /** Undoes the latest compaction, so that the model sees the full conversation again. */
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

  /**
   * Runs `work` while no turn can start; throws `session.busy` when one is open. Prompts queued meanwhile start
   * afterwards.
   */
  async whileIdle<Result>(work: () => Promise<Result>): Promise<Result> {
    requireActive(this.header)
    return this.whileMoved(work)
  }

  /** The same for a session that may be sealed. */
  async whileMoved<Result>(work: () => Promise<Result>): Promise<Result> {
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
      if (!this.header.sealed && this.header.queue.length > waiting) await this.#input.startNext()
    }
  }

  /** Resolves when no turn is running. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running.done
  }

  async #abort(reason: Error): Promise<void> {
    const running = this.#running
    running?.abort.abort(reason)
    await running?.done
  }

  /** Resumes a turn of an earlier process, so that its requests can be answered. */
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
      // Anything else (a model that is not configured, for example) can be fixed; until then the request stays pending.
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

  /** Records the end of the turn and of every open step, call and request in it. */
  #recordTurnEnd(end: Parameters<typeof closingEvents>[1]): void {
    try {
      const turn = unfinishedTurn(this.#deps.store, this.id)
      if (turn) this.recordEnd([...endOpenCompaction(this.header), ...closingEvents(turn, end)])
    } catch (error) {
      // The store cannot be read (it was closed, for example): the next start ends the turn.
      this.#deps.log(`The end of a turn could not be recorded: ${failureOf(error).message}`)
    }
    this.approvals.expect([])
  }

  async #start(input: TurnInput): Promise<void> {
    this.#starting = this.#startTurn(input)
    try {
      await this.#starting
    } finally {
      this.#starting = undefined
    }
  }

  async #startTurn(input: TurnInput): Promise<void> {
    requireActive(this.header)
    const { modelId } = await this.#deps.runner.ready(this)
    const turnId = this.#deps.newId('turn')
    const start = await this.#input.turnStart(input, turnId, modelId)
    if (!start) return
    // Prompts that stayed in the queue when the user stopped a turn are not started by a task notification.
    const runsQueue = this.#deps.runsQueue && !(start.isNews && this.header.queue.length > 0)
    this.record(...start.events)
    const abort = new AbortController()
    this.#running = { abort, done: this.#run(turnId, abort.signal, runsQueue) }
  }

  async #run(turnId: string, signal: AbortSignal, runsQueue: boolean, open?: OpenTurn): Promise<void> {
    // For the part of the turn that ran in an earlier process, only the wall clock is known.
    const startedAt = Math.round(performance.now()) - (open ? Math.max(0, this.#deps.now() - open.startedAt) : 0)
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
        durationMs: Math.round(performance.now()) - startedAt,
      }
      this.recordEnd([finished], (unrecorded) => [
        stop === 'cancelled' ? finished : { ...finished, stop: 'error', failure: unrecorded },
      ])
    }
    if (this.#isLeaving) return
    if (end.stop === 'end_turn' && runsQueue) await this.#input.startNext()
    // After a stop or a failure of the model, notifications wait for the next turn.
    if (this.#deps.interactive && end.stop !== 'cancelled' && end.stop !== 'error') {
      await this.#input.notifyAfterTurn()
    }
  }
}

/** Throws if the session was moved to another place. */
function requireActive({ sealed }: SessionHeader): void {
  if (sealed) throw new CodedError('session.sealed', `It was moved to ${sealed.place ?? sealed.to}.`)
}
