import { EventEmitter } from 'node:events'
import type { Browser, Download } from 'playwright-core'
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
  /** Pages never paint, as with graphics trouble. */
  neverPaints?: boolean
  /** Shortcuts that another program has. */
  takenShortcuts?: string[]
}

type Handler = (request: Request) => Promise<Response> | Response

/** A menu item as a template has it. */
export interface DoubleMenuItem {
  label?: string
  role?: string
  submenu?: DoubleMenuItem[]
  enabled?: boolean
  visible?: boolean
  type?: string
  accelerator?: string
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
  readonly dialogs: DoubleQuestion[] = []
  /** Message boxes stay open until `answerDialog`. */
  keepsDialogs = false
  readonly popups: DoubleMenuItem[][] = []
  readonly trays: DoubleTray[] = []
  readonly shortcuts = new Map<string, () => void>()
  readonly copied: string[] = []
  readonly revealed: string[] = []
  readonly powerMonitor = new EventEmitter()
  /** How many ask the computer to stay awake. */
  readonly awake = new Set<number>()
  openDialogOptions: { defaultPath?: string } = {}
  /** What the save dialog answers; undefined: cancelled. */
  saveTo: string | undefined
  readonly saveDialogs: { defaultPath?: string }[] = []
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
  readonly nativeTheme = Object.assign(new EventEmitter(), { shouldUseDarkColors: false, themeSource: 'light' })
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
          if (this.app.isAppReady) throw new Error('registerSchemesAsPrivileged must be called before the ready event')
          this.schemes.push(...schemes)
        },
        handle: (scheme: string, handler: Handler) => {
          if (!this.app.isAppReady) throw new Error('protocol.handle must be called after the ready event')
          this.handlers.set(scheme, handler)
        },
      },
      session: { defaultSession: this.session },
      shell: {
        openExternal: async (url: string) => {
          this.opened.push(url)
        },
        showItemInFolder: (path: string) => this.revealed.push(path),
      },
      Menu: {
        buildFromTemplate: (template: DoubleMenuItem[]) => Object.assign([...template], { popup: () => this.popups.push(template) }),
        setApplicationMenu: (menu: DoubleMenuItem[]) => {
          this.menu = menu
        },
      },
      nativeTheme: this.nativeTheme,
      screen: {
        getCursorScreenPoint: () => ({ x: 0, y: 0 }),
        getDisplayNearestPoint: () => ({ workArea: this.options.workAreas?.[0] ?? { x: 0, y: 0, width: 1920, height: 1080 } }),
        getAllDisplays: () => (this.options.workAreas ?? [{ x: 0, y: 0, width: 1920, height: 1080 }]).map((workArea) => ({ workArea })),
      },
      safeStorage: {},
      dialog: {
        showErrorBox: (title: string, content: string) => this.errorBoxes.push(`${title}: ${content}`),
        // As in Electron, the window may come first.
        showMessageBox: (...given: Partial<DoubleQuestion>[]) => this.#ask(given.at(-1) ?? {}),
        showOpenDialog: async (...given: { defaultPath?: string }[]) => {
          this.openDialogOptions = given.at(-1) ?? {}
          return this.folderDialog
        },
      },
      Notification: notificationClass(this),
      nativeImage: { createFromDataURL: (url: string) => ({ url, addRepresentation: () => {}, setTemplateImage: () => {} }) },
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

  /** Chromium begins to save what a page made: the system's dialog asks where. */
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
    for (const window of this.windows.slice()) await window.dispose()
  }
}

class DoubleApp extends EventEmitter {
  isAppReady = false
  isPackaged: boolean
  readonly paths = new Map<string, string>()
  badge = 0
  bounces = 0
  dockMenu: DoubleMenuItem[] = []
  readonly dock = {
    bounce: () => (this.bounces += 1),
    setMenu: (menu: DoubleMenuItem[]) => {
      this.dockMenu = menu
    },
  }
  jumpList: { name?: string; items?: { title: string; args: string }[] }[] = []
  readonly recentDocuments: string[] = []
  loginItem: { openAtLogin: boolean; args: string[] } | undefined
  protocolClient: string | undefined
  isRelaunching = false
  hasAcceleratedGraphics = true
  lockData: unknown
  isSandboxed = false
  exitCode: number | undefined
  hasQuit = false
  isQuitting = false
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
    if (this.isAppReady) throw new Error('enableSandbox must be called before the ready event')
    this.isSandboxed = true
  }

  setAppUserModelId(): void {}

  setBadgeCount(count: number): void {
    this.badge = count
  }

  setAsDefaultProtocolClient(scheme: string): boolean {
    this.protocolClient = scheme
    return true
  }

  setJumpList(list: DoubleApp['jumpList']): string {
    this.jumpList = list
    return 'ok'
  }

  addRecentDocument(path: string): void {
    this.recentDocuments.push(path)
  }

  clearRecentDocuments(): void {
    this.recentDocuments.length = 0
  }

  setLoginItemSettings(settings: { openAtLogin: boolean; args: string[] }): void {
    this.loginItem = settings
  }

  disableHardwareAcceleration(): void {
    if (this.isAppReady) throw new Error('disableHardwareAcceleration must be called before the ready event')
    this.hasAcceleratedGraphics = false
  }

  getPath(name: string): string {
    return this.paths.get(name) ?? `/home/user/${name}`
  }

  relaunch(): void {
    this.isRelaunching = true
  }

  isReady(): boolean {
    return this.isAppReady
  }

  requestSingleInstanceLock(data: unknown): boolean {
    this.lockData = data
    return this.#double.options.isFirstInstance ?? true
  }

  async whenReady(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    this.isAppReady = true
    this.isPackaged = this.#double.options.isPackaged ?? false
  }

  getGPUFeatureStatus(): Record<string, string> {
    return { gpu_compositing: 'enabled', webgl: 'disabled_software' }
  }

  exit(code: number): void {
    this.exitCode = code
  }

  /** `before-quit` can prevent it, and so can a window that does not close; otherwise the windows close and the app ends. */
  quit(): void {
    let isPrevented = false
    this.emit('before-quit', { preventDefault: () => (isPrevented = true) })
    if (isPrevented) return
    this.isQuitting = true
    for (const window of this.#double.windows.slice()) window.close()
    this.isQuitting = false
    if (this.#double.windows.length > 0) return
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
  readonly options: { title: string; body: string; silent: boolean; actions?: { text: string }[] }

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

  /** Presses one of its buttons. */
  press(label: string): void {
    const actionIndex = this.options.actions?.findIndex(({ text }) => text === label) ?? -1
    if (actionIndex < 0) throw new Error(`the notification has no ${label}`)
    this.emit('action', { actionIndex })
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
        onFocused: (window) => {
          for (const other of double.windows) if (other !== window) other.isFocused = false
          double.app.emit('browser-window-focus', {}, window)
        },
        onDownload: (download, url) => double.download(download, url),
        neverPaints: () => double.options.neverPaints ?? false,
        onClosed: (window) => {
          double.windows.splice(double.windows.indexOf(window), 1)
          if (double.windows.length === 0 && !double.app.isQuitting) double.app.emit('window-all-closed')
        },
      })
      double.windows.push(this)
      double.app.emit('web-contents-created', {}, this.webContents)
    }
  }
}

/** A message box, and what it was answered. */
export interface DoubleQuestion {
  message: string
  detail: string
  buttons: string[]
  cancelId: number
  signal: AbortSignal | undefined
  isOpen: boolean
  answer(response: number): void
}

/** An icon in the tray. */
export class DoubleTray extends EventEmitter {
  tooltip = ''
  title = ''
  menu: DoubleMenuItem[] = []
  isGone = false

  setToolTip(text: string): void {
    this.tooltip = text
  }

  setTitle(text: string): void {
    this.title = text
  }

  setContextMenu(menu: DoubleMenuItem[]): void {
    this.menu = menu
  }

  destroy(): void {
    this.isGone = true
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

/** A DownloadItem: asks in the save dialog, then writes the file. */
class DoubleDownload extends EventEmitter {
  readonly #double: ElectronDouble
  readonly #download: Download
  readonly #url: string
  #options: { defaultPath?: string } = {}
  #path = ''

  constructor(double: ElectronDouble, download: Download, url: string) {
    super()
    this.#double = double
    this.#download = download
    this.#url = url
  }

  getURL(): string {
    return this.#url
  }

  getFilename(): string {
    return this.#download.suggestedFilename()
  }

  getSavePath(): string {
    return this.#path
  }

  setSaveDialogOptions(options: { defaultPath?: string }): void {
    this.#options = options
  }

  async run(): Promise<void> {
    this.#double.saveDialogs.push(this.#options)
    if (this.#double.saveTo === undefined) {
      this.emit('done', {}, 'cancelled')
      return
    }
    this.#path = this.#double.saveTo
    const state = await this.#download.saveAs(this.#path).then(
      () => 'completed',
      () => 'interrupted',
    )
    this.emit('done', {}, state)
  }
}
