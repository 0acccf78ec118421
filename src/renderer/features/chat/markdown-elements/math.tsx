import type { KatexOptions } from 'katex'
import { useLayoutEffect, useRef, useState } from 'react'
import type { Token, TokenizerExtension, Tokens } from 'marked'
import { errorText } from '../../../../shared/error-text'

interface MathProps {
  tex: string
  display: boolean
}

type Render = (tex: string, element: HTMLElement, options: KatexOptions) => void

/**
 * Limits of formulas: no commands that create links or load anything, no sizes that cover the page, bounded macro
 * expansion.
 */
const LIMITS = {
  trust: false,
  strict: 'ignore',
  maxSize: 20,
  maxExpand: 500,
  throwOnError: true,
} as const satisfies KatexOptions

let loaded: Render | undefined
let loading: Promise<Render> | undefined

/** The typesetter with its style and fonts, loaded when the first formula is shown. */
function load(): Promise<Render> {
  loading ??= Promise.all([import('katex'), import('katex/dist/katex.min.css')]).then(
    ([{ default: katex }]) => (loaded = katex.render),
  )
  loading.catch(() => (loading = undefined))
  return loading
}

/** A typeset formula; its TeX until the typesetter is loaded, and when it cannot be parsed. */
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

/** Undefined, or the parse error. */
function typeset(render: Render, element: HTMLElement, { tex, display }: MathProps): string | undefined {
  try {
    render(tex, element, { ...LIMITS, displayMode: display })
    return undefined
  } catch (error) {
    return errorText(error)
  }
}

/** TeX in a text. `display`: on its own line. */
export interface MathToken extends Tokens.Generic {
  type: 'math'
  raw: string
  tex: string
  display: boolean
  /** The closing delimiter has not arrived: shown as source text. */
  open: boolean
}

/** Longer than any formula; a longer match is text with a stray delimiter. */
const MAX_TEX = 6000
const MAX_INLINE_TEX = 1200
const BLOCK_ENVIRONMENT =
  /^\\begin\{((?:equation|align|aligned|gather|gathered|multline|cases|array|[pbvBV]?matrix)\*?)\}/
const BLOCK_START = /\n(?= {0,3}(?:\$\$|\\\[|\\begin\{))/g
/** Maximum number of positions checked per paragraph. */
const MAX_STARTS = 8

/** Block formulas: `$$ … $$`, `\[ … \]`, and the TeX environments for display mathematics. */
export const mathBlock: TokenizerExtension = {
  name: 'math',
  level: 'block',
  start: (src) => blockStart(src),
  tokenizer: (src) => blockMath(src),
}

/** Inline formulas: `\( … \)`, `\[ … \]`, `$ … $`, `$$ … $$`. */
export const mathInline: TokenizerExtension = {
  name: 'inlineMath',
  level: 'inline',
  start(src) {
    // A text run ends at a backslash anyway.
    const at = src.indexOf('$')
    return at < 0 ? undefined : at
  },
  tokenizer: (src, tokens) => inlineMath(src, tokens),
}

/** Hides formulas from the emphasis parser: stars and underscores in them are not Markdown. */
export function maskMath(text: string): string {
  return text.includes('$') ? text.replace(/\$[^\s$][^$\n]*\$/g, (found) => 'a'.repeat(found.length)) : text
}

/**
 * Where a formula interrupts the current paragraph. It does not scan the rest of the text: doing that for each
 * paragraph would take quadratic time.
 */
function blockStart(src: string): number | undefined {
  const near = src.slice(0, MAX_TEX)
  let tries = 0
  for (const { index } of near.matchAll(BLOCK_START)) {
    if ((tries += 1) > MAX_STARTS || hasBlankLine(near.slice(0, index))) return undefined
    if (blockMath(src.slice(index + 1))) return index
  }
  return undefined
}

function blockMath(src: string): MathToken | undefined {
  const indent = /^ {0,3}(?=\$\$|\\\[|\\begin\{)/.exec(src)?.[0]
  if (indent === undefined) return undefined
  const body = src.slice(indent.length)
  const environment = BLOCK_ENVIRONMENT.exec(body)
  const [opener, closer] = body.startsWith('$$')
    ? ['$$', '$$']
    : body.startsWith('\\[')
      ? ['\\[', '\\]']
      : [environment?.[0] ?? '', `\\end{${environment?.[1] ?? ''}}`]
  if (opener === '') return undefined
  const close = body.slice(0, MAX_TEX).indexOf(closer, opener.length)
  if (close < 0) {
    // Still being written, or never closed. Only if nothing else is on the opening line: `$$ is money` is text.
    const isAlone = environment !== null || /^(?:\$\$|\\\[)[ \t]*(?:\n|$)/.test(body)
    if (!isAlone || body.length > MAX_TEX || hasBlankLine(body)) return undefined
    return { type: 'math', raw: src, tex: body.slice(opener.length), display: true, open: true }
  }
  if (hasBlankLine(body.slice(0, close))) return undefined
  const after = /^[ \t]*([.,;:]?)[ \t]*(?:\n+|$)/.exec(body.slice(close + closer.length, close + closer.length + 200))
  // Text follows: a formula within a paragraph.
  if (!after) return undefined
  const tex = environment ? body.slice(0, close + closer.length) : body.slice(opener.length, close)
  if (tex.trim() === '') return undefined
  const raw = src.slice(0, indent.length + close + closer.length + after[0].length)
  return { type: 'math', raw, tex: tex.trim() + (after[1] ?? ''), display: true, open: false }
}

/** A formula has no blank line. */
function hasBlankLine(text: string): boolean {
  return /\n[ \t]*\n/.test(text)
}

function inlineMath(src: string, earlier: readonly Token[]): MathToken | undefined {
  if (src.startsWith('\\(')) return between(src, '\\(', '\\)', false)
  if (src.startsWith('\\[')) {
    const found = between(src, '\\[', '\\]', true)
    if (!found || /[\\^_=+<>{}]/.test(found.tex)) return found
    // `\[optional\]` in the middle of a sentence is an escaped bracket.
    const isAlone = /^\n?$/.test(lastCharacter(earlier)) && /^[ \t]*(?:\n|$)/.test(src.slice(found.raw.length))
    return isAlone ? found : undefined
  }
  if (src.startsWith('$$')) return between(src, '$$', '$$', true)
  return src.startsWith('$') ? dollarMath(src, earlier) : undefined
}

/** Called only if the result matters, because reading from a text that is being concatenated is slow. */
function lastCharacter(tokens: readonly Token[]): string {
  return tokens.at(-1)?.raw.at(-1) ?? ''
}

function between(src: string, opener: string, closer: string, display: boolean): MathToken | undefined {
  const close = src.slice(0, MAX_INLINE_TEX).indexOf(closer, opener.length)
  if (close < 0) return undefined
  const tex = src.slice(opener.length, close)
  if (tex.trim() === '' || hasBlankLine(tex)) return undefined
  return { type: 'math', raw: src.slice(0, close + closer.length), tex: tex.trim(), display, open: false }
}

/**
 * `$x$`, distinguished from amounts of money and shell variables: no whitespace inside the dollar signs, no letter or
 * digit around them, the next dollar sign closes, and text that starts with an amount and continues with words is not a
 * formula.
 */
function dollarMath(src: string, earlier: readonly Token[]): MathToken | undefined {
  if (/^\$\s/.test(src)) return undefined
  let close = 1
  while (close < src.length && close < MAX_INLINE_TEX && src[close] !== '$') close += src[close] === '\\' ? 2 : 1
  if (src[close] !== '$') return undefined
  const written = src.slice(1, close)
  const tex = /^`[^`]+`$/.test(written) ? written.slice(1, -1) : written
  if (tex === '' || /\s$/.test(written) || hasBlankLine(tex) || /[\p{L}\p{N}$]/u.test(src.charAt(close + 1)))
    return undefined
  if (/^\d[\d.,]*[kKmMbB]?[\s/-]/.test(tex) && !/[\\^_={}*+<>]/.test(tex)) return undefined
  if (/[\p{L}\p{N}$\\]/u.test(lastCharacter(earlier))) return undefined
  return { type: 'math', raw: src.slice(0, close + 1), tex, display: false, open: false }
}
