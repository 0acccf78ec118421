import { useEffect } from 'react'
import type { NotificationSettings } from '../../shared/configuration/settings'
import type { SessionSummary } from '../../shared/model/session/session'
import type { AppInfo } from '../../shared/contract/app/app'
import { playNotificationSound } from './notifications'
import { useLayout } from './page/layout-state'
import { showUserToast } from './page/toasts-state'
import { titleOf, useSessions, type SessionsState } from './session-list/sessions-state'

/** The sessions that have finished their work between two states of the list. Runs of schedules report themselves. */
export function finishedSessions(now: SessionsState, before: SessionsState): SessionSummary[] {
  if (now.sessions === before.sessions || !before.loaded) return []
  return [...now.sessions.values()].filter((summary) => {
    const old = before.sessions.get(summary.sessionId)
    const worked = old?.status === 'running' || old?.status === 'waiting'
    const isOver = summary.status === 'done' || summary.status === 'failed'
    return worked && isOver && summary.scheduleId === undefined && summary.elsewhere === undefined
  })
}

/** The headline of the notification. */
export function finishedText({ title, status }: Pick<SessionSummary, 'title' | 'status'>): string {
  return `${titleOf({ title })} ${status === 'failed' ? 'stopped with an error' : 'has finished'}`
}

/**
 * Notifies the user when a session has finished while they were looking elsewhere: with a toast, and in the browser
 * with a notification when no page is in front. The desktop app shows its own.
 */
export function useFinishedNotices(
  host: AppInfo['host'] | undefined,
  settings: NotificationSettings | undefined,
): void {
  const isOn = settings?.enabled === true && settings.finished
  const sound = settings?.sound === true
  const isWeb = host === 'web'
  useEffect(() => {
    if (!isOn) return undefined
    return useSessions.subscribe((now, before) => {
      for (const summary of finishedSessions(now, before)) showNotice(summary, { isWeb, sound })
    })
  }, [isOn, sound, isWeb])
}

function showNotice(summary: SessionSummary, { isWeb, sound }: { isWeb: boolean; sound: boolean }): void {
  const { sessionId } = summary
  const open = (): void => useLayout.getState().openSession(sessionId)
  const { view } = useLayout.getState()
  const isShown = view.kind === 'session' && view.sessionId === sessionId
  const isInFront = document.visibilityState === 'visible' && document.hasFocus()
  if (!isShown) showUserToast(finishedText(summary), '', { label: 'Show', run: open })
  if (isInFront || !isWeb || !('Notification' in globalThis) || Notification.permission !== 'granted') return
  // The tag merges the notifications of several open pages into one.
  const shown = new Notification(finishedText(summary), {
    tag: `trestle-finished-${sessionId}`,
    icon: '/icon.svg',
    silent: true,
  })
  shown.addEventListener('click', () => {
    window.focus()
    open()
    shown.close()
  })
  if (sound) void playNotificationSound()
}
