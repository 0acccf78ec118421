import type { BrowserWindow, WebContents } from 'electron'
import { APP_ORIGIN } from '../../../../shared/contract/page-host'
import type { ElectronModule } from '../platform/electron-module'
import type { ProblemPages } from './problem-page'

export interface PageRecoveryOptions {
  electron: Pick<ElectronModule, 'app' | 'dialog'>
  problems: ProblemPages
  log(message: string): void
  /** Called when the page's process has ended, to release its connection. */
  onPageGone(contents: WebContents, notice: string): void
  /** Restarts the app without graphics acceleration; absent when acceleration is already off. */
  restartWithoutGraphics?(): void
}

/** Automatic reloads of a crashing page: after this many within this many ms, the user is asked. */
const MAX_RELOADS = 3
const RELOAD_SPAN_MS = 60_000
const CONTINUES_NOTE = 'Running turns and commands continue in the meantime.'
/** Chromium's code for a load that another one replaced. */
const ABORTED = -3

/**
 * Reloads a crashed page; shows a problem page instead of one that keeps crashing or cannot be loaded. Offers to reload
 * a hanging one.
 */
export function recoverPage(window: BrowserWindow, options: PageRecoveryOptions): void {
  const { electron, problems, log, onPageGone } = options
  const contents = window.webContents
  let reloads: number[] = []
  let asking: AbortController | undefined

  const stopAsking = (): void => {
    asking?.abort()
    asking = undefined
  }
  const reopen = (): void => {
    reloads = []
    problems.forget(contents)
    void contents
      .loadURL(`${APP_ORIGIN}/`)
      .catch((error: unknown) => log(`the page could not be loaded: ${String(error)}`))
  }
  const showProblem = (title: string, text: string, details: string): void => {
    const { restartWithoutGraphics } = options
    const actions = [
      { id: 'again', label: 'Try again', run: reopen },
      ...(restartWithoutGraphics
        ? [{ id: 'no-graphics', label: 'Restart without graphics acceleration', run: restartWithoutGraphics }]
        : []),
      { id: 'quit', label: 'Quit', run: () => electron.app.quit() },
    ]
    problems
      .show(contents, { title, text: [text, CONTINUES_NOTE], details, actions })
      .catch((error: unknown) => log(`the problem page could not be loaded: ${String(error)}`))
  }

  contents.on('render-process-gone', (_event, { reason, exitCode }) => {
    log(`the page's process is gone: ${reason} (${exitCode})`)
    stopAsking()
    onPageGone(contents, `The window crashed (${reason}) and was restarted. Nothing was lost.`)
    if (reason === 'clean-exit' || window.isDestroyed()) return
    const now = Date.now()
    reloads = [...reloads.filter((at) => now - at < RELOAD_SPAN_MS), now]
    // Not even the problem page can be shown: use the system's dialog.
    if (problems.isShown(contents)) void askToGoOn(reason)
    else if (reloads.length <= MAX_RELOADS) contents.reload()
    else
      showProblem(
        'This window keeps crashing',
        `It crashed ${reloads.length} times within a minute.`,
        `${reason}, exit code ${exitCode}`,
      )
  })
  contents.on('did-fail-load', (_event, code, description, url, isMainFrame) => {
    if (!isMainFrame || code === ABORTED) return
    log(`${url.slice(0, 200)} could not be loaded: ${description} (${code})`)
    if (!problems.isShown(contents))
      showProblem(
        'This window could not be loaded',
        'Its files may be damaged. Installing Trestle again repairs them.',
        `${url}: ${description} (${code})`,
      )
  })
  contents.on('preload-error', (_event, path, error) => log(`${path} failed: ${error.message}`))
  contents.on('unresponsive', () => {
    log('the page does not respond')
    void askToWait()
  })
  contents.on('responsive', stopAsking)

  async function askToGoOn(reason: string): Promise<void> {
    const answer = await ask(`The window keeps crashing (${reason}).`, ['Try again', 'Quit'])
    if (answer === 1) electron.app.quit()
    else if (!window.isDestroyed()) reopen()
  }
  async function askToWait(): Promise<void> {
    if (asking) return
    asking = new AbortController()
    const { signal } = asking
    const answer = await ask('This window is not responding.', ['Wait', 'Reload'], signal)
    if (asking?.signal === signal) asking = undefined
    // A hanging page cannot reload itself: end its process, and recover it like a crashed one.
    if (answer === 1 && !signal.aborted && !window.isDestroyed()) contents.forcefullyCrashRenderer()
  }
  async function ask(message: string, buttons: [string, string], signal?: AbortSignal): Promise<number> {
    const question = {
      type: 'warning' as const,
      message,
      detail: CONTINUES_NOTE,
      buttons,
      defaultId: 0,
      cancelId: 0,
      ...(signal && { signal }),
    }
    // macOS dismisses a dialog by its signal only if the dialog belongs to a window.
    const { response } = await electron.dialog.showMessageBox(window, question)
    return response
  }
}
