const MAX_LINK_CHARS = 8192
const MAX_MAIL_TEXT = 2000

/**
 * The normalized address, if it is safe to open in the user's browser or mail program; otherwise undefined. Web pages
 * need a host and must not contain a user name or password (text before an @ looks like the host). Mail addresses can
 * have a subject and a short text, but no attachments, more recipients or headers.
 */
export function safeLink(href: string): string | undefined {
  const text = href.trim()
  if (text.length > MAX_LINK_CHARS || !/^(?:https?:|mailto:)/i.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  if (url.protocol === 'mailto:') return isPlainMail(url) ? url.href : undefined
  return url.hostname !== '' && url.username === '' && url.password === '' ? url.href : undefined
}

function isPlainMail(url: URL): boolean {
  const words = [decoded(url.pathname), ...url.searchParams.keys(), ...url.searchParams.getAll('subject')]
  // A line break in an address or a subject starts another header.
  if (words.some((word) => word === undefined || /\p{Cc}/u.test(word)) || url.hash !== '') return false
  const parameters = [...url.searchParams]
  const names = parameters.map(([name]) => name.toLowerCase())
  const length = parameters.reduce((sum, [, value]) => sum + value.length, 0)
  return (
    names.every((name) => name === 'subject' || name === 'body') &&
    new Set(names).size === names.length &&
    length <= MAX_MAIL_TEXT
  )
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Why the user should check the address before opening it; undefined if the text of the link hides nothing. */
export function linkWarning(address: string, text: string): string | undefined {
  const { protocol, hostname, pathname } = new URL(address)
  const target = protocol === 'mailto:' ? decoded(pathname)?.split('@').at(-1)?.toLowerCase() : hostname
  if (target === undefined) return 'The address is not valid.'
  if (target.split('.').some((label) => label.startsWith('xn--')))
    return "This host name contains look-alike characters. Check that it's the one you expect."
  const named = namedHosts(text, protocol === 'mailto:').find((host) => bare(host) !== bare(target))
  return named === undefined ? undefined : `The link says ${named}, but it opens ${target}.`
}

/** Hosts in a text that a reader would mistake for the address. */
function namedHosts(text: string, isMail: boolean): string[] {
  const shown = text.normalize('NFKC')
  const addresses = [...shown.matchAll(isMail ? /@([^\s@/?#>,;]+)/g : /https?:\/\/([^\s/?#]+)/gi)].map(
    ([, host]) => host!,
  )
  const names = /^\s*(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}(?=[/:?#\s]|$)/u.exec(shown)
  const all = names && addresses.length === 0 && !isFileName(names[0].trim()) ? [names[0].trim()] : addresses
  return all.map((host) => (URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : host.toLowerCase()))
}

/** `README.md` and `index.ts` are treated as files, although such hosts could exist. */
function isFileName(name: string): boolean {
  return /^[^.]+\.(?:md|ts|tsx|js|jsx|mjs|py|rs|go|sh|json|toml|yaml|yml|txt|html|css|java|kt|rb|c|h|cpp|lock)$/i.test(
    name,
  )
}

function bare(host: string): string {
  return host.replace(/^www\./, '')
}
