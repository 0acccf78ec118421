import { basename, join } from 'node:path'
import type { Session, WebContents, DownloadItem } from 'electron'
import { isPagePath, APP_ORIGIN } from '../../../../shared/contract/page-host'
import { safeLink } from '../../../../shared/safe-link'
import type { ElectronModule } from '../platform/electron-module'

/** Blocks devices, permissions and network access for all pages of the session. `saveDownloads` handles downloads. */
export function guardSession(session: Session): void {
  session.setPermissionRequestHandler((contents, permission, callback, details) => {
    callback(isCopy(permission) && details.isMainFrame && isAppUrl(contents.getURL()))
  })
  session.setPermissionCheckHandler(
    (_contents, permission, requestingOrigin) => isCopy(permission) && originOf(requestingOrigin) === APP_ORIGIN,
  )
  session.setDevicePermissionHandler(() => false)
  session.setDisplayMediaRequestHandler((_request, callback) => callback({}))
  // The content security policy says the same; this also covers requests that bypass a page's policy.
  session.webRequest.onBeforeRequest(
    { urls: ['http://*/*', 'https://*/*', 'ws://*/*', 'wss://*/*', 'file:///*'] },
    (_details, callback) => callback({ cancel: true }),
  )
}

/** Copy buttons write plain text to the clipboard on a click; everything else is denied. */
function isCopy(permission: string): boolean {
  return permission === 'clipboard-sanitized-write'
}

export interface ContentsGuard {
  shell: ElectronModule['shell']
  /** Handles a followed link that is an action of a problem page; false for other links. */
  followProblem(contents: WebContents, url: string): boolean
  log(message: string): void
}

/** Blocks navigation, new windows and webviews. Links open in the user's browser if their scheme is allowed. */
export function guardContents(contents: WebContents, { shell, followProblem, log }: ContentsGuard): void {
  const openOutside = (url: string): void => {
    const allowed = safeLink(url)
    if (allowed === undefined) log(`a link was not opened: ${url.slice(0, 200)}`)
    else shell.openExternal(allowed).catch((error: unknown) => log(`a link could not be opened: ${String(error)}`))
  }
  contents.setWindowOpenHandler(({ url }) => {
    openOutside(url)
    return { action: 'deny' }
  })
  contents.on('will-navigate', (details) => {
    if (isAppPage(details.url)) return
    details.preventDefault()
    if (followProblem(contents, details.url)) return
    if (!isAppUrl(details.url)) openOutside(details.url)
  })
  contents.on('will-frame-navigate', (details) => {
    if (!details.isMainFrame) details.preventDefault()
  })
  contents.on('will-redirect', (details) => details.preventDefault())
  contents.on('will-attach-webview', (event) => event.preventDefault())
}

/** Opens a URL in the user's browser if it is allowed; false if not, or if it fails. */
export async function openExternal(shell: ElectronModule['shell'], url: string): Promise<boolean> {
  const allowed = safeLink(url)
  if (allowed === undefined) return false
  return shell.openExternal(allowed).then(
    () => true,
    () => false,
  )
}

/** Whether a URL is our page, at any of its routes; navigating to it is a reload. */
function isAppPage(url: string): boolean {
  if (!isAppUrl(url)) return false
  const { pathname } = new URL(url)
  return pathname === '/' || isPagePath(pathname)
}

function isAppUrl(url: string): boolean {
  return originOf(url) === APP_ORIGIN
}

/** Scheme and host; `URL.origin` is "null" for schemes unknown to Node. */
function originOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}`
}

export interface DownloadOptions {
  /** The folder in which the save dialog opens. */
  folder(): string
  /** Called with the outcome of a download that the user did not cancel. */
  onEnd(end: { file: string; saved: boolean }): void
  log(message: string): void
}

/**
 * Lets the page save its own data (`blob:` URLs of our origin) through the system's save dialog; cancels every other
 * download. Chromium writes the file, so a large one never has to fit into the page's memory.
 */
export function saveDownloads(session: Session, { folder, onEnd, log }: DownloadOptions): void {
  session.on('will-download', (event, item) => {
    if (!item.getURL().startsWith(`blob:${APP_ORIGIN}/`)) {
      log(`a download was refused: ${item.getURL().slice(0, 200)}`)
      event.preventDefault()
      return
    }
    ask(item, folder())
    item.once('done', (_event, state) => {
      if (state === 'cancelled') return
      const file = item.getSavePath()
      if (state !== 'completed') log(`a file could not be saved (${state}): ${file}`)
      onEnd({ file, saved: state === 'completed' })
    })
  })
}

function ask(item: DownloadItem, folder: string): void {
  const name = basename(item.getFilename()) || 'download'
  item.setSaveDialogOptions({
    title: `Save ${name}`,
    defaultPath: join(folder, name),
    properties: ['createDirectory', 'showOverwriteConfirmation'],
  })
}
