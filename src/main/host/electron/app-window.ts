import { join } from 'node:path'
import type { BrowserWindow, WebContents } from 'electron'
import { APP_ORIGIN } from '../../../shared/contract/port-wire'
import type { ElectronModule } from './electron-module'
import { readWindowState, writeWindowState } from './window-state'

export interface AppWindowOptions {
  electron: Pick<ElectronModule, 'app' | 'BrowserWindow' | 'nativeTheme' | 'screen' | 'dialog'>
  home: string
  /** Absolute path of the built preload script. */
  preload: string
  log(message: string): void
  /** The page's process is gone; whatever served it is to be let go. */
  onPageGone(contents: WebContents, notice: string): void
}

/** `--paper` of the interface (renderer/styles/tokens.css) in sRGB, so that the window does not change its colour when the page paints. */
export const PAPER = { light: '#fbfaf8', dark: '#181714' } as const

/** Reloads of a page that keeps crashing: so many within so many ms, then the user is asked. */
const MOST_RELOADS = 3
const RELOAD_SPAN_MS = 60_000
const SAVE_DELAY_MS = 500

/** Opens the window at its old place and keeps that place; brings a page that crashed back. */
export function openAppWindow(options: AppWindowOptions): BrowserWindow {
  const { electron, home, preload } = options
  const stateFile = join(home, 'window.json')
  const state = readWindowState(
    stateFile,
    electron.screen.getAllDisplays().map((display) => display.workArea),
  )
  const window = new electron.BrowserWindow({
    ...state.bounds,
    minWidth: 640,
    minHeight: 420,
    show: false,
    title: 'Trestle',
    autoHideMenuBar: true,
    // What is seen before the page has painted.
    backgroundColor: electron.nativeTheme.shouldUseDarkColors ? PAPER.dark : PAPER.light,
    webPreferences: {
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
      // Its dictionaries would come from the network.
      spellcheck: false,
      devTools: !electron.app.isPackaged,
    },
  })
  if (state.isMaximized) window.maximize()
  window.once('ready-to-show', () => window.show())
  keepState(window, stateFile)
  recover(window, options)
  window.loadURL(`${APP_ORIGIN}/`).catch((error: unknown) => options.log(`the page could not be loaded: ${String(error)}`))
  return window
}

function keepState(window: BrowserWindow, file: string): void {
  const save = (): void => {
    if (!window.isDestroyed() && !window.isMinimized() && !window.isFullScreen())
      writeWindowState(file, window.getNormalBounds(), window.isMaximized())
  }
  let timer: NodeJS.Timeout | undefined
  const saveSoon = (): void => {
    clearTimeout(timer)
    timer = setTimeout(save, SAVE_DELAY_MS)
  }
  window.on('resize', saveSoon)
  window.on('move', saveSoon)
  window.on('close', () => {
    clearTimeout(timer)
    save()
  })
  window.on('closed', () => clearTimeout(timer))
}

function recover(window: BrowserWindow, { electron, log, onPageGone }: AppWindowOptions): void {
  const contents = window.webContents
  let reloads: number[] = []
  contents.on('render-process-gone', (_event, { reason, exitCode }) => {
    log(`the page's process is gone: ${reason} (${exitCode})`)
    onPageGone(contents, `The window's process ended (${reason}) and was started again. Nothing that was recorded is lost.`)
    if (reason === 'clean-exit' || window.isDestroyed()) return
    const now = Date.now()
    reloads = [...reloads.filter((at) => now - at < RELOAD_SPAN_MS), now]
    if (reloads.length <= MOST_RELOADS) {
      contents.reload()
      return
    }
    void askToGoOn(reason)
  })
  contents.on('unresponsive', () => {
    log('the page does not respond')
    void askToWait()
  })
  async function askToGoOn(reason: string): Promise<void> {
    const answer = await ask(`The window's process ended ${reloads.length} times in a minute (${reason}).`, ['Try again', 'Quit'])
    reloads = []
    if (answer === 1) electron.app.quit()
    else if (!window.isDestroyed()) contents.reload()
  }
  async function askToWait(): Promise<void> {
    const answer = await ask('The window does not respond.', ['Wait', 'Reload'])
    // A page that hangs cannot be asked to reload; its process ends, and the page comes back like any other that crashed.
    if (answer === 1 && !window.isDestroyed()) contents.forcefullyCrashRenderer()
  }
  async function ask(message: string, buttons: [string, string]): Promise<number> {
    const { response } = await electron.dialog.showMessageBox({
      type: 'warning',
      message,
      detail: 'Running turns and commands go on meanwhile.',
      buttons,
      defaultId: 0,
      cancelId: 0,
    })
    return response
  }
}
