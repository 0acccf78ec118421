import type { Alarm, NewNotification } from '../../../../shared/model/assistant/notification'
import type { Workspace } from '../../workspace/workspace'

/** How a host on the user's own screen opens things. Rejects when that fails. */
export interface Opener {
  url(url: string): Promise<void>
  /** Opens a file with its default program. */
  file(path: string): Promise<void>
}

/** What the tools of one session use of the machine, and for its user. */
export interface DeviceServices {
  workspace: Workspace
  now(): number
  newId(prefix: string): string
  /** Absent if the host has no screen of its own; the user gets a link. */
  opener?: Opener | undefined
  /** Adds it to the list and shows it. False if the user has turned notifications off, so that it is only listed. */
  notify(notification: Pick<NewNotification, 'title' | 'body'>): Promise<boolean>
  setAlarm(when: string, label: string): Promise<Alarm>
  /** Writes a private file; returns its path. */
  keepCalendarFile(name: string, text: string): Promise<string>
  /** The estimated location, as lines for the model. Rejects with a message that the model can pass on. */
  locate(signal: AbortSignal): Promise<string>
  /** The host of the location service; undefined if not configured. */
  locationHost(): string | undefined
}

/** What all of these tools have in common: one line in the instructions, and short results. */
export const DEVICE_TOOL = { brief: true, maxResultChars: 8_000 } as const
