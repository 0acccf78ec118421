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

/** `--paper` of the interface (renderer/styles/tokens.css) in sRGB, so that the window does not change its colour when the page paints. */
export const BACKGROUND_COLORS = { light: '#fbfaf8', dark: '#181714' } as const

export function themeBackground(nativeTheme: Pick<ElectronModule['nativeTheme'], 'shouldUseDarkColors'>): string {
  return nativeTheme.shouldUseDarkColors ? BACKGROUND_COLORS.dark : BACKGROUND_COLORS.light
}

/** What every page of ours runs with: no rights but the port the preload script fetches. */
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
    // macOS and Windows bring a spelling checker; on Linux the dictionaries would come from the network.
    spellcheck: platform !== 'linux',
    devTools: !isPackaged,
  }
}

/** Makes a window at its place, not shown yet, and begins to load the page. */
export function openAppWindow({ electron, platform, preload, state, menuBar, log }: AppWindowOptions): BrowserWindow {
  const window = new electron.BrowserWindow({
    ...state.bounds,
    minWidth: 640,
    minHeight: 420,
    show: false,
    title: 'Trestle',
    // What is seen before the page has painted.
    backgroundColor: themeBackground(electron.nativeTheme),
    webPreferences: pagePreferences(preload, electron.app.isPackaged, platform)!,
  })
  // Hidden, not auto-hidden: a tap on Alt would open it and take the focus from a terminal.
  if (platform !== 'darwin') window.setMenuBarVisibility(menuBar)
  window
    .loadURL(`${APP_ORIGIN}${state.path ?? '/'}`)
    .catch((error: unknown) => log(`the page could not be loaded: ${String(error)}`))
  return window
}

/** A page that cannot paint (a crash at the start, graphics trouble) must not mean an app without a window. */
export const SHOW_LIMIT_MS = 5000

/**
 * Shows a new window once its page has painted, after the limit, or as soon as loading has failed. Maximizing shows a window, so that comes no sooner. Resolves when it is shown, or
 * closed before.
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

/** More than this while a page is not there to hear them are not meant. */
const MAX_WAITING = 5

/** Commands for the page of one window. A window that has only just been opened gets them when its page listens. */
export class CommandQueue {
  readonly #listeners = new Set<(command: HostCommand) => void>()
  #waiting: HostCommand[] = []

  send(command: HostCommand): void {
    // What has changed is asked for by a page that begins anyway.
    if (this.#listeners.size === 0 && command !== 'desktop-changed')
      this.#waiting = [...this.#waiting, command].slice(-MAX_WAITING)
    for (const listener of this.#listeners) listener(command)
  }

  /** Returns how to stop listening. */
  subscribe(listener: (command: HostCommand) => void): () => void {
    this.#listeners.add(listener)
    for (const command of this.#waiting.splice(0)) listener(command)
    return () => this.#listeners.delete(listener)
  }
}
