import { type Schedule, momentText, RUN_STATUS_TEXT } from '../../../shared/model/assistant/schedule'
import { notificationLine } from '../../../shared/model/assistant/notification'
import { oneLine } from '../../console/output'
import { reportStart } from '../../console/report'
import { resolveHome } from '../../engine/config/home'
import { createEngine } from '../../engine/engine'
import type { Engine } from '../../engine/engine-api'
import { createRedact, openAppLog } from '../../engine/health/app-log'
import { taskHostProgram } from '../../engine/task/client/task-host-program'

const OFF =
  'Schedules are off: turn them on in the settings, under Features, ' +
  'or with scheduling = true in [features] of config.toml.'

/**
 * An engine that runs schedules while no user is present: requests wait in the inbox, where another Trestle can answer
 * them.
 */
export async function backgroundEngine(version: string): Promise<Engine> {
  const redact = { text: createRedact({ env: process.env }) }
  const log = openAppLog({ home: resolveHome(), redact: (text) => redact.text(text) })
  const engine = await createEngine({
    version,
    interactive: true,
    hasInbox: false,
    canType: false,
    taskHost: taskHostProgram(),
    log(message) {
      log(message)
      process.stderr.write(`trestle: ${message}\n`)
    },
  })
  redact.text = engine.diagnostics.redact
  return engine
}

/** `trestle schedule run`: runs the schedules of the home until it is stopped. */
export async function runSchedules(version: string): Promise<number> {
  const engine = await backgroundEngine(version)
  const stopped = stopSignal()
  try {
    reportStart(engine)
    const report = createReport(engine)
    engine.onChange((change) => {
      if (change.kind === 'schedules' || change.kind === 'settings') void report()
      if (change.kind === 'notice') process.stderr.write(`trestle: ${oneLine(change.text)}\n`)
      if (change.kind === 'notification')
        process.stderr.write(`trestle: ${oneLine(notificationLine(change.notification))}\n`)
    })
    await report()
    process.stdout.write(`Trestle runs the schedules of ${engine.home}. Press Ctrl-C to stop.\n`)
    await stopped
    return 0
  } finally {
    await engine.close()
  }
}

/** Returns a function that prints what has changed since its last call. */
function createReport(engine: Engine): () => Promise<void> {
  const seen = new Map<string, string>()
  let state = ''
  let reading: Promise<void> = Promise.resolve()
  const look = async (): Promise<void> => {
    const { schedules, service } = await engine.schedule.overview()
    if (service.runs !== state) {
      state = service.runs
      if (state === 'off') say(OFF)
      if (state === 'elsewhere') say(`They run in ${service.where}; this one takes over when it ends.`)
    }
    for (const { name, zone, lastRun } of schedules) {
      if (!lastRun) continue
      const now = `${lastRun.id} ${lastRun.status}`
      if (seen.has(lastRun.scheduleId) && seen.get(lastRun.scheduleId) !== now) say(runText(name, zone, lastRun))
      seen.set(lastRun.scheduleId, now)
    }
    for (const { id } of schedules) if (!seen.has(id)) seen.set(id, '')
  }
  return () => (reading = reading.then(look, look))
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

function runText(
  name: string,
  zone: string,
  { status, note, sessionId, startedAt, endedAt }: NonNullable<Schedule['lastRun']>,
): string {
  const about = note === undefined ? '' : `: ${oneLine(note)}`
  return (
    `${momentText(endedAt ?? startedAt, zone)} ${oneLine(name)} ` +
    `${RUN_STATUS_TEXT[status].toLowerCase()}${about}${sessionId === undefined ? '' : ` (${sessionId})`}`
  )
}

/** Resolves on SIGINT, SIGTERM or SIGHUP, and keeps the process alive until then. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const alive = setInterval(() => undefined, 2 ** 30)
    const stop = (): void => {
      clearInterval(alive)
      resolve()
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop)
  })
}
