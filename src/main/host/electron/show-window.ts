import type { BrowserWindow } from 'electron'

/** A page that cannot paint (a crash at the start, graphics trouble) must not mean an app without a window. */
export const SHOW_LIMIT_MS = 5000

/**
 * Shows a new window once its page has painted, after the limit, or as soon as loading has failed. Maximizing shows a window, so that comes no sooner. Resolves when it is shown, or
 * closed before.
 */
export function showWhenPainted(window: BrowserWindow, { isMaximized, limitMs }: { isMaximized: boolean; limitMs: number }): Promise<void> {
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
