import type { EngineStatus, EngineStop } from '../../shared/model/app/engine'
import type { HostActions, LogBug, RoleActions } from '../api/implementer'
import { createRouter } from '../api/server/router'
import type { Engine } from '../engine/engine-api'
import type { OwnEnvironment } from '../engine/session/kept-turns'
import { wireMethods } from '../wire/serve-wire'
import {
  differentForTurns,
  differentVariables,
  environmentMarks,
  variableNames,
  type EnvironmentMarks,
} from './environment-check'
import type { ClaimedRole } from './listen'

/** Counts the sessions whose turn runs in this process, from the engine's events. */
class RunningSessions {
  readonly #ids = new Set<string>()
  readonly #listeners = new Set<() => void>()
  readonly #stop: () => void

  constructor(engine: Pick<Engine, 'onChange'>) {
    this.#stop = engine.onChange((change) => {
      const before = this.#ids.size
      if (change.kind === 'session.removed') this.#ids.delete(change.sessionId)
      else if (change.kind === 'session') {
        const { sessionId, status, elsewhere } = change.summary
        if (status === 'running' && elsewhere === undefined) this.#ids.add(sessionId)
        else this.#ids.delete(sessionId)
      }
      if (before !== this.#ids.size) for (const listener of this.#listeners) listener()
    })
  }

  get count(): number {
    return this.#ids.size
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener)
  }

  close(): void {
    this.#stop()
    this.#listeners.clear()
  }
}

export interface HoldOptions {
  engine: Engine
  role: ClaimedRole
  holder: EngineStatus['holder']
  /** Ends this process's engine as requested; `restart`: another one takes over. Called once; must not throw. */
  stop(how: EngineStop, restart: boolean): Promise<void>
  /** Throws if clients may not stop the engine; absent: they may. */
  refuseStop?(): void
  logBug: LogBug
  now?: () => number
}

/**
 * The running engine of a home: serves its clients, continues the turns it was handed, and knows whether it is idle.
 */
export interface HeldEngine extends RoleActions {
  /** Sessions with a running turn. */
  running(): number
  /** Whether nothing runs and no client is connected. */
  isIdle(): Promise<boolean>
  /** Stops watching; the role and the engine are not affected. */
  close(): void
}

/** How often to check turns that another process still runs. */
const CHECK_ELSEWHERE_MS = 250
/** Delay before a requested stop, so that its response is sent first. */
const ANSWER_MS = 50

/** Serves the clients of a home with this engine, which has the role. */
export function holdEngine(options: HoldOptions): HeldEngine {
  const { engine, role, holder, logBug, now = Date.now } = options
  const startedAt = now()
  const sessions = new RunningSessions(engine)
  const notices: string[] = []
  let whenIdle: EngineStatus['whenIdle']
  let isStopping = false
  let isClosed = false
  let checkTimer: NodeJS.Timeout | undefined

  async function status(): Promise<EngineStatus> {
    const tasks = await engine.tasks.list({ activeOnly: true })
    return {
      holder,
      version: engine.version,
      pid: process.pid,
      startedAt,
      clients: role.clients(),
      running: sessions.count,
      tasks: tasks.filter(({ background }) => background).length,
      ...(whenIdle && { whenIdle }),
    }
  }

  function begin(how: EngineStop, restart: boolean): void {
    if (isStopping) return
    isStopping = true
    setTimeout(() => void options.stop(how, restart), ANSWER_MS)
  }

  /** Checks whether a stop that waits for idleness can happen. */
  function stopIfIdle(): void {
    if (whenIdle && sessions.count === 0) begin('hand-over', whenIdle === 'restart')
  }

  async function ownMarks(): Promise<EnvironmentMarks> {
    // The login shell may still be running to read it.
    await engine.environment.ready()
    return environmentMarks(process.env, role.key)
  }

  async function ownEnvironment(): Promise<OwnEnvironment> {
    const noted = { marks: await ownMarks(), ofLogin: engine.environment.view().state === 'ready' }
    return {
      noted,
      different(before) {
        // Both come from the user's login shell, although some shells set new values each time.
        if (before.ofLogin && noted.ofLogin) return undefined
        const different = differentForTurns(before.marks, noted.marks)
        return different.length === 0 ? undefined : variableNames(different)
      },
    }
  }

  const actions: RoleActions = {
    status,
    async stop(how, restart) {
      options.refuseStop?.()
      if (how === 'when-idle') whenIdle = restart ? 'restart' : 'stop'
      const now = await status()
      if (how === 'when-idle') stopIfIdle()
      else begin(how, restart)
      return now
    },
    differentVariables: async (given) => differentVariables(await ownMarks(), given),
  }
  const host: HostActions = {
    kind: 'wire',
    chooseFolder: async () => null,
    openExternal: async () => false,
    notices: () => notices,
    role: actions,
  }
  sessions.onChange(stopIfIdle)
  role.serve(wireMethods(createRouter({ engine, host, logBug })))

  async function continueTurns(): Promise<void> {
    const own = await ownEnvironment()
    if (isClosed) return
    const { messages, elsewhere } = (await engine.keptTurns?.continueOpen(own)) ?? { messages: [], elsewhere: 0 }
    notices.push(...messages)
    if (elsewhere > 0 && !isClosed) checkTimer = setTimeout(continueSoon, CHECK_ELSEWHERE_MS).unref()
  }
  const continueSoon = (): void =>
    void continueTurns().catch((error: unknown) => logBug('turns could not be continued', error))
  continueSoon()

  return {
    ...actions,
    running: () => sessions.count,
    async isIdle() {
      return (
        role.clients() === 0 && sessions.count === 0 && (await engine.tasks.list({ activeOnly: true })).length === 0
      )
    },
    close() {
      isClosed = true
      clearTimeout(checkTimer)
      sessions.close()
    },
  }
}
