import { EventEmitter } from 'node:events'
import type { Browser, BrowserContext, Page, Request as PageRequest } from 'playwright-core'
import type { DoubleSession } from './electron-double-parts'

interface Bounds {
  x: number
  y: number
  width: number
  height: number
}

/** A WebContentsView whose contents are a real page in its own browser context. */
export class DoubleView {
  readonly options: { webPreferences: Record<string, unknown> & { session: DoubleSession } }
  readonly webContents: DoubleViewContents
  bounds: Bounds = { x: 0, y: 0, width: 0, height: 0 }
  isVisible = true

  constructor(options: DoubleView['options'], browser: Browser) {
    this.options = options
    this.webContents = new DoubleViewContents(browser, options.webPreferences.session, () => this.bounds)
  }

  setBounds(bounds: Bounds): void {
    this.bounds = bounds
    this.webContents.resized()
  }

  setVisible(isVisible: boolean): void {
    this.isVisible = isVisible
  }
}

/** The contents of such a view. */
export class DoubleViewContents extends EventEmitter {
  readonly session: DoubleSession
  /** How often it was focused. */
  focused = 0
  readonly navigationHistory = {
    goBack: () => void this.page.goBack().catch(() => {}),
    goForward: () => void this.page.goForward().catch(() => {}),
  }
  readonly #browser: Browser
  readonly #bounds: () => Bounds
  #zoom = 1
  #title = ''
  #context: BrowserContext | undefined
  #page: Page | undefined
  #isClosed = false
  #loading: string | undefined
  #windowOpen: ((details: { url: string }) => { action: string }) | undefined

  constructor(browser: Browser, session: DoubleSession, bounds: () => Bounds) {
    super()
    this.#browser = browser
    this.session = session
    this.#bounds = bounds
  }

  /** The real page. */
  get page(): Page {
    if (!this.#page) throw new Error('the view has loaded nothing yet')
    return this.#page
  }

  get zoom(): number {
    return this.#zoom
  }

  setWindowOpenHandler(handler: (details: { url: string }) => { action: string }): void {
    this.#windowOpen = handler
  }

  getURL(): string {
    const url = this.#page?.url() ?? ''
    return url === 'about:blank' ? '' : url
  }

  getTitle(): string {
    return this.#title
  }

  setZoomFactor(zoom: number): void {
    this.#zoom = zoom
    this.resized()
  }

  /** Lays out the page in the size that the zoom leaves. */
  resized(): void {
    const { width, height } = this.#bounds()
    if (this.#page && width > 0 && height > 0)
      void this.#page
        .setViewportSize({ width: Math.round(width / this.#zoom), height: Math.round(height / this.#zoom) })
        .catch(() => {})
  }

  focus(): void {
    this.focused += 1
  }

  isDestroyed(): boolean {
    return this.#isClosed
  }

  close(): void {
    this.#isClosed = true
    void this.#context?.close()
  }

  reload(): void {
    void this.page.reload().catch(() => {})
  }

  executeJavaScript(code: string): Promise<unknown> {
    return this.page.evaluate(code)
  }

  async capturePage(): Promise<unknown> {
    const png = await this.page.screenshot()
    const picture = {
      getSize: () => ({ width: png.readUInt32BE(16), height: png.readUInt32BE(20) }),
      resize: () => picture,
      toPNG: () => png,
    }
    return picture
  }

  async loadURL(url: string): Promise<void> {
    const page = await this.#opened()
    this.#loading = url
    const failure = await page.goto(url).then(
      () => undefined,
      (error: unknown) => /net::(ERR_\w+)/.exec(String(error))?.[1] ?? 'ERR_FAILED',
    )
    if (this.#isClosed || failure === undefined) return
    this.emit('did-fail-load', {}, failure === 'ERR_ABORTED' ? -3 : -102, failure, url, true)
    throw new Error(failure)
  }

  async #opened(): Promise<Page> {
    if (this.#page) return this.#page
    this.#context = await this.#browser.newContext()
    const page = await this.#context.newPage()
    this.#page = page
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame() && this.getURL().startsWith('http')) void this.#navigated()
    })
    page.on('load', () => {
      // Chromium shows its own page after a failed load; Electron does not.
      if (this.getURL().startsWith('http')) this.emit('did-finish-load')
    })
    page.on('console', (message) =>
      this.emit('console-message', { level: message.type(), message: message.text(), lineNumber: 0, sourceId: '' }),
    )
    page.on('pageerror', (error) =>
      this.emit('console-message', { level: 'error', message: `Uncaught ${error.stack ?? error.message}` }),
    )
    await this.#context.route('**/*', async (route) => {
      const request = route.request()
      if (!isOf(request, page)) {
        await route.abort('aborted')
        this.#windowOpen?.({ url: request.url() })
      } else if (request.isNavigationRequest() && this.#isPrevented(request, page)) await route.abort('aborted')
      else await route.continue()
    })
    this.#context.on('page', (other) => void other.close())
    this.resized()
    return page
  }

  async #navigated(): Promise<void> {
    this.#title = await this.page.title().catch(() => '')
    this.emit('did-navigate', {}, this.getURL())
  }

  #isPrevented(request: PageRequest, page: Page): boolean {
    const isMainFrame = request.frame() === page.mainFrame()
    // `loadURL` and reloads emit no event.
    if (isMainFrame && [this.#loading, this.getURL()].includes(request.url())) return false
    let isPrevented = false
    const details = { url: request.url(), isMainFrame, preventDefault: () => (isPrevented = true) }
    this.emit('will-frame-navigate', details)
    if (isMainFrame) this.emit('will-navigate', details)
    return isPrevented
  }
}

function isOf(request: PageRequest, page: Page): boolean {
  try {
    return request.frame().page() === page
  } catch {
    return false
  }
}
