import type { BrowserWindow, WebContents } from 'electron'
import type { DesktopSettings } from '../../../shared/configuration/settings'
import type { HostCommand } from '../../../shared/events/push'
import type { DesktopActions } from '../../api/implementer'
import { createRouter } from '../../api/server/router'
import { createRpcServer, type RpcServer } from '../../api/server/rpc-server'
import type { DesktopEngine } from '../../role/desktop-engine'
import type { AppWindows } from './window/app-windows'
import { confirmBackgroundTasks, QuitGuard } from './lifecycle/quit-guard'
import { notifyPending } from './notifications'
import { createPageActions } from './page/page-actions'
import type { DesktopFile } from './platform/desktop-file'
import { DesktopMenus } from './menu/desktop-menus'
import type { ElectronModule } from './platform/electron-module'
import type { Graphics } from './platform/graphics'
import type { PortService } from './page/port-service'
import { watchPower, type Power } from './lifecycle/power'
import { QuickPrompt } from './window/quick-prompt'
import { setStartAtLogin } from './lifecycle/start-at-login'
import { AppTray } from './menu/tray'
import type { DesktopUpdates } from './update/desktop-updates'
import { InterruptedSessions, ActivityMonitor } from './lifecycle/session-activity'

export interface DesktopParts {
  electron: ElectronModule
  platform: NodeJS.Platform
  home: string
  preload: string
  file: DesktopFile
  graphics: Graphics
  windows: AppWindows
  ports: PortService
  notices: readonly string[]
  engine: DesktopEngine
  /** The app's command, for starting at login. */
  command: readonly string[]
  configFolder: string
  closeLimitMs: number
  updates: DesktopUpdates
  dropConnections(how: { inUse: boolean }): void
  log(message: string): void
}

/**
 * After a longer sleep, in ms, connections in use are dropped: the server has closed them, and requests would only end
 * at their timeout.
 */
const LONG_SLEEP_MS = 60_000

/** The desktop app once its engine is open: connects its parts. */
export class Desktop {
  readonly #parts: DesktopParts
  readonly #work: ActivityMonitor
  readonly #journal: InterruptedSessions
  readonly #tray: AppTray
  readonly #quick: QuickPrompt
  readonly #power: Power
  readonly #guard: QuitGuard
  readonly #menus: DesktopMenus
  readonly #servers = new Map<WebContents, RpcServer>()
  readonly #stops: (() => void)[] = []
  #settings: DesktopSettings

  constructor(parts: DesktopParts) {
    this.#parts = parts
    const { electron, platform, preload, engine, windows, file, log } = parts
    this.#settings = engine.settings.view().desktop
    this.#work = new ActivityMonitor(engine)
    this.#journal = new InterruptedSessions({
      file,
      work: this.#work,
      engine,
      log,
      onChange: () => windows.sendToAll('desktop-changed'),
    })
    this.#quick = new QuickPrompt({
      electron,
      platform,
      preload,
      log,
      onClosed: (contents) => this.onContentsGone(contents),
    })
    this.#tray = new AppTray({
      electron,
      platform,
      log,
      show: (command) => this.show(command),
      quickPrompt: () => this.#quick.toggle(),
      quit: () => electron.app.quit(),
    })
    this.#power = watchPower({
      electron,
      work: this.#work,
      isWanted: () => this.#settings.keepAwake,
      onResume: (sleptMs) => parts.dropConnections({ inUse: sleptMs >= LONG_SLEEP_MS }),
    })
    this.#menus = new DesktopMenus({
      electron,
      platform,
      engine,
      windows,
      home: parts.home,
      log,
      show: (command) => this.show(command),
      openProject: (folder) => this.openProject(folder),
    })
    this.#guard = new QuitGuard({
      electron,
      platform,
      log,
      running: () => this.#work.work.running,
      confirmTasks: (window) => confirmBackgroundTasks(electron, engine, window),
      windows: {
        list: () => windows.list(),
        current: () => windows.current(),
        show: () => this.show(),
        freeze: () => windows.freeze(),
        unfreeze: () => windows.unfreeze(),
      },
      staysWithoutWindow: () => platform === 'darwin' || (this.#settings.closeToTray && this.#tray.isShown),
      onClosing: (isSystemEnd) => this.#close(isSystemEnd),
      canLeave: engine.leave !== undefined,
      closeEngine: (background) => engine.close(background),
      leaveEngine: async (options) => engine.leave?.(options),
      limitMs: parts.closeLimitMs,
      afterClosing: (isSystemEnd) => this.#installUpdate(isSystemEnd),
    })
  }

  /** Starts serving the open pages, and everything around the windows. */
  begin(): void {
    const { electron, platform, engine, windows, ports, log } = this.#parts
    for (const window of windows.list()) this.#guard.guardWindow(window)
    ports.start((contents) => this.#serverFor(contents))
    this.#stops.push(
      this.#work.onChange((work) => {
        this.#tray.update(work)
        this.#guard.onActivityChanged()
        this.#menus.update()
      }),
      engine.onChange((change) => {
        if (change.kind !== 'settings') return
        this.#applySettings()
        this.#menus.update()
      }),
      notifyPending({ electron, engine, platform, log, show: (command) => this.show(command) }),
    )
    electron.app.on('activate', () => this.show())
    electron.powerMonitor.on('shutdown', () => this.#guard.onSystemShutdown())
    this.#applySettings(true)
    this.#tray.update(this.#work.work)
    this.#menus.update()
    void this.#journal.load()
  }

  /** Brings the right window to the front and sends its page a command. */
  show(command?: HostCommand): void {
    const { windows } = this.#parts
    this.#guard.onWindowOpened()
    if (typeof command === 'object' && 'open' in command && command.open === 'folder') this.openProject(command.folder)
    else windows.show(command, this.#windowWith(command) ?? windows.current())
  }

  /** Opens the project in its own window if so configured, otherwise in the last used one. */
  openProject(folder: string): void {
    const { windows, electron } = this.#parts
    electron.app.addRecentDocument(folder)
    const command: HostCommand = { open: 'folder', folder }
    if (!this.#settings.windowPerProject) return void windows.show(command)
    const found = windows.list().find((window) => this.#projectOf(window) === folder)
    if (found) windows.show(undefined, found)
    else windows.open(`/new?${new URLSearchParams({ folder }).toString()}`)
  }

  /** A window was opened. */
  onWindowOpened(window: BrowserWindow): void {
    this.#guard.guardWindow(window)
    this.#guard.onWindowOpened()
  }

  /** Releases a page's connection. */
  onContentsGone(contents: WebContents): void {
    this.#parts.ports.disconnect(contents)
    this.#servers.delete(contents)
  }

  /** The user logs out, the computer shuts down, or the app receives SIGTERM. */
  systemEnds(): void {
    this.#guard.onSystemShutdown()
  }

  owns(contents: WebContents): boolean {
    return this.#quick.owns(contents)
  }

  #serverFor(contents: WebContents): RpcServer | undefined {
    const { engine, electron, windows, notices, updates, log } = this.#parts
    const known = this.#servers.get(contents)
    if (known) return known
    const isQuick = this.#quick.owns(contents)
    const window = isQuick ? this.#quick.window : windows.forContents(contents)
    const commands = isQuick ? this.#quick.commands : window && windows.commands(window)
    if (!window || !commands) return undefined
    const logBug = (message: string, error: unknown): void =>
      log(`${message}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    const host = createPageActions({
      electron,
      window,
      commands,
      desktop: this.#desktopActions(isQuick),
      notices: () => notices,
      updates,
      role: engine.role,
      latestProject: () => this.#menus.latestProject(),
    })
    const server = createRpcServer(createRouter({ engine, host, logBug }), logBug)
    this.#servers.set(contents, server)
    return server
  }

  /** Not at a shutdown: the system does not wait for an installer. */
  async #installUpdate(isSystemEnd: boolean): Promise<void> {
    const { updates, log } = this.#parts
    try {
      if (!isSystemEnd) await updates.installOnQuit()
    } catch (error) {
      log(`the update could not be installed: ${String(error)}`)
    }
    updates.close()
  }

  #desktopActions(isQuick: boolean): DesktopActions {
    const { electron, file, graphics, windows } = this.#parts
    const view = (): ReturnType<DesktopActions['view']> => ({
      acceleratedGraphics: graphics.isAccelerated,
      interrupted: this.#journal.list,
      ...(this.#quick.problem !== undefined && { quickPromptProblem: this.#quick.problem }),
    })
    return {
      view,
      setTheme(theme) {
        if (theme === file.values.theme) return
        file.change({ theme })
        electron.nativeTheme.themeSource = theme
      },
      setAcceleratedGraphics(enabled) {
        graphics.setAccelerated(enabled)
        windows.sendToAll('desktop-changed')
        return view()
      },
      openWindow: (path) => {
        if (isQuick) this.#quick.close()
        const sessionId = /^\/s\/([^/?]+)$/.exec(path)?.[1]
        if (isQuick && sessionId !== undefined) this.show({ open: 'session', sessionId: decodeURIComponent(sessionId) })
        else windows.open(path)
        return true
      },
      resumeInterrupted: (resume) => this.#journal.resumeOrForget(resume),
    }
  }

  #applySettings(isStart = false): void {
    const { engine, electron, platform, windows, command, configFolder, log } = this.#parts
    const before = this.#settings
    const now = engine.settings.view().desktop
    this.#settings = now
    this.#tray.setVisible(now.tray)
    this.#quick.setShortcut(now.quickPrompt)
    this.#power.update()
    windows.setMenuBar(now.menuBar)
    if (now.startAtLogin !== before.startAtLogin || (isStart && now.startAtLogin)) {
      try {
        setStartAtLogin({ app: electron.app, platform, command, configFolder }, now.startAtLogin)
      } catch (error) {
        log(`the start at login could not be changed: ${String(error)}`)
        windows.sendToAll({ tell: "Trestle couldn't change whether it starts at login.", tone: 'warning' })
      }
    }
    if (!isStart) windows.sendToAll('desktop-changed')
  }

  #windowWith(command: HostCommand | undefined): BrowserWindow | undefined {
    if (typeof command !== 'object' || !('open' in command) || command.open !== 'session') return undefined
    const path = `/s/${encodeURIComponent(command.sessionId)}`
    return this.#parts.windows.list().find((window) => this.#parts.windows.pathOf(window) === path)
  }

  #projectOf(window: BrowserWindow): string | undefined {
    const path = this.#parts.windows.pathOf(window)
    const sessionId = /^\/s\/([^/?#]+)/.exec(path)?.[1]
    try {
      if (sessionId !== undefined) return this.#parts.engine.sessions.header(decodeURIComponent(sessionId)).folder
    } catch {
      return undefined
    }
    return new URLSearchParams(path.split('?')[1] ?? '').get('folder') ?? undefined
  }

  #close(isSystemEnd: boolean): void {
    if (isSystemEnd) this.#journal.freeze()
    for (const stop of this.#stops.splice(0)) stop()
    this.#quick.end()
    this.#power.close()
    this.#tray.setVisible(false)
    this.#parts.ports.close()
  }
}
