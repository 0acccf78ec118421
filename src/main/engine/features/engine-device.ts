import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Alarm,
  NOTIFICATION_LIMITS,
  type NewNotification,
  type UserNotification,
} from '../../../shared/model/assistant/notification'
import {
  type AlarmActions,
  type AlarmClock,
  type Alarms,
  createAlarms,
  systemAlarmClock,
  type NotificationActions,
} from '../alarm/alarms'
import { failureOf } from '../../../shared/errors'
import type { EngineFoundation } from '../foundation/engine-foundation'
import type { Session } from '../session/session'
import { createAlarmRows } from '../store/rows/alarm-rows'
import { createNotificationRows, type NotificationRows } from '../store/rows/notification-rows'
import { deviceTools } from '../tool/device/device-tools'
import type { Opener } from '../tool/device/device-services'
import type { Tool } from '../tool/tool'
import type { Workspace } from '../workspace/workspace'
import { cutText } from '../../../shared/cut-text'

export interface EngineDevice {
  /** Without a session: the tools for descriptions only. */
  tools(session?: Session, workspace?: Workspace): readonly Tool[]
  /** Adds a notification to the list and shows it through the host; false if the user has turned that off. */
  notifyUser(notification: NewNotification): boolean
  /**
   * Shows, through this host, the notifications that schedules of other processes have added since the last call; the
   * first call shows nothing.
   */
  showOthers(): void
  notifications: NotificationActions
  alarms: AlarmActions
  /** Starts ringing alarms. */
  begin(): void
  close(): void
}

export interface DeviceOptions {
  opener?: Opener | undefined
  /** Default: the system clock. */
  alarmClock?: AlarmClock | undefined
}

const KEPT_MS = 30 * 86_400_000
/** Maximum number of notifications from other processes shown at a time. */
const NEWEST = 20

/** Notifications, alarms, and the tools for the machine and its user. Tables and code are loaded on first use. */
export function createEngineDevice(foundation: EngineFoundation, options: DeviceOptions): EngineDevice {
  const { database, home, settings, network, newId, notify, log } = foundation
  const clock = options.alarmClock ?? systemAlarmClock
  const { opener } = options
  let rows: NotificationRows | undefined
  let alarms: Alarms | undefined
  let stop: (() => void) | undefined
  /** Id of the last notification that `showOthers` has seen; undefined before its first call. */
  let seenUntil: number | undefined
  /** Ids of notifications that this process has added since then. */
  const own = new Set<number>()
  const list = (): NotificationRows => (rows ??= createNotificationRows(database))
  const changed = <Result>(result: Result): Result => {
    notify({ kind: 'notifications' })
    return result
  }

  function notifyUser(notification: NewNotification): boolean {
    const now = clock.now()
    list().purge(now - KEPT_MS, NOTIFICATION_LIMITS.kept)
    const added = list().add(notification, now)
    own.add(added.id)
    const isShown = settings().notifications.enabled
    if (isShown) notify({ kind: 'notification', notification: added })
    changed(added)
    return isShown
  }

  function showOthers(): void {
    const { notifications } = list().list(0, NEWEST)
    const fresh = notifications.filter(
      ({ id, source }) => seenUntil !== undefined && id > seenUntil && source === 'schedule' && !own.has(id),
    )
    seenUntil = Math.max(seenUntil ?? 0, notifications[0]?.id ?? 0)
    own.clear()
    if (fresh.length === 0) return
    if (settings().notifications.enabled)
      for (const notification of fresh.toReversed()) notify({ kind: 'notification', notification })
    notify({ kind: 'notifications' })
  }

  const ofAlarms = (): Alarms =>
    (alarms ??= createAlarms({
      rows: createAlarmRows(database),
      clock,
      newId: () => newId('alarm'),
      ring: ({ label, sessionId }) =>
        void notifyUser({
          title: label,
          body: 'Alarm',
          source: 'alarm',
          ...(sessionId !== undefined && { sessionId }),
        }),
      missed: (all) => void notifyUser({ ...missedText(all), source: 'alarm' }),
      changed: () => notify({ kind: 'alarms' }),
      failed: (error) => log(`alarms could not be checked: ${failureOf(error).message}`),
    }))

  return {
    tools: (session, workspace) =>
      deviceTools({
        workspace: workspace!,
        now: clock.now,
        newId,
        opener,
        notify: async (notification) =>
          notifyUser({ ...notification, source: 'agent', ...(session && { sessionId: rootOf(session) }) }),
        setAlarm: async (when, label) => ofAlarms().set(when, label, session && rootOf(session)),
        keepCalendarFile: (name, text) => keepPrivately(join(home, 'calendar'), name, text),
        locationHost: () => {
          const { service } = settings().location
          return service === undefined ? undefined : new URL(service).host
        },
        async locate(signal) {
          const { service } = settings().location
          if (service === undefined) throw new Error('No location service is configured.')
          const { locate } = await import('../web/locate')
          return locate({ service, signal, proxyFor: network.proxyFor })
        },
      }),
    notifyUser,
    showOthers,
    notifications: {
      list: (offset, limit) => list().list(offset, limit),
      markRead: (ids) => changed(list().markRead(ids, clock.now())),
      clear: (ids) => changed(list().clear(ids, clock.now())),
      restore: (ids) => changed(list().restore(ids)),
    },
    alarms: {
      set: (when, label, sessionId) => ofAlarms().set(when, label, sessionId),
      list: (active) => ofAlarms().list(active),
      snooze: (id, minutes) => ofAlarms().snooze(id, minutes),
      stop: (id) => ofAlarms().stop(id),
      cancel: (id) => ofAlarms().cancel(id),
      restore: (id) => ofAlarms().restore(id),
    },
    begin() {
      // Alarms are first checked when the host listens, so that they do not delay startup.
      const cancel = clock.after(0, () => {
        try {
          stop = ofAlarms().watch()
        } catch (error) {
          log(`alarms do not ring: ${String(error)}`)
        }
      })
      stop = cancel
    },
    close: () => stop?.(),
  }
}

/** The session that the user sees: for a subagent, the one it belongs to. */
function rootOf({ id, header }: Session): string {
  return header.agent?.rootId ?? id
}

function missedText(all: readonly Alarm[]): Pick<UserNotification, 'title' | 'body'> {
  const due = ({ label, at }: Alarm): string => `${label} (${localTime(at)})`
  const [first] = all
  return all.length === 1 && first
    ? {
        title: cutText(`Missed alarm: ${first.label}`, NOTIFICATION_LIMITS.titleChars),
        body: `It was due at ${localTime(first.at)}.`,
      }
    : { title: `${all.length} missed alarms`, body: cutText(all.map(due).join(', '), NOTIFICATION_LIMITS.bodyChars) }
}

/** In local time: `2026-12-01 09:00`. */
function localTime(at: number): string {
  return new Date(at).toLocaleString('sv').slice(0, 16)
}

async function keepPrivately(folder: string, name: string, text: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, name)
  await writeFile(path, text, { mode: 0o600, flag: 'wx' })
  await chmod(path, 0o600)
  return path
}
