const KEY = 'trestle.token'

type Page = Pick<Window, 'location' | 'history' | 'sessionStorage' | 'localStorage'>

/**
 * The token of the web host: from the address (`#token=…`, which the browser sends to nobody), kept for this tab so that a reload works, and removed from
 * the address bar, so that it is in no history, bookmark or screenshot. Without one in the address: this tab's, else the one that last let a page in
 * from this address. Undefined when there is none.
 */
export function takePageToken(page: Page = window): string | undefined {
  const found = tokenIn(page.location.hash)
  if (found !== undefined) {
    attempt(() => page.sessionStorage.setItem(KEY, found))
    page.history.replaceState(page.history.state, '', page.location.pathname + page.location.search)
    return found
  }
  return attempt(() => page.sessionStorage.getItem(KEY)) ?? attempt(() => page.localStorage.getItem(KEY)) ?? undefined
}

/** The token was accepted: bookmarks, links and other tabs of this address work with it from now on. */
export function keepPageToken(token: string, page: Page = window): void {
  attempt(() => page.localStorage.setItem(KEY, token))
}

/** The token was refused: the next load of this tab takes the one that others were let in with. */
export function dropTabToken(page: Page = window): void {
  attempt(() => page.sessionStorage.removeItem(KEY))
}

/** The token in what somebody pasted: the whole URL, or the token alone. */
export function pastedToken(pasted: string): string | undefined {
  const text = pasted.trim()
  const found = text.includes('#') ? tokenIn(text.slice(text.indexOf('#'))) : text
  return found !== undefined && /^[\w-]{32,}$/.test(found) ? found : undefined
}

/** Loads the page again with this token. By way of the address, so that it also works where storage is switched off. */
export function enterWithToken(token: string, page: Page = window): void {
  page.history.replaceState(page.history.state, '', `${page.location.pathname}${page.location.search}#token=${token}`)
  page.location.reload()
}

/** Calls back when another tab of this browser was let in with another token; returns how to stop. */
export function onTokenElsewhere(listener: () => void): () => void {
  const hear = (event: StorageEvent): void => {
    if (event.key === KEY && event.newValue !== null) listener()
  }
  window.addEventListener('storage', hear)
  return () => window.removeEventListener('storage', hear)
}

function tokenIn(hash: string): string | undefined {
  return new URLSearchParams(hash.slice(1)).get('token') || undefined
}

/** Storage may be switched off in this browser: then the page works until it is reloaded. */
function attempt<Result>(use: () => Result): Result | undefined {
  try {
    return use()
  } catch {
    return undefined
  }
}
