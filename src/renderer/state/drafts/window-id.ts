const KEY = 'trestle.window'

/**
 * Identifies this window, also after a reload. The ID is stored only while the page is unloaded, because a duplicated
 * tab copies the storage and would share the ID.
 */
export const windowId: string = take() ?? crypto.randomUUID()

addEventListener('pagehide', () => {
  try {
    sessionStorage.setItem(KEY, windowId)
  } catch {
    // Without storage, each page has its own ID.
  }
})
// The page was restored from the back/forward cache.
addEventListener('pageshow', () => void take())

function take(): string | undefined {
  try {
    const stored = sessionStorage.getItem(KEY) ?? undefined
    sessionStorage.removeItem(KEY)
    return stored
  } catch {
    return undefined
  }
}
