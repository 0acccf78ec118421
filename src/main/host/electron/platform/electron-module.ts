import type * as Electron from 'electron'
import type { DesktopEngine } from '../../../role/desktop-engine'

/** The parts of the electron module that the desktop host uses; passed in, so that it also runs on a test double. */
export type ElectronModule = Pick<
  typeof Electron,
  | 'app'
  | 'crashReporter'
  | 'BrowserWindow'
  | 'protocol'
  | 'session'
  | 'ipcMain'
  | 'MessageChannelMain'
  | 'shell'
  | 'Menu'
  | 'nativeTheme'
  | 'screen'
  | 'safeStorage'
  | 'dialog'
  | 'Notification'
  | 'nativeImage'
  | 'Tray'
  | 'globalShortcut'
  | 'powerMonitor'
  | 'powerSaveBlocker'
  | 'clipboard'
  | 'WebContentsView'
>

/** Dependencies of the desktop app; passed in, so that it also runs on a test double. */
export interface DesktopOptions {
  electron: ElectronModule
  /** Resolves TRESTLE_HOME; may throw a `CodedError`, which is shown to the user. */
  resolveHome(): string
  /** Absolute path of the built interface (out/renderer). */
  rendererDir: string
  /** Absolute path of the built preload script: one CommonJS file. */
  preload: string
  /** Opens the engine once the app is ready, when the system's key store is available. */
  openEngine(options: {
    home: string
    log(message: string): void
    systemProxy(url: string): Promise<string>
  }): Promise<DesktopEngine>
  /** Closes connections to model servers: idle ones, or also those in use. */
  dropConnections?(how: { inUse: boolean }): void
  /** Subscribes to external requests to quit (SIGTERM). */
  onTerminate?(listener: () => void): void
  platform?: NodeJS.Platform
  /** The arguments of the program, including its path. */
  argv?: readonly string[]
  /** `$XDG_CONFIG_HOME` or `~/.config`. */
  configFolder?: string
  /** How long to wait for the engine to close before the app exits without it, in ms. */
  closeLimitMs?: number
  /** How long a window waits for its page to paint before it is shown, in ms. */
  showLimitMs?: number
}
