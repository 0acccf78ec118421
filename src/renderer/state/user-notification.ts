import type { UserNotification } from '../../shared/model/notification'
import { useLayout } from './page/layout-state'
import { playNotificationSound } from './notifications'
import { showUserToast } from './page/toasts-state'

/**
 * Tells the user what an agent or an alarm has to say: as a message on the page, and as a notification of the browser
 * where that is allowed and no page is in front. The tag makes it one, however many pages are open. The desktop app
 * shows its own.
 */
export function tellUser({ id, title, body, source, sessionId }: UserNotification): void {
  const open = (): void => {
    if (sessionId === undefined) useLayout.getState().openNotifications()
    else useLayout.getState().openSession(sessionId)
  }
  showUserToast(title, body, { label: 'Show', run: open })
  if (document.visibilityState === 'visible' && document.hasFocus()) return
  if (!('Notification' in globalThis) || Notification.permission !== 'granted') return
  const shown = new Notification(title, { body, tag: `trestle-notification-${id}`, icon: '/icon.svg', silent: true })
  shown.addEventListener('click', () => {
    window.focus()
    open()
    shown.close()
  })
  // An alarm has its own sound.
  if (source === 'alarm') return
  void navigator.locks
    .request(`trestle.notification.${id}`, { ifAvailable: true }, (lock) =>
      lock ? playNotificationSound() : undefined,
    )
    .catch(() => {})
}
