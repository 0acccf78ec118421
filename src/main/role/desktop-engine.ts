import { CodedError, failureOf } from '../../shared/errors'
import type { RoleActions } from '../api/implementer'
import type { Engine } from '../engine/engine-api'
import { connectWire } from '../wire/wire-client'
import { findEngine, startEngine } from './attach'
import { holdEngine } from './hold-engine'
import { claimRole, type ClaimedRole } from './listen'

/** The engine of the desktop app, which is the engine of its home while the app is open. */
export interface DesktopEngine extends Engine {
  /**
   * Replaces `close`: hands running work over to the next engine; with `resident`, that engine is started now. After
   * `limitMs`, steps that still run are aborted and repeated. Absent when another process has the role.
   */
  leave?(options: { resident: boolean; limitMs: number }): Promise<void>
  /** The role, as its windows and clients see it. */
  role?: RoleActions
}

export interface DesktopEngineOptions {
  /** Real path. */
  home: string
  version: string
  /** Opens the engine; `keepsTurns`: it has the role. */
  open(keepsTurns: boolean): Promise<Engine>
  /** Added to the environment of the engine that is started to take over. */
  residentEnv?: Record<string, string>
  /** Starts that engine; default: `startEngine`. */
  start?: typeof startEngine
  log(message: string): void
}

/** Takes over the role of the home, even from a resident engine, and opens the engine of the app. */
export async function openDesktopEngine(options: DesktopEngineOptions): Promise<DesktopEngine> {
  const { home, open, log, residentEnv = {}, start = startEngine } = options
  const role = await takeRole(options).catch((error: unknown) => {
    log(`the app does not serve other programs: ${failureOf(error).message}`)
    return undefined
  })
  if (!role) return open(false)
  let engine: Engine
  try {
    engine = await open(true)
  } catch (error) {
    await role.close()
    throw error
  }
  const held = holdEngine({
    engine,
    role,
    holder: 'desktop',
    stop: async () => {},
    refuseStop() {
      throw new CodedError(
        'request.invalid',
        'The desktop app holds the engine while it is open. Quit the app instead.',
      )
    },
    logBug: (message, error) => log(`${message}: ${error instanceof Error ? (error.stack ?? '') : String(error)}`),
  })
  const release = async (): Promise<void> => {
    held.close()
    await role.close()
  }
  return {
    ...engine,
    role: held,
    async close(background) {
      await release()
      await engine.close(background)
    },
    async leave({ resident, limitMs }) {
      // The clients and the models they provide move to the next engine, so a step that uses one is repeated there.
      const limit = AbortSignal.timeout(engine.places.asksClients() ? 0 : limitMs)
      await release()
      const started = resident && start(home, residentEnv)
      await engine.keptTurns?.handOver(limit)
      if (started)
        await started.catch((error: unknown) =>
          log(`what runs continues at the next start, because no engine takes over: ${failureOf(error).message}`),
        )
      await engine.close('keep')
    },
  }
}

/** How often to request the role while other processes claim or release it. */
const MAX_TRIES = 10

/** Undefined when another process has the role and does not release it. */
async function takeRole({ home, version, log }: DesktopEngineOptions): Promise<ClaimedRole | undefined> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const role = await claimRole({ home, version, log })
    if (!('heldAt' in role)) return role
    const found = await findEngine({ home, version }).catch((error: unknown) => {
      // It is already ending.
      if (failureOf(error).code === 'engine.unavailable') return undefined
      throw error
    })
    if (!found) continue
    const wire = connectWire(found.socket)
    try {
      if ((await wire.client.engine.status())?.holder !== 'engine') return undefined
      // Its turns move here one by one, each at its next step.
      await wire.client.engine.stop({ how: 'hand-over' })
      await wire.closed
    } catch (error) {
      if (failureOf(error).code !== 'connection.lost') throw error
    } finally {
      wire.close()
    }
  }
  return undefined
}
