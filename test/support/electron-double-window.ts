import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Browser, BrowserContext, Download, Frame, Page, Request as PageRequest } from 'playwright-core'
import type { DoubleView } from './electron-double-view'
import type { DoublePort } from './electron-double-port'

const APP_ORIGIN = 'trestle://app'
/**
 * Chromium outside Electron does not know the scheme, so an https origin (which is also secure) with the same host name
 * replaces it.
 */
const STAND_IN = 'https://app'

export interface WindowHooks {
  browser: Browser
  handle(request: Request): Promise<Response>
  toMain(channel: string, event: unknown): void
  onClosed(window: DoubleWindow): void
  onFocused(window: DoubleWindow): void
  /** A download that the user starts in a page. */
  onDownload(download: Download, url: string): void
  /** The page of a window never paints. */
  neverPaints(): boolean
}

interface Bounds {
  x: number
  y: number
  width: number
  height: number
}

/** A BrowserWindow whose contents are a real page. */
export class DoubleWindow extends EventEmitter {
  readonly options: Record<string, unknown>
  readonly webContents: DoubleContents
  /** Views above the page. */
  readonly views: DoubleView[] = []
  readonly contentView = {
    addChildView: (view: DoubleView) => this.views.push(view),
    removeChildView: (view: DoubleView) => this.views.splice(this.views.indexOf(view), 1),
  }
  isShown = false
  /** Whether the page had painted when the window was first shown. */
  wasPainted = false
  isMenuBarVisible = true
  backgroundColor = ''
  isFocused = false
  isFlashing = false
  /** Description of the taskbar overlay icon; empty without one. */
  overlay = ''
  isMinimizedNow = false
  isMaximizedNow = false
  bounds: Bounds
  readonly #hooks: WindowHooks
  #isDestroyed = false
  #hasPainted = false

  constructor(options: Record<string, unknown>, hooks: WindowHooks) {
    super()
    this.options = options
    this.#hooks = hooks
    this.bounds = {
      x: 0,
      y: 0,
      width: 0,
      height: 0,
      ...Object.fromEntries(Object.entries(options).filter(([key]) => ['x', 'y', 'width', 'height'].includes(key))),
    }
    this.webContents = new DoubleContents(hooks, (options['webPreferences'] as { preload: string }).preload)
  }

  async loadURL(url: string): Promise<void> {
    await this.webContents.open(url)
    if (this.#isDestroyed) return
    this.#hasPainted = !this.#hooks.neverPaints()
    if (this.#hasPainted) this.emit('ready-to-show')
  }

  show(): void {
    if (!this.isShown) this.wasPainted = this.#hasPainted
    this.isShown = true
  }

  focus(): void {
    this.isFocused = true
    this.emit('focus')
    this.#hooks.onFocused(this)
  }

  /** Moves the focus to another program. */
  blur(): void {
    this.isFocused = false
  }

  flashFrame(flag: boolean): void {
    this.isFlashing = flag
  }

  setOverlayIcon(icon: unknown, description: string): void {
    this.overlay = icon === null ? '' : description
  }

  /** Also shows the window. */
  maximize(): void {
    this.show()
    this.isMaximizedNow = true
  }

  restore(): void {
    this.isMinimizedNow = false
  }

  isVisible(): boolean {
    return this.isShown
  }

  setMenuBarVisibility(isVisible: boolean): void {
    this.isMenuBarVisible = isVisible
  }

  setBackgroundColor(color: string): void {
    this.backgroundColor = color
  }

  isMinimized(): boolean {
    return this.isMinimizedNow
  }

  isMaximized(): boolean {
    return this.isMaximizedNow
  }

  isFullScreen(): boolean {
    return false
  }

  isDestroyed(): boolean {
    return this.#isDestroyed
  }

  getNormalBounds(): Bounds {
    return this.bounds
  }

  close(): void {
    if (this.#isDestroyed) return
    let isPrevented = false
    this.emit('close', { preventDefault: () => (isPrevented = true) })
    if (isPrevented) return
    this.#isDestroyed = true
    void this.webContents.dispose()
    this.emit('closed')
    this.#hooks.onClosed(this)
  }

  /** Closes the page without the window's events, after a test. */
  dispose(): Promise<void> {
    this.#isDestroyed = true
    for (const view of this.views) view.webContents.close()
    return this.webContents.dispose()
  }
}

/** The frame objects of the main process; one per frame of the page, the same for the same frame. */
interface DoubleFrame {
  url: string
  origin: string
  parent: DoubleFrame | null
  postMessage(channel: string, message: unknown, ports?: DoublePort[]): void
}

export class DoubleContents extends EventEmitter {
  mainFrame: DoubleFrame | undefined
  reloads = 0
  crashes = 0
  readonly session = { addWordToSpellCheckerDictionary: (word: string) => this.learned.push(word) > 0 }
  readonly learned: string[] = []
  readonly replaced: string[] = []
  readonly #hooks: WindowHooks
  readonly #preload: string
  readonly #ports = new Map<number, DoublePort>()
  #nextPort = 1
  /** The URL that `loadURL` is loading. */
  #loading: string | undefined
  #isDisposed = false
  #end: Promise<void> | undefined
  #context: BrowserContext | undefined
  #page: Page | undefined
  #windowOpen: ((details: { url: string }) => { action: string }) | undefined

  constructor(hooks: WindowHooks, preload: string) {
    super()
    this.#hooks = hooks
    this.#preload = preload
  }

  /** Whether it has started to load: the app shows a slowly loading window before that. */
  get hasPage(): boolean {
    return this.#page !== undefined
  }

  /** The real page. */
  get page(): Page {
    if (!this.#page) throw new Error('the window has loaded nothing yet')
    return this.#page
  }

  focused = 0

  focus(): void {
    this.focused += 1
  }

  getZoomFactor(): number {
    return 1
  }

  setWindowOpenHandler(handler: (details: { url: string }) => { action: string }): void {
    this.#windowOpen = handler
  }

  /** The handler's response to the page's `window.open`. */
  openWindow(url: string): { action: string } | undefined {
    return this.#windowOpen?.({ url })
  }

  getURL(): string {
    return toAppUrl(this.#page?.url() ?? '')
  }

  isDestroyed(): boolean {
    return this.#isDisposed
  }

  replaceMisspelling(word: string): void {
    this.replaced.push(word)
  }

  /** Ends the page's process; `render-process-gone` follows, as in Electron. */
  forcefullyCrashRenderer(): void {
    this.crashes += 1
    this.emit('render-process-gone', {}, { reason: 'killed', exitCode: 9 })
  }

  loadURL(url: string): Promise<void> {
    return this.open(url)
  }

  reload(): void {
    this.reloads += 1
    void this.page.reload().catch(() => {})
  }

  async open(url: string): Promise<void> {
    if (this.#isDisposed) return
    if (this.#page) {
      this.#loading = url
      await this.#page.goto(url.replace(APP_ORIGIN, STAND_IN)).catch(() => {})
      return
    }
    this.#context = await this.#hooks.browser.newContext({ acceptDownloads: true })
    // It was closed before its page was created.
    if (this.#isDisposed) return this.dispose()
    // A guard against waiting forever, even on a busy machine.
    this.#context.setDefaultTimeout(90_000)
    const page = await this.#context.newPage()
    this.#page = page
    this.mainFrame = this.#frameOf(page.mainFrame())
    await page.exposeBinding('__toMain', ({ frame }, channel: string) => this.#fromPage(frame, channel))
    page.on('download', (download) =>
      this.#hooks.onDownload(
        download,
        toAppUrl(download.url().replace(/^blob:/, '')).replace(/^trestle:/, 'blob:trestle:'),
      ),
    )
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) this.emit('did-navigate-in-page', {}, toAppUrl(frame.url()), true)
    })
    await page.exposeBinding('__portMessage', (_source, id: number, data: unknown) =>
      this.#ports.get(id)?.postMessage(data),
    )
    await page.addInitScript({ content: `(() => {${preloadHost(readFileSync(this.#preload, 'utf8'))}})()` })
    await this.#context.route('**/*', async (route) => {
      const request = route.request()
      const isNavigation = request.isNavigationRequest()
      if (pageOf(request) !== page) {
        // A new window: Electron asks before it exists.
        await route.abort('aborted')
        this.openWindow(toAppUrl(request.url()))
        return
      }
      if (isNavigation && this.#isPrevented(request.url(), request.frame() === page.mainFrame())) {
        await route.abort('aborted')
        return
      }
      if (!request.url().startsWith(`${STAND_IN}/`)) {
        await route.abort('blockedbyclient')
        return
      }
      if (isNavigation) this.#closePorts()
      const answer = await this.#hooks.handle(new Request(toAppUrl(request.url()), { method: request.method() }))
      await route.fulfill({
        status: answer.status,
        headers: Object.fromEntries(answer.headers),
        body: Buffer.from(await answer.arrayBuffer()),
      })
    })
    this.#context.on('page', (other) => void other.close().catch(() => {}))
    await page.goto(url.replace(APP_ORIGIN, STAND_IN)).catch(() => {})
  }

  /** Ends the page. Further calls wait for the same end. */
  dispose(): Promise<void> {
    this.#isDisposed = true
    this.#closePorts()
    this.#end ??= this.#context?.close()
    return this.#end ?? Promise.resolve()
  }

  /**
   * Emits a navigation event as Electron does; returns whether a listener prevented it. The first load emits no event.
   */
  #isPrevented(url: string, isMainFrame: boolean): boolean {
    if (this.page.url() === 'about:blank') return false
    // `loadURL` emits no event.
    if (isMainFrame && this.#loading === toAppUrl(url)) {
      this.#loading = undefined
      return false
    }
    let isPrevented = false
    const details = { url: toAppUrl(url), isMainFrame, preventDefault: () => (isPrevented = true) }
    this.emit('will-frame-navigate', details)
    if (isMainFrame) this.emit('will-navigate', details)
    return isPrevented
  }

  #frameOf(frame: Frame): DoubleFrame {
    const parent = frame.parentFrame()
    return {
      get url() {
        return toAppUrl(frame.url())
      },
      get origin() {
        return toAppUrl(new URL(frame.url()).origin)
      },
      parent: parent ? this.#frameOf(parent) : null,
      postMessage: (channel, message, ports = []) => void this.#toPage(frame, channel, message, ports),
    }
  }

  #fromPage(frame: Frame, channel: string): void {
    const senderFrame = frame === this.page.mainFrame() ? this.mainFrame : this.#frameOf(frame)
    this.#hooks.toMain(channel, { sender: this, senderFrame, ports: [] })
  }

  async #toPage(frame: Frame, channel: string, message: unknown, ports: DoublePort[]): Promise<void> {
    const ids = ports.map((port) => {
      const id = this.#nextPort++
      this.#ports.set(id, port)
      // One by one: a page must receive messages in the order in which they were posted.
      let last: Promise<unknown> = Promise.resolve()
      const inPage = (code: string, argument: unknown): void => {
        last = last
          .then(() => frame.evaluate(`(${code})(${JSON.stringify(id)}, ${JSON.stringify(argument)})`))
          .catch(() => {})
      }
      port.on('message', ({ data }: { data: unknown }) =>
        inPage('(id, data) => window.__ports?.get(id)?.postMessage(data)', data),
      )
      port.on('close', () => inPage('(id) => window.__ports?.get(id)?.close()', null))
      return id
    })
    await frame
      .evaluate(`window.__deliver(${JSON.stringify(channel)}, ${JSON.stringify(message)}, ${JSON.stringify(ids)})`)
      .catch(() => {})
    for (const port of ports) port.start()
  }

  /** Closes the ports of a document that is unloaded, as Electron does. */
  #closePorts(): void {
    for (const port of this.#ports.values()) port.close()
    this.#ports.clear()
  }
}

/** The page that a request comes from; undefined for the first one of a new window, which has no frame yet. */
function pageOf(request: PageRequest): Page | undefined {
  try {
    return request.frame().page()
  } catch {
    return undefined
  }
}

function toAppUrl(url: string): string {
  return url === STAND_IN || url.startsWith(`${STAND_IN}/`) ? APP_ORIGIN + url.slice(STAND_IN.length) : url
}

/**
 * Runs the preload script as in a sandbox: CommonJS, with only `require('electron')`, before the page's own scripts.
 */
function preloadHost(script: string): string {
  return `
    if (window !== window.top) return
    const listeners = new Map()
    window.__ports = new Map()
    window.__deliver = (channel, message, ids) => {
      const ports = ids.map((id) => {
        const { port1, port2 } = new MessageChannel()
        window.__ports.set(id, port1)
        port1.onmessage = ({ data }) => window.__portMessage(id, data)
        return port2
      })
      for (const listener of listeners.get(channel) ?? []) listener({ ports }, message)
    }
    const ipcRenderer = {
      on: (channel, listener) => listeners.set(channel, [...(listeners.get(channel) ?? []), listener]),
      postMessage: (channel) => window.__toMain(channel),
    }
    const require = (name) => {
      if (name !== 'electron') throw new Error('a sandboxed preload script cannot require ' + name)
      const contextBridge = { exposeInMainWorld: (key, api) => Object.defineProperty(window, key, { value: Object.freeze(api) }) }
      const webUtils = { getPathForFile: (file) => window.__droppedPaths?.[file.name] ?? '' }
      return { ipcRenderer, contextBridge, webUtils }
    }
    const module = { exports: {} }
    const exports = module.exports
    ;(() => {${script}})()
  `
}
