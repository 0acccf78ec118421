import { EventEmitter } from 'node:events'
import type { DoubleMenuItem } from './electron-double-parts'

/** The parts of the double that the app needs. */
interface AppOwner {
  readonly options: { isFirstInstance?: boolean; isPackaged?: boolean }
  readonly windows: { close(): void }[]
}

/** Electron's `app`. */
export class DoubleApp extends EventEmitter {
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
  readonly #double: AppOwner

  constructor(double: AppOwner) {
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

  getGPUFeatureStatus(): Record<string, string> {
    return { gpu_compositing: 'enabled', webgl: 'disabled_software' }
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

  exit(code: number): void {
    this.exitCode = code
  }

  /**
   * `before-quit` can prevent it, and so can a window that does not close; otherwise the windows close and the app
   * exits.
   */
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
