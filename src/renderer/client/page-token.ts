const KEY = 'trestle.token'

type Page = Pick<Window, 'location' | 'history' | 'sessionStorage' | 'localStorage'>

/**
 * The token of the web host, from the fragment of the URL (`#token=…`, which browsers never send). It is kept for this
 * tab, so that a reload works, and removed from the address bar, so that history, bookmarks and screenshots do not
 * contain it. Without one in the URL: the token of this tab, else the last one accepted at this address. Undefined when
 * neither exists.
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

/** The token was accepted: bookmarks, links and other tabs of this address use it from now on. */
export function keepPageToken(token: string, page: Page = window): void {
  attempt(() => page.localStorage.setItem(KEY, token))
}

/** The token was refused: the next load of this tab uses the last accepted one. */
export function dropTabToken(page: Page = window): void {
  attempt(() => page.sessionStorage.removeItem(KEY))
}

const PAIR = /^#pair=([\w-]{1,40})$/

let pairingCode = ''

/**
 * Takes the pairing code out of the fragment of a link (`#pair=…`), before the URL is used for anything else.
 * `linkedPairingCode` returns it.
 */
export function takePairingCode(page: Pick<Page, 'location' | 'history'> = window): void {
  const code = PAIR.exec(page.location.hash)?.[1]
  if (code === undefined) return
  pairingCode = code
  page.history.replaceState(page.history.state, '', page.location.pathname + page.location.search)
}

/** The code of the link that opened the page; empty without one. */
export function linkedPairingCode(): string {
  return pairingCode
}

/** The token in pasted text: the whole URL, or the token alone. */
export function pastedToken(pasted: string): string | undefined {
  const text = pasted.trim()
  const found = text.includes('#') ? tokenIn(text.slice(text.indexOf('#'))) : text
  return found !== undefined && /^[\w-]{32,}$/.test(found) ? found : undefined
}

/** Reloads the page with this token, passed in the URL so that it also works without storage. */
export function enterWithToken(token: string, page: Page = window): void {
  page.history.replaceState(page.history.state, '', `${page.location.pathname}${page.location.search}#token=${token}`)
  page.location.reload()
}

/** Calls back when another tab of this browser gets a different token accepted; returns the unsubscribe function. */
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

/** Storage may be disabled in this browser: then the page works until it is reloaded. */
function attempt<Result>(use: () => Result): Result | undefined {
  try {
    return use()
  } catch {
    return undefined
  }
}
