import { dirname, join } from 'node:path'
import {
  app,
  BrowserWindow,
  crashReporter,
  dialog,
  ipcMain,
  Menu,
  MessageChannelMain,
  nativeImage,
  nativeTheme,
  Notification,
  protocol,
  safeStorage,
  screen,
  session,
  shell,
} from 'electron'
import { version } from '../../package.json'
import { guardOutput } from './command-line/guard-terminal'
import { desktopLoginShell } from './desktop-login-shell'
import { resolveHome } from './engine/config/home'
import { safeStorageCipher } from './host/electron/safe-storage-cipher'
import { startDesktop } from './host/electron/start-desktop'
import { rendererFolder } from './renderer-folder'
import { taskHostProgram } from './task-host-program'

guardOutput(process)
const rendererDir = rendererFolder()

// No await before this call: what it does first has to be done before Electron is ready. And none of it: Electron is ready only once this module has
// been evaluated, so waiting here for readiness would wait for ever (docs/electron-assumptions.md).
startDesktop({
  electron: {
    app,
    BrowserWindow,
    crashReporter,
    dialog,
    ipcMain,
    Menu,
    MessageChannelMain,
    nativeImage,
    nativeTheme,
    Notification,
    protocol,
    safeStorage,
    screen,
    session,
    shell,
  },
  resolveHome,
  rendererDir,
  preload: join(dirname(rendererDir), 'preload', 'index.cjs'),
  async openEngine({ home, log, systemProxy }) {
    const { createEngine } = await import('./engine/engine')
    const cipher = safeStorageCipher(safeStorage)
    const loginShell = desktopLoginShell({ env: process.env, platform: process.platform, isPackaged: app.isPackaged })
    return createEngine({
      version,
      home,
      interactive: true,
      taskHost: taskHostProgram(),
      log,
      systemProxy,
      ...(cipher && { cipher }),
      ...(loginShell && { loginShell }),
    })
  },
}).catch((error: unknown) => {
  process.stderr.write(`trestle: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  app.exit(1)
})
