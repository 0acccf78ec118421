import type { AgentEnd, AgentStart } from '../../../shared/model/session/agent'
import { CodedError, failureOf, failureText } from '../../../shared/errors'
import type { SessionEvent } from '../../../shared/events/event'
import type { SessionHeader } from '../../../shared/model/session/session'
import type { Task } from '../../../shared/model/task/task'
import { toolLabel } from '../../../shared/tool-label'
import type { AgentSettings } from '../config/agent-settings/session-settings'
import type { Session } from '../session/session'
import type { SessionManager } from '../session/sessions'
import type { Store } from '../store/store'
import type { AgentOutcome } from '../tool/session-services'
import { AgentSlots } from './agent-slots'
import { agentTask, answerPath, saveAnswer, lastMessage, type AgentActivity } from './agent-task'
import { cutText } from '../../../shared/cut-text'

/** Minimum time between notifications about a subagent's activity, in ms. */
const NOTIFY_MS = 1000
const LINE_CHARS = 160
const CLOSED = 'Trestle was closed while it worked. It can be resumed.'

/** Why a subagent is stopped. */
class AgentStop extends Error {
  readonly status: 'stopped' | 'timed_out'
  constructor(status: 'stopped' | 'timed_out', why: string) {
    super(why)
    this.status = status
  }
}

interface Run {
  abort: AbortController
  ended: Promise<AgentOutcome>
  /** Resolves when the subagent moves to the background, so that its call stops waiting. */
  moved: PromiseWithResolvers<void>
  activity: AgentActivity
  /** One line about each of its open calls, by call id. */
  calls: Map<string, string>
  hasSlot: boolean
  /** Whether it waits for a slot. */
  isQueued: boolean
  /** Number of its calls that wait for its own subagents; while there are any, its slot is free for others. */
  waits: number
  reacquiring?: Promise<void>
  timer?: NodeJS.Timeout
}

export interface AgentRunsDeps {
  home: string
  store: Pick<Store, 'header' | 'agents' | 'historyBackwards'>
  sessions: Pick<SessionManager, 'withSession'>
  settings(): AgentSettings
  /** Whether a scheduler queues subagents, which then need no slot here. */
  isScheduled?(header: SessionHeader): boolean
  log(message: string): void
}

export interface AgentRuns {
  /**
   * Calls the listener when a subagent starts, ends, or changes its activity. Returns the function that unsubscribes.
   */
  onChange(listener: (task: Task) => void): () => void
  /**
   * Starts work in the subagent with this session. Resolves when the start is recorded, with promises for its end and
   * for its move to the background.
   */
  begin(
    agentId: string,
    start: AgentStart,
    prompt: string,
  ): Promise<{ ended: Promise<AgentOutcome>; moved: Promise<void> }>
  /** Shows a line about a running subagent; undefined clears the previous one. */
  note(agentId: string, line: string | undefined): void
  /** Whether it waits for a slot because the maximum number of subagents is running. */
  isQueued(agentId: string): boolean
  /**
   * Moves it to the background, so that its call continues. Throws `request.invalid` when no call waits for it, or a
   * call of another subagent does.
   */
  moveToBackground(agentId: string): Promise<Task>
  /** Runs `wait`, with the slot of this subagent released to others. */
  withSlotReleased<Result>(agentId: string, wait: () => Promise<Result>): Promise<Result>
  /**
   * Stops it; resolves when it has ended. Does nothing if it has already ended. Throws `session.elsewhere` when another
   * process runs it.
   */
  stop(agentId: string, why: string): Promise<void>
  stopAll(matches: (start: AgentStart) => boolean, why: string): Promise<number>
  /** The subagent as a task; undefined when it does not exist. Records it as lost if its process died. */
  task(agentId: string): Promise<Task | undefined>
  tasks(filter: { activeOnly?: boolean; limit?: number }): Promise<Task[]>
  /** Resolves when it has ended, or immediately if this process does not run it. */
  ended(agentId: string): Promise<unknown>
  answer(agentId: string): string
  close(): Promise<void>
}

/**
 * The subagents that this process runs. Their sessions contain everything recorded; this holds only the state that ends
 * with the process.
 */
export function createAgentRuns(deps: AgentRunsDeps): AgentRuns {
  const { home, store, sessions } = deps
  const runs = new Map<string, Run>()
  const slots = new AgentSlots(() => deps.settings().maxRunning)
  const listeners = new Set<(task: Task) => void>()
  let isClosed = false

  const notify = (agentId: string): void => {
    const header = store.header(agentId)
    const task = header && agentTask(header, home, runs.get(agentId)?.activity)
    if (task) for (const listener of listeners) listener(task)
  }

  async function work(session: Session, start: AgentStart, prompt: string, run: Run): Promise<AgentOutcome> {
    const { signal } = run.abort
    session.record({ type: 'agent.started', ...start })
    notify(session.id)
    const unlisten = session.listen((event) => trackActivity(session.id, run, event))
    const stopTurn = (): void =>
      void session.stop(reasonOf(signal).message).catch((error: unknown) => deps.log(failureOf(error).message))
    let limit: NodeJS.Timeout | undefined
    let end: Omit<AgentEnd, 'answerBytes'>
    try {
      if (!deps.isScheduled?.(session.header)) {
        run.isQueued = slots.isFull
        await slots.acquire(signal)
        run.isQueued = false
        run.hasSlot = true
      }
      if (start.timeoutMs !== undefined)
        limit = setTimeout(() => run.abort.abort(timedOut(start.timeoutMs!)), start.timeoutMs).unref()
      await session.prompt([{ type: 'text', text: prompt }], 'agent')
      signal.addEventListener('abort', stopTurn, { once: true })
      if (signal.aborted) stopTurn()
      await session.idle()
      end = endOf(session.header, signal)
    } catch (error) {
      end = signal.aborted ? stopEnd(signal) : { status: 'failed', reason: failureOf(error).message }
    }
    clearTimeout(limit)
    clearTimeout(run.timer)
    unlisten()
    signal.removeEventListener('abort', stopTurn)
    // Cancels a pending `reacquire` of the slot.
    run.abort.abort(new AgentStop('stopped', 'It has ended.'))
    if (run.hasSlot) slots.release()
    const answer = lastMessage(store, session.id)
    await saveAnswer(answerPath(home, session.id, start.parentId), answer).catch((error: unknown) =>
      deps.log(`The answer of ${session.id} could not be kept: ${failureOf(error).message}`),
    )
    runs.delete(session.id)
    session.recordEnd([{ type: 'agent.ended', ...end, answerBytes: Buffer.byteLength(answer) }])
    notify(session.id)
    return { agentId: session.id, agentType: start.agentType, answer, ...end }
  }

  /** Updates the activity line and the call count. */
  function trackActivity(agentId: string, run: Run, event: SessionEvent): void {
    if (event.type === 'tool.started') {
      run.activity.calls += 1
      run.calls.set(event.callId, cutText(`${toolLabel(event.name)} ${event.summary}`.trim(), LINE_CHARS))
    } else if (event.type === 'tool.judged' && event.decision === 'allow') {
      setLastLine(run, run.calls.get(event.callId))
    } else if (event.type === 'tool.finished') {
      run.calls.delete(event.callId)
    } else if (event.type === 'approval.requested') {
      setLastLine(
        run,
        cutText(`Waiting for your answer: ${toolLabel(event.approval.tool)} ${event.approval.summary}`, LINE_CHARS),
      )
    } else if (event.type === 'approval.resolved') {
      setLastLine(run, event.outcome.startsWith('allow') ? run.calls.get(event.callId) : undefined)
    } else if (event.type !== 'turn.started') return
    run.timer ??= setTimeout(() => {
      delete run.timer
      notify(agentId)
    }, NOTIFY_MS).unref()
    if (event.type === 'turn.started' || event.type === 'approval.requested') notify(agentId)
  }

  function setLastLine({ activity }: Run, line: string | undefined): void {
    if (line === undefined) delete activity.lastLine
    else activity.lastLine = line
  }

  /**
   * The task of a subagent. If it counts as running but no process holds its session, its process died, so it is
   * recorded as lost.
   */
  async function resolveTask(header: SessionHeader): Promise<Task | undefined> {
    const { sessionId } = header
    const isOpen = ({ agent }: SessionHeader): boolean => agent?.status === 'running' && !runs.has(sessionId)
    if (!isOpen(header) || isClosed) return agentTask(header, home, runs.get(sessionId)?.activity)
    try {
      const now = await sessions.withSession(sessionId, (session) => {
        if (isOpen(session.header))
          session.record({ type: 'agent.ended', status: 'lost', reason: CLOSED, answerBytes: 0 })
        return session.header
      })
      return agentTask(now, home)
    } catch (error) {
      if (!(error instanceof CodedError && error.code === 'session.elsewhere')) throw error
      return agentTask(header, home)
    }
  }

  async function end(run: Run, why: string): Promise<void> {
    run.abort.abort(new AgentStop('stopped', why))
    await run.ended.catch(() => undefined)
  }

  return {
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async begin(agentId, start, prompt) {
      if (isClosed) throw new CodedError('session.busy', 'Trestle is closing.')
      if (runs.has(agentId)) throw new CodedError('session.busy', `${agentId} is running.`)
      const started = Promise.withResolvers<void>()
      const run: Run = {
        abort: new AbortController(),
        ended: started.promise as never,
        moved: Promise.withResolvers(),
        activity: { calls: 0 },
        calls: new Map(),
        hasSlot: false,
        isQueued: false,
        waits: 0,
      }
      runs.set(agentId, run)
      run.ended = sessions.withSession(agentId, async (session) => {
        if (session.busy) throw new CodedError('session.busy', `${agentId} is running.`)
        const outcome = work(session, start, prompt, run)
        started.resolve()
        return outcome
      })
      run.ended.catch((error: unknown) => {
        runs.delete(agentId)
        started.reject(error)
      })
      await started.promise
      return { ended: run.ended, moved: run.moved.promise }
    },
    note(agentId, line) {
      const run = runs.get(agentId)
      if (!run) return
      setLastLine(run, line)
      notify(agentId)
    },
    isQueued: (agentId) => runs.get(agentId)?.isQueued ?? false,
    async moveToBackground(agentId) {
      const run = runs.get(agentId)
      const agent = store.header(agentId)?.agent
      if (!run || agent?.status !== 'running' || agent.background)
        throw new CodedError('request.invalid', `No call of this Trestle waits for ${agentId}.`)
      if (agent.depth > 1)
        throw new CodedError(
          'request.invalid',
          'Another subagent waits for it, and subagents cannot start background work. Move that one to the background.',
        )
      return sessions.withSession(agentId, (session) => {
        session.record({ type: 'agent.moved' })
        run.moved.resolve()
        notify(agentId)
        return agentTask(session.header, home, run.activity)!
      })
    },
    async withSlotReleased(agentId, wait) {
      const run = runs.get(agentId)
      if (!run) return wait()
      run.waits += 1
      if (run.hasSlot) {
        run.hasSlot = false
        slots.release()
      }
      try {
        return await wait()
      } finally {
        run.waits -= 1
        if (run.waits === 0 && !run.hasSlot) await reacquireSlot(run)
      }
    },
    async stop(agentId, why) {
      const run = runs.get(agentId)
      if (run) return end(run, why)
      const header = store.header(agentId)
      if (header && (await resolveTask(header))?.status === 'running')
        throw new CodedError('session.elsewhere', 'It is running in another Trestle. Stop it there.')
    },
    async stopAll(matches, why) {
      const chosen = [...runs].filter(([agentId]) => {
        const agent = store.header(agentId)?.agent
        return agent !== undefined && matches(agent)
      })
      await Promise.all(chosen.map(([, run]) => end(run, why)))
      return chosen.length
    },
    async task(agentId) {
      const header = store.header(agentId)
      return header && resolveTask(header)
    },
    async tasks({ activeOnly = false, limit = 500 }) {
      const tasks = await Promise.all(store.agents({ activeOnly, limit }).map(resolveTask))
      return tasks.flatMap((task) => (task && (!activeOnly || task.status === 'running') ? [task] : []))
    },
    ended: async (agentId) => runs.get(agentId)?.ended.catch(() => undefined),
    answer: (agentId) => lastMessage(store, agentId),
    async close() {
      isClosed = true
      await Promise.all([...runs.values()].map((run) => end(run, CLOSED)))
    },
  }

  async function reacquireSlot(run: Run): Promise<void> {
    run.reacquiring ??= slots
      .reacquire(run.abort.signal)
      .then(() => void (run.hasSlot = true))
      // It was stopped in the meantime and needs no slot.
      .catch(() => undefined)
      .finally(() => delete run.reacquiring)
    await run.reacquiring
  }
}

function endOf({ lastStop, lastFailure }: SessionHeader, signal: AbortSignal): Omit<AgentEnd, 'answerBytes'> {
  switch (lastStop) {
    case 'end_turn':
    case 'max_turn_requests':
    case 'repetition':
      return { status: 'completed' }
    case 'cancelled':
    case 'interrupted':
      return stopEnd(signal)
    case 'max_tokens':
      return { status: 'failed', reason: 'Its answer was cut off at the output limit of the model.' }
    default:
      return { status: 'failed', reason: lastFailure ? failureText(lastFailure) : 'It failed.' }
  }
}

function stopEnd(signal: AbortSignal): Omit<AgentEnd, 'answerBytes'> {
  const { status, message } = reasonOf(signal)
  return { status, reason: message }
}

function reasonOf(signal: AbortSignal): AgentStop {
  return signal.reason instanceof AgentStop ? signal.reason : new AgentStop('stopped', 'Stopped by the user.')
}

function timedOut(ms: number): AgentStop {
  return new AgentStop('timed_out', `It took longer than ${ms / 1000} s and was stopped. It can be resumed.`)
}
