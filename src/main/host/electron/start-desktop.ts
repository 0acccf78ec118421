import { join } from 'node:path'
import { registerAppScheme } from './app-scheme'
import { DesktopHost } from './desktop-host'
import { desktopLog } from './desktop-log'
import type { DesktopOptions } from './desktop-options'
import { describe, wordsOf } from './failure-words'
import { isFolder, ownArguments, readLaunchRequest } from './launch-request'

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
  const log = desktopLog(join(home, 'logs', 'desktop.log'))
  const host = new DesktopHost(options, platform, home, log)
  process.on('uncaughtException', (error) => {
    log(`unhandled: ${describe(error)}`)
    host.engineFailed(error)
  })
  process.on('unhandledRejection', (error) => log(`unhandled: ${describe(error)}`))
  host.listen()
  await app.whenReady()
  await host.run(readLaunchRequest(args, workingFolder, isFolder))
}
