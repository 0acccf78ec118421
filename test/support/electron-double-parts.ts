import { EventEmitter } from 'node:events'
import type { Download } from 'playwright-core'

/** A menu item in a template. */
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

/** A message box and its answer. */
export interface DoubleQuestion {
  message: string
  detail: string
  buttons: string[]
  cancelId: number
  signal: AbortSignal | undefined
  isOpen: boolean
  answer(response: number): void
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

/** The session that pages run in; it records what it allows, for tests. */
export class DoubleSession extends EventEmitter {
  permissionRequest:
    | ((contents: unknown, permission: string, callback: (granted: boolean) => void, details: unknown) => void)
    | undefined
  permissionCheck: ((contents: unknown, permission: string, origin: string) => boolean) | undefined
  devicePermission: (() => boolean) | undefined
  displayMedia: unknown
  /** The system's proxy settings. */
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

  isCleared = false

  async clearStorageData(): Promise<void> {
    this.isCleared = true
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

/** The user's answer in the save dialog. */
export interface SaveDialog {
  saveTo: string | undefined
  readonly saveDialogs: { defaultPath?: string }[]
}

/** A DownloadItem: asks in the save dialog, then writes the file. */
export class DoubleDownload extends EventEmitter {
  readonly #dialog: SaveDialog
  readonly #download: Download
  readonly #url: string
  #options: { defaultPath?: string } = {}
  #path = ''

  constructor(dialog: SaveDialog, download: Download, url: string) {
    super()
    this.#dialog = dialog
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
    this.#dialog.saveDialogs.push(this.#options)
    if (this.#dialog.saveTo === undefined) {
      this.emit('done', {}, 'cancelled')
      return
    }
    this.#path = this.#dialog.saveTo
    const state = await this.#download.saveAs(this.#path).then(
      () => 'completed',
      () => 'interrupted',
    )
    this.emit('done', {}, state)
  }
}
