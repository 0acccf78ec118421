import { useEffect } from 'react'
import type { AppInfo } from '../../shared/contract/app'
import type { NotificationSettings } from '../../shared/model/settings'
import { callsNow, callTarget, callWords, type Call } from './calls'
import { chime } from './chime'
import { joinPages } from './front-lock'
import { useInbox } from './inbox-state'
import { useLayout } from './layout-state'
import { useTasks } from './tasks-state'

/** One at a time: a newer one takes its place. */
const TAG = 'trestle-inbox'
/** What comes within so many ms is one call: ten sessions that ask at once do not call ten times, nor does what a rule answers at once. */
const GATHER_MS = 250

/**
 * Calls for the user when something begins to wait and no page of Trestle is in front: by a notification, where the browser was allowed to, and a
 * sound, as the settings say. Of several open pages one calls. In the desktop app the host does all of it.
 */
export function useCalling(host: AppInfo['host'] | undefined, settings: NotificationSettings | undefined): void {
  const enabled = host === 'web' && settings?.enabled === true
  const sound = settings?.sound === true
  useEffect(() => (enabled ? callWhenNeeded(sound) : undefined), [enabled, sound])
}

function callWhenNeeded(sound: boolean): () => void {
  const pages = joinPages()
  // What waits when the page begins is nothing new.
  let known = idsOf(callsNow())
  let shown: Notification | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  const look = (): void => {
    timer = undefined
    const waiting = callsNow()
    if (!waiting) return
    const fresh = waiting.filter(({ id }) => known?.has(id) === false)
    known = idsOf(waiting)
    if (waiting.length === 0) shown?.close()
    if (fresh.length > 0 && pages.isCaller()) void call(waiting, fresh)
  }
  const call = async (waiting: readonly Call[], fresh: readonly Call[]): Promise<void> => {
    if (await pages.isAnyInFront()) return
    if (sound) void chime()
    shown = notify(waiting, fresh) ?? shown
  }
  const hear = (): void => {
    // The first whole list is known at once, not after what comes right behind it.
    if (known === undefined) known = idsOf(callsNow())
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

function idsOf(calls: readonly Call[] | undefined): ReadonlySet<string> | undefined {
  return calls && new Set(calls.map(({ id }) => id))
}

function notify(waiting: readonly Call[], fresh: readonly Call[]): Notification | undefined {
  if (!('Notification' in globalThis) || Notification.permission !== 'granted') return undefined
  const { title, body } = callWords(waiting, fresh)
  const notification = new Notification(title, { body, tag: TAG, silent: true, icon: '/icon.svg' })
  notification.addEventListener('click', () => {
    window.focus()
    const sessionId = callTarget(fresh)
    if (sessionId === undefined) useLayout.getState().openInbox()
    else useLayout.getState().openSession(sessionId)
    notification.close()
  })
  return notification
}
