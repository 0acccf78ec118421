import { join } from 'node:path'
import { openAppLog, createRedact } from '../../engine/health/app-log'
import { registerAppScheme } from './page/app-scheme'
import { DesktopHost } from './desktop-host'
import type { DesktopOptions, ElectronModule } from './platform/electron-module'
import { errorDetails, startFailureText } from './page/problem-page'
import { isFolder, ownArguments, readLaunchRequest } from './lifecycle/launch-request'
import type { LegacyCipher } from '../../engine/config/key-store/key-store'

/**
 * Starts the desktop app. Everything that must precede Electron's ready event runs before the first await. Resolves
 * when the window is open and served, or immediately when another instance has taken over.
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
    const { title, text } = startFailureText(error)
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
  // The engine, once open, knows the stored keys.
  const hide = { redact: createRedact({ env: process.env }) }
  const log = openAppLog({ home, redact: (message) => hide.redact(message) })
  const { electron: shell, node } = process.versions
  log.info(
    `started: Electron ${shell}, Node ${node}, ${process.platform} ${process.arch}, ` +
      (app.isPackaged ? 'packaged' : 'unpackaged'),
  )
  const openEngine: DesktopOptions['openEngine'] = async (given) => {
    const engine = await options.openEngine(given)
    hide.redact = engine.diagnostics.redact
    log.info(`Trestle ${engine.version} is open`)
    return engine
  }
  const host = new DesktopHost({ ...options, openEngine }, platform, home, log)
  process.on('uncaughtException', (error) => {
    log(`unhandled: ${errorDetails(error)}`)
    host.engineFailed(error)
  })
  process.on('unhandledRejection', (error) => log(`unhandled: ${errorDetails(error)}`))
  host.listen()
  await app.whenReady()
  await host.run(readLaunchRequest(args, workingFolder, isFolder))
}

/**
 * Decrypts secrets of earlier versions, which used Electron's safeStorage and are unreadable to other hosts; they are
 * then encrypted with the key that all hosts share. Call it only once the app is ready. Undefined if the system has no
 * such store.
 */
export function safeStorageCipher(
  safeStorage: ElectronModule['safeStorage'],
  platform: NodeJS.Platform = process.platform,
): LegacyCipher | undefined {
  if (!safeStorage.isEncryptionAvailable()) return undefined
  if (platform === 'linux' && safeStorage.getSelectedStorageBackend() === 'basic_text') return undefined
  return {
    decrypt: (sealed) => safeStorage.decryptString(Buffer.from(sealed, 'base64')),
  }
}
