import { realpathSync, readFileSync, statSync } from 'node:fs'
import { failureOf, CodedError } from '../../../shared/errors'
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
import { taskHostProgram } from '../../engine/task/client/task-host-program'
import { startWebHost, type WebHost, type WebHostOptions } from './server/web-host'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { watchConfigFile } from '../../engine/config/watch-file'
import { writePrivateFile } from '../../engine/config/write-private-file'

/**
 * `trestle serve`: serves the app on loopback until it is stopped, and also to paired devices if configured. Prints the
 * URL, with its token, to stdout.
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
      'trestle: commands see the environment variables of the engine, ' +
        `which differ from those here (${variableNames(joined.different)}). ` +
        'To use these, end this, run "trestle engine stop --when-idle", and start it again.\n',
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
        // The address in the settings may belong to another network.
        report(`does not listen for devices: ${failureOf(error).message}`)
      }))
    const host = await (port === undefined ? startOnSavedPort(options) : startWebHost({ ...options, port }))
    // Installed before the URL is printed, because its reader may stop the program immediately.
    const stopped = stopSignal()
    process.stdout.write(
      `Trestle is at ${host.url}\nThe address contains a key to this app, so keep it private. ` +
        `Press Ctrl-C to stop.\n${devices?.text ?? ''}`,
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

/** Loaded only when Trestle listens for devices. */
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

const TOKEN_FILE = 'web-token'
/** Mode bits of files that other users can read or write. */
const OTHERS = 0o077

/**
 * The token of the web host, saved in the home folder so that pages, bookmarks and links survive a restart. A new one
 * is created at the first start, when `renew` is set, and when the file is damaged or other users could have read it.
 */
export function webToken(home: string, { renew = false }: { renew?: boolean } = {}): string {
  const file = join(home, TOKEN_FILE)
  const kept = renew ? undefined : readToken(file)
  if (kept !== undefined) return kept
  const token = randomBytes(32).toString('hex')
  try {
    writePrivateFile(file, `${token}\n`)
  } catch (error) {
    // The app works without the file, and the next start creates another token. Only a rotation must not fail silently.
    if (renew) throw error
  }
  return token
}

/**
 * Calls back with each new token of another process (`trestle serve --new-token`), so that a running server can
 * disconnect clients with the old one. Returns a function that stops watching. A missing or damaged file is ignored:
 * the next start creates another.
 */
export function watchWebToken(home: string, onToken: (token: string) => void): () => void {
  const file = join(home, TOKEN_FILE)
  return watchConfigFile(file, () => {
    const token = readToken(file)
    if (token !== undefined) onToken(token)
  })
}

function readToken(file: string): string | undefined {
  try {
    if (process.platform !== 'win32' && (statSync(file).mode & OTHERS) !== 0) return undefined
    const token = readFileSync(file, 'utf8').trim()
    return /^[0-9a-f]{64}$/.test(token) ? token : undefined
  } catch {
    return undefined
  }
}

const PORT_FILE = 'web-port'

/**
 * Starts the web host on the last port, if it is free: to a browser another port is another origin, without the theme,
 * the drafts and the open session.
 */
export async function startOnSavedPort(options: Omit<WebHostOptions, 'port'>): Promise<WebHost> {
  const file = join(options.engine.home, PORT_FILE)
  const usual = readPort(file)
  if (usual !== undefined) {
    try {
      return await startWebHost({ ...options, port: usual })
    } catch (error) {
      // Another process uses it: use any free port this time, and keep the saved one.
      if (!(error instanceof CodedError) || error.code !== 'host.port') throw error
      return startWebHost(options)
    }
  }
  const host = await startWebHost(options)
  try {
    writePrivateFile(file, `${host.port}\n`)
  } catch {
    // Saving the port is optional; the next start uses another port.
  }
  return host
}

function readPort(file: string): number | undefined {
  try {
    const port = Number(readFileSync(file, 'utf8'))
    return Number.isInteger(port) && port >= 1024 && port <= 65_535 ? port : undefined
  } catch {
    return undefined
  }
}
