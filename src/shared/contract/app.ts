import { oc, type } from '@orpc/contract'
import { z } from 'zod'

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
  /** Electron: the native folder dialog. Web: null at once, and the page shows its own (folder.list). */
  chooseFolder: oc.output(type<{ path: string } | null>()),
  /** Opens a web page in the user's browser; http, https and mailto only. False when this host cannot. */
  openExternal: oc.input(z.strictObject({ url: z.string() })).output(type<boolean>()),
}
