import { implement } from '@orpc/server'
import { contract } from '../../shared/contract'
import type { AppInfo } from '../../shared/contract/app'
import type { DesktopView, Theme } from '../../shared/model/desktop'
import type { DiagnosticsReport } from '../../shared/model/health'
import type { HostCommand } from '../../shared/model/push'
import type { UpdateAction, UpdatesView } from '../../shared/model/updates'
import type { Engine } from '../engine/engine-api'
import type { FileActions } from '../user-editor'
import type { LogBug } from './rpc-error'
import { toRpcError } from './rpc-error'

/** What the desktop app does for its page; see the contract of the same name. */
export interface DesktopActions {
  view(): DesktopView
  setTheme(theme: Theme): void
  setAcceleratedGraphics(enabled: boolean): DesktopView
  openWindow(path: string): boolean
  resumeInterrupted(resume: boolean): Promise<number>
}

/** What only the host of this process can do. */
export interface HostActions {
  kind: AppInfo['host']
  /** The native folder dialog; null when there is none or the user cancelled. */
  chooseFolder(): Promise<string | null>
  /** Opens a URL that passed the allow-list in the user's browser; false when this host cannot. */
  openExternal(url: string): Promise<boolean>
  /** Opens files on the user's machine; absent where the host may run elsewhere. */
  files?: FileActions
  /** What went wrong in this host and what was done about it; shown with the engine's own notices. */
  notices?(): readonly string[]
  /** Present in the desktop app. */
  desktop?: DesktopActions
  /** What only this host knows for diagnostics, such as the key store and what draws the window. */
  diagnostics?(): Promise<DiagnosticsReport['sections']>
  /** Updates of the app; absent where it cannot update itself. */
  updates?: UpdateActions
  /** Tells of commands from native menus; returns how to stop listening. */
  onCommand?(listener: (command: HostCommand) => void): () => void
}

/** How a host keeps itself up to date. */
export interface UpdateActions {
  view(): UpdatesView
  /** Does what the user asked for, and answers with what is known then; downloads go on. */
  act(action: UpdateAction): Promise<UpdatesView>
}

export interface ApiDeps {
  engine: Engine
  host: HostActions
  logBug: LogBug
}

/** The contract's implementer with error mapping for every method: what each handler file builds on. */
export function implementer(logBug: LogBug) {
  return implement(contract).use(async ({ next, path }) => {
    try {
      return await next()
    } catch (error) {
      throw toRpcError(error, logBug, path.join('.'))
    }
  })
}

export type Implementer = ReturnType<typeof implementer>
