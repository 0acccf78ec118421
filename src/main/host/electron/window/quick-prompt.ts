import type { BrowserWindow, WebContents } from 'electron'
import { PAGE_PATHS, APP_ORIGIN } from '../../../../shared/contract/page-host'
import { pagePreferences, themeBackground, CommandQueue, SHOW_LIMIT_MS, showWhenPainted } from './app-window'
import type { ElectronModule } from '../platform/electron-module'

export interface QuickPromptOptions {
  electron: Pick<ElectronModule, 'app' | 'BrowserWindow' | 'globalShortcut' | 'nativeTheme' | 'screen'>
  platform: NodeJS.Platform
  preload: string
  onClosed(contents: WebContents): void
  log(message: string): void
}

const SIZE = { width: 640, height: 232 }

/** A small always-on-top window for starting a session, opened by a global shortcut. */
export class QuickPrompt {
  readonly #options: QuickPromptOptions
  readonly commands = new CommandQueue()
  #window: BrowserWindow | undefined
  #shortcut = ''
  #problem: string | undefined

  constructor(options: QuickPromptOptions) {
    this.#options = options
  }

  /** Why the shortcut does not work. */
  get problem(): string | undefined {
    return this.#problem
  }

  get window(): BrowserWindow | undefined {
    return this.#window
  }

  owns(contents: WebContents): boolean {
    return this.#window !== undefined && !this.#window.isDestroyed() && this.#window.webContents === contents
  }

  /** Registers the shortcut and releases the previous one; empty: no shortcut. */
  setShortcut(shortcut: string): void {
    const { globalShortcut } = this.#options.electron
    if (shortcut === this.#shortcut) return
    if (this.#shortcut !== '') globalShortcut.unregister(this.#shortcut)
    this.#shortcut = shortcut
    this.#problem = shortcut === '' ? undefined : this.#register(shortcut)
    if (this.#problem !== undefined) this.#options.log(`the shortcut ${shortcut} was refused`)
  }

  /** Toggles the window. */
  toggle(): void {
    if (this.#window) this.close()
    else this.#open()
  }

  close(): void {
    this.#window?.close()
  }

  /** Releases the shortcut. */
  end(): void {
    this.setShortcut('')
    this.close()
  }

  #register(shortcut: string): string | undefined {
    try {
      if (this.#options.electron.globalShortcut.register(shortcut, () => this.toggle())) return undefined
      return `${shortcut} is already used by another app or by the system. Choose another shortcut.`
    } catch {
      return `${shortcut} isn't a shortcut this system knows. Choose another one.`
    }
  }

  #open(): void {
    const { electron, platform, preload, onClosed, log } = this.#options
    const { workArea } = electron.screen.getDisplayNearestPoint(electron.screen.getCursorScreenPoint())
    const window = new electron.BrowserWindow({
      ...SIZE,
      x: Math.round(workArea.x + (workArea.width - SIZE.width) / 2),
      y: Math.round(workArea.y + workArea.height / 5),
      show: false,
      frame: false,
      resizable: false,
      minimizable: false,
      maximizable: false,
      fullscreenable: false,
      skipTaskbar: true,
      alwaysOnTop: true,
      title: 'Quick prompt',
      backgroundColor: themeBackground(electron.nativeTheme),
      webPreferences: pagePreferences(preload, electron.app.isPackaged, platform)!,
    })
    this.#window = window
    const { webContents } = window
    window.on('blur', () => this.close())
    window.on('closed', () => {
      onClosed(webContents)
      if (this.#window === window) this.#window = undefined
    })
    void showWhenPainted(window, { isMaximized: false, limitMs: SHOW_LIMIT_MS })
    window
      .loadURL(`${APP_ORIGIN}/${PAGE_PATHS.quick}`)
      .catch((error: unknown) => log(`the quick prompt could not be loaded: ${String(error)}`))
  }
}
