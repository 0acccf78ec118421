import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import type { BackupsView } from '../model/backups'
import type { DiagnosticsReport } from '../model/health'
import type { ShellEnvironmentView } from '../model/shell-environment'
import { UPDATE_CHANNELS, type UpdatesView } from '../model/updates'

export interface AppInfo {
  version: string
  /** TRESTLE_HOME. */
  home: string
  /** The user's home folder, to shorten paths with `~`. */
  userHome: string
  host: 'electron' | 'web' | 'wire'
  platform: string
  /** What went wrong at start and what was done about it, one sentence each. */
  notices: string[]
}

export const appContract = {
  info: oc.output(type<AppInfo>()),
  /** The backups of the session store; one is made every day. */
  backups: oc.output(type<BackupsView>()),
  /** Makes one now, and answers when it is made. */
  backUp: oc.output(type<BackupsView>()),
  /** Versions, environment, checks with causes and remedies, and the last errors; without secrets. Takes seconds. */
  diagnostics: oc.output(type<DiagnosticsReport>()),
  /** Where the environment of commands comes from. */
  shellEnvironment: oc.output(type<ShellEnvironmentView>()),
  /** Reads the environment of the login shell again, where it was read, and answers when that has ended. */
  readShellEnvironment: oc.output(type<ShellEnvironmentView>()),
  /** Which version is installed, and whether a newer one is pending. */
  updates: oc.output(type<UpdatesView>()),
  /** Checks for updates, downloads one, or decides when it is installed. Downloads go on after the answer. */
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
  /** Electron: the native folder dialog. Web: null at once, and the page shows its own (folder.list). */
  chooseFolder: oc.output(type<{ path: string } | null>()),
  /** Opens a web page in the user's browser; http, https and mailto only. False when this host cannot. */
  openExternal: oc.input(z.strictObject({ url: z.string() })).output(type<boolean>()),
}
