/** Elements whose content is not part of the page's text. */
const HIDDEN = /^<(script|style|noscript|template)\b/i
const BREAK = /^<(?:br|\/p|\/div|\/li|\/tr|\/h[1-6])\b/i
/** Enough characters of a tag to recognize its name. */
const NAME_CHARS = 16

/**
 * The plain text of an HTML page, as a fallback. Scans the page once: pages are untrusted, and patterns that search for
 * the end of each tag would take hours on a page with only unclosed tags.
 */
export function plainText(html: string): string {
  const found = new EndFinder(html)
  let text = ''
  let at = 0
  for (let tag = html.indexOf('<'); tag !== -1; tag = html.indexOf('<', at)) {
    text += html.slice(at, tag)
    const start = html.slice(tag, tag + NAME_CHARS)
    const hidden = HIDDEN.exec(start)?.[1]?.toLowerCase()
    const end =
      (hidden !== undefined ? found.afterElement(hidden, tag) : undefined) ??
      (start.startsWith('<!--') ? found.after('-->', tag + 4) : undefined) ??
      found.after('>', tag)
    // Nothing that starts here or later is closed.
    if (end === undefined) {
      text += html.slice(tag)
      at = html.length
      break
    }
    text += BREAK.test(start) ? '\n' : ' '
    at = end
  }
  return withoutEntities(text + html.slice(at))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n')
}

/** Finds ends of tags, comments and elements. Searches for a missing end only once. */
class EndFinder {
  readonly #text: string
  readonly #missing = new Set<string>()

  constructor(text: string) {
    this.#text = text
  }

  /** The position after the next occurrence of the text. */
  after(text: string, from: number): number | undefined {
    return this.#find(text, () => {
      const at = this.#text.indexOf(text, from)
      return at === -1 ? undefined : at + text.length
    })
  }

  /** The position after the next end tag of an element. */
  afterElement(name: string, from: number): number | undefined {
    return this.#find(name, () => {
      const end = new RegExp(`</${name}\\s*>`, 'gi')
      end.lastIndex = from
      return end.test(this.#text) ? end.lastIndex : undefined
    })
  }

  #find(what: string, find: () => number | undefined): number | undefined {
    if (this.#missing.has(what)) return undefined
    const end = find()
    if (end === undefined) this.#missing.add(what)
    return end
  }
}

function withoutEntities(text: string): string {
  return text
    .replace(/&nbsp;/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&')
    .replace(/[ \t]+/g, ' ')
}
