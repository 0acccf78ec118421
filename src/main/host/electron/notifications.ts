import type { Notification, NativeImage } from 'electron'
import type { HostCommand } from '../../../shared/events/push'
import type { Task } from '../../../shared/model/task'
import type { Engine } from '../../engine/engine-api'
import type { ElectronModule } from './platform/electron-module'
import { requestName, type InboxEntry, REJECT_OPTIONS, type Approval } from '../../../shared/model/approval'

export interface NotifyOptions {
  electron: Pick<ElectronModule, 'app' | 'BrowserWindow' | 'Notification' | 'nativeImage'>
  engine: Pick<Engine, 'inbox' | 'settings' | 'sessions' | 'onChange'>
  platform: NodeJS.Platform
  /** Brings the window to the front (opens one if there is none) and tells its page. */
  show(command: HostCommand): void
  log(message: string): void
  /** What comes within so many ms is one call. */
  debounceMs?: number
}

/** Something that waits for a person: a request, or a program that asks at its terminal. */
interface PendingItem {
  id: string
  /** Who waits: a session's title. */
  who: string
  /** What for, in one line. */
  what: string
  sessionId?: string
  /** What can be answered without opening the window. */
  approvalId?: string
  answers?: readonly NotificationAnswer[]
}

/** Long enough that ten sessions which ask at once, or a rule that answers at once, do not call ten times or for nothing. */
const DEBOUNCE_MS = 250

/**
 * Calls for a person when something waits for an answer and no window of ours is in front, and keeps the number that waits on the app's icon.
 * What waited when the app began is only counted. Returns how to stop.
 */
export function notifyPending(options: NotifyOptions): () => void {
  const { electron, engine, platform, show, log, debounceMs = DEBOUNCE_MS } = options
  const { app, BrowserWindow, Notification: Native, nativeImage } = electron
  let known = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  /** Kept as long as it is shown: one that is collected as garbage is not told of its click. */
  let shown: { notification: Notification; about: readonly PendingItem[] } | undefined
  /** Programs that ask at their terminals, by task. */
  const asking = new Map<string, PendingItem>()

  const look = (): void => {
    timer = undefined
    const waiting = all()
    const fresh = waiting.filter(({ id }) => !known.has(id))
    known = new Set(waiting.map(({ id }) => id))
    count(waiting.length)
    if (shown && !shown.about.some(({ id }) => known.has(id))) dismiss()
    if (fresh.length > 0 && BrowserWindow.getFocusedWindow() === null) call(waiting, fresh)
  }

  /** What another process holds is that one's to call for. */
  const all = (): PendingItem[] => {
    const here = engine.inbox.list().filter(({ elsewhere }) => elsewhere === undefined)
    const requests = here.map((entry): PendingItem => {
      const { approvalId, sessionTitle, tool, asks, summary, sessionId } = entry
      const what = `${requestName({ tool, ...(asks && { asks }) })} ${summary}`
      return { id: approvalId, approvalId, who: sessionTitle, what, sessionId, answers: answersTo(entry) }
    })
    return [...requests, ...asking.values()]
  }

  /** None when it has been answered meanwhile. */
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
    if (change.kind === 'task.removed') asking.delete(change.taskId)
    const isNews = change.kind === 'inbox' || (change.kind === 'task' && hear(change.task))
    if (isNews) timer ??= setTimeout(look, debounceMs)
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

/** Named where it is one; with the number of all that waits where there are more. */
function notificationText(
  waiting: readonly PendingItem[],
  fresh: readonly PendingItem[],
): { title: string; body: string } {
  const [first] = fresh
  if (waiting.length === 1 && first) return { title: `${first.who} waits for you`, body: first.what }
  const names = [...new Set(waiting.map(({ who }) => who))]
  const more = names.length > 3 ? ` and ${names.length - 3} more` : ''
  return { title: pendingText(waiting.length), body: `${names.slice(0, 3).join(', ')}${more}` }
}

function pendingText(count: number): string {
  return count === 1 ? '1 request waits for you' : `${count} requests wait for you`
}

function target(fresh: readonly PendingItem[]): HostCommand {
  const [sessionId, ...others] = new Set(fresh.map((entry) => entry.sessionId))
  return sessionId === undefined || others.length > 0 ? 'open-inbox' : { open: 'session', sessionId }
}

/** A button of a notification: how the request is answered when it is pressed. */
interface NotificationAnswer {
  label: string
  optionId: string
}

/** A longer command is cut off by some systems. */
const MAX_CHARS = 100

/**
 * Answers that a notification may offer for one request. To reject is always possible. To allow is offered only for a command that asks for no other reason than the usual one, and that can be read in the
 * notification as a whole: what is dangerous, what asks for more than a yes, and what changes files is looked at in the window first.
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

/** Only plain letters and signs: nothing that is invisible or changes the order in which it is read. */
function isShownWhole({ summary }: InboxEntry, { preview }: Pick<Approval, 'preview'>): boolean {
  return (
    preview?.kind === 'command' &&
    !preview.background &&
    preview.command === summary &&
    summary.length <= MAX_CHARS &&
    /^[\x20-\x7e]+$/.test(summary)
  )
}

/** An amber dot on nothing, 32 x 32 as PNG: Windows shrinks it to the corner of the taskbar icon. */
const DOT =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAYAAABzenr0AAAAy0lEQVR42s2XwQ2GIAxGnYARuhMrMAun3ruCs7BCZ+gMxP8CCTGYyI/QHt7FSL4XqdAejHBoMrrAMwIxQmIEYYRckPKMyjufCjhGiCXkeomUNW5WIAwG90TCvwI0EXyHRgXOD8Mr51sBWhD++CV6e34tJjwJuMmCGylM1xOIG8IrsScgGwXkLuA3hld8K0AKAtQKJAWB1AqIgoC0AllBIJsSUN8C9SJU/w3VDyL1o9jEZaR+Has3JCZaMhNNqYm23MRgYmI0MzGcLuUH/k3EMYEKJ8EAAAAASUVORK5CYII='

/** What the taskbar shows when something waits for a person. */
function pendingBadge(nativeImage: ElectronModule['nativeImage']): NativeImage {
  return nativeImage.createFromDataURL(DOT)
}
