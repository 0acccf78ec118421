import type { Session, WebContents } from 'electron'

/** Sessions of previews; their contents are guarded by `guardPreview`, all others as Trestle's own. */
const sessions = new WeakSet<Session>()

/** Blocks devices, permissions, downloads and files for a session that only previews use. */
export function guardPreviewSession(session: Session): void {
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

/** Keeps the page on the origin of its server, without windows and webviews. `refuse` hears where it wanted to go. */
export function guardPreview(contents: WebContents, origin: string, refuse: (url: string) => void): void {
  const isHome = (url: string): boolean => URL.canParse(url) && new URL(url).origin === origin
  const keepHome = (details: { url: string; isMainFrame?: boolean; preventDefault: () => void }): void => {
    // What a page embeds is its own business, as long as it comes from the web.
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
