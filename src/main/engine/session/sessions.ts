import type { AgentChoice, SessionAgent } from '../../../shared/model/session/agent'
import type { RuleChoice } from '../../../shared/model/approval/approval'
import type { Effort } from '../../../shared/model/turn/effort'
import { CodedError, failureOf } from '../../../shared/errors'
import type { EventBody, RecordedEvent } from '../../../shared/events/event'
import { statusOf, type SessionHeader, type SessionSummary } from '../../../shared/model/session/session'
import { forkedEvents } from './fork'
import { PendingChanges } from './input/pending-changes'
import { realFolder } from '../workspace/path/real-path'
import { Session } from './session'
import { type Sessions, type SessionsListener, UnattendedTurns } from './sessions-for-hosts'
import { noSuchSession } from './similar-sessions'
import type { SessionDeps, SessionTurns } from './session-deps'
import type { NewWorktree, SessionWorktree } from '../../../shared/model/project/worktree'
import { cutText } from '../../../shared/cut-text'

export interface SessionsDeps extends Omit<SessionDeps<Session>, keyof SessionTurns<Session> | 'onRecorded'> {
  defaults(): Pick<SessionHeader, 'mode' | 'model'> & { agent?: AgentChoice }
  /** Creates the private folder of a session without a project; returns its path. */
  makeScratchFolder(): Promise<string>
  /** Creates a worktree of a folder's repository; returns the folder to work in. */
  makeWorktree?(folder: string, wanted: NewWorktree): Promise<string>
  /** The worktree that contains a folder. */
  worktreeOf?(folder: string): SessionWorktree | undefined
  completeFile(root: string, query: string, limit: number): Promise<{ path: string; isFolder: boolean }[]>
}

/** What sessions run with. These parts use sessions themselves, so they are connected when all of them exist. */
export interface SessionsTurns extends SessionTurns<Session> {
  /** The agent that the user chose for a session in the folder; throws `request.invalid` when it cannot be used. */
  chooseAgent(choice: AgentChoice, folder: string): Promise<{ agent: SessionAgent; model?: string }>
}

/** The title of a session before its first prompt. */
const UNTITLED = 'New session'

/** Session operations for the engine itself, in addition to those for hosts. */
export interface SessionManager extends Sessions {
  readonly unattended: UnattendedTurns
  /** Call it once, before a session is used. */
  connect(turns: SessionsTurns): void
  /** Adds a listener, called after the existing ones. It must not throw. */
  follow(listener: SessionsListener): void
  /** The rules that "always allow" offers for a pending approval. */
  choices(sessionId: string, approvalId: string): Promise<RuleChoice[]>
  /**
   * Runs `use` with the session while this process holds its lease; throws `session.elsewhere` when another process
   * holds it.
   */
  withSession<Result>(sessionId: string, use: (session: Session) => Result | Promise<Result>): Promise<Result>
  isLoaded(sessionId: string): boolean
  /**
   * Releases a session whose turn only waits for the user, so that the process where the user answers can continue it.
   * False if it is working or watched.
   */
  suspend(sessionId: string): Promise<boolean>
  /** Creates the session of a subagent, with the folders of its parent. */
  createAgent(input: { sessionId: string; title: string; parent: SessionHeader; model?: string; effort?: Effort }): void
  /**
   * Leaves the work of all sessions to another process (see `Session.leave`); each is released as soon as it can be.
   * `left` is called for each, before another process can take it.
   */
  handOver(limit: AbortSignal, left: (session: Session) => void): Promise<void>
  /** Announces a session that was written to the store directly, and releases it. */
  adopt(sessionId: string): SessionHeader
  /** Evaluates all pending approvals again after rules have changed. */
  reconsider(): Promise<void>
  close(): Promise<void>
}

/** All sessions of the store. Sessions in use are loaded, and this process holds their leases. */
export function createSessions(deps: SessionsDeps): SessionManager {
  const { store } = deps
  const listeners: SessionsListener[] = []
  const unattended = new UnattendedTurns()
  let connected: SessionsTurns | undefined
  const loaded = new Map<string, Session>()
  /** How many callers use a session right now, not counting its turn and its listeners. */
  const uses = new Map<Session, number>()
  /** Listeners of sessions that another process holds: attached once this process holds the session. */
  const waitingListeners = new Map<string, Set<(session: Session) => void>>()

  function turns(): SessionsTurns {
    if (!connected) throw new Error('Sessions are used before they are connected.')
    return connected
  }

  function recorded(session: Session, before?: SessionHeader, events: readonly RecordedEvent[] = []): void {
    for (const listener of listeners) listener.recorded?.(session, before, events)
    if (events.some(({ type }) => type === 'turn.finished')) unattended.end(session.id)
  }

  function removed(sessionId: string): void {
    for (const listener of listeners) listener.removed?.(sessionId)
  }

  /** The session, with its lease held by this process; throws `session.elsewhere`, which says where it is open. */
  function acquire(sessionId: string): Session {
    const known = loaded.get(sessionId)
    if (known) return known
    header(sessionId)
    const lease = store.acquire(sessionId)
    if (!lease.ok) throw new CodedError('session.elsewhere', `It is open in ${lease.where}.`)
    const session = loadSession(sessionId)
    loaded.set(sessionId, session)
    for (const listener of listeners) listener.opened?.(session)
    for (const attach of waitingListeners.get(sessionId) ?? []) attach(session)
    waitingListeners.delete(sessionId)
    return session
  }

  /** Loads a session whose lease this process has; on failure (a full disk, for example) another one can have it. */
  function loadSession(sessionId: string): Session {
    try {
      return new Session(sessionId, { ...deps, ...turns(), onRecorded: recorded })
    } catch (error) {
      store.release(sessionId)
      throw error
    }
  }

  /** Releases a session that is idle and has no listeners, so that another Trestle can open it. */
  function releaseIfIdle(session: Session): void {
    if (session.isWorking || session.watched || uses.has(session) || loaded.get(session.id) !== session) return
    loaded.delete(session.id)
    store.release(session.id)
  }

  function adopt(sessionId: string): SessionHeader {
    const session = acquire(sessionId)
    recorded(session)
    releaseIfIdle(session)
    return header(sessionId)
  }

  async function releaseWhenIdle(session: Session): Promise<void> {
    try {
      await session.idle()
      releaseIfIdle(session)
    } catch (error) {
      deps.log(`The session ${session.id} could not be released: ${failureOf(error).message}`)
    }
  }

  function header(sessionId: string): SessionHeader {
    const found = store.header(sessionId)
    if (!found) throw noSuchSession(sessionId, store)
    return found
  }

  async function madeWorktree(root: string, wanted: NewWorktree): Promise<string> {
    if (!deps.makeWorktree) throw new CodedError('request.invalid', 'Sessions cannot work in worktrees here.')
    return deps.makeWorktree(root, wanted)
  }

  async function withSession<Result>(
    sessionId: string,
    use: (session: Session) => Result | Promise<Result>,
  ): Promise<Result> {
    const session = acquire(sessionId)
    uses.set(session, (uses.get(session) ?? 0) + 1)
    try {
      return await use(session)
    } finally {
      const left = uses.get(session)! - 1
      if (left > 0) uses.set(session, left)
      else uses.delete(session)
      // A turn that `use` started keeps running; afterwards a session without listeners is released.
      if (session.busy) void releaseWhenIdle(session)
      else releaseIfIdle(session)
    }
  }

  const changes = new PendingChanges<Session>()

  return {
    unattended,
    connect: (given) => void (connected = given),
    follow: (listener) => void listeners.push(listener),
    list: (filter) =>
      store.list(filter).map((summary) => {
        const worktree = deps.worktreeOf?.(summary.folder)
        return worktree ? { ...summary, worktree } : summary
      }),
    async create({ folder, model, effort, mode, agent, addedFolders = [], schedule, worktree }) {
      const defaults = deps.defaults()
      const sessionId = deps.newId('session')
      const [root, ...added] = await Promise.all(
        [folder ?? (await deps.makeScratchFolder()), ...addedFolders].map(realFolder),
      )
      // Without a project there is no code to work on: the everyday assistant answers.
      const choice = agent ?? defaults.agent ?? (folder === undefined ? { name: 'assistant' } : undefined)
      const as = choice && (await turns().chooseAgent(choice, root!))
      const chosen = model ?? as?.model ?? defaults.model
      // Last, so that nothing can fail after it is created.
      const place = worktree && folder !== undefined ? await madeWorktree(root!, worktree) : root!
      store.create({
        sessionId,
        folder: place,
        title: schedule?.name ?? UNTITLED,
        mode: mode ?? defaults.mode,
        addedFolders: added,
        ...(chosen !== undefined && { model: chosen }),
        ...(effort !== undefined && { effort }),
        ...(as && { agent: as.agent }),
        ...(schedule && { schedule }),
      })
      recorded(acquire(sessionId))
      return header(sessionId)
    },
    async fork(sessionId, to) {
      const from = header(sessionId)
      if (from.turnId !== undefined && to === undefined)
        throw new CodedError('session.busy', 'Its turn is still running; fork it from a message before.')
      const upTo = Math.min(to ?? from.seq, from.seq)
      const events = forkedEvents(store, sessionId, upTo)
      const forkId = deps.newId('session')
      store.create({
        sessionId: forkId,
        folder: from.folder,
        title: from.turns === 0 ? from.title : cutText(`${from.title} (fork)`, 200),
        mode: from.mode,
        addedFolders: from.addedFolders,
        forkedFrom: { sessionId, seq: upTo },
        ...(from.model !== undefined && { model: from.model }),
        ...(from.effort !== undefined && { effort: from.effort }),
        ...(from.runsAs && { agent: from.runsAs }),
      })
      store.append(forkId, events, { copied: true })
      return adopt(forkId)
    },
    createAgent({ sessionId, title, parent, model = parent.model, effort }) {
      const { folder, mode, addedFolders } = parent
      // With the same model, the subagent inherits the effort, unless its spec names one.
      const inheritedEffort = effort ?? (model === parent.model ? (parent.turnEffort ?? parent.effort) : undefined)
      store.create({
        sessionId,
        folder,
        title,
        mode,
        addedFolders,
        ...(model !== undefined && { model }),
        ...(inheritedEffort !== undefined && { effort: inheritedEffort }),
      })
    },
    async open(sessionId, limit) {
      header(sessionId)
      try {
        releaseIfIdle(acquire(sessionId))
      } catch (error) {
        // Open in another Trestle: it can still be read here.
        if (!(error instanceof CodedError && error.code === 'session.elsewhere')) throw error
      }
      return { header: header(sessionId), ...store.window(sessionId, { limit }) }
    },
    window: (sessionId, options) => store.window(sessionId, options),
    since: (sessionId, since, limit) => store.since(sessionId, since, limit),
    header,
    change: (sessionId, { agent, ...change }) => {
      const make = async (session: Session): Promise<SessionHeader> => {
        const as = agent && (await turns().chooseAgent(agent, session.header.folder))
        const addedFolders = change.addedFolders && (await Promise.all(change.addedFolders.map(realFolder)))
        const body: EventBody = {
          type: 'session.changed',
          // A model chosen together with the agent takes precedence over the one in its spec.
          ...(as?.model !== undefined && { model: as.model }),
          ...change,
          ...(agent !== undefined && { agent: as ? as.agent : null }),
          ...(addedFolders && { addedFolders }),
        }
        if (change.archived && session.header.approvals.length > 0) await session.stop('The session was archived.')
        session.record(body)
        return session.header
      }
      const isSlow = agent !== undefined || change.addedFolders !== undefined
      return withSession(sessionId, (session) => (isSlow ? changes.add(session, () => make(session)) : make(session)))
    },
    async remove(sessionId) {
      const session = acquire(sessionId)
      await session.stop('The session was deleted.')
      loaded.delete(sessionId)
      for (const agent of store.agents({ rootId: sessionId })) {
        await acquire(agent.sessionId).stop('The session was deleted.')
        loaded.delete(agent.sessionId)
        store.remove(agent.sessionId)
        removed(agent.sessionId)
      }
      store.remove(sessionId)
      removed(sessionId)
    },
    search: (query, limit, sessionId) => store.search(query, limit, sessionId),
    prompt: (sessionId, parts, options) =>
      withSession(sessionId, async (session) => {
        if (changes.of(session)) await changes.of(session)
        if (!options?.unattended) return session.prompt(parts, 'person', options?.effort)
        if (session.busy) throw new CodedError('session.busy', 'A turn is running or waits for an answer.')
        unattended.begin(sessionId, options.unattended)
        try {
          return await session.prompt(parts, 'person', options.effort)
        } catch (error) {
          unattended.end(sessionId)
          throw error
        }
      }),
    steer: (sessionId, input) => withSession(sessionId, (session) => session.steer(input)),
    editQueued: (sessionId, promptId, parts) =>
      withSession(sessionId, (session) => session.editQueued(promptId, parts)),
    removeQueued: (sessionId, promptId) => withSession(sessionId, (session) => session.removeQueued(promptId)),
    moveQueued: (sessionId, promptId, to) => withSession(sessionId, (session) => session.moveQueued(promptId, to)),
    stop: (sessionId) => withSession(sessionId, (session) => session.stop()),
    reply: (sessionId, answer) => withSession(sessionId, (session) => session.reply(answer)),
    compact: (sessionId, instruction) => withSession(sessionId, (session) => session.compact(instruction)),
    undoCompaction: (sessionId, compactionId) =>
      withSession(sessionId, (session) => session.undoCompaction(compactionId)),
    context: (sessionId) => withSession(sessionId, (session) => session.context()),
    tools: (sessionId) => withSession(sessionId, (session) => session.tools()),
    listen(sessionId, listener, taken) {
      let end: (() => void) | undefined
      const attach = (session: Session): void => {
        const unlisten = session.listen(listener)
        end = () => {
          unlisten()
          releaseIfIdle(session)
        }
      }
      try {
        attach(acquire(sessionId))
      } catch (error) {
        if (!(error instanceof CodedError && error.code === 'session.elsewhere')) throw error
        const waiting = waitingListeners.get(sessionId) ?? new Set()
        const attachLate = (session: Session): void => {
          attach(session)
          taken?.()
        }
        waitingListeners.set(sessionId, waiting.add(attachLate))
        end = () => {
          waiting.delete(attachLate)
          if (waiting.size === 0 && waitingListeners.get(sessionId) === waiting) waitingListeners.delete(sessionId)
        }
      }
      return () => end?.()
    },
    live: (sessionId) => loaded.get(sessionId)?.liveSnapshot() ?? [],
    completeFile: (sessionId, query, limit) => deps.completeFile(header(sessionId).folder, query, limit),
    proposal: (id, approvalId, edited) => withSession(id, (session) => session.proposal(approvalId, edited)),
    choices: (sessionId, approvalId) => withSession(sessionId, (session) => session.choices(approvalId)),
    withSession,
    isLoaded: (sessionId) => loaded.has(sessionId),
    async suspend(sessionId) {
      const session = loaded.get(sessionId)
      if (!session?.onlyWaits || session.watched || uses.has(session)) return false
      await session.close()
      if (loaded.get(sessionId) === session) loaded.delete(sessionId)
      store.release(sessionId)
      return true
    },
    adopt,
    async handOver(limit, left) {
      const giveUp = (session: Session): void => {
        if (loaded.get(session.id) === session) loaded.delete(session.id)
        store.release(session.id)
      }
      await Promise.all(
        [...loaded.values()].map(async (session) => {
          await session.leave(limit)
          left(session)
          // Running subagents record their end in their own session and in the main session.
          if (!session.header.agent && store.agents({ rootId: session.id, activeOnly: true }).length === 0)
            giveUp(session)
        }),
      )
    },
    async reconsider() {
      await Promise.all([...loaded.values()].map((session) => session.approvals.reconsider()))
    },
    async close() {
      await Promise.all([...loaded.values()].map((session) => session.close()))
      for (const sessionId of loaded.keys()) store.release(sessionId)
      loaded.clear()
    },
  }
}

/** One row of the session list, from a header. */
export function summaryOf(header: SessionHeader, worktree?: SessionWorktree): SessionSummary {
  const { sessionId, folder, title, updatedAt, archived, model, schedule } = header
  return {
    sessionId,
    folder,
    title,
    status: statusOf(header),
    waiting: header.approvals.length,
    updatedAt,
    archived,
    ...(model !== undefined && { model }),
    ...(schedule && { scheduleId: schedule.scheduleId }),
    ...(worktree && { worktree }),
  }
}
