import type { Notification } from 'electron'
import type { HostCommand } from '../../../shared/model/push'
import type { Task } from '../../../shared/model/task'
import type { Engine } from '../../engine/engine-api'
import { notificationAnswers, type NotificationAnswer } from './notification-actions'
import type { ElectronModule } from './electron-module'
import { waitingDot } from './waiting-dot'
import { requestName, type InboxEntry } from '../../../shared/model/approval'

export interface CallOptions {
  electron: Pick<ElectronModule, 'app' | 'BrowserWindow' | 'Notification' | 'nativeImage'>
  engine: Pick<Engine, 'inbox' | 'settings' | 'sessions' | 'onChange'>
  platform: NodeJS.Platform
  /** Brings the window to the front (opens one if there is none) and tells its page. */
  show(command: HostCommand): void
  log(message: string): void
  /** What comes within so many ms is one call. */
  gatherMs?: number
}

/** Something that waits for a person: a request, or a program that asks at its terminal. */
interface Call {
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
  let shown: { notification: Notification; about: readonly Call[] } | undefined
  /** Programs that ask at their terminals, by task. */
  const asking = new Map<string, Call>()

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
  const all = (): Call[] => {
    const here = engine.inbox.list().filter(({ elsewhere }) => elsewhere === undefined)
    const requests = here.map((entry): Call => {
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
      asking.set(taskId, { id, who: 'A command', what: `${prompt.text} (${command})`, ...(sessionId !== undefined && { sessionId }) })
    } else asking.delete(taskId)
    return before !== asking.get(taskId)?.id
  }

  const count = (waiting: number): void => {
    if (platform !== 'win32') {
      app.setBadgeCount(waiting)
      return
    }
    const dot = waiting === 0 ? null : waitingDot(nativeImage)
    for (const window of BrowserWindow.getAllWindows()) window.setOverlayIcon(dot, waiting === 0 ? '' : waitingWords(waiting))
  }

  const call = (waiting: readonly Call[], fresh: readonly Call[]): void => {
    const { enabled, sound } = engine.settings.view().notifications
    if (!enabled) return
    if (platform === 'darwin') app.dock?.bounce('informational')
    else for (const window of BrowserWindow.getAllWindows()) window.flashFrame(true)
    if (!Native.isSupported()) return
    dismiss()
    const [only] = waiting.length === 1 ? fresh : []
    const answers = only?.answers ?? []
    const actions = answers.map(({ label }) => ({ type: 'button' as const, text: label }))
    const notification = new Native({ ...words(waiting, fresh), silent: !sound, ...(actions.length > 0 && { actions }) })
    notification.on('click', () => show(target(fresh)))
    notification.on('action', ({ actionIndex }) => {
      const chosen = answers[actionIndex]
      if (only && chosen) void answer(only, chosen)
    })
    notification.on('failed', (_event, error) => log(`a notification could not be shown: ${error}`))
    shown = { notification, about: fresh }
    notification.show()
  }

  const answer = async ({ sessionId, approvalId }: Call, { optionId }: NotificationAnswer): Promise<void> => {
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
    if (isNews) timer ??= setTimeout(look, gatherMs)
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
function words(waiting: readonly Call[], fresh: readonly Call[]): { title: string; body: string } {
  const [first] = fresh
  if (waiting.length === 1 && first) return { title: `${first.who} waits for you`, body: first.what }
  const names = [...new Set(waiting.map(({ who }) => who))]
  const more = names.length > 3 ? ` and ${names.length - 3} more` : ''
  return { title: waitingWords(waiting.length), body: `${names.slice(0, 3).join(', ')}${more}` }
}

function waitingWords(count: number): string {
  return count === 1 ? '1 request waits for you' : `${count} requests wait for you`
}

function target(fresh: readonly Call[]): HostCommand {
  const [sessionId, ...others] = new Set(fresh.map((entry) => entry.sessionId))
  return sessionId === undefined || others.length > 0 ? 'open-inbox' : { open: 'session', sessionId }
}
