/** How much HTML is read, in characters; the rest is cut. */
const MAX_HTML_CHARS = 500_000
const MAX_DEPTH = 150
/** Longer links are mostly for tracking, so only their host is shown. */
const MAX_LINK_CHARS = 200

const SKIPPED = new Set([
  'script',
  'style',
  'head',
  'title',
  'template',
  'noscript',
  'object',
  'embed',
  'iframe',
  'svg',
  'link',
  'meta',
  'form',
])
const BLOCKS = new Set([
  'address',
  'article',
  'aside',
  'blockquote',
  'center',
  'dd',
  'div',
  'dl',
  'dt',
  'fieldset',
  'figure',
  'footer',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'header',
  'hr',
  'li',
  'main',
  'nav',
  'ol',
  'p',
  'pre',
  'section',
  'table',
  'tr',
  'ul',
  'tbody',
  'thead',
  'tfoot',
])

interface HtmlNode {
  nodeType: number
  nodeName: string
  textContent: string | null
  childNodes: Iterable<HtmlNode>
  getAttribute?(name: string): string | null
}

/**
 * An HTML message as Markdown. Nothing is loaded: images are replaced by their alternative text, and scripts, styles
 * and hidden text are omitted.
 */
export async function htmlToMarkdown(html: string): Promise<{ text: string; hidden: boolean }> {
  const { parseHTML } = await import('linkedom')
  const { document } = parseHTML(`<html><body>${withoutHead(html.slice(0, MAX_HTML_CHARS))}</body></html>`)
  const writer = new Writer()
  for (const node of document.body.childNodes as unknown as Iterable<HtmlNode>) writer.node(node, 0)
  return { text: tidy(writer.text()), hidden: writer.hidden }
}

/** Text before the body is not displayed, and would otherwise be treated as part of it. */
function withoutHead(html: string): string {
  const body = /<body\b[^>]*>/i.exec(html)
  return (body ? html.slice(body.index + body[0].length) : html).replace(/<\/?(?:html|body)\b[^>]*>/gi, '')
}

class Writer {
  hidden = false
  readonly #out: string[] = []
  #isPre = false

  text(): string {
    return this.#out.join('')
  }

  node(node: HtmlNode, depth: number): void {
    if (node.nodeType === 3) {
      const text = node.textContent ?? ''
      this.#out.push(this.#isPre ? text : text.replaceAll(/[\s\u00a0]+/g, ' '))
      return
    }
    if (node.nodeType !== 1) return
    const name = node.nodeName.toLowerCase()
    if (SKIPPED.has(name)) return
    if (isHidden(node)) {
      if ((node.textContent ?? '').trim() !== '') this.hidden = true
      return
    }
    if (depth > MAX_DEPTH) {
      this.#out.push((node.textContent ?? '').replaceAll(/\s+/g, ' '))
      return
    }
    this.#element(node, name, depth)
  }

  #element(node: HtmlNode, name: string, depth: number): void {
    switch (name) {
      case 'br':
        this.#out.push('\n')
        return
      case 'hr':
        this.#out.push('\n\n---\n\n')
        return
      case 'img': {
        const alt = (node.getAttribute?.('alt') ?? '').replaceAll(/\s+/g, ' ').trim()
        if (alt !== '') this.#out.push(`[image: ${alt}]`)
        return
      }
      case 'a':
        return this.#link(node, depth)
      case 'b':
      case 'strong':
        return this.#wrapped(node, '**', depth)
      case 'i':
      case 'em':
        return this.#wrapped(node, '*', depth)
      case 'code':
        return this.#wrapped(node, this.#isPre ? '' : '`', depth)
      case 'pre': {
        this.#out.push('\n\n```\n')
        const before = this.#isPre
        this.#isPre = true
        this.#children(node, depth)
        this.#isPre = before
        this.#out.push('\n```\n\n')
        return
      }
      case 'blockquote':
        this.#out.push(`\n\n${this.#inside(node, depth).replaceAll(/^/gm, '> ')}\n\n`)
        return
      case 'li':
        this.#out.push(`\n- ${this.#inside(node, depth).replaceAll('\n', '\n  ')}`)
        return
      case 'td':
      case 'th':
        this.#children(node, depth)
        this.#out.push(' ')
        return
      case 'tr':
        this.#out.push('\n')
        this.#children(node, depth)
        this.#out.push('\n')
        return
      default: {
        const heading = /^h([1-6])$/.exec(name)
        const edge = BLOCKS.has(name) ? (/^(?:p|h[1-6]|ul|ol|table)$/.test(name) ? '\n\n' : '\n') : ''
        this.#out.push(edge, heading ? `${'#'.repeat(Number(heading[1]))} ` : '')
        this.#children(node, depth)
        this.#out.push(edge)
      }
    }
  }

  #children(node: HtmlNode, depth: number): void {
    for (const child of node.childNodes) this.node(child, depth + 1)
  }

  #inside(node: HtmlNode, depth: number): string {
    const at = this.#out.length
    this.#children(node, depth)
    return tidy(this.#out.splice(at).join(''))
  }

  #wrapped(node: HtmlNode, mark: string, depth: number): void {
    const at = this.#out.length
    this.#children(node, depth)
    const inside = this.#out.splice(at).join('')
    const isInline = inside.trim() !== '' && !inside.includes('\n')
    this.#out.push(isInline ? inside.replace(/^(\s*)(.*?)(\s*)$/s, `$1${mark}$2${mark}$3`) : inside)
  }

  #link(node: HtmlNode, depth: number): void {
    const text = this.#inside(node, depth)
    const href = (node.getAttribute?.('href') ?? '').trim()
    if (!/^(?:https?:|mailto:)/i.test(href) || /\s/.test(href)) {
      this.#out.push(text)
      return
    }
    if (text === '') return
    const shown = href.length <= MAX_LINK_CHARS ? href : shortLink(href)
    this.#out.push(text === href || `mailto:${text}` === href ? text : `[${text.replaceAll('\n', ' ')}](${shown})`)
  }
}

function shortLink(href: string): string {
  return URL.canParse(href)
    ? `${new URL(href).origin}/… (${href.length} characters)`
    : `${href.slice(0, MAX_LINK_CHARS)}…`
}

/** Whether text is invisible to readers of the message; such text is often meant for programs. */
function isHidden(node: HtmlNode): boolean {
  if (typeof node.getAttribute?.('hidden') === 'string') return true
  const style = (node.getAttribute?.('style') ?? '').toLowerCase().replaceAll(/\s+/g, '')
  if (style === '') return false
  return /(?:^|;)(?:display:none|visibility:hidden|opacity:0(?:\.0+)?(?:;|!|$)|font-size:0(?:px|pt|em|%)?(?:;|!|$)|max-height:0(?:px)?(?:;|!|$)|mso-hide:all)/.test(
    style,
  )
}

/** Removes extra spaces and blank lines; keeps the indentation of nested lists. */
function tidy(text: string): string {
  const lines = text.split('\n').map((line) => {
    const rest = line.trimStart()
    const indent = line.length - rest.length
    return `${indent > 1 ? ' '.repeat(Math.min(indent, 40)) : ''}${rest.replaceAll(/[ \t]+/g, ' ').trimEnd()}`.trimEnd()
  })
  return lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}
