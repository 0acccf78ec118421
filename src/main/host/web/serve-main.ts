import { realpathSync } from 'node:fs'
import { failureOf } from '../../../shared/errors'
import { joinEngine } from '../../role/joined-engine'
import { UsageError, type Parsed } from '../../console/parse-command'
import { reportBackground, reportStart } from '../../console/report'
import { resolveHome } from '../../engine/config/home'
import { createEngine } from '../../engine/engine'
import { openAppLog, createRedact } from '../../engine/health/app-log'
import { rendererFolder } from '../../api/page-files'
import { startOnSavedPort, watchWebToken, webToken } from './web-address'
import { taskHostProgram } from '../../engine/task/client/task-host-program'
import { startWebHost } from './web-host'

/** `trestle serve`: serves the app on loopback until it is stopped. Prints the URL, with its token, to stdout. */
export async function serveMain({ values }: Parsed, version: string): Promise<number> {
  const port = portOf(values['port'])
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
    const host = await (port === undefined ? startOnSavedPort(options) : startWebHost({ ...options, port }))
    // Installed before the URL is printed, since its reader may stop the program at once.
    const stopped = stopSignal()
    process.stdout.write(
      `Trestle is at ${host.url}\nThe address holds a key to this app: keep it to yourself. Ctrl-C ends it.\n`,
    )
    let { url } = host
    const stopWatching = watchWebToken(engine.home, (token) => {
      host.useToken(token)
      if (host.url !== url) process.stdout.write(`The token was replaced. Trestle is at ${(url = host.url)}\n`)
    })
    await stopped
    stopWatching()
    await host.close()
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
