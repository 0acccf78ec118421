import { runInNewContext } from 'node:vm'
import type { EngineStop } from '../../../shared/model/app/engine'
import { createEngine } from '../../engine/engine'
import type { Engine } from '../../engine/engine-api'
import { createRedact, openAppLog } from '../../engine/health/app-log'
import { setV8Flag } from '../../engine/runtime/v8-flags'
import { taskHostProgram } from '../../engine/task/client/task-host-program'
import { READS_LOGIN_SHELL, startEngine } from '../../role/attach'
// Imported statically: an update may replace the files of this version while it runs.
import { engineProgram } from '../../role/engine-program'
import { holdEngine } from '../../role/hold-engine'
import { claimRole } from '../../role/listen'

/** How long a running step can take at a hand-over before the next engine repeats it. */
const HAND_OVER_MS = 30_000
/** The same limit when the system ends this process. */
const TERMINATE_MS = 1500
const SHORTEST_LOOK_MS = 100
const LONGEST_LOOK_MS = 15_000

/**
 * Runs the engine of a home until it is stopped or has been idle for a while. Prints one line of JSON once it serves
 * clients. If another process has the role, prints the line and returns immediately. Returns the exit code.
 */
export async function runEngine(home: string, version: string): Promise<number> {
  // The young generation grows slowly, because the engine is mostly idle.
  setV8Flag('--semi-space-growth-factor=1')
  const redact = { text: createRedact({ env: process.env }) }
  const log = openAppLog({ home, redact: (text) => redact.text(text) })
  const role = await claimRole({ home, version, log })
  if ('heldAt' in role) {
    print({ holds: false, path: role.heldAt })
    return 0
  }
  const ended = Promise.withResolvers<void>()
  // The process that started it reads one line and may end before this process does.
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
      // Set by a desktop app that was not started from a terminal.
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
    // The clients and the models they provide move to the next engine, so a step that uses one is repeated there.
    const stepMs = engine.places.asksClients() ? 0 : limitMs
    try {
      await role.close()
      // Before the next engine checks: from now on every turn is left to it, even one that is about to end.
      const limit = new AbortController()
      const left = how === 'now' ? undefined : engine.keptTurns?.handOver(limit.signal)
      if (stepMs === 0) limit.abort()
      if (restart)
        await startEngine(home, {}, await engineProgram(home)).catch((error: unknown) =>
          log(`no engine takes over: ${String(error)}`),
        )
      // Only now is there an engine that can repeat a step.
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
  // The next engine continues what runs.
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

/** Frees about 8 MB left by a start or a turn, which an idle process would otherwise keep for hours. */
function collectGarbage(): void {
  setV8Flag('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect === 'function') collect()
}

function print(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}
