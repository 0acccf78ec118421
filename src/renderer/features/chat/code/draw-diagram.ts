import type { MermaidConfig } from 'mermaid'

/** A drawing as a picture of its own. */
export interface Picture {
  url: string
  width: number
  height: number
}

/** Longer sources take too long to lay out. */
const MOST_CHARS = 20_000
const KEPT = 30
/** Only fonts of the system: a picture cannot load any. */
const FONT = 'system-ui, sans-serif'
const drawn = new Map<string, Picture>()
let count = 0
let before: Promise<unknown> = Promise.resolve()

/** A drawing that was made before. */
export function diagramPicture(code: string, isDark: boolean): Picture | undefined {
  return drawn.get(keyOf(code, isDark))
}

/** Draws a diagram, one after the other. The library is read for the first. Rejects with what is wrong with the source. */
export function drawDiagram(code: string, isDark: boolean): Promise<Picture> {
  const work = before.then(async () => {
    const known = diagramPicture(code, isDark)
    if (known) return known
    if (code.length > MOST_CHARS) throw new Error('it is too large.')
    const { default: mermaid } = await import('mermaid')
    mermaid.initialize(configFor(isDark))
    const place = document.createElement('div')
    // Where it is measured: in the page, but neither seen nor able to reach out of its place.
    place.style.cssText =
      'position:fixed;left:0;top:0;width:1000px;height:1000px;visibility:hidden;pointer-events:none;contain:strict;z-index:-1'
    place.ariaHidden = 'true'
    document.body.append(place)
    try {
      const { svg } = await mermaid.render(`diagram-${(count += 1)}`, code, place)
      const picture = asPicture(svg)
      drawn.set(keyOf(code, isDark), picture)
      for (const old of drawn.keys()) if (drawn.size > KEPT) drawn.delete(old)
      return picture
    } finally {
      place.remove()
    }
  })
  before = work.catch(() => undefined)
  return work
}

/** `strict`: no scripts, no HTML in labels, no links. What the source itself sets counts for little: `secure` names what it may not change. */
function configFor(isDark: boolean): MermaidConfig {
  return {
    startOnLoad: false,
    securityLevel: 'strict',
    htmlLabels: false,
    flowchart: { htmlLabels: false, useMaxWidth: false },
    suppressErrorRendering: true,
    maxTextSize: MOST_CHARS,
    maxEdges: 500,
    theme: isDark ? 'dark' : 'neutral',
    themeVariables: { fontSize: '14px' },
    fontFamily: FONT,
    secure: [
      'secure',
      'securityLevel',
      'startOnLoad',
      'maxTextSize',
      'maxEdges',
      'suppressErrorRendering',
      'htmlLabels',
      'flowchart',
      'fontFamily',
      'themeCSS',
      'dompurifyConfig',
    ],
  }
}

/** The drawing as an image with the size that it was laid out for. */
function asPicture(svg: string): Picture {
  const root = new DOMParser().parseFromString(svg, 'text/html').querySelector('svg')
  const [, , width = 0, height = 0] = (root?.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number)
  if (!root || !(width > 0) || !(height > 0)) throw new Error('it came out empty.')
  root.setAttribute('width', String(width))
  root.setAttribute('height', String(height))
  root.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  root.style.removeProperty('max-width')
  const text = new XMLSerializer().serializeToString(root)
  return { url: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`, width: Math.ceil(width), height: Math.ceil(height) }
}

function keyOf(code: string, isDark: boolean): string {
  return `${isDark ? 'dark' : 'light'}\n${code}`
}
