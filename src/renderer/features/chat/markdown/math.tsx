import type { KatexOptions } from 'katex'
import { useLayoutEffect, useRef, useState } from 'react'

interface MathProps {
  tex: string
  display: boolean
}

type Render = (tex: string, element: HTMLElement, options: KatexOptions) => void

/** What a formula may do: no commands that make links or load anything, no sizes that cover the page, an end to macros that call themselves. */
const LIMITS = { trust: false, strict: 'ignore', maxSize: 20, maxExpand: 500, throwOnError: true } as const satisfies KatexOptions

let loaded: Render | undefined
let loading: Promise<Render> | undefined

/** The typesetter, its style and fonts, read when the first formula is shown. */
function load(): Promise<Render> {
  loading ??= Promise.all([import('katex'), import('katex/dist/katex.min.css')]).then(([{ default: katex }]) => (loaded = katex.render))
  loading.catch(() => (loading = undefined))
  return loading
}

/** A formula, typeset; its TeX until the typesetter is there, and where it cannot be read. */
export function Formula({ tex, display }: MathProps) {
  const [render, setRender] = useState(() => loaded)
  const [problem, setProblem] = useState<string>()
  const place = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    if (render) {
      setProblem(place.current ? typeset(render, place.current, { tex, display }) : undefined)
      return undefined
    }
    let over = false
    load().then(
      (found) => over || setRender(() => found),
      () => undefined,
    )
    return () => {
      over = true
    }
  }, [render, tex, display])
  if (!render || problem !== undefined) {
    return (
      <code className="md-tex" data-display={display || undefined} title={problem}>
        {tex}
      </code>
    )
  }
  return (
    <span
      ref={place}
      className="md-math"
      data-display={display || undefined}
      {...(display && { tabIndex: 0, role: 'group', 'aria-label': 'Formula' })}
    />
  )
}

/** Undefined, or why it cannot be read. */
function typeset(render: Render, element: HTMLElement, { tex, display }: MathProps): string | undefined {
  try {
    render(tex, element, { ...LIMITS, displayMode: display })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
