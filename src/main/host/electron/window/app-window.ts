import type { BrowserWindow, BrowserWindowConstructorOptions } from 'electron'
import { APP_ORIGIN } from '../../../../shared/contract/page-host'
import type { ElectronModule } from '../platform/electron-module'
import type { WindowState } from './window-state'
import type { HostCommand } from '../../../../shared/events/push'

export interface AppWindowOptions {
  electron: Pick<ElectronModule, 'app' | 'BrowserWindow' | 'nativeTheme'>
  platform: NodeJS.Platform
  /** Absolute path of the built preload script. */
  preload: string
  state: WindowState
  menuBar: boolean
  log(message: string): void
}

/**
 * `--paper` of the interface (renderer/styles/tokens.css) in sRGB, so that the window does not flash when the page
 * paints.
 */
export const BACKGROUND_COLORS = { light: '#fbfaf8', dark: '#181714' } as const

export function themeBackground(nativeTheme: Pick<ElectronModule['nativeTheme'], 'shouldUseDarkColors'>): string {
  return nativeTheme.shouldUseDarkColors ? BACKGROUND_COLORS.dark : BACKGROUND_COLORS.light
}

/** Web preferences of every page: no privileges except the port from the preload script. */
export function pagePreferences(
  preload: string,
  isPackaged: boolean,
  platform: NodeJS.Platform,
): BrowserWindowConstructorOptions['webPreferences'] {
  return {
    preload,
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    webviewTag: false,
    navigateOnDragDrop: false,
    // macOS and Windows have a spell checker; on Linux, Chromium would download dictionaries.
    spellcheck: platform !== 'linux',
    devTools: !isPackaged,
  }
}

/** Creates a hidden window at its position and starts loading the page. */
export function openAppWindow({ electron, platform, preload, state, menuBar, log }: AppWindowOptions): BrowserWindow {
  const window = new electron.BrowserWindow({
    ...state.bounds,
    minWidth: 640,
    minHeight: 420,
    show: false,
    title: 'Trestle',
    // Visible before the page has painted.
    backgroundColor: themeBackground(electron.nativeTheme),
    webPreferences: pagePreferences(preload, electron.app.isPackaged, platform)!,
  })
  // Hidden, not auto-hidden: pressing Alt would open it and take the focus from a terminal.
  if (platform !== 'darwin') window.setMenuBarVisibility(menuBar)
  window
    .loadURL(`${APP_ORIGIN}${state.path ?? '/'}`)
    .catch((error: unknown) => log(`the page could not be loaded: ${String(error)}`))
  return window
}

/** Time limit for the first paint, so that the window is shown even if the page cannot paint. */
export const SHOW_LIMIT_MS = 5000

/**
 * Shows a new window once its page has painted, after the time limit, or when loading has failed. Maximizing shows a
 * window, so it waits until then. Resolves when it is shown or closed.
 */
export function showWhenPainted(
  window: BrowserWindow,
  { isMaximized, limitMs }: { isMaximized: boolean; limitMs: number },
): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer)
      resolve()
    }
    const show = (): void => {
      if (window.isDestroyed() || window.isVisible()) return finish()
      if (isMaximized) window.maximize()
      window.show()
      finish()
    }
    const timer = setTimeout(show, limitMs)
    window.once('ready-to-show', show)
    window.webContents.once('did-fail-load', show)
    window.webContents.once('preload-error', show)
    window.webContents.once('render-process-gone', show)
    window.once('closed', finish)
  })
}

/** Maximum commands kept for a page that is not listening yet. */
const MAX_WAITING = 5

/** Commands for the page of one window, buffered until the page listens. */
export class CommandQueue {
  readonly #listeners = new Set<(command: HostCommand) => void>()
  #waiting: HostCommand[] = []

  send(command: HostCommand): void {
    // A page that starts requests the current state anyway.
    if (this.#listeners.size === 0 && command !== 'desktop-changed')
      this.#waiting = [...this.#waiting, command].slice(-MAX_WAITING)
    for (const listener of this.#listeners) listener(command)
  }

  /** Returns a function that unsubscribes. */
  subscribe(listener: (command: HostCommand) => void): () => void {
    this.#listeners.add(listener)
    for (const command of this.#waiting.splice(0)) listener(command)
    return () => this.#listeners.delete(listener)
  }
}
