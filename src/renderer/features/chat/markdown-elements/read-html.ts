/** A part of HTML that may be shown: text, or a text element. */
export type HtmlPart =
  | string
  | {
      tag: 'p'
      children: readonly HtmlPart[]
      align?: string | undefined
      /** Of a link. */ href?: string
      image?: { src: string; alt: string }
    }

/** The elements allowed in text. */
const TAGS: ReadonlySet<string> = new Set(
  (
    'p div span br hr b strong i em u s del ins mark small sub sup ' +
    'kbd code samp var pre blockquote q cite abbr ul ol li dl dt dd ' +
    'table thead tbody tfoot tr th td caption h1 h2 h3 h4 h5 h6 a img details summary figure figcaption center picture'
  ).split(' '),
)
/** The page has its own h1 and h2; obsolete elements get their current name. */
const SHOWN_AS: Readonly<Record<string, string>> = {
  h1: 'h3',
  h2: 'h4',
  h3: 'h5',
  h4: 'h6',
  h5: 'h6',
  center: 'div',
  picture: 'span',
}
const MAX_DEPTH = 40
const MAX_CHARS = 60_000

/** The part of a parsed document that is read; a browser's DOM satisfies it. */
export interface HtmlNode {
  nodeType: number
  nodeName: string
  textContent: string | null
  childNodes: ArrayLike<HtmlNode>
  getAttribute?: (name: string) => string | null
}

/**
 * Parses HTML from an answer; undefined when it contains anything but text elements (scripts, forms, frames, drawings,
 * styles, comments): then it is shown as source. Drops all attributes except URLs, which the caller checks, and cell
 * alignment.
 */
export function readHtml(source: string, parse: (html: string) => HtmlNode): readonly HtmlPart[] | undefined {
  if (source.length > MAX_CHARS || /<[!?]/.test(source)) return undefined
  // Checked before parsing: a parser drops and moves misplaced elements.
  for (const [, name = ''] of source.matchAll(/<\/?([a-z][^\s/>]*)/gi))
    if (!TAGS.has(name.toLowerCase())) return undefined
  return partsOf(parse(source), 0)
}

function partsOf(node: HtmlNode, depth: number): HtmlPart[] | undefined {
  const parts: HtmlPart[] = []
  for (const child of Array.from(node.childNodes)) {
    const part = partOf(child, depth)
    if (part === undefined) return undefined
    parts.push(part)
  }
  return parts
}

function partOf(node: HtmlNode, depth: number): HtmlPart | undefined {
  if (node.nodeType === 3) return node.textContent ?? ''
  const name = node.nodeName.toLowerCase()
  if (node.nodeType !== 1 || depth > MAX_DEPTH || !TAGS.has(name)) return undefined
  const children = partsOf(node, depth + 1)
  if (!children) return undefined
  const value = (attribute: string): string | undefined => node.getAttribute?.(attribute) ?? undefined
  const href = name === 'a' ? value('href') : undefined
  const align = /^(?:left|right|center)$/.exec(value('align') ?? '')?.[0] ?? (name === 'center' ? 'center' : undefined)
  return {
    // One of many element names; React's types require a single one.
    tag: (name === 'a' ? 'span' : (SHOWN_AS[name] ?? name)) as 'p',
    // React warns about whitespace between the parts of a table.
    children: /^(?:table|thead|tbody|tfoot|tr)$/.test(name)
      ? children.filter((part) => typeof part !== 'string' || part.trim() !== '')
      : children,
    ...(align !== undefined && { align }),
    ...(href !== undefined && { href }),
    ...(name === 'img' && { image: { src: value('src') ?? '', alt: value('alt') ?? '' } }),
  }
}

const NAMED: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  bull: '•',
  middot: '·',
  times: '×',
  divide: '÷',
  deg: '°',
  plusmn: '±',
  micro: 'µ',
  para: '¶',
  sect: '§',
  euro: '€',
  pound: '£',
  yen: '¥',
  cent: '¢',
  rarr: '→',
  larr: '←',
  uarr: '↑',
  darr: '↓',
  harr: '↔',
  rArr: '⇒',
  lArr: '⇐',
  le: '≤',
  ge: '≥',
  ne: '≠',
  asymp: '≈',
  infin: '∞',
  check: '✓',
  frac12: '½',
  frac14: '¼',
  frac34: '¾',
  sup2: '²',
  sup3: '³',
  alpha: 'α',
  beta: 'β',
  gamma: 'γ',
  delta: 'δ',
  lambda: 'λ',
  mu: 'μ',
  pi: 'π',
  sigma: 'σ',
  omega: 'ω',
  Delta: 'Δ',
  Sigma: 'Σ',
  Omega: 'Ω',
  sum: '∑',
  prod: '∏',
  radic: '√',
  part: '∂',
  isin: '∈',
  forall: '∀',
  exist: '∃',
}

/**
 * Replaces HTML character references, numeric ones and the names common in prose, with their characters. Unknown ones
 * stay unchanged.
 */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z][\da-zA-Z]{1,12}));/g,
    (whole, decimal: string | undefined, hex: string | undefined, name: string | undefined) => {
      if (name !== undefined) return NAMED[name] ?? whole
      const code = decimal === undefined ? Number.parseInt(hex ?? '0', 16) : Number.parseInt(decimal, 10)
      return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : '\ufffd'
    },
  )
}
