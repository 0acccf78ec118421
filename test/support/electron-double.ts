import { EventEmitter } from 'node:events'
import type { Browser, Download } from 'playwright-core'
import type { ElectronModule } from '../../src/main/host/electron/platform/electron-module'
import { DoubleApp } from './electron-double-app'
import {
  DoubleDownload,
  DoubleNotification,
  DoubleSession,
  DoubleTray,
  type DoubleMenuItem,
  type DoubleQuestion,
} from './electron-double-parts'
import { DoublePort } from './electron-double-port'
import { DoubleView } from './electron-double-view'
import { DoubleWindow } from './electron-double-window'

export interface DoubleOptions {
  browser: Browser
  /** Result of `getAllDisplays`. */
  workAreas?: { x: number; y: number; width: number; height: number }[]
  isPackaged?: boolean
  /** Whether this process gets the single instance lock. */
  isFirstInstance?: boolean
  /** Pages never paint, as with graphics problems. */
  neverPaints?: boolean
  /** Shortcuts registered by another program. */
  takenShortcuts?: string[]
}

type Handler = (request: Request) => Promise<Response> | Response

/**
 * Replaces the electron module: the main process's objects are plain event emitters that record their calls, and each
 * `BrowserWindow` is a real page of a real Chromium, in which the built preload script runs. What a double cannot show
 * (the operating system's sandbox, the isolated world, the custom scheme inside Chromium) is in
 * docs/electron-assumptions.md.
 */
export class ElectronDouble {
  readonly app = new DoubleApp(this)
  readonly ipcMain = new EventEmitter()
  readonly windows: DoubleWindow[] = []
  /** Closed windows, whose pages may not have ended yet. */
  readonly closedWindows: DoubleWindow[] = []
  readonly schemes: { scheme: string; privileges: Record<string, boolean> }[] = []
  readonly handlers = new Map<string, Handler>()
  readonly opened: string[] = []
  readonly errorBoxes: string[] = []
  readonly questions: string[] = []
  readonly dialogs: DoubleQuestion[] = []
  /** Message boxes stay open until `answerDialog`. */
  keepsDialogs = false
  readonly popups: DoubleMenuItem[][] = []
  readonly trays: DoubleTray[] = []
  readonly shortcuts = new Map<string, () => void>()
  readonly copied: string[] = []
  readonly revealed: string[] = []
  readonly powerMonitor = new EventEmitter()
  /** Number of active power save blockers. */
  readonly awake = new Set<number>()
  openDialogOptions: { defaultPath?: string } = {}
  /** The save dialog's result; undefined: canceled. */
  saveTo: string | undefined
  readonly saveDialogs: { defaultPath?: string }[] = []
  /** Options the crash reporter was started with. */
  readonly crashReports: object[] = []
  readonly session = new DoubleSession()
  /** Other sessions, by partition. */
  readonly partitions = new Map<string, DoubleSession>()
  menu: DoubleMenuItem[] = []
  /** The result of the next message box. */
  answer = 0
  readonly notifications: DoubleNotification[] = []
  /** Whether the system can show notifications. */
  canNotify = true
  folderDialog: { canceled: boolean; filePaths: string[] } = { canceled: false, filePaths: ['/chosen/folder'] }
  readonly nativeTheme = Object.assign(new EventEmitter(), { shouldUseDarkColors: false, themeSource: 'light' })
  readonly options: DoubleOptions

  constructor(options: DoubleOptions) {
    this.options = options
  }

  /** The module as the host imports it. */
  get module(): ElectronModule {
    const parts = {
      app: this.app,
      ipcMain: this.ipcMain,
      crashReporter: { start: (options: object) => this.crashReports.push(options) },
      BrowserWindow: windowClass(this),
      MessageChannelMain: DoubleChannel,
      protocol: {
        registerSchemesAsPrivileged: (schemes: ElectronDouble['schemes']) => {
          if (this.app.isAppReady) throw new Error('registerSchemesAsPrivileged must be called before the ready event')
          this.schemes.push(...schemes)
        },
        handle: (scheme: string, handler: Handler) => {
          if (!this.app.isAppReady) throw new Error('protocol.handle must be called after the ready event')
          this.handlers.set(scheme, handler)
        },
      },
      session: {
        defaultSession: this.session,
        fromPartition: (name: string) => {
          const known = this.partitions.get(name) ?? new DoubleSession()
          this.partitions.set(name, known)
          return known
        },
      },
      WebContentsView: viewClass(this),
      shell: {
        openExternal: async (url: string) => {
          this.opened.push(url)
        },
        showItemInFolder: (path: string) => this.revealed.push(path),
      },
      Menu: {
        buildFromTemplate: (template: DoubleMenuItem[]) =>
          Object.assign([...template], { popup: () => this.popups.push(template) }),
        setApplicationMenu: (menu: DoubleMenuItem[]) => {
          this.menu = menu
        },
      },
      nativeTheme: this.nativeTheme,
      screen: {
        getCursorScreenPoint: () => ({ x: 0, y: 0 }),
        getDisplayNearestPoint: () => ({
          workArea: this.options.workAreas?.[0] ?? { x: 0, y: 0, width: 1920, height: 1080 },
        }),
        getAllDisplays: () =>
          (this.options.workAreas ?? [{ x: 0, y: 0, width: 1920, height: 1080 }]).map((workArea) => ({ workArea })),
      },
      safeStorage: {},
      dialog: {
        showErrorBox: (title: string, content: string) => this.errorBoxes.push(`${title}: ${content}`),
        // As in Electron, the window argument is optional.
        showMessageBox: (...given: Partial<DoubleQuestion>[]) => this.#ask(given.at(-1) ?? {}),
        showOpenDialog: async (...given: { defaultPath?: string }[]) => {
          this.openDialogOptions = given.at(-1) ?? {}
          return this.folderDialog
        },
      },
      Notification: notificationClass(this),
      nativeImage: {
        createFromDataURL: (url: string) => ({ url, addRepresentation: () => {}, setTemplateImage: () => {} }),
      },
      Tray: trayClass(this),
      globalShortcut: {
        register: (shortcut: string, run: () => void) => {
          if (this.options.takenShortcuts?.includes(shortcut)) return false
          this.shortcuts.set(shortcut, run)
          return true
        },
        unregister: (shortcut: string) => this.shortcuts.delete(shortcut),
      },
      powerMonitor: this.powerMonitor,
      powerSaveBlocker: {
        start: () => {
          const id = this.#nextBlocker++
          this.awake.add(id)
          return id
        },
        stop: (id: number) => this.awake.delete(id),
      },
      clipboard: { writeText: (text: string) => this.copied.push(text) },
    }
    return parts as unknown as ElectronModule
  }

  #nextBlocker = 1

  #ask(question: Partial<DoubleQuestion>): Promise<{ response: number }> {
    const { message = '', detail = '', buttons = [], cancelId = 0, signal } = question
    this.questions.push(message)
    const asked: DoubleQuestion = { message, detail, buttons, cancelId, signal, isOpen: true, answer: () => {} }
    this.dialogs.push(asked)
    return new Promise((resolve) => {
      asked.answer = (response) => {
        asked.isOpen = false
        resolve({ response })
      }
      signal?.addEventListener('abort', () => asked.answer(cancelId), { once: true })
      if (!this.keepsDialogs) asked.answer(this.answer)
    })
  }

  /** Starts a download of the page, and asks for its path in the system's dialog. */
  download(download: Download, url: string): void {
    const item = new DoubleDownload(this, download, url)
    let isPrevented = false
    this.session.emit('will-download', { preventDefault: () => (isPrevented = true) }, item)
    if (isPrevented) void download.cancel()
    else void item.run()
  }

  /** Clicks a menu item by its label. */
  clickMenu(label: string, menu = this.menu): void {
    const search = (items: DoubleMenuItem[]): DoubleMenuItem | undefined => {
      for (const item of items) {
        const found = item.label === label && item.click ? item : search(item.submenu ?? [])
        if (found) return found
      }
      return undefined
    }
    const item = search(menu)
    if (!item?.click) throw new Error(`the menu has no ${label}`)
    item.click()
  }

  async close(): Promise<void> {
    for (const window of [...this.windows, ...this.closedWindows]) await window.dispose()
  }
}

class DoubleChannel {
  readonly port1: DoublePort
  readonly port2: DoublePort

  constructor() {
    const [port1, port2] = DoublePort.pair()
    this.port1 = port1
    this.port2 = port2
  }
}

function notificationClass(double: ElectronDouble): new (options: DoubleNotification['options']) => DoubleNotification {
  return class extends DoubleNotification {
    static isSupported(): boolean {
      return double.canNotify
    }

    constructor(options: DoubleNotification['options']) {
      super(options)
      double.notifications.push(this)
    }
  }
}

function windowClass(double: ElectronDouble): new (options: Record<string, unknown>) => DoubleWindow {
  return class extends DoubleWindow {
    static getAllWindows(): DoubleWindow[] {
      return double.windows.slice()
    }

    static getFocusedWindow(): DoubleWindow | null {
      return double.windows.find((window) => window.isFocused) ?? null
    }

    constructor(options: Record<string, unknown>) {
      super(options, {
        browser: double.options.browser,
        handle: async (request) =>
          (await double.handlers.get('trestle')?.(request)) ?? new Response(null, { status: 500 }),
        toMain: (channel, event) => double.ipcMain.emit(channel, event),
        onFocused: (window) => {
          for (const other of double.windows) if (other !== window) other.isFocused = false
          double.app.emit('browser-window-focus', {}, window)
        },
        onDownload: (download, url) => double.download(download, url),
        neverPaints: () => double.options.neverPaints ?? false,
        onClosed: (window) => {
          double.windows.splice(double.windows.indexOf(window), 1)
          double.closedWindows.push(window)
          if (double.windows.length === 0 && !double.app.isQuitting) double.app.emit('window-all-closed')
        },
      })
      double.windows.push(this)
      double.app.emit('web-contents-created', {}, this.webContents)
    }
  }
}

function viewClass(double: ElectronDouble): new (options: DoubleView['options']) => DoubleView {
  return class extends DoubleView {
    constructor(options: DoubleView['options']) {
      super(options, double.options.browser)
      double.app.emit('web-contents-created', {}, this.webContents)
    }
  }
}

function trayClass(double: ElectronDouble): new () => DoubleTray {
  return class extends DoubleTray {
    constructor() {
      super()
      double.trays.push(this)
    }
  }
}
