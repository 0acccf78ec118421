import type * as Electron from 'electron'

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
>
