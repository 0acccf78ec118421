import { join } from 'node:path'
import type { BrowserWindow, WebContents } from 'electron'
import { APP_ORIGIN } from '../../../../shared/contract/page-host'
import type { HostCommand } from '../../../../shared/events/push'
import { openAppWindow, themeBackground, CommandQueue, SHOW_LIMIT_MS, showWhenPainted } from './app-window'
import type { ElectronModule } from '../platform/electron-module'
import { cascaded, DEFAULT_STATE, readWindowStates, writeWindowStates, type WindowState } from './window-state'

export interface AppWindowsOptions {
  electron: Pick<ElectronModule, 'app' | 'BrowserWindow' | 'nativeTheme' | 'screen'>
  platform: NodeJS.Platform
  home: string
  preload: string
  showLimitMs?: number
  /** Called for every new window, before its page has loaded. */
  onOpened(window: BrowserWindow): void
  log(message: string): void
}

interface Opened {
  window: BrowserWindow
  commands: CommandQueue
  shown: Promise<void>
}

const SAVE_DELAY_MS = 500

/** The app's windows, each with its own page. Their positions and routes are saved for the next start. */
export class AppWindows {
  readonly #options: AppWindowsOptions
  readonly #file: string
  /** Ordered by last use, most recent last. */
  #opened: Opened[] = []
  #saveTimer: NodeJS.Timeout | undefined
  #isFrozen = false
  #menuBar = false

  constructor(options: AppWindowsOptions) {
    this.#options = options
    this.#file = join(options.home, 'window.json')
    options.electron.nativeTheme.on('updated', () => {
      for (const { window } of this.#opened) window.setBackgroundColor(themeBackground(options.electron.nativeTheme))
    })
  }

  /** Reopens the windows of the last run, or one window. Resolves when they are shown. */
  async restore(): Promise<void> {
    const states = readWindowStates(this.#file, this.#workAreas())
    await Promise.all(states.map((state) => this.#open(state).shown))
  }

  /** Opens another window at a route of the page. */
  open(path?: string): BrowserWindow {
    const last = this.current()
    const stored = readWindowStates(this.#file, this.#workAreas()).at(-1) ?? DEFAULT_STATE
    const state = last ? { bounds: cascaded(last.getNormalBounds(), this.#workAreas()), isMaximized: false } : stored
    return this.#open({ ...state, ...(path !== undefined && { path }) }).window
  }

  list(): BrowserWindow[] {
    return this.#opened.map(({ window }) => window)
  }

  /** The last used window; undefined when no window is open. */
  current(): BrowserWindow | undefined {
    return this.#opened.at(-1)?.window
  }

  forContents(contents: WebContents): BrowserWindow | undefined {
    return this.list().find((window) => !window.isDestroyed() && window.webContents === contents)
  }

  commands(window: BrowserWindow): CommandQueue | undefined {
    return this.#opened.find((one) => one.window === window)?.commands
  }

  /** The route of the page in a window, e.g. `/s/<session>`. */
  pathOf(window: BrowserWindow): string {
    const url = window.webContents.getURL()
    const path = url.startsWith(`${APP_ORIGIN}/`) ? url.slice(APP_ORIGIN.length) : '/'
    return path.startsWith('/problem/') ? '/' : path
  }

  /** Brings a window to the front, by default the last used or a new one, and sends its page a command. */
  show(command?: HostCommand, chosen = this.current()): BrowserWindow {
    const window = chosen ?? this.open()
    if (chosen) {
      if (window.isMinimized()) window.restore()
      window.show()
      window.focus()
    }
    if (command !== undefined) this.commands(window)?.send(command)
    return window
  }

  /** Sends a command to the page of every window. */
  sendToAll(command: HostCommand): void {
    for (const { commands } of this.#opened) commands.send(command)
  }

  setMenuBar(isVisible: boolean): void {
    this.#menuBar = isVisible
    if (this.#options.platform !== 'darwin')
      for (const { window } of this.#opened) window.setMenuBarVisibility(isVisible)
  }

  /** Saves the current windows for the next start; closing them later does not change that. */
  freeze(): void {
    if (this.#isFrozen) return
    if (this.#opened.length > 0) this.#save()
    this.#isFrozen = true
    clearTimeout(this.#saveTimer)
  }

  unfreeze(): void {
    this.#isFrozen = false
  }

  #open(state: WindowState): Opened {
    const { electron, platform, preload, log, onOpened, showLimitMs = SHOW_LIMIT_MS } = this.#options
    const window = openAppWindow({ electron, platform, preload, state, menuBar: this.#menuBar, log })
    const shown = showWhenPainted(window, { isMaximized: state.isMaximized, limitMs: showLimitMs })
    const opened = { window, commands: new CommandQueue(), shown }
    this.#opened.push(opened)
    window.on('focus', () => {
      this.#opened = [...this.#opened.filter((one) => one !== opened), opened]
    })
    for (const event of ['resize', 'move'] as const) window.on(event as 'resize', () => this.#saveSoon())
    window.webContents.on('did-navigate-in-page', () => this.#saveSoon())
    // The last window is saved as it was; with several, only those still open.
    window.on('close', () => {
      if (this.#opened.length === 1) this.#save()
    })
    window.on('closed', () => {
      this.#opened = this.#opened.filter((one) => one !== opened)
      if (this.#opened.length > 0) this.#save()
      else clearTimeout(this.#saveTimer)
    })
    onOpened(window)
    return opened
  }

  #saveSoon(): void {
    clearTimeout(this.#saveTimer)
    this.#saveTimer = setTimeout(() => this.#save(), SAVE_DELAY_MS)
  }

  #save(): void {
    if (this.#isFrozen) return
    clearTimeout(this.#saveTimer)
    const windows = this.list().filter((window) => !window.isDestroyed())
    writeWindowStates(
      this.#file,
      windows.map((window) => ({
        bounds: window.getNormalBounds(),
        isMaximized: window.isMaximized(),
        path: this.pathOf(window),
      })),
    )
  }

  #workAreas() {
    return this.#options.electron.screen.getAllDisplays().map(({ workArea }) => workArea)
  }
}
