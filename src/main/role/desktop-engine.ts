import { CodedError, failureOf } from '../../shared/errors'
import type { RoleActions } from '../api/implementer'
import type { Engine } from '../engine/engine-api'
import { connectWire } from '../wire/wire-client'
import { findEngine, startEngine } from './attach'
import { holdEngine } from './hold-engine'
import { claimRole, type ClaimedRole } from './listen'

/** The engine of the desktop app, which is that of its home while the app is open. */
export interface DesktopEngine extends Engine {
  /**
   * Instead of `close`: leaves what runs to the next engine, which `resident` starts now. After `limitMs` the steps
   * that still run are cut off and repeated. Absent when another process has the role.
   */
  leave?(options: { resident: boolean; limitMs: number }): Promise<void>
  /** What its windows and clients see of it. */
  role?: RoleActions
}

export interface DesktopEngineOptions {
  /** Real path. */
  home: string
  version: string
  /** Opens the engine; `keepsTurns`: it has the role. */
  open(keepsTurns: boolean): Promise<Engine>
  /** Added to the environment of an engine that is started to take over. */
  residentEnv?: Record<string, string>
  /** Starts that engine; default: `startEngine`. */
  start?: typeof startEngine
  log(message: string): void
}

/** Takes the role of the home, also from a resident engine, and opens the engine of the app. */
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
      // Its clients go to the next engine, and with them the models of theirs: such a step is repeated there at once.
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

/** How often the role is asked for, while other processes take it or give it up. */
const MAX_TRIES = 10

/** Undefined when a process that does not give the role up has it. */
async function takeRole({ home, version, log }: DesktopEngineOptions): Promise<ClaimedRole | undefined> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const role = await claimRole({ home, version, log })
    if (!('heldAt' in role)) return role
    const found = await findEngine({ home, version }).catch((error: unknown) => {
      // It is just ending.
      if (failureOf(error).code === 'engine.unavailable') return undefined
      throw error
    })
    if (!found) continue
    const wire = connectWire(found.socket)
    try {
      if ((await wire.client.engine.status())?.holder !== 'engine') return undefined
      // Its turns come over one by one, at the next step of each.
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
