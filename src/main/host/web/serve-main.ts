import { realpathSync } from 'node:fs'
import { failureOf } from '../../../shared/errors'
import { variableNames } from '../../role/environment-check'
import { joinEngine, type JoinedEngine } from '../../role/joined-engine'
import { UsageError, type Parsed } from '../../console/parse-command'
import { reportBackground, reportStart } from '../../console/report'
import { resolveHome } from '../../engine/config/home'
import { openConfig } from '../../engine/config/config'
import type { DeviceSettings } from '../../engine/config/settings/host-settings'
import { createEngine } from '../../engine/engine'
import type { Engine } from '../../engine/engine-api'
import { openAppLog, createRedact } from '../../engine/health/app-log'
import { rendererFolder } from '../../api/page-files'
import { listenOptions, type ListenOptions } from './device/listen-options'
import { startOnSavedPort, watchWebToken, webToken } from './web-address'
import { taskHostProgram } from '../../engine/task/client/task-host-program'
import { startWebHost } from './web-host'

/**
 * `trestle serve`: serves the app on loopback until it is stopped, and paired devices where it is to listen for them.
 * Prints the URL, with its token, to stdout.
 */
export async function serveMain({ values }: Parsed, version: string): Promise<number> {
  const port = portOf(values['port'])
  const listen = listenOptions(values, await deviceSettings())
  const redact = { text: createRedact({ env: process.env }) }
  const log = openAppLog({ home: resolveHome(), redact: (text) => redact.text(text) })
  log.info(
    `started: Trestle ${version} in the browser, Node ${process.versions.node}, ${process.platform} ${process.arch}`,
  )
  // Only logs: Node prints the error and exits.
  process.on('uncaughtExceptionMonitor', (error) => log(`unhandled: ${error.stack ?? error.message}`))
  const report = (message: string): void => {
    log(message)
    process.stderr.write(`trestle: ${message}\n`)
  }
  const joined = await joinEngine({ home: realpathSync(resolveHome()), version }).catch((error: unknown) => {
    report(`the engine of the home is not used: ${failureOf(error).message}`)
    return undefined
  })
  if (joined) log.info('joined the engine of the home')
  if (joined && joined.different.length > 0)
    process.stderr.write(
      `trestle: commands see the environment variables of the engine, which differ from those here (${variableNames(joined.different)}). To use these, end this, run "trestle engine stop --when-idle", and start it again.\n`,
    )
  const own = joined
    ? undefined
    : await createEngine({ version, interactive: true, taskHost: taskHostProgram(), log: report })
  if (own) redact.text = own.diagnostics.redact
  const engine = joined ?? own!
  try {
    if (own) reportStart(own)
    const options = {
      engine,
      rendererDir: rendererFolder(),
      token: webToken(engine.home, { renew: values['new-token'] === true }),
    }
    const devices =
      listen &&
      (await serveForDevices(engine, listen, report).catch((error: unknown) => {
        if (values['listen'] !== undefined || values['tailscale'] === true) throw error
        // The address of the settings may be that of another network.
        report(`does not listen for devices: ${failureOf(error).message}`)
      }))
    const host = await (port === undefined ? startOnSavedPort(options) : startWebHost({ ...options, port }))
    // Installed before the URL is printed, since its reader may stop the program at once.
    const stopped = stopSignal()
    process.stdout.write(
      `Trestle is at ${host.url}\nThe address holds a key to this app: keep it to yourself. Ctrl-C ends it.\n${devices?.text ?? ''}`,
    )
    let { url } = host
    const stopWatching = watchWebToken(engine.home, (token) => {
      host.useToken(token)
      if (host.url !== url) process.stdout.write(`The token was replaced. Trestle is at ${(url = host.url)}\n`)
    })
    await stopped
    stopWatching()
    await Promise.all([host.close(), devices?.close()])
    if (own)
      reportBackground(
        own,
        (await own.tasks.list({ activeOnly: true })).filter(({ background }) => background),
      )
    return 0
  } finally {
    await engine.close()
  }
}

async function deviceSettings(): Promise<DeviceSettings> {
  const config = await openConfig({ home: realpathSync(resolveHome()) })
  config.close()
  return config.settings.devices
}

/** Loaded only where Trestle listens for devices. */
async function serveForDevices(
  engine: Engine | JoinedEngine,
  listen: ListenOptions,
  report: (message: string) => void,
): Promise<{ text: string; close(): Promise<void> }> {
  const { serveDevices } = await import('./device/serve-devices')
  return serveDevices({
    engine,
    rendererDir: rendererFolder(),
    listen,
    logBug: (message, error) => report(`${message}: ${error instanceof Error ? error.stack : String(error)}`),
  })
}

function portOf(value: Parsed['values'][string]): number | undefined {
  if (typeof value !== 'string') return undefined
  const port = Number(value)
  if (!/^\d{1,5}$/.test(value) || port > 65_535)
    throw new UsageError(`--port needs a number from 0 to 65535; not "${value}".`, 'serve')
  return port
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve())
    process.once('SIGTERM', () => resolve())
    process.once('SIGHUP', () => resolve())
  })
}
