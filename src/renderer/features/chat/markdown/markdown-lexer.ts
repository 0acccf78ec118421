import { Lexer, type MarkedOptions, type Token, type TokenizerExtension, type Tokens } from 'marked'
import { mathBlock, mathInline, maskMath } from '../markdown-elements/math'

/** A collapsible section: `<details><summary>…</summary> … </details>`, with Markdown in it. */
export interface DetailsToken extends Tokens.Generic {
  type: 'details'
  raw: string
  summary: Token[]
  tokens: Token[]
  isOpen: boolean
}

/** `[^label]: text` */
export interface FootnoteToken extends Tokens.Generic {
  type: 'footnote'
  raw: string
  label: string
  tokens: Token[]
}

/** `[^label]` in a text. */
export interface FootnoteMarkToken extends Tokens.Generic {
  type: 'footnoteMark'
  raw: string
  label: string
}

/** Deeper nesting stays text. */
const MAX_DEPTH = 12
const DETAILS_START = /^ {0,3}<details(?<attributes>\s[^<>]*)?>/i
/** A tag in backticks is only text; the rest of a fence line tells an opening fence from a closing one. */
const DETAILS_PART =
  /<(?<slash>\/?)details\b[^<>]*>|^ {0,3}(?<fence>`{3,}(?=[^`\n]*$)|~{3,})(?<info>[^\n]*)|(?<ticks>(?<!`)`+)(?!`)[^\n]*?(?<!`)\k<ticks>(?!`)/gim
const FOOTNOTE =
  /^ {0,3}\[\^(?<label>[\w.-]{1,40})\]:[ \t]*(?<text>[^\n]*(?:\n(?! {0,3}\[\^[\w.-]{1,40}\]:)(?:[ \t]+[^\s][^\n]*|[^\s#>|`~*+-][^\n]*))*)(?:\n+|$)/

let depth = 0

const detailsBlock: TokenizerExtension = {
  name: 'details',
  level: 'block',
  tokenizer(src) {
    const start = DETAILS_START.exec(src)
    if (!start || depth >= MAX_DEPTH) return undefined
    const { inner, raw } = detailsBody(src, start[0].length)
    const summary = /^\s*<summary>([^]*?)<\/summary>/i.exec(inner)
    const top = this.lexer.state.top
    this.lexer.state.top = true
    depth += 1
    try {
      return {
        type: 'details',
        raw,
        summary: summary?.[1] === undefined ? [] : this.lexer.inline(summary[1].trim()),
        tokens: this.lexer.blockTokens(inner.slice(summary?.[0].length ?? 0).replace(/^[ \t]*\n+/, ''), []),
        isOpen: /\bopen\b/i.test(start.groups?.['attributes'] ?? ''),
      } satisfies DetailsToken
    } finally {
      depth -= 1
      this.lexer.state.top = top
    }
  },
}

/** The content between the tags; without an end tag, everything that follows. Tags in fenced code do not count. */
function detailsBody(src: string, from: number): { inner: string; raw: string } {
  DETAILS_PART.lastIndex = from
  let level = 1
  let fence: string | undefined
  for (let part = DETAILS_PART.exec(src); part; part = DETAILS_PART.exec(src)) {
    const marks = part.groups?.['fence']
    if (marks !== undefined) {
      if (fence === undefined) fence = marks
      else if (marks.startsWith(fence) && part.groups?.['info']?.trim() === '') fence = undefined
      continue
    }
    if (fence !== undefined || part.groups?.['ticks'] !== undefined) continue
    level += part.groups?.['slash'] === '/' ? -1 : 1
    if (level > 0) continue
    const end = DETAILS_PART.lastIndex
    return {
      inner: src.slice(from, part.index),
      raw: src.slice(0, end) + (/^[ \t]*\n*/.exec(src.slice(end))?.[0] ?? ''),
    }
  }
  return { inner: src.slice(from), raw: src }
}

const footnoteBlock: TokenizerExtension = {
  name: 'footnote',
  level: 'block',
  tokenizer(src) {
    const found = /^ {0,3}\[\^/.test(src) ? FOOTNOTE.exec(src) : null
    const { label, text } = found?.groups ?? {}
    if (!found || label === undefined || text === undefined) return undefined
    return {
      type: 'footnote',
      raw: found[0],
      label,
      tokens: this.lexer.inline(text.replace(/\n[ \t]+/g, '\n')),
    } satisfies FootnoteToken
  },
}

const footnoteMark: TokenizerExtension = {
  name: 'footnoteMark',
  level: 'inline',
  tokenizer(src) {
    const found = /^\[\^([\w.-]{1,40})\]/.exec(src)
    return found?.[1] === undefined
      ? undefined
      : ({ type: 'footnoteMark', raw: found[0], label: found[1] } satisfies FootnoteMarkToken)
  },
}

const starts = ({ start }: { start?: NonNullable<typeof mathBlock.start> }) => (start ? [start] : [])

// Assembled here because `Marked`, which would do it, brings the HTML renderer along.
const extensions: MarkedOptions['extensions'] = {
  renderers: {},
  childTokens: {},
  block: [mathBlock, detailsBlock, footnoteBlock].map(({ tokenizer }) => tokenizer),
  inline: [mathInline, footnoteMark].map(({ tokenizer }) => tokenizer),
  startBlock: starts(mathBlock),
  startInline: starts(mathInline),
}
const hooks = { emStrongMask: maskMath } as unknown as NonNullable<MarkedOptions['hooks']>

/**
 * A lexer for Markdown as on GitHub and as models write it: tables, tasks, footnotes, collapsible sections, formulas.
 */
export function createLexer(): Lexer {
  return new Lexer({ gfm: true, breaks: false, extensions, hooks })
}
