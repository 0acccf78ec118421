const KEY = 'trestle.window'

/**
 * Names this window, also after a reload. The name is stored only while the page is away: a tab that is duplicated
 * copies what is stored, and would share it.
 */
export const windowId: string = take() ?? crypto.randomUUID()

addEventListener('pagehide', () => {
  try {
    sessionStorage.setItem(KEY, windowId)
  } catch {
    // Without storage each page has a name of its own.
  }
})
// The page came back without being loaded again.
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
