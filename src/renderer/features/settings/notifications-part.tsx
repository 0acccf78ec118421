import { useState } from 'react'
import type { NotificationSettings, SettingsView } from '../../../shared/model/settings'
import { chime } from '../../state/chime'
import { useAppInfo, useSettingsChange } from '../../state/settings-query'
import { tellFailure } from '../../state/toasts-state'
import { Switch } from '../../ui/switch'
import { SectionHead } from '../../ui/section-head'

/** Whether Trestle calls when something waits. In a browser its own permission is asked for here, by the switch, and nowhere else. */
export function NotificationsPart({ settings }: { settings: SettingsView }) {
  const { data: info } = useAppInfo()
  const [permission, setPermission] = useState(browserPermission)
  const save = useSettingsChange((api, change: Partial<NotificationSettings>) => api.setNotifications(change))
  const change = (next: Partial<NotificationSettings>): void => save.mutate(next, { onError: tellFailure })
  const { enabled, sound } = settings.notifications
  const inBrowser = info?.host === 'web'
  const isAllowed = !inBrowser || permission === 'granted'

  const enable = async (wanted: boolean): Promise<void> => {
    if (wanted && inBrowser && permission === 'default') setPermission(await Notification.requestPermission())
    if (wanted !== enabled) change({ enabled: wanted })
  }
  return (
    <section aria-labelledby="settings-notifications">
      <SectionHead
        id="settings-notifications"
        title="Notifications"
        text="Notify me when a session needs me and Trestle is in the background."
      />
      <ul className="overflow-hidden rounded-lg border border-line bg-raised">
        <li className="px-3.5 py-2">
          <Switch
            label="Notify me"
            description={describe(inBrowser, permission, enabled)}
            checked={enabled && isAllowed}
            disabled={inBrowser && (permission === 'denied' || permission === 'unsupported')}
            onChange={(wanted) => void enable(wanted)}
          />
        </li>
        <li className="border-t border-line px-3.5 py-2">
          <Switch
            label="Play a sound"
            description={inBrowser ? 'Two soft tones' : 'Your system’s notification sound'}
            checked={sound}
            disabled={!enabled}
            onChange={(wanted) => {
              change({ sound: wanted })
              // So that one knows it, and so that the browser allows it from now on.
              if (wanted && inBrowser) void chime()
            }}
          />
        </li>
      </ul>
    </section>
  )
}

type Permission = NotificationPermission | 'unsupported'

function browserPermission(): Permission {
  return 'Notification' in globalThis ? Notification.permission : 'unsupported'
}

function describe(inBrowser: boolean, permission: Permission, enabled: boolean): string {
  if (!inBrowser) return 'By a notification of the system.'
  if (permission === 'unsupported') return 'This browser doesn’t support notifications.'
  if (permission === 'denied') return 'Notifications are blocked. Allow them in your browser’s site settings.'
  if (permission === 'default')
    return enabled ? 'Not allowed in this browser yet: switch it on to be asked by the browser.' : 'The browser will ask you to allow it.'
  return 'By a notification of this browser, as long as a page of Trestle is open.'
}
