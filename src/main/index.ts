import { desktopOpener } from './host/electron/page/desktop-opener'
import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  app,
  BrowserWindow,
  clipboard,
  crashReporter,
  dialog,
  globalShortcut,
  ipcMain,
  Menu,
  MessageChannelMain,
  nativeImage,
  nativeTheme,
  Notification,
  powerMonitor,
  powerSaveBlocker,
  protocol,
  safeStorage,
  screen,
  session,
  shell,
  Tray,
  WebContentsView,
} from 'electron'
import { version } from '../../package.json'
import { guardOutput } from './console/output'
import { desktopLoginShell, signalReady } from './desktop/launch-environment'
import { resolveHome } from './engine/config/home'
import { safeStorageCipher, startDesktop } from './host/electron/start-desktop'
import { rendererFolder } from './api/page-files'
import { isStartedAsNode, STARTED_AS_NODE_EXIT_CODE, taskHostProgram } from './engine/task/client/task-host-program'

if (isStartedAsNode(process.argv)) process.exit(STARTED_AS_NODE_EXIT_CODE)
guardOutput(process)
// Menus, notifications and the key store use this name; `npm start` would otherwise be called "Electron".
app.setName('Trestle')
void app.whenReady().then(() => signalReady())
const rendererDir = rendererFolder()

// No await before this call: its first part must run before Electron is ready. Do not await it either: Electron is
// ready only once this module has been evaluated, so waiting here would deadlock (docs/electron-assumptions.md).
startDesktop({
  electron: {
    app,
    BrowserWindow,
    clipboard,
    crashReporter,
    dialog,
    globalShortcut,
    ipcMain,
    Menu,
    MessageChannelMain,
    nativeImage,
    nativeTheme,
    Notification,
    powerMonitor,
    powerSaveBlocker,
    protocol,
    safeStorage,
    screen,
    session,
    shell,
    Tray,
    WebContentsView,
  },
  resolveHome,
  onTerminate: (listener) => void process.on('SIGTERM', listener),
  dropConnections: (how) =>
    void import('./engine/network/http-agents').then(({ dropConnections }) => dropConnections(how)),
  rendererDir,
  preload: join(dirname(rendererDir), 'preload', 'index.cjs'),
  async openEngine({ home, log, systemProxy }) {
    const { createEngine } = await import('./engine/engine')
    const { openDesktopEngine } = await import('./role/desktop-engine')
    const { READS_LOGIN_SHELL } = await import('./role/attach')
    const loginShell = desktopLoginShell({ env: process.env, platform: process.platform })
    const taskHost = taskHostProgram()
    // Copies the runtime for commands, once per version; a failure is reported by the first command.
    if (app.isPackaged) taskHost.program(home).catch(() => {})
    return openDesktopEngine({
      home: realpathSync(home),
      version,
      log,
      residentEnv: loginShell ? { [READS_LOGIN_SHELL]: '1' } : {},
      open: (keepsTurns) =>
        createEngine({
          version,
          home,
          interactive: true,
          keepsTurns,
          taskHost,
          log,
          legacyCipher: () => safeStorageCipher(safeStorage),
          systemProxy,
          opener: desktopOpener(shell),
          ...(loginShell && { loginShell }),
        }),
    })
  },
}).catch((error: unknown) => {
  process.stderr.write(`trestle: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  app.exit(1)
})
