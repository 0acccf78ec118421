import { useEffect, useState } from 'react'
import type { MermaidConfig } from 'mermaid'
import { errorText } from '../../../../shared/error-text'
import { CopyButton } from '../../../ui/content/copy-button'
import { CodeBlock } from './code-block'

interface DiagramProps {
  code: string
  language: string
  streaming: boolean
}

/** A Mermaid diagram: drawn once complete; its source until then, on request, and when it has a syntax error. */
export function Diagram({ code, language, streaming }: DiagramProps) {
  const isDark = useIsDark()
  const [source, setSource] = useState(false)
  const [, redraw] = useState(0)
  const [problem, setProblem] = useState<string>()
  const present = streaming ? undefined : diagramPicture(code, isDark)
  // Keep the drawing of the other theme until this one is ready.
  const picture = present ?? (streaming ? undefined : diagramPicture(code, !isDark))
  useEffect(() => {
    if (streaming || present) return undefined
    let over = false
    drawDiagram(code, isDark).then(
      () => over || redraw((n) => n + 1),
      (error: unknown) => over || setProblem(errorText(error)),
    )
    return () => {
      over = true
    }
  }, [code, isDark, streaming, present])
  return (
    <div className="diagram">
      {picture && !source && problem === undefined ? (
        <DiagramPicture picture={picture} code={code} onBroken={() => setProblem('This diagram cannot be drawn.')} />
      ) : (
        <CodeBlock code={code} language={language} streaming={streaming} />
      )}
      {problem !== undefined && !streaming && (
        <p className="diagram-problem" role="note">
          This diagram cannot be drawn: {problem.split('\n', 1)[0]}
        </p>
      )}
      {picture && problem === undefined && (
        <button type="button" className="diagram-switch" aria-pressed={source} onClick={() => setSource(!source)}>
          {source ? 'Show the diagram' : 'Show the source'}
        </button>
      )}
    </div>
  )
}

/** As an image, the drawing runs nothing, loads nothing and has only its own styles. */
function DiagramPicture({ picture, code, onBroken }: { picture: DiagramImage; code: string; onBroken: () => void }) {
  const { url, width, height } = picture
  return (
    <figure>
      <div tabIndex={0} role="group" aria-label="Diagram">
        <img
          src={url}
          alt={`Diagram: ${code.trim().split('\n', 1)[0]}`}
          width={width}
          height={height}
          onError={onBroken}
        />
      </div>
      <CopyButton text={code} label="Copy the diagram source" />
    </figure>
  )
}

/** The page's current theme. */
function useIsDark(): boolean {
  const [isDark, setDark] = useState(() => document.documentElement.dataset['theme'] === 'dark')
  useEffect(() => {
    const look = (): void => setDark(document.documentElement.dataset['theme'] === 'dark')
    const observer = new MutationObserver(look)
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    look()
    return () => observer.disconnect()
  }, [])
  return isDark
}

/** A self-contained drawing, as an image. */
interface DiagramImage {
  url: string
  width: number
  height: number
}

/** Longer sources take too long to lay out. */
const MAX_CHARS = 20_000
const KEPT = 30
/** Only system fonts: an image cannot load any. */
const FONT = 'system-ui, sans-serif'
const drawn = new Map<string, DiagramImage>()
let count = 0
let before: Promise<unknown> = Promise.resolve()

/** A cached drawing. */
function diagramPicture(code: string, isDark: boolean): DiagramImage | undefined {
  return drawn.get(keyOf(code, isDark))
}

/** Renders diagrams one at a time. Loads the library for the first. Rejects with the error in the source. */
function drawDiagram(code: string, isDark: boolean): Promise<DiagramImage> {
  const work = before.then(async () => {
    const known = diagramPicture(code, isDark)
    if (known) return known
    if (code.length > MAX_CHARS) throw new Error('it is too large.')
    const { default: mermaid } = await import('mermaid')
    mermaid.initialize(configFor(isDark))
    const place = document.createElement('div')
    // The element to measure in: in the page, but invisible and contained.
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

/**
 * `strict`: no scripts, no HTML in labels, no links. The source can override little: `secure` lists the settings that
 * it cannot change.
 */
function configFor(isDark: boolean): MermaidConfig {
  return {
    startOnLoad: false,
    securityLevel: 'strict',
    htmlLabels: false,
    flowchart: { htmlLabels: false, useMaxWidth: false },
    suppressErrorRendering: true,
    maxTextSize: MAX_CHARS,
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

/** The drawing as an image with the size it was laid out for. */
function asPicture(svg: string): DiagramImage {
  const root = new DOMParser().parseFromString(svg, 'text/html').querySelector('svg')
  const [, , width = 0, height = 0] = (root?.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number)
  if (!root || !(width > 0) || !(height > 0)) throw new Error('it came out empty.')
  root.setAttribute('width', String(width))
  root.setAttribute('height', String(height))
  root.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  root.style.removeProperty('max-width')
  const text = new XMLSerializer().serializeToString(root)
  return {
    url: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`,
    width: Math.ceil(width),
    height: Math.ceil(height),
  }
}

function keyOf(code: string, isDark: boolean): string {
  return `${isDark ? 'dark' : 'light'}\n${code}`
}
