import type { Notification } from 'electron'
import type { InboxEntry } from '../../../shared/model/approval'
import type { HostCommand } from '../../../shared/model/push'
import type { Engine } from '../../engine/engine-api'
import type { ElectronModule } from './electron-module'
import { waitingDot } from './waiting-dot'

export interface CallOptions {
  electron: Pick<ElectronModule, 'app' | 'BrowserWindow' | 'Notification' | 'nativeImage'>
  engine: Pick<Engine, 'inbox' | 'settings' | 'onChange'>
  platform: NodeJS.Platform
  /** Brings the window to the front (opens one if there is none) and tells its page. */
  show(command: HostCommand): void
  log(message: string): void
  /** What comes within so many ms is one call. */
  gatherMs?: number
}

/** Long enough that ten sessions which ask at once, or a rule that answers at once, do not call ten times or for nothing. */
const GATHER_MS = 250

/**
 * Calls for a person when something waits for an answer and no window of ours is in front, and keeps the number that waits on the app's icon.
 * What waited when the app began is only counted. Returns how to stop.
 */
export function callForPerson(options: CallOptions): () => void {
  const { electron, engine, platform, show, log, gatherMs = GATHER_MS } = options
  const { app, BrowserWindow, Notification: Native, nativeImage } = electron
  let known = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  /** Kept as long as it is shown: one that is collected as garbage is not told of its click. */
  let shown: { notification: Notification; about: readonly InboxEntry[] } | undefined

  const look = (): void => {
    timer = undefined
    const waiting = here()
    const fresh = waiting.filter(({ approvalId }) => !known.has(approvalId))
    known = new Set(waiting.map(({ approvalId }) => approvalId))
    count(waiting.length)
    if (shown && !shown.about.some(({ approvalId }) => known.has(approvalId))) dismiss()
    if (fresh.length > 0 && BrowserWindow.getFocusedWindow() === null) call(waiting, fresh)
  }

  /** What another process holds is that one's to call for. */
  const here = (): InboxEntry[] => engine.inbox.list().filter(({ elsewhere }) => elsewhere === undefined)

  const count = (waiting: number): void => {
    if (platform !== 'win32') {
      app.setBadgeCount(waiting)
      return
    }
    const dot = waiting === 0 ? null : waitingDot(nativeImage)
    for (const window of BrowserWindow.getAllWindows()) window.setOverlayIcon(dot, waiting === 0 ? '' : waitingWords(waiting))
  }

  const call = (waiting: readonly InboxEntry[], fresh: readonly InboxEntry[]): void => {
    const { enabled, sound } = engine.settings.view().notifications
    if (!enabled) return
    if (platform === 'darwin') app.dock?.bounce('informational')
    else for (const window of BrowserWindow.getAllWindows()) window.flashFrame(true)
    if (!Native.isSupported()) return
    dismiss()
    const notification = new Native({ ...words(waiting, fresh), silent: !sound })
    notification.on('click', () => show(target(fresh)))
    notification.on('failed', (_event, error) => log(`a notification could not be shown: ${error}`))
    shown = { notification, about: fresh }
    notification.show()
  }

  const dismiss = (): void => {
    shown?.notification.close()
    shown = undefined
  }

  const calm = (): void => {
    for (const window of BrowserWindow.getAllWindows()) window.flashFrame(false)
    dismiss()
  }

  const stopListening = engine.onChange(({ kind }) => {
    if (kind === 'inbox') timer ??= setTimeout(look, gatherMs)
  })
  app.on('browser-window-focus', calm)
  known = new Set(here().map(({ approvalId }) => approvalId))
  count(known.size)
  return () => {
    clearTimeout(timer)
    stopListening()
    app.off('browser-window-focus', calm)
    dismiss()
  }
}

/** Named by its session where it is one; the number of all that waits where there are more. */
function words(waiting: readonly InboxEntry[], fresh: readonly InboxEntry[]): { title: string; body: string } {
  const [first] = fresh
  if (waiting.length === 1 && first) return { title: `${first.sessionTitle} waits for you`, body: `${first.tool} ${first.summary}` }
  const titles = [...new Set(waiting.map(({ sessionTitle }) => sessionTitle))]
  const more = titles.length > 3 ? ` and ${titles.length - 3} more` : ''
  return { title: waitingWords(waiting.length), body: `${titles.slice(0, 3).join(', ')}${more}` }
}

function waitingWords(count: number): string {
  return count === 1 ? '1 request waits for you' : `${count} requests wait for you`
}

function target(fresh: readonly InboxEntry[]): HostCommand {
  const [sessionId, ...others] = new Set(fresh.map((entry) => entry.sessionId))
  return sessionId === undefined || others.length > 0 ? 'open-inbox' : { open: 'session', sessionId }
}
