import { runInNewContext } from 'node:vm'
import type { EngineStop } from '../../../shared/model/app/engine'
import { createEngine } from '../../engine/engine'
import type { Engine } from '../../engine/engine-api'
import { createRedact, openAppLog } from '../../engine/health/app-log'
import { setV8Flag } from '../../engine/runtime/v8-flags'
import { taskHostProgram } from '../../engine/task/client/task-host-program'
import { READS_LOGIN_SHELL, startEngine } from '../../role/attach'
// Loaded now: an update may replace the files of this version while it runs.
import { engineProgram } from '../../role/engine-program'
import { holdEngine } from '../../role/hold-engine'
import { claimRole } from '../../role/listen'

/** How long a step may still take when the engine is handed over; then it is repeated by the next one. */
const HAND_OVER_MS = 30_000
/** The same when the system ends this process. */
const TERMINATE_MS = 1500
const SHORTEST_LOOK_MS = 100
const LONGEST_LOOK_MS = 15_000

/**
 * Holds the engine of a home until it is stopped, or has had nothing to do for a while. Prints one line of JSON once it
 * serves; also when another process holds it, and then returns at once. Returns the exit code.
 */
export async function runEngine(home: string, version: string): Promise<number> {
  // Memory grows slowly: it mostly waits.
  setV8Flag('--semi-space-growth-factor=1')
  const redact = { text: createRedact({ env: process.env }) }
  const log = openAppLog({ home, redact: (text) => redact.text(text) })
  const role = await claimRole({ home, version, log })
  if ('heldAt' in role) {
    print({ holds: false, path: role.heldAt })
    return 0
  }
  const ended = Promise.withResolvers<void>()
  // Its starter reads one line, and may end before we do.
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
  process.on('uncaughtExceptionMonitor', (error) => log(`unhandled: ${error.stack ?? error.message}`))
  let engine: Engine
  try {
    engine = await createEngine({
      version,
      home,
      interactive: true,
      keepsTurns: true,
      taskHost: taskHostProgram(),
      // Started by a desktop app that was not started from a terminal.
      ...(process.env[READS_LOGIN_SHELL] === '1' && { loginShell: { node: { path: process.execPath } } }),
      log,
    })
  } catch (error) {
    await role.close()
    throw error
  }
  redact.text = engine.diagnostics.redact
  const stop = async (how: EngineStop, restart: boolean, limitMs = HAND_OVER_MS): Promise<void> => {
    log.info(`the engine ends (${how}${restart ? ', another one takes over' : ''})`)
    clearInterval(idleTimer)
    held.close()
    // Its clients go to the next engine, and with them the models of theirs: such a step is repeated there at once.
    const stepMs = engine.places.asksClients() ? 0 : limitMs
    try {
      await role.close()
      // Before the next one looks: from now on each turn is left to it, also one that just ends.
      const limit = new AbortController()
      const left = how === 'now' ? undefined : engine.keptTurns?.handOver(limit.signal)
      if (stepMs === 0) limit.abort()
      if (restart)
        await startEngine(home, {}, await engineProgram(home)).catch((error: unknown) =>
          log(`no engine takes over: ${String(error)}`),
        )
      // Only now is there an engine that could repeat a step.
      const timer = setTimeout(() => limit.abort(), stepMs)
      await left
      clearTimeout(timer)
      await engine.close(how === 'now' ? undefined : 'keep')
    } catch (error) {
      log(`the engine did not end properly: ${String(error)}`)
    }
    ended.resolve()
  }
  const held = holdEngine({
    engine,
    role,
    holder: 'engine',
    stop,
    logBug: (message, error) => log(`${message}: ${error instanceof Error ? (error.stack ?? '') : String(error)}`),
  })
  const idleTimer = watchIdle(
    () => engine.settings.engine().idleMs,
    held.isIdle,
    () => void stop('hand-over', false),
  )
  // What runs continues in the next engine.
  let isTerminating = false
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (isTerminating) process.exit(1)
      isTerminating = true
      void stop('hand-over', false, TERMINATE_MS)
    })
  log.info(`the engine serves: Trestle ${version}, Node ${process.versions.node}`)
  print({ holds: true, path: role.path, pid: process.pid })
  await ended.promise
  return 0
}

/** Calls `end` once the engine has been idle for a while. */
function watchIdle(idleMs: () => number, isIdle: () => Promise<boolean>, end: () => void): NodeJS.Timeout {
  let idleSince: number | undefined
  let isLooking = false
  const look = async (): Promise<void> => {
    if (!(await isIdle())) idleSince = undefined
    else if (idleSince === undefined) {
      idleSince = performance.now()
      collectGarbage()
    }
    if (idleSince !== undefined && performance.now() - idleSince >= idleMs()) end()
  }
  return setInterval(
    () => {
      if (isLooking) return
      isLooking = true
      look().then(
        () => (isLooking = false),
        () => (isLooking = false),
      )
    },
    Math.min(LONGEST_LOOK_MS, Math.max(SHORTEST_LOOK_MS, idleMs() / 4)),
  )
}

/** What a start or a turn has left is about 8 MB that a waiting process would otherwise keep for hours. */
function collectGarbage(): void {
  setV8Flag('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect === 'function') collect()
}

function print(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}
