import { EventEmitter } from 'node:events'
import type { Browser } from 'playwright-core'
import type { ElectronModule } from '../../src/main/host/electron/electron-module'
import { DoublePort } from './electron-double-port'
import { DoubleWindow } from './electron-double-window'

export interface DoubleOptions {
  browser: Browser
  /** What `getAllDisplays` answers. */
  workAreas?: { x: number; y: number; width: number; height: number }[]
  isPackaged?: boolean
  /** Whether this process gets the single instance lock. */
  isFirstInstance?: boolean
}

type Handler = (request: Request) => Promise<Response> | Response

/** A menu item as a template has it. */
export interface DoubleMenuItem {
  label?: string
  role?: string
  submenu?: DoubleMenuItem[]
  click?: () => void
}

/**
 * Stands for the electron module: the main process's objects are plain event emitters that remember what they were told, and each `BrowserWindow`
 * is a real page of a real Chromium, in which the built preload script runs. What a double cannot show (the operating system's sandbox, the isolated
 * world, the custom scheme inside Chromium) is in docs/electron-assumptions.md.
 */
export class ElectronDouble {
  readonly app = new DoubleApp(this)
  readonly ipcMain = new EventEmitter()
  readonly windows: DoubleWindow[] = []
  readonly schemes: { scheme: string; privileges: Record<string, boolean> }[] = []
  readonly handlers = new Map<string, Handler>()
  readonly opened: string[] = []
  readonly errorBoxes: string[] = []
  readonly questions: string[] = []
  /** What the crash reporter was started with. */
  readonly crashReports: object[] = []
  readonly session = new DoubleSession()
  menu: DoubleMenuItem[] = []
  /** What the next message box answers. */
  answer = 0
  readonly notifications: DoubleNotification[] = []
  /** Whether the system can show notifications. */
  canNotify = true
  folderDialog: { canceled: boolean; filePaths: string[] } = { canceled: false, filePaths: ['/chosen/folder'] }
  readonly nativeTheme = { shouldUseDarkColors: false, themeSource: 'light' }
  readonly options: DoubleOptions

  constructor(options: DoubleOptions) {
    this.options = options
  }

  /** The module as the host gets it. */
  get module(): ElectronModule {
    const parts = {
      app: this.app,
      ipcMain: this.ipcMain,
      crashReporter: { start: (options: object) => this.crashReports.push(options) },
      BrowserWindow: windowClass(this),
      MessageChannelMain: DoubleChannel,
      protocol: {
        registerSchemesAsPrivileged: (schemes: ElectronDouble['schemes']) => {
          if (this.app.isReady) throw new Error('registerSchemesAsPrivileged must be called before the ready event')
          this.schemes.push(...schemes)
        },
        handle: (scheme: string, handler: Handler) => {
          if (!this.app.isReady) throw new Error('protocol.handle must be called after the ready event')
          this.handlers.set(scheme, handler)
        },
      },
      session: { defaultSession: this.session },
      shell: {
        openExternal: async (url: string) => {
          this.opened.push(url)
        },
      },
      Menu: {
        buildFromTemplate: (template: DoubleMenuItem[]) => template,
        setApplicationMenu: (menu: DoubleMenuItem[]) => {
          this.menu = menu
        },
      },
      nativeTheme: this.nativeTheme,
      screen: {
        getAllDisplays: () => (this.options.workAreas ?? [{ x: 0, y: 0, width: 1920, height: 1080 }]).map((workArea) => ({ workArea })),
      },
      safeStorage: {},
      dialog: {
        showErrorBox: (title: string, content: string) => this.errorBoxes.push(`${title}: ${content}`),
        // As in Electron, the window may come first.
        showMessageBox: async (...given: { message?: string }[]) => {
          this.questions.push(given.at(-1)?.message ?? '')
          return { response: this.answer }
        },
        showOpenDialog: async () => this.folderDialog,
      },
      Notification: notificationClass(this),
      nativeImage: { createFromDataURL: (url: string) => url },
    }
    return parts as unknown as ElectronModule
  }

  /** Clicks a menu item by its label. */
  clickMenu(label: string): void {
    const search = (items: DoubleMenuItem[]): DoubleMenuItem | undefined => {
      for (const item of items) {
        const found = item.label === label && item.click ? item : search(item.submenu ?? [])
        if (found) return found
      }
      return undefined
    }
    const item = search(this.menu)
    if (!item?.click) throw new Error(`the menu has no ${label}`)
    item.click()
  }

  async close(): Promise<void> {
    for (const window of this.windows.slice()) await window.dispose()
  }
}

class DoubleApp extends EventEmitter {
  isReady = false
  isPackaged: boolean
  readonly paths = new Map<string, string>()
  badge = 0
  bounces = 0
  readonly dock = { bounce: () => (this.bounces += 1) }
  isSandboxed = false
  exitCode: number | undefined
  hasRelaunched = false
  hasQuit = false
  readonly #double: ElectronDouble

  constructor(double: ElectronDouble) {
    super()
    this.#double = double
    this.isPackaged = false
  }

  setPath(name: string, path: string): void {
    this.paths.set(name, path)
  }

  enableSandbox(): void {
    if (this.isReady) throw new Error('enableSandbox must be called before the ready event')
    this.isSandboxed = true
  }

  setAppUserModelId(): void {}

  setBadgeCount(count: number): void {
    this.badge = count
  }

  requestSingleInstanceLock(): boolean {
    return this.#double.options.isFirstInstance ?? true
  }

  async whenReady(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    this.isReady = true
    this.isPackaged = this.#double.options.isPackaged ?? false
  }

  relaunch(): void {
    this.hasRelaunched = true
  }

  getGPUFeatureStatus(): Record<string, string> {
    return { gpu_compositing: 'enabled', webgl: 'disabled_software' }
  }

  exit(code: number): void {
    this.exitCode = code
  }

  /** `before-quit` can prevent it; otherwise the windows close and the app ends. */
  quit(): void {
    let isPrevented = false
    this.emit('before-quit', { preventDefault: () => (isPrevented = true) })
    if (isPrevented) return
    for (const window of this.#double.windows.slice()) window.close()
    this.hasQuit = true
    this.emit('quit')
  }
}

class DoubleSession extends EventEmitter {
  permissionRequest: ((contents: unknown, permission: string, callback: (granted: boolean) => void, details: unknown) => void) | undefined
  permissionCheck: ((contents: unknown, permission: string, origin: string) => boolean) | undefined
  devicePermission: (() => boolean) | undefined
  displayMedia: unknown
  /** What the system says about proxies. */
  proxy = 'DIRECT'
  blocked: { urls: string[] } | undefined
  readonly webRequest = {
    onBeforeRequest: (
      filter: { urls: string[] },
      listener: (details: unknown, callback: (response: { cancel: boolean }) => void) => void,
    ) => {
      listener({}, ({ cancel }) => {
        if (cancel) this.blocked = filter
      })
    },
  }

  async resolveProxy(): Promise<string> {
    return this.proxy
  }

  setPermissionRequestHandler(handler: NonNullable<DoubleSession['permissionRequest']>): void {
    this.permissionRequest = handler
  }

  setPermissionCheckHandler(handler: NonNullable<DoubleSession['permissionCheck']>): void {
    this.permissionCheck = handler
  }

  setDevicePermissionHandler(handler: () => boolean): void {
    this.devicePermission = handler
  }

  setDisplayMediaRequestHandler(handler: unknown): void {
    this.displayMedia = handler
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

/** A notification of the system, which can be clicked. */
export class DoubleNotification extends EventEmitter {
  state: 'made' | 'shown' | 'closed' = 'made'
  readonly options: { title: string; body: string; silent: boolean }

  constructor(options: DoubleNotification['options']) {
    super()
    this.options = options
  }

  show(): void {
    this.state = 'shown'
  }

  close(): void {
    this.state = 'closed'
  }

  click(): void {
    this.emit('click', {})
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
        handle: async (request) => (await double.handlers.get('trestle')?.(request)) ?? new Response(null, { status: 500 }),
        toMain: (channel, event) => double.ipcMain.emit(channel, event),
        onFocused: (window) => void double.app.emit('browser-window-focus', {}, window),
        onClosed: (window) => {
          double.windows.splice(double.windows.indexOf(window), 1)
          double.app.emit('window-all-closed')
        },
      })
      double.windows.push(this)
      double.app.emit('web-contents-created', {}, this.webContents)
    }
  }
}
