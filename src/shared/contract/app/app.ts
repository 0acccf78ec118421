import { oc, type, eventIterator } from '@orpc/contract'
import { z } from 'zod'
import {
  type BackupsView,
  type DiagnosticsReport,
  type ShellEnvironmentView,
  UPDATE_CHANNELS,
  type UpdatesView,
} from '../../configuration/app'
import type { DeviceAccess } from '../../model/place/paired-device'
import type { TerminalPush } from '../../model/task/terminal'
import { type DesktopView } from '../../configuration/settings'
import { THEMES } from '../../configuration/appearance'
import type { AppPush, SessionPush, TaskPush, UsagePush } from '../../events/push'

export interface AppInfo {
  version: string
  /** TRESTLE_HOME. */
  home: string
  /** The user's home folder, to shorten paths with `~`. */
  userHome: string
  host: 'electron' | 'web' | 'wire'
  /** Set on a paired device: what it can do. */
  access?: DeviceAccess
  platform: string
  /** Problems at startup and how they were handled, one sentence each. */
  notices: string[]
}

export const appContract = {
  info: oc.output(type<AppInfo>()),
  /** The backups of the session store; one is made every day. */
  backups: oc.output(type<BackupsView>()),
  /** Creates a backup now, and returns when it is complete. */
  backUp: oc.output(type<BackupsView>()),
  /** Versions, environment, checks with causes and remedies, and the last errors; without secrets. Takes seconds. */
  diagnostics: oc.output(type<DiagnosticsReport>()),
  /** The source of the commands' environment. */
  shellEnvironment: oc.output(type<ShellEnvironmentView>()),
  /** Reads the environment of the login shell again, if it was read before, and returns when done. */
  readShellEnvironment: oc.output(type<ShellEnvironmentView>()),
  /** Which version is installed, and whether a newer one is pending. */
  updates: oc.output(type<UpdatesView>()),
  /** Checks for updates, downloads one, or decides when it is installed. Downloads continue after the response. */
  update: oc
    .input(
      z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('check') }),
        z.strictObject({ kind: z.literal('download') }),
        z.strictObject({ kind: z.literal('when-idle'), isWanted: z.boolean() }),
        z.strictObject({ kind: z.literal('roll-back') }),
        z.strictObject({ kind: z.literal('channel'), channel: z.enum(UPDATE_CHANNELS) }),
        z.strictObject({ kind: z.literal('automatic'), isAutomatic: z.boolean() }),
      ]),
    )
    .output(type<UpdatesView>()),
  /** Electron: the native folder dialog. Web: null immediately, and the page shows its own dialog (folder.list). */
  chooseFolder: oc.output(type<{ path: string } | null>()),
  /** Opens a web page in the user's browser; http, https and mailto only. False when this host cannot. */
  openExternal: oc.input(z.strictObject({ url: z.string() })).output(type<boolean>()),
}

/** Functions of the desktop app. Every other host returns `null` or `false`, and changes nothing. */
export const desktopContract = {
  view: oc.output(type<DesktopView | null>()),
  /** Menus, dialogs and the window's background follow the page. */
  setTheme: oc.input(z.strictObject({ theme: z.enum(THEMES) })).output(type<boolean>()),
  /** Applies at the next start. */
  setAcceleratedGraphics: oc.input(z.strictObject({ enabled: z.boolean() })).output(type<DesktopView | null>()),
  /**
   * Opens a window at one of the page's own addresses, e.g. `/s/<session>`. From the quick prompt, the main window
   * shows it and the prompt closes.
   */
  openWindow: oc.input(z.strictObject({ path: z.string().max(5000) })).output(type<boolean>()),
  /** Resumes every interrupted session, or forgets that they were interrupted. Returns how many continue. */
  resumeInterrupted: oc.input(z.strictObject({ resume: z.boolean() })).output(type<number>()),
}

export const pushContract = {
  /** All events of a session after `since` (0: from the start), without gaps or repeats. */
  session: oc
    .input(z.strictObject({ sessionId: z.string(), since: z.int().min(0) }))
    .output(eventIterator(type<SessionPush>())),
  /** A task's terminal: its newest output, then new output. Ends after the task has ended. */
  task: oc.input(z.strictObject({ taskId: z.string() })).output(eventIterator(type<TaskPush>())),
  /** A terminal of the user: its newest output, then new output. Fails when it is closed. */
  terminal: oc.input(z.strictObject({ terminalId: z.string() })).output(eventIterator(type<TerminalPush>())),
  /** CPU, memory, processes and ports of running tasks, once a second while a client watches. */
  usage: oc.output(eventIterator(type<UsagePush>())),
  /** Session list, tasks, inbox, settings and models as they change; the first pushes are the complete lists. */
  app: oc.output(eventIterator(type<AppPush>())),
}
