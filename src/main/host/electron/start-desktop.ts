import { join } from 'node:path'
import type { Engine } from '../../engine/engine-api'
import { openAppLog } from '../../log/app-log'
import { createRedact } from '../../log/redact'
import { registerAppScheme } from './app-scheme'
import { DesktopHost } from './desktop-host'
import type { ElectronModule } from './electron-module'
import { describe, wordsOf } from './failure-words'
import { isFolder, ownArguments, readLaunchRequest } from './launch-request'

export interface DesktopOptions {
  electron: ElectronModule
  /** Finds TRESTLE_HOME; may throw a `CodedError`, which is shown. */
  resolveHome(): string
  /** Absolute path of the built interface (out/renderer). */
  rendererDir: string
  /** Absolute path of the built preload script: one CommonJS file. */
  preload: string
  /** Opens the engine once the app is ready, when the system's key store can be asked. */
  openEngine(options: { home: string; log(message: string): void; systemProxy(url: string): Promise<string> }): Promise<Engine>
  /** Lets go of connections to model servers: idle ones, or also those in use. */
  dropConnections?(how: { inUse: boolean }): void
  /** Told when the app is asked to end from outside (SIGTERM). */
  onTerminate?(listener: () => void): void
  platform?: NodeJS.Platform
  /** The program and its arguments. */
  argv?: readonly string[]
  /** `$XDG_CONFIG_HOME` or `~/.config`. */
  configFolder?: string
  /** How long the engine may take to close before the app ends without it, in ms. */
  closeLimitMs?: number
  /** How long a window waits for its page to paint before it is shown, in ms. */
  showLimitMs?: number
}

/**
 * Runs the desktop app until it quits. What has to happen before Electron is ready happens before the first await. Resolves when the window is
 * open and served, or at once when another instance has taken over.
 */
export async function startDesktop(options: DesktopOptions): Promise<void> {
  const { electron, platform = process.platform, argv = process.argv } = options
  const { app } = electron
  registerAppScheme(electron.protocol)
  let home: string
  try {
    home = options.resolveHome()
  } catch (error) {
    await app.whenReady()
    const { title, text } = wordsOf(error)
    electron.dialog.showErrorBox(title, text.join('\n\n'))
    app.exit(1)
    return
  }
  // The lock is per user data folder, so one app per TRESTLE_HOME.
  app.setPath('userData', join(home, 'electron'))
  app.enableSandbox()
  if (platform === 'win32') app.setAppUserModelId('dev.trestle.app')
  const args = ownArguments(argv, app.isPackaged)
  const workingFolder = process.cwd()
  if (!app.requestSingleInstanceLock({ args, workingFolder })) {
    app.quit()
    return
  }
  // Dumps of native crashes stay on this machine.
  app.setPath('crashDumps', join(home, 'logs', 'crashes'))
  electron.crashReporter.start({ uploadToServer: false })
  // The engine, once it is open, knows the keys that are stored.
  const hide = { redact: createRedact({ env: process.env }) }
  const log = openAppLog({ home, redact: (message) => hide.redact(message) })
  const { electron: shell, node } = process.versions
  log.info(`started: Electron ${shell}, Node ${node}, ${process.platform} ${process.arch}, ${app.isPackaged ? 'packaged' : 'unpackaged'}`)
  const openEngine: DesktopOptions['openEngine'] = async (given) => {
    const engine = await options.openEngine(given)
    hide.redact = engine.diagnostics.redact
    log.info(`Trestle ${engine.version} is open`)
    return engine
  }
  const host = new DesktopHost({ ...options, openEngine }, platform, home, log)
  process.on('uncaughtException', (error) => {
    log(`unhandled: ${describe(error)}`)
    host.engineFailed(error)
  })
  process.on('unhandledRejection', (error) => log(`unhandled: ${describe(error)}`))
  host.listen()
  await app.whenReady()
  await host.run(readLaunchRequest(args, workingFolder, isFolder))
}
