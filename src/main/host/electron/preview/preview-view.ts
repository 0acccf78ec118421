import type { BrowserWindow, Session, WebContentsView, WebContents } from 'electron'
import type {
  PagePicture,
  PreviewViewCommand,
  PreviewViewReport,
  ViewPlace,
} from '../../../../shared/model/app/page-preview'
import { OUTLINE_CODE, PICK_CODE, STOP_PICKING_CODE } from '../../../api/preview/page-code'
import type { ElectronModule } from '../platform/electron-module'
import { randomUUID } from 'node:crypto'
import { CodedError } from '../../../../shared/errors'
import type { PreviewViews } from '../../../api/implementer'
import { previewTarget } from '../../../api/preview/preview-target'
import { cutText } from '../../../../shared/cut-text'

interface PreviewViewOptions {
  electron: Pick<ElectronModule, 'WebContentsView' | 'session'>
  /** The window whose page it covers. */
  window: BrowserWindow
  viewId: string
  url: string
  onReport(report: PreviewViewReport): void
}

/** Maximum side of a picture in pixels; models use no higher resolution. */
const MAX_SIDE = 2000
/** Chromium's code for a load that another one replaced. */
const ABORTED = -3
/** Chromium's minimum zoom. */
const MIN_ZOOM = 0.25

/** One page in its own view: nothing is persisted, and it shares nothing with Trestle's page. */
class PreviewView {
  readonly #options: PreviewViewOptions
  readonly #view: WebContentsView
  readonly #session: Session
  readonly #origin: string
  #isShown = false
  #zoom = 1

  constructor(options: PreviewViewOptions) {
    this.#options = options
    const { electron, window, viewId, url, onReport } = options
    this.#origin = new URL(url).origin
    const partition = `preview-${viewId}`
    // Without "persist:", the session is in memory only. It is guarded before any contents exist in it.
    this.#session = electron.session.fromPartition(partition)
    guardPreviewSession(this.#session)
    this.#view = new electron.WebContentsView({
      webPreferences: {
        session: this.#session,
        contextIsolation: true,
        sandbox: true,
        nodeIntegration: false,
        webSecurity: true,
        webviewTag: false,
        safeDialogs: true,
        spellcheck: false,
        navigateOnDragDrop: false,
      },
    })
    guardPreview(this.#view.webContents, this.#origin, (refused) => onReport({ type: 'refused', url: refused }))
    this.#listen()
    this.#view.setVisible(false)
    window.contentView.addChildView(this.#view)
    onReport({ type: 'opened', viewId })
    this.#load(url)
  }

  async place(place: ViewPlace | null): Promise<PagePicture | undefined> {
    if (!place) {
      const picture = this.#isShown ? await this.capture().catch(() => undefined) : undefined
      this.#isShown = false
      this.#view.setVisible(false)
      return picture
    }
    // The page may be zoomed; views are placed in pixels of the window.
    const scale = this.#options.window.webContents.getZoomFactor()
    const { x, y, width, height, pageWidth } = place
    const bounds = {
      x: Math.round(x * scale),
      y: Math.round(y * scale),
      width: Math.round(width * scale),
      height: Math.round(height * scale),
    }
    this.#view.setBounds(bounds)
    this.#zoom = Math.max(MIN_ZOOM, pageWidth === undefined ? scale : bounds.width / pageWidth)
    this.#view.webContents.setZoomFactor(this.#zoom)
    this.#isShown = true
    this.#view.setVisible(true)
    return undefined
  }

  command(command: PreviewViewCommand): void {
    const { webContents } = this.#view
    const { onReport } = this.#options
    switch (command.type) {
      case 'focus':
        webContents.focus()
        break
      case 'open':
        this.#load(this.#origin + command.path)
        break
      case 'go':
        if (command.to === 'reload') webContents.reload()
        else if (command.to === 'back') webContents.navigationHistory.goBack()
        else webContents.navigationHistory.goForward()
        break
      case 'outline':
        void this.#run(OUTLINE_CODE).then((text) => onReport({ type: 'outline', text: textOf(text) }))
        break
      case 'pick':
        if (!command.isOn) {
          void this.#run(STOP_PICKING_CODE)
          break
        }
        webContents.focus()
        void this.#run(PICK_CODE).then((element) =>
          onReport(
            typeof element === 'object' && element !== null
              ? { type: 'picked', element: element as Extract<PreviewViewReport, { type: 'picked' }>['element'] }
              : { type: 'pick-ended' },
          ),
        )
    }
  }

  async capture(): Promise<PagePicture> {
    const picture = await this.#view.webContents.capturePage()
    const { width, height } = picture.getSize()
    const scale = Math.min(1, MAX_SIDE / Math.max(width, height, 1))
    const fitting = scale < 1 ? picture.resize({ width: Math.round(width * scale), quality: 'good' }) : picture
    return { mediaType: 'image/png', data: fitting.toPNG().toString('base64') }
  }

  close(): void {
    const { window } = this.#options
    if (!window.isDestroyed()) window.contentView.removeChildView(this.#view)
    if (!this.#view.webContents.isDestroyed()) this.#view.webContents.close()
    this.#session.clearStorageData().catch(() => {})
  }

  #listen(): void {
    const { webContents } = this.#view
    const { onReport, window } = this.#options
    const at = (): void => {
      if (!URL.canParse(webContents.getURL())) return
      const { pathname, search, hash } = new URL(webContents.getURL())
      onReport({ type: 'at', url: pathname + search + hash, title: webContents.getTitle() })
    }
    webContents.on('did-navigate', () => {
      // A click that was pending can no longer arrive.
      onReport({ type: 'pick-ended' })
      webContents.setZoomFactor(this.#zoom)
      at()
    })
    webContents.on('did-navigate-in-page', at)
    webContents.on('page-title-updated', at)
    webContents.on('did-finish-load', () => onReport({ type: 'loaded' }))
    webContents.on('did-fail-load', (_event, code, description, _url, isMainFrame) => {
      if (isMainFrame && code !== ABORTED)
        onReport({ type: 'failed', reason: loadFailureText(this.#origin, description) })
    })
    webContents.on('render-process-gone', (_event, { reason }) => {
      if (reason !== 'clean-exit') onReport({ type: 'failed', reason: `The page ended unexpectedly (${reason}).` })
    })
    webContents.on('console-message', ({ level, message }) => {
      if (level === 'error' || level === 'warning') onReport({ type: 'console', level, text: cutText(message, 4000) })
    })
    webContents.on('before-input-event', (event, { type, key }) => {
      if (type !== 'keyDown' || key !== 'F6') return
      event.preventDefault()
      window.webContents.focus()
      onReport({ type: 'left' })
    })
  }

  #load(url: string): void {
    // The failure event reports it.
    this.#view.webContents.loadURL(url).catch(() => {})
  }

  async #run(code: string): Promise<unknown> {
    return this.#view.webContents.executeJavaScript(code).catch(() => undefined) as Promise<unknown>
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function loadFailureText(origin: string, description: string): string {
  return description === 'ERR_CONNECTION_REFUSED'
    ? `Nothing answers at ${origin}. Start the server, or have the agent start it, and reload.`
    : `${origin} could not be loaded (${description}).`
}

/** The previews of one window. */
export function createPreviewViews(
  electron: Pick<ElectronModule, 'WebContentsView' | 'session'>,
  window: BrowserWindow,
): PreviewViews {
  const views = new Map<string, PreviewView>()
  const find = (viewId: string): PreviewView => {
    const view = views.get(viewId)
    if (!view) throw new CodedError('request.invalid', 'This preview is closed.')
    return view
  }
  return {
    open(url, onReport) {
      previewTarget(url)
      const viewId = randomUUID()
      views.set(viewId, new PreviewView({ electron, window, viewId, url, onReport }))
      return () => {
        views.get(viewId)?.close()
        views.delete(viewId)
      }
    },
    place: (viewId, place) => find(viewId).place(place),
    command: (viewId, command) => find(viewId).command(command),
    capture: (viewId) => find(viewId).capture(),
  }
}

/** Sessions of previews. `guardPreview` guards their contents; all others are guarded as Trestle's own. */
const sessions = new WeakSet<Session>()

/** Blocks devices, permissions, downloads and files for a session that only previews use. */
function guardPreviewSession(session: Session): void {
  sessions.add(session)
  session.setPermissionRequestHandler((_contents, _permission, callback) => callback(false))
  session.setPermissionCheckHandler(() => false)
  session.setDevicePermissionHandler(() => false)
  session.setDisplayMediaRequestHandler((_request, callback) => callback({}))
  session.webRequest.onBeforeRequest({ urls: ['file:///*'] }, (_details, callback) => callback({ cancel: true }))
  session.on('will-download', (event) => event.preventDefault())
}

/** Whether these are the contents of a preview, which never has Trestle's own session. */
export function isPreview(contents: WebContents): boolean {
  return sessions.has(contents.session)
}

/**
 * Keeps the page on the origin of its server, without windows and webviews. `refuse` gets the URLs of blocked
 * navigations.
 */
function guardPreview(contents: WebContents, origin: string, refuse: (url: string) => void): void {
  const isHome = (url: string): boolean => URL.canParse(url) && new URL(url).origin === origin
  const keepHome = (details: { url: string; isMainFrame?: boolean; preventDefault: () => void }): void => {
    // A page can embed anything, as long as it comes from the web.
    if (details.isMainFrame === false && /^(?:https?|blob|data|about):/.test(details.url)) return
    if (isHome(details.url)) return
    details.preventDefault()
    refuse(details.url)
  }
  contents.setWindowOpenHandler(({ url }) => {
    refuse(url)
    return { action: 'deny' }
  })
  contents.on('will-navigate', keepHome)
  contents.on('will-redirect', keepHome)
  contents.on('will-frame-navigate', (details) => {
    if (!details.isMainFrame) keepHome(details)
  })
  contents.on('will-attach-webview', (event) => event.preventDefault())
}
