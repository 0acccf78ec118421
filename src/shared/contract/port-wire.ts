/**
 * How the desktop page gets its MessagePort: the page posts `PORT_WANTED` to its own window, the preload script passes it on to the main process,
 * which answers with `PORT_GRANTED` and a port, which the preload script posts to the window.
 */
export const PORT_WANTED = 'trestle:port-wanted'
export const PORT_GRANTED = 'trestle:port-granted'

/** Scheme, host name and origin of the pages of the desktop app. */
export const APP_SCHEME = 'trestle'
export const APP_HOST = 'app'
export const APP_ORIGIN = 'trestle://app'

/** What the preload script adds to the page's `window`: `pathOf(file)` is the path of a file that was dropped, empty for one that was made in the page. */
export const DESKTOP_BRIDGE = 'trestleDesktop'
