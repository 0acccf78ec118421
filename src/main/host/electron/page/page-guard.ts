import { basename, join } from 'node:path'
import type { Session, WebContents, DownloadItem } from 'electron'
import { isPagePath, APP_ORIGIN } from '../../../../shared/contract/page-host'
import { safeLink } from '../../../../shared/safe-link'
import type { ElectronModule } from '../platform/electron-module'

/** What the pages of the session may not do, whatever their code says: use devices, get permissions, reach the network. Downloads are saveDownloads' part. */
export function guardSession(session: Session): void {
  session.setPermissionRequestHandler((contents, permission, callback, details) => {
    callback(isCopy(permission) && details.isMainFrame && isAppUrl(contents.getURL()))
  })
  session.setPermissionCheckHandler(
    (_contents, permission, requestingOrigin) => isCopy(permission) && originOf(requestingOrigin) === APP_ORIGIN,
  )
  session.setDevicePermissionHandler(() => false)
  session.setDisplayMediaRequestHandler((_request, callback) => callback({}))
  // The content security policy says the same to the page; this holds also for what gets around a page's policy.
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
  /** Takes a followed address that stands for an action of a problem page; false if it is none. */
  followProblem(contents: WebContents, url: string): boolean
  log(message: string): void
}

/** Keeps every page where it is: no navigation, no windows, no webviews. Links go to the user's browser if their scheme is allowed. */
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

/** Opens a URL outside if it is allowed; false if not or if it fails. */
export async function openExternal(shell: ElectronModule['shell'], url: string): Promise<boolean> {
  const allowed = safeLink(url)
  if (allowed === undefined) return false
  return shell.openExternal(allowed).then(
    () => true,
    () => false,
  )
}

/** The one page there is, at any of its routes; going to it again is a reload. */
function isAppPage(url: string): boolean {
  if (!isAppUrl(url)) return false
  const { pathname } = new URL(url)
  return pathname === '/' || isPagePath(pathname)
}

function isAppUrl(url: string): boolean {
  return originOf(url) === APP_ORIGIN
}

/** Scheme and host; `URL.origin` is "null" for schemes that Node does not know. */
function originOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}`
}

export interface DownloadOptions {
  /** Where the save dialog opens. */
  folder(): string
  /** How a download ended that the user did not cancel. */
  onEnd(end: { file: string; saved: boolean }): void
  log(message: string): void
}

/**
 * Lets the page save what it made itself (`blob:` addresses of our own origin) where the user says, in the system's dialog; cancels every other download. Chromium writes
 * the file, so even a large one never passes through the page as a whole.
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
