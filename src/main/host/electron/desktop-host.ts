import { homedir } from 'node:os'
import { join } from 'node:path'
import type { BrowserWindow } from 'electron'
import { APP_ORIGIN } from '../../../shared/contract/page-host'
import type { DesktopEngine } from '../../role/desktop-engine'
import { logFile } from '../../engine/health/app-log'
import { serveAppScheme } from './page/app-scheme'
import { AppWindows } from './window/app-windows'
import { contentsActions, contextMenu } from './menu/context-menu'
import { LINK_SCHEME, isFolder, readLaunchRequest, type LaunchRequest } from './lifecycle/launch-request'
import { Desktop } from './desktop'
import { DesktopFile } from './platform/desktop-file'
import { startUpdates } from './update/desktop-updates'
import type { DesktopOptions, ElectronModule } from './platform/electron-module'
import { saveDownloads, guardContents, guardSession, openExternal } from './page/page-guard'
import { errorDetails, isConnectionError, startFailureText, ProblemPages } from './page/problem-page'
import { Graphics } from './platform/graphics'
import { isPreview } from './preview/preview-view'
import { recoverPage } from './page/page-recovery'
import { servePorts } from './page/port-service'

/** Runs the app from its start until the engine is open, and recovers its windows from problems. */
export class DesktopHost {
  readonly #options: DesktopOptions
  readonly #electron: ElectronModule
  readonly #platform: NodeJS.Platform
  readonly #home: string
  readonly #log: (message: string) => void
  readonly #file: DesktopFile
  readonly #graphics: Graphics
  readonly #problems = new ProblemPages()
  readonly #notices: string[] = []
  /** Requests received before the engine was open. */
  readonly #early: LaunchRequest[] = []
  #windows: AppWindows | undefined
  #desktop: Desktop | undefined
  #hasFailed = false

  constructor(options: DesktopOptions, platform: NodeJS.Platform, home: string, log: (message: string) => void) {
    this.#options = options
    this.#electron = options.electron
    this.#platform = platform
    this.#home = home
    this.#log = log
    this.#file = new DesktopFile(join(home, 'desktop.json'))
    this.#graphics = new Graphics({ electron: options.electron, file: this.#file, log })
  }

  /** Call it before Electron is ready, so that early events are not lost. */
  listen(): void {
    const { app, shell } = this.#electron
    const log = this.#log
    app.on('web-contents-created', (_event, contents) => {
      // A preview has its own guard: it can show its server and nothing else.
      if (!isPreview(contents))
        guardContents(contents, { shell, log, followProblem: (clicked, url) => this.#problems.follow(clicked, url) })
      contents.on('context-menu', (_event2, params) => {
        const { clipboard, Menu } = this.#electron
        const actions = contentsActions(contents, {
          copyText: (text) => void clipboard.writeText(text),
          openLink: (url) => void openExternal(shell, url),
        })
        const template = contextMenu(params, this.#platform, actions)
        if (template.length > 0) Menu.buildFromTemplate(template).popup()
      })
    })
    app.on('child-process-gone', (_event, details) => log(`a ${details.type} process is gone: ${details.reason}`))
    this.#graphics.begin()
    app.on('second-instance', (_event, _argv, _folder, data) => {
      const { args, workingFolder } = data as { args: string[]; workingFolder: string }
      this.#launch(readLaunchRequest(args, workingFolder, isFolder))
    })
    const follow = (arg: string): void => this.#launch(readLaunchRequest([arg], '/', isFolder))
    app.on('open-url', (event, url) => {
      event.preventDefault()
      follow(url)
    })
    app.on('open-file', (event, path) => {
      event.preventDefault()
      follow(path)
    })
  }

  async run(request: LaunchRequest): Promise<void> {
    const { app, ipcMain, MessageChannelMain, nativeTheme, protocol, session } = this.#electron
    const { rendererDir, preload } = this.#options
    const log = this.#log
    nativeTheme.themeSource = this.#file.values.theme
    if (app.isPackaged) app.setAsDefaultProtocolClient(LINK_SCHEME)
    guardSession(session.defaultSession)
    saveDownloads(session.defaultSession, {
      folder: () => app.getPath('downloads'),
      log,
      onEnd: ({ file, saved }) =>
        windows.sendToAll(
          saved
            ? { tell: `Saved ${file}`, tone: 'info' }
            : {
                tell: `${file} couldn't be saved. Check that there is space and that you may write there.`,
                tone: 'warning',
              },
        ),
    })
    serveAppScheme(protocol, rendererDir, (path) => this.#problems.document(path))
    const windows = new AppWindows({
      electron: this.#electron,
      platform: this.#platform,
      home: this.#home,
      preload,
      log,
      ...(this.#options.showLimitMs !== undefined && { showLimitMs: this.#options.showLimitMs }),
      onOpened: (window) => this.#opened(window),
    })
    this.#windows = windows
    const ports = servePorts({
      electron: { ipcMain, MessageChannelMain },
      isOurs: (contents) => windows.forContents(contents) !== undefined || (this.#desktop?.owns(contents) ?? false),
      log,
    })
    this.#graphics.ready()
    // Wait until the window has painted, because opening the engine blocks the main thread.
    if (!request.hidden) await windows.restore()
    const engine = await this.#openEngine(windows)
    if (!engine) return
    const resources = process.resourcesPath ?? ''
    const updates = await startUpdates({ app, engine, platform: this.#platform, env: process.env, resources, log })
    this.#desktop = new Desktop({
      electron: this.#electron,
      platform: this.#platform,
      home: this.#home,
      preload,
      file: this.#file,
      graphics: this.#graphics,
      windows,
      ports,
      notices: this.#notices,
      engine,
      command: [
        process.env['APPIMAGE'] ?? process.execPath,
        ...(app.isPackaged ? [] : (this.#options.argv ?? process.argv).slice(1, 2)),
      ],
      configFolder: this.#options.configFolder ?? process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'),
      closeLimitMs: this.#options.closeLimitMs ?? 5000,
      dropConnections: (how) => this.#options.dropConnections?.(how),
      updates,
      log,
    })
    this.#desktop.begin()
    this.#options.onTerminate?.(() => this.#desktop?.systemEnds())
    for (const waiting of [request, ...this.#early.splice(0)]) this.#launch(waiting, waiting === request)
  }

  /** The engine; undefined when it could not be opened and the user quit. */
  async #openEngine(windows: AppWindows): Promise<DesktopEngine | undefined> {
    const { app, dialog, session, shell } = this.#electron
    for (;;) {
      try {
        return await this.#options.openEngine({
          home: this.#home,
          log: this.#log,
          systemProxy: (url) => session.defaultSession.resolveProxy(url),
        })
      } catch (error) {
        this.#log(`the engine could not be opened: ${errorDetails(error)}`)
        const { title, text } = startFailureText(error)
        const [window] = windows.list()
        if (!window) {
          dialog.showErrorBox(title, text.join('\n\n'))
          app.exit(1)
          return undefined
        }
        const again = await new Promise<boolean>((resolve) => {
          const actions = [
            { id: 'again', label: 'Try again', run: () => resolve(true) },
            { id: 'log', label: 'Show log', run: () => shell.showItemInFolder(this.#logFile()) },
            { id: 'quit', label: 'Quit', run: () => resolve(false) },
          ]
          for (const open of windows.list()) this.#show(open, { title, text, details: errorDetails(error), actions })
          app.once('window-all-closed', () => resolve(false))
        })
        if (!again) {
          app.exit(1)
          return undefined
        }
        for (const open of windows.list()) this.#reopen(open)
      }
    }
  }

  /** Handles an uncaught error: the engine is no longer reliable, so the user decides whether to restart. */
  engineFailed(error: unknown): void {
    const windows = this.#windows
    if (!windows || !this.#desktop || this.#hasFailed) return
    if (isConnectionError(error))
      return windows.sendToAll({
        tell: 'Something went wrong with a connection. The details are in the log.',
        tone: 'warning',
      })
    this.#hasFailed = true
    const { app, shell } = this.#electron
    const paths = new Map(windows.list().map((window) => [window, windows.pathOf(window)]))
    const actions = [
      {
        id: 'restart',
        label: 'Restart Trestle',
        run: () => {
          app.relaunch()
          this.#desktop?.systemEnds()
        },
      },
      {
        id: 'continue',
        label: 'Continue without restarting',
        run: () => {
          this.#hasFailed = false
          for (const window of windows.list()) this.#reopen(window, paths.get(window))
        },
      },
      { id: 'log', label: 'Show log', run: () => shell.showItemInFolder(this.#logFile()) },
    ]
    const text = [
      'Trestle ran into an error it did not expect. Everything up to this moment is saved.',
      'Restart to be safe: sessions that were working can be resumed afterwards. ' +
        'If you continue, something may not work as it should.',
    ]
    for (const window of windows.list())
      this.#show(window, { title: 'Something went wrong in Trestle', text, details: errorDetails(error), actions })
  }

  /** Sets up every window as soon as it is created. */
  #opened(window: BrowserWindow): void {
    const { webContents } = window
    recoverPage(window, {
      electron: this.#electron,
      problems: this.#problems,
      log: this.#log,
      onPageGone: (contents, notice) => {
        this.#desktop?.onContentsGone(contents)
        // Report only the newest.
        this.#notices.splice(0, this.#notices.length, notice)
      },
      ...(this.#graphics.isAccelerated && { restartWithoutGraphics: () => this.#graphics.restartWithout() }),
    })
    window.on('closed', () => {
      this.#problems.forget(webContents)
      this.#desktop?.onContentsGone(webContents)
    })
    this.#desktop?.onWindowOpened(window)
  }

  /** Handles the requests of a start of the app, or of a second instance, as soon as possible. */
  #launch(request: LaunchRequest, isFirst = false): void {
    const desktop = this.#desktop
    if (!desktop) {
      this.#early.push(request)
      this.#windows?.current()?.show()
      return
    }
    if (request.commands.length === 0 && !isFirst && !request.hidden) desktop.show()
    for (const command of request.commands) desktop.show(command)
  }

  #show(window: BrowserWindow, problem: Parameters<ProblemPages['show']>[1]): void {
    this.#problems
      .show(window.webContents, problem)
      .catch((error: unknown) => this.#log(`the problem page could not be loaded: ${String(error)}`))
  }

  #reopen(window: BrowserWindow, path = '/'): void {
    this.#problems.forget(window.webContents)
    window
      .loadURL(`${APP_ORIGIN}${path}`)
      .catch((error: unknown) => this.#log(`the page could not be loaded: ${String(error)}`))
  }

  #logFile(): string {
    return logFile(this.#home)
  }
}
