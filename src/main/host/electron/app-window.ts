import type { BrowserWindow, BrowserWindowConstructorOptions } from 'electron'
import { APP_ORIGIN } from '../../../shared/contract/port-wire'
import type { ElectronModule } from './electron-module'
import type { WindowState } from './window-state'

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
export const PAPER = { light: '#fbfaf8', dark: '#181714' } as const

export function paperOf(nativeTheme: Pick<ElectronModule['nativeTheme'], 'shouldUseDarkColors'>): string {
  return nativeTheme.shouldUseDarkColors ? PAPER.dark : PAPER.light
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
    backgroundColor: paperOf(electron.nativeTheme),
    webPreferences: pagePreferences(preload, electron.app.isPackaged, platform)!,
  })
  // Hidden, not auto-hidden: a tap on Alt would open it and take the focus from a terminal.
  if (platform !== 'darwin') window.setMenuBarVisibility(menuBar)
  window.loadURL(`${APP_ORIGIN}${state.path ?? '/'}`).catch((error: unknown) => log(`the page could not be loaded: ${String(error)}`))
  return window
}
