const KEY = 'trestle.token'

/**
 * The token of the web host: from the address (`#token=…`, which the browser sends to nobody), kept for this tab so that a reload works,
 * and removed from the address bar, so that it is in no history, bookmark or screenshot. Undefined when there is none.
 */
export function takePageToken(page: Pick<Window, 'location' | 'history' | 'sessionStorage'> = window): string | undefined {
  const found = new URLSearchParams(page.location.hash.slice(1)).get('token')
  if (found !== null && found !== '') {
    try {
      page.sessionStorage.setItem(KEY, found)
    } catch {
      // Storage is switched off in this browser: the page works until it is reloaded.
    }
    page.history.replaceState(page.history.state, '', page.location.pathname + page.location.search)
    return found
  }
  try {
    return page.sessionStorage.getItem(KEY) ?? undefined
  } catch {
    return undefined
  }
}
