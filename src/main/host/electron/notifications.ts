import type { Notification, NativeImage } from 'electron'
import type { HostCommand } from '../../../shared/events/push'
import type { SessionSummary } from '../../../shared/model/session/session'
import type { Task } from '../../../shared/model/task/task'
import type { Engine } from '../../engine/engine-api'
import type { ElectronModule } from './platform/electron-module'
import type { UserNotification } from '../../../shared/model/assistant/notification'
import { requestName, type InboxEntry, REJECT_OPTIONS, type Approval } from '../../../shared/model/approval/approval'

export interface NotifyOptions {
  electron: Pick<ElectronModule, 'app' | 'BrowserWindow' | 'Notification' | 'nativeImage'> &
    Partial<Pick<ElectronModule, 'shell'>>
  engine: Pick<Engine, 'inbox' | 'settings' | 'sessions' | 'onChange'>
  platform: NodeJS.Platform
  /** Brings the window to the front (opens one if necessary) and sends its page a command. */
  show(command: HostCommand): void
  log(message: string): void
  /** Requests within this many ms share one notification. */
  debounceMs?: number
}

/** Something that needs the user: a request, or a program waiting for terminal input. */
interface PendingItem {
  id: string
  /** The title of the waiting session. */
  who: string
  /** The request in one line. */
  what: string
  sessionId?: string
  /** Answers that are possible without opening the window. */
  approvalId?: string
  answers?: readonly NotificationAnswer[]
}

/** Delay in ms, long enough to merge requests of many sessions and to skip those a rule answers immediately. */
const DEBOUNCE_MS = 250

/**
 * Notifies the user when a request is pending and none of our windows is in front, and shows the number of pending
 * requests on the app's icon. Requests already pending at startup are only counted. Returns a function that stops it.
 */
export function notifyPending(options: NotifyOptions): () => void {
  const { electron, engine, platform, show, log, debounceMs = DEBOUNCE_MS } = options
  const { app, BrowserWindow, Notification: Native, nativeImage, shell } = electron
  let known = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  /** Referenced while shown: a garbage-collected notification gets no click event. */
  let shown: { notification: Notification; about: readonly PendingItem[] } | undefined
  /** Also referenced, until they are closed. */
  const visible = new Set<Notification>()
  /** Programs waiting for terminal input, by task. */
  const asking = new Map<string, PendingItem>()
  /** Sessions at work. */
  const working = new Set<string>()

  const notify = (): void => {
    timer = undefined
    const waiting = all()
    const fresh = waiting.filter(({ id }) => !known.has(id))
    known = new Set(waiting.map(({ id }) => id))
    count(waiting.length)
    if (shown && !shown.about.some(({ id }) => known.has(id))) dismiss()
    if (fresh.length > 0 && BrowserWindow.getFocusedWindow() === null) call(waiting, fresh)
  }

  /** All pending items of this process; another process notifies the user about its own sessions. */
  const all = (): PendingItem[] => {
    const here = engine.inbox.list().filter(({ elsewhere }) => elsewhere === undefined)
    const requests = here.map((entry): PendingItem => {
      const { approvalId, sessionTitle, tool, asks, summary, sessionId } = entry
      const what = `${requestName({ tool, ...(asks && { asks }) })} ${summary}`
      return { id: approvalId, approvalId, who: sessionTitle, what, sessionId, answers: answersTo(entry) }
    })
    return [...requests, ...asking.values()]
  }

  /** Empty when the request has been answered in the meantime. */
  const answersTo = (entry: InboxEntry): NotificationAnswer[] => {
    try {
      return notificationAnswers(entry, engine.inbox.get(entry.sessionId, entry.approvalId))
    } catch {
      return []
    }
  }

  const hear = ({ taskId, command, status, prompt, sessionId }: Task): boolean => {
    const before = asking.get(taskId)?.id
    if (prompt && status === 'running') {
      const id = `${taskId} ${prompt.since}`
      asking.set(taskId, {
        id,
        who: 'A command',
        what: `${prompt.text} (${command})`,
        ...(sessionId !== undefined && { sessionId }),
      })
    } else asking.delete(taskId)
    return before !== asking.get(taskId)?.id
  }

  const count = (waiting: number): void => {
    if (platform !== 'win32') {
      app.setBadgeCount(waiting)
      return
    }
    const dot = waiting === 0 ? null : pendingBadge(nativeImage)
    for (const window of BrowserWindow.getAllWindows())
      window.setOverlayIcon(dot, waiting === 0 ? '' : pendingText(waiting))
  }

  const call = (waiting: readonly PendingItem[], fresh: readonly PendingItem[]): void => {
    const { enabled, sound } = engine.settings.view().notifications
    if (!enabled) return
    if (platform === 'darwin') app.dock?.bounce('informational')
    else for (const window of BrowserWindow.getAllWindows()) window.flashFrame(true)
    if (!Native.isSupported()) return
    dismiss()
    const [only] = waiting.length === 1 ? fresh : []
    const answers = only?.answers ?? []
    const actions = answers.map(({ label }) => ({ type: 'button' as const, text: label }))
    const notification = new Native({
      ...notificationText(waiting, fresh),
      silent: !sound,
      ...(actions.length > 0 && { actions }),
    })
    notification.on('click', () => show(target(fresh)))
    notification.on('action', ({ actionIndex }) => {
      const chosen = answers[actionIndex]
      if (only && chosen) void answer(only, chosen)
    })
    notification.on('failed', (_event, error) => log(`a notification could not be shown: ${error}`))
    shown = { notification, about: fresh }
    notification.show()
  }

  /** Shows a notification of an agent or an alarm, even while a window is open. */
  const notifyUser = ({ title, body, source, sessionId }: UserNotification): void => {
    const { enabled, sound } = engine.settings.view().notifications
    if (source === 'alarm') shell?.beep()
    if (!enabled || !Native.isSupported()) return
    const notification = new Native({ title, body, silent: !sound && source !== 'alarm' })
    notification.on('click', () =>
      show(sessionId === undefined ? 'open-notifications' : { open: 'session', sessionId }),
    )
    notification.on('failed', (_event, error) => log(`a notification could not be shown: ${error}`))
    notification.on('close', () => visible.delete(notification))
    visible.add(notification)
    notification.show()
  }

  /** A session has finished while no window is in front. Runs of schedules report themselves. */
  const finished = ({ sessionId, title, status, scheduleId }: SessionSummary): void => {
    const worked = working.has(sessionId)
    if (status === 'running' || status === 'waiting') working.add(sessionId)
    else working.delete(sessionId)
    if (!worked || scheduleId !== undefined || (status !== 'done' && status !== 'failed')) return
    const settings = engine.settings.view().notifications
    if (!settings.enabled || !settings.finished || BrowserWindow.getFocusedWindow() !== null) return
    if (!Native.isSupported()) return
    const body = status === 'failed' ? 'It stopped with an error.' : 'It has finished.'
    const notification = new Native({ title: title || 'New session', body, silent: !settings.sound })
    notification.on('click', () => show({ open: 'session', sessionId }))
    notification.on('failed', (_event, error) => log(`a notification could not be shown: ${error}`))
    notification.on('close', () => visible.delete(notification))
    visible.add(notification)
    notification.show()
  }

  const answer = async ({ sessionId, approvalId }: PendingItem, { optionId }: NotificationAnswer): Promise<void> => {
    if (sessionId === undefined || approvalId === undefined) return
    try {
      await engine.sessions.reply(sessionId, { approvalId, optionId })
    } catch (error) {
      log(`a request could not be answered from its notification: ${String(error)}`)
      show({ open: 'session', sessionId })
    }
  }

  const dismiss = (): void => {
    shown?.notification.close()
    shown = undefined
  }

  const calm = (): void => {
    for (const window of BrowserWindow.getAllWindows()) window.flashFrame(false)
    dismiss()
  }

  const stopListening = engine.onChange((change) => {
    if (change.kind === 'notification') notifyUser(change.notification)
    if (change.kind === 'session') finished(change.summary)
    if (change.kind === 'session.removed') working.delete(change.sessionId)
    if (change.kind === 'task.removed') asking.delete(change.taskId)
    const isNews = change.kind === 'inbox' || (change.kind === 'task' && hear(change.task))
    if (isNews) timer ??= setTimeout(notify, debounceMs)
  })
  app.on('browser-window-focus', calm)
  known = new Set(all().map(({ id }) => id))
  count(known.size)
  return () => {
    clearTimeout(timer)
    stopListening()
    app.off('browser-window-focus', calm)
    dismiss()
  }
}

/** Names a single request; for several, shows their number. */
function notificationText(
  waiting: readonly PendingItem[],
  fresh: readonly PendingItem[],
): { title: string; body: string } {
  const [first] = fresh
  if (waiting.length === 1 && first) return { title: `${first.who} needs you`, body: first.what }
  const names = [...new Set(waiting.map(({ who }) => who))]
  const more = names.length > 3 ? ` and ${names.length - 3} more` : ''
  return { title: pendingText(waiting.length), body: `${names.slice(0, 3).join(', ')}${more}` }
}

function pendingText(count: number): string {
  return count === 1 ? '1 request pending' : `${count} requests pending`
}

function target(fresh: readonly PendingItem[]): HostCommand {
  const [sessionId, ...others] = new Set(fresh.map((entry) => entry.sessionId))
  return sessionId === undefined || others.length > 0 ? 'open-inbox' : { open: 'session', sessionId }
}

/** A button of a notification, with the answer that it sends. */
interface NotificationAnswer {
  label: string
  optionId: string
}

/** Maximum length of a command; some systems truncate longer text. */
const MAX_CHARS = 100

/**
 * Answers that a notification may offer for one request. Rejecting is always possible. Allowing is offered only for a
 * command without special reasons that fits completely into the notification: dangerous calls, requests that need more
 * than a yes, and file changes must be reviewed in the window.
 */
export function notificationAnswers(
  entry: InboxEntry,
  approval: Pick<Approval, 'preview' | 'options' | 'reasons'>,
): NotificationAnswer[] {
  if (entry.asks !== undefined) return []
  const answers: NotificationAnswer[] = []
  const allowing = approval.options.filter(({ kind }) => kind === 'allow_once')
  const [allow] = allowing
  if (
    allow &&
    allowing.length === 1 &&
    !entry.dangerous &&
    !approval.reasons?.some(({ danger }) => danger) &&
    isShownWhole(entry, approval)
  )
    answers.push({ label: 'Allow once', optionId: allow.optionId })
  const rejecting = approval.options.filter(({ kind }) => kind === 'reject_once')
  const reject = rejecting.find(({ optionId }) => optionId === REJECT_OPTIONS[0]?.optionId) ?? rejecting[0]
  if (reject) answers.push({ label: 'Reject', optionId: reject.optionId })
  return answers
}

/** Only printable characters: nothing invisible and nothing that changes the reading order. */
function isShownWhole({ summary }: InboxEntry, { preview }: Pick<Approval, 'preview'>): boolean {
  return (
    preview?.kind === 'command' &&
    !preview.background &&
    preview.command === summary &&
    summary.length <= MAX_CHARS &&
    /^[\x20-\x7e]+$/.test(summary)
  )
}

/** An amber dot on a transparent background, 32 x 32 as PNG: Windows scales it into the corner of the taskbar icon. */
const DOT =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAYAAABzenr0AAAAy0lEQVR42s2XwQ2GIAxGnYARuhMrMAun3ruCs7BCZ+gMxP8CCTGYyI/QHt7FSL4XqdAejHBoMrrAMwIxQmIEYYRckPKMyjufCjhGiCXkeomUNW5WIAwG90TCvwI0EXyHRgXOD8Mr51sBWhD++CV6e34tJjwJuMmCGylM1xOIG8IrsScgGwXkLuA3hld8K0AKAtQKJAWB1AqIgoC0AllBIJsSUN8C9SJU/w3VDyL1o9jEZaR+Has3JCZaMhNNqYm23MRgYmI0MzGcLuUH/k3EMYEKJ8EAAAAASUVORK5CYII='

/** The taskbar overlay for pending requests. */
function pendingBadge(nativeImage: ElectronModule['nativeImage']): NativeImage {
  return nativeImage.createFromDataURL(DOT)
}
