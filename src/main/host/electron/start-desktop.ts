import { join } from 'node:path'
import type { BrowserWindow } from 'electron'
import { CodedError } from '../../../shared/model/errors'
import type { HostCommand } from '../../../shared/model/push'
import type { HostActions } from '../../api/api-deps'
import type { LogBug } from '../../api/rpc-error'
import { createRouter } from '../../api/router'
import { createRpcServer } from '../../api/rpc-server'
import type { Engine } from '../../engine/engine-api'
import { appMenu } from './app-menu'
import { askAboutTasks } from './ask-about-tasks'
import { registerAppScheme, serveAppScheme } from './app-scheme'
import { openAppWindow } from './app-window'
import { callForPerson } from './call-for-person'
import { createUserEditor } from '../../user-editor'
import { desktopLog } from './desktop-log'
import type { ElectronModule } from './electron-module'
import { guardContents, guardSession, openExternal } from './guard'
import { servePorts } from './port-service'
import { startUpdates, type DesktopUpdates } from './update/desktop-updates'

export interface DesktopOptions {
  electron: ElectronModule
  /** Finds TRESTLE_HOME; may throw a `CodedError`, which is shown. */
  resolveHome(): string
  /** Absolute path of the built interface (out/renderer). */
  rendererDir: string
  /** Absolute path of the built preload script: one CommonJS file. */
  preload: string
  /** Opens the engine once the app is ready, when the system's key store can be asked. */
  openEngine(options: { home: string; log(message: string): void }): Promise<Engine>
  platform?: NodeJS.Platform
  /** How long the engine may take to close before the app ends without it, in ms. */
  closeLimitMs?: number
}

/**
 * Runs the desktop app until it quits. What has to happen before Electron is ready happens before the first await. Resolves when the window is
 * open, or at once when another instance has taken over.
 */
export async function startDesktop(options: DesktopOptions): Promise<void> {
  const { electron, platform = process.platform } = options
  const { app } = electron
  registerAppScheme(electron.protocol)
  let home: string
  try {
    home = options.resolveHome()
  } catch (error) {
    await app.whenReady()
    showFailure(electron, error)
    app.exit(1)
    return
  }
  // The lock is per user data folder, so one app per TRESTLE_HOME.
  app.setPath('userData', join(home, 'electron'))
  app.enableSandbox()
  if (platform === 'win32') app.setAppUserModelId('dev.trestle.app')
  if (!app.requestSingleInstanceLock()) {
    app.quit()
    return
  }
  const log = desktopLog(join(home, 'logs', 'desktop.log'))
  process.on('uncaughtException', (error) => log(`unhandled: ${describe(error)}`))
  process.on('unhandledRejection', (error) => log(`unhandled: ${describe(error)}`))
  app.on('web-contents-created', (_event, contents) => guardContents(contents, electron.shell, log))
  app.on('child-process-gone', (_event, details) => log(`a ${details.type} process is gone: ${details.reason}`))
  await app.whenReady()
  let engine: Engine
  try {
    engine = await options.openEngine({ home, log })
  } catch (error) {
    log(`the engine could not be opened: ${describe(error)}`)
    showFailure(electron, error)
    app.exit(1)
    return
  }
  const resources = process.resourcesPath ?? ''
  const updates = await startUpdates({ app, engine, platform, env: process.env, resources, log })
  new Desktop(options, home, engine, log, updates).run(platform)
}

class Desktop {
  readonly #options: DesktopOptions
  readonly #electron: ElectronModule
  readonly #home: string
  readonly #engine: Engine
  readonly #log: (message: string) => void
  readonly #updates: DesktopUpdates
  readonly #notices: string[] = []
  readonly #commandListeners = new Set<(command: HostCommand) => void>()
  #window: BrowserWindow | undefined
  #earlyCommand: HostCommand | undefined

  constructor(options: DesktopOptions, home: string, engine: Engine, log: (message: string) => void, updates: DesktopUpdates) {
    this.#options = options
    this.#electron = options.electron
    this.#home = home
    this.#engine = engine
    this.#log = log
    this.#updates = updates
  }

  run(platform: NodeJS.Platform): void {
    const { app, ipcMain, Menu, MessageChannelMain, nativeTheme, protocol, session } = this.#electron
    const logBug: LogBug = (message, error) => this.#log(`${message}: ${describe(error)}`)
    nativeTheme.themeSource = 'system'
    guardSession(session.defaultSession)
    serveAppScheme(protocol, this.#options.rendererDir)
    const server = createRpcServer(createRouter({ engine: this.#engine, host: this.#actions(), logBug }), logBug)
    const ports = servePorts({
      electron: { ipcMain, MessageChannelMain },
      server,
      isOurs: (contents) => contents === this.#window?.webContents,
      log: this.#log,
    })
    const open = (): void => {
      this.#window = openAppWindow({
        electron: this.#electron,
        home: this.#home,
        preload: this.#options.preload,
        log: this.#log,
        onPageGone: (contents, notice) => {
          ports.hangUp(contents)
          // Only the newest is news.
          this.#notices.splice(0, this.#notices.length, notice)
        },
      })
      this.#window.on('closed', () => {
        this.#window = undefined
      })
    }
    const show = (): void => {
      const window = this.#window
      if (!window) {
        open()
        return
      }
      if (window.isMinimized()) window.restore()
      window.show()
      window.focus()
    }
    Menu.setApplicationMenu(
      Menu.buildFromTemplate(
        appMenu({
          platform,
          appName: 'Trestle',
          isPackaged: app.isPackaged,
          onCommand: (command) => {
            show()
            this.#command(command)
          },
        }),
      ),
    )
    app.on('second-instance', show)
    app.on('activate', show)
    app.on('window-all-closed', () => {
      if (platform !== 'darwin') app.quit()
    })
    open()
    const stopCalling = callForPerson({
      electron: this.#electron,
      engine: this.#engine,
      platform,
      log: this.#log,
      show: (command) => {
        show()
        this.#command(command)
      },
    })
    this.#closeOnQuit(show, () => {
      stopCalling()
      ports.close()
    })
  }

  /** Tells the page; a window that has only just been opened hears it when its page listens. */
  #command(command: HostCommand): void {
    if (this.#commandListeners.size === 0) this.#earlyCommand = command
    for (const listener of this.#commandListeners) listener(command)
  }

  #actions(): HostActions {
    const { dialog, shell } = this.#electron
    return {
      kind: 'electron',
      chooseFolder: async () => {
        const options = { title: 'Open a project folder', properties: ['openDirectory' as const, 'createDirectory' as const] }
        const { canceled, filePaths } = await (this.#window ? dialog.showOpenDialog(this.#window, options) : dialog.showOpenDialog(options))
        return canceled ? null : (filePaths[0] ?? null)
      },
      openExternal: (url) => openExternal(shell, url),
      files: createUserEditor(process),
      updates: this.#updates,
      notices: () => this.#notices,
      onCommand: (listener) => {
        this.#commandListeners.add(listener)
        const early = this.#earlyCommand
        this.#earlyCommand = undefined
        if (early !== undefined) listener(early)
        return () => this.#commandListeners.delete(listener)
      },
    }
  }

  /** The engine records how its turns ended before the process ends; one that hangs is not waited for for ever. */
  #closeOnQuit(stay: () => void, first: () => void): void {
    const { app } = this.#electron
    const limit = this.#options.closeLimitMs ?? 5000
    let state: 'open' | 'asking' | 'closing' | 'closed' = 'open'
    const close = (background: 'keep' | 'stop' | undefined): void => {
      state = 'closing'
      first()
      let timer: NodeJS.Timeout | undefined
      const timeUp = new Promise<void>((resolve) => {
        timer = setTimeout(() => {
          this.#log(`the engine did not close within ${limit} ms`)
          resolve()
        }, limit)
      })
      const closed = this.#engine.close(background).catch((error: unknown) => this.#log(`closing failed: ${describe(error)}`))
      const end = async (): Promise<void> => {
        await Promise.race([closed, timeUp])
        clearTimeout(timer)
        await this.#updates.installOnQuit()
        this.#updates.close()
        state = 'closed'
        app.quit()
      }
      void end()
    }
    app.on('before-quit', (event) => {
      if (state === 'closed') return
      event.preventDefault()
      if (state !== 'open') return
      if (this.#engine.tasks.onExit() !== 'ask') return close(undefined)
      state = 'asking'
      void this.#askAboutTasks().then((answer) => {
        if (answer !== 'cancel') return close(answer)
        state = 'open'
        return stay()
      })
    })
  }

  /** Never rejects: a question that cannot be asked must not keep the app from quitting. */
  async #askAboutTasks(): Promise<'keep' | 'stop' | 'cancel' | undefined> {
    try {
      return await askAboutTasks(this.#electron, this.#engine, this.#window)
    } catch (error) {
      this.#log(`asking about tasks failed: ${describe(error)}`)
      return undefined
    }
  }
}

function showFailure(electron: ElectronModule, error: unknown): void {
  if (error instanceof CodedError) electron.dialog.showErrorBox(error.failure.title, `${error.message}\n\n${error.failure.advice}`)
  else electron.dialog.showErrorBox('Trestle cannot start', error instanceof Error ? error.message : String(error))
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
