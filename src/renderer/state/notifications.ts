import { useEffect } from 'react'
import { requestName, type InboxEntry } from '../../shared/model/approval/approval'
import type { Task } from '../../shared/model/task/task'
import { useInbox } from './inbox-state'
import { titleOf } from './session-list/sessions-state'
import { useTasks } from './tasks/tasks-state'
import type { AppInfo } from '../../shared/contract/app/app'
import type { NotificationSettings } from '../../shared/configuration/settings'
import { useLayout } from './page/layout-state'

/** An item that needs the user: a request, or a program that waits for input at its terminal. */
interface PendingItem {
  id: string
  /** Title of the session. */
  who: string
  /** The request in one line. */
  what: string
  sessionId?: string
}

/** Everything pending here; another process notifies for its own requests. */
export function pendingItems(entries: readonly InboxEntry[], waiting: readonly Task[]): PendingItem[] {
  const requests = entries
    .filter(({ elsewhere }) => elsewhere === undefined)
    .map((entry): PendingItem => {
      const { sessionId, approvalId, sessionTitle, summary } = entry
      return {
        id: `${sessionId}/${approvalId}`,
        who: titleOf({ title: sessionTitle }),
        what: `${requestName(entry)} ${summary}`,
        sessionId,
      }
    })
  const asking = waiting.map(({ taskId, prompt, command, sessionId }): PendingItem => {
    return {
      id: `${taskId} ${prompt?.since}`,
      who: 'A command',
      what: `${prompt?.text} (${command})`,
      ...(sessionId !== undefined && { sessionId }),
    }
  })
  return [...requests, ...asking]
}

/** The pending items as this page knows them; undefined until the inbox has arrived for the first time. */
function currentPendingItems(): PendingItem[] | undefined {
  const { entries, loaded } = useInbox.getState()
  return loaded ? pendingItems(entries, useTasks.getState().waiting) : undefined
}

/** The name for a single item, else the number of pending items. */
export function notificationText(
  waiting: readonly PendingItem[],
  fresh: readonly PendingItem[],
): { title: string; body: string } {
  const [first] = fresh
  if (waiting.length === 1 && first) return { title: `${first.who} needs you`, body: first.what }
  const names = [...new Set(waiting.map(({ who }) => who))]
  const more = names.length > 3 ? ` and ${names.length - 3} more` : ''
  return { title: `${waiting.length} pending requests`, body: `${names.slice(0, 3).join(', ')}${more}` }
}

/** The session that a click opens; undefined when there are several: then the inbox. */
export function notificationTarget(fresh: readonly PendingItem[]): string | undefined {
  const [sessionId, ...others] = new Set(fresh.map((call) => call.sessionId))
  return others.length > 0 ? undefined : sessionId
}

/** One at a time: a newer notification replaces an older one. */
const TAG = 'trestle-inbox'
/**
 * Requests within this many ms share one notification: ten sessions that ask at the same time notify once, and a
 * request that a rule answers immediately does not notify.
 */
const GATHER_MS = 250

/**
 * Notifies the user when something becomes pending while no page of Trestle is in front: a notification, if the browser
 * allows it, and a sound, according to the settings. Only one of several open pages notifies. In the desktop app, the
 * host does all of this.
 */
export function useNotifications(host: AppInfo['host'] | undefined, settings: NotificationSettings | undefined): void {
  const enabled = host === 'web' && settings?.enabled === true
  const sound = settings?.sound === true
  useEffect(() => (enabled ? notifyWhenPending(sound) : undefined), [enabled, sound])
}

function notifyWhenPending(sound: boolean): () => void {
  const pages = joinOpenPages()
  // Items that are already pending when the page loads are not new.
  let known = idsOf(currentPendingItems())
  let shown: Notification | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  const look = (): void => {
    timer = undefined
    const waiting = currentPendingItems()
    if (!waiting) return
    const fresh = waiting.filter(({ id }) => known?.has(id) === false)
    known = idsOf(waiting)
    if (waiting.length === 0) shown?.close()
    if (fresh.length > 0 && pages.isNotifier()) void call(waiting, fresh)
  }
  const call = async (waiting: readonly PendingItem[], fresh: readonly PendingItem[]): Promise<void> => {
    if (await pages.isAnyFocused()) return
    if (sound) void playNotificationSound()
    shown = showNotification(waiting, fresh) ?? shown
  }
  const hear = (): void => {
    // The first complete list counts as known, not only its first part.
    if (known === undefined) known = idsOf(currentPendingItems())
    else timer ??= setTimeout(look, GATHER_MS)
  }
  const stops = [
    useInbox.subscribe(hear),
    useTasks.subscribe((state, before) => {
      if (state.waiting !== before.waiting) hear()
    }),
  ]
  return () => {
    for (const stop of stops) stop()
    clearTimeout(timer)
    pages.leave()
  }
}

function idsOf(calls: readonly PendingItem[] | undefined): ReadonlySet<string> | undefined {
  return calls && new Set(calls.map(({ id }) => id))
}

function showNotification(waiting: readonly PendingItem[], fresh: readonly PendingItem[]): Notification | undefined {
  if (!('Notification' in globalThis) || Notification.permission !== 'granted') return undefined
  const { title, body } = notificationText(waiting, fresh)
  const notification = new Notification(title, { body, tag: TAG, silent: true, icon: '/icon.svg' })
  notification.addEventListener('click', () => {
    window.focus()
    const sessionId = notificationTarget(fresh)
    if (sessionId === undefined) useLayout.getState().openInbox()
    else useLayout.getState().openSession(sessionId)
    notification.close()
  })
  return notification
}

/**
 * Shows `(2) Fix the login – Trestle` and an amber dot on the icon while something is pending, so that the tab or
 * taskbar shows it. `place`: the current view.
 */
export function usePendingInTitle(place: string | undefined): void {
  const entries = useInbox((state) => state.entries)
  const asking = useTasks((state) => state.waiting)
  const waiting = pendingItems(entries, asking).length
  useEffect(() => {
    const name = place === undefined ? 'Trestle' : `${place} – Trestle`
    document.title = waiting > 0 ? `(${waiting}) ${name}` : name
    const icon = waiting > 0 ? '/icon-waiting.svg' : '/icon.svg'
    const link = document.querySelector<HTMLLinkElement>('link[rel=icon]')
    if (link && link.getAttribute('href') !== icon) link.href = icon
  }, [waiting, place])
}

/** Two soft tones, half a second: audible over music, but not loud. */
const TONES = [
  { hertz: 660, at: 0 },
  { hertz: 880, at: 0.16 },
]
const LOUDNESS = 0.06
const LENGTH_S = 0.4

let context: AudioContext | undefined

/** Plays the sound of a request. Does nothing if the browser allows no sound before the first click on the page. */
export async function playNotificationSound(): Promise<void> {
  try {
    context ??= new AudioContext()
    await context.resume()
    for (const { hertz, at } of TONES) {
      const start = context.currentTime + at
      const loudness = context.createGain()
      loudness.gain.setValueAtTime(0, start)
      loudness.gain.linearRampToValueAtTime(LOUDNESS, start + 0.02)
      loudness.gain.exponentialRampToValueAtTime(0.0001, start + LENGTH_S)
      loudness.connect(context.destination)
      const tone = new OscillatorNode(context, { frequency: hertz })
      tone.connect(loudness)
      tone.start(start)
      tone.stop(start + LENGTH_S)
    }
  } catch {
    // No sound available: the title and the notification show the same.
  }
}

const FRONT = 'trestle.front'
const CALLER = 'trestle.caller'

/** State shared by the pages of one browser: which of them notifies, and whether any of them is in front. */
export interface OpenPages {
  /** Whether this page is the one that notifies. */
  isNotifier(): boolean
  isAnyFocused(): Promise<boolean>
  leave(): void
}

/**
 * Registers this page among the open ones. They find each other through locks, which the browser releases when a page
 * closes or crashes.
 */
function joinOpenPages(): OpenPages {
  const leaving = new AbortController()
  let isCaller = false
  let step: (() => void) | undefined
  void holdLock(CALLER, 'exclusive', leaving.signal, () => (isCaller = true))

  const look = (): void => {
    const inFront = isPageFocused()
    if (inFront && !step) {
      const back = new AbortController()
      step = () => back.abort()
      void holdLock(FRONT, 'shared', back.signal)
    } else if (!inFront && step) {
      step()
      step = undefined
    }
  }
  const changes = [
    [window, 'focus'],
    [window, 'blur'],
    [document, 'visibilitychange'],
  ] as const
  for (const [target, change] of changes) target.addEventListener(change, look)
  look()

  return {
    isNotifier: () => isCaller,
    isAnyFocused: async () =>
      isPageFocused() || ((await navigator.locks.query()).held ?? []).some(({ name }) => name === FRONT),
    leave() {
      for (const [target, change] of changes) target.removeEventListener(change, look)
      step?.()
      leaving.abort()
    },
  }
}

function isPageFocused(): boolean {
  return document.visibilityState === 'visible' && document.hasFocus()
}

/** Acquires the lock and holds it until the signal aborts. */
async function holdLock(name: string, mode: LockMode, signal: AbortSignal, onHeld?: () => void): Promise<void> {
  try {
    await navigator.locks.request(name, { mode, signal }, () => {
      onHeld?.()
      return new Promise<void>((release) => {
        if (signal.aborted) release()
        else signal.addEventListener('abort', () => release(), { once: true })
      })
    })
  } catch {
    // Aborted while waiting for the lock.
  }
}
