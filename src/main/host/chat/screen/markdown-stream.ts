import { Lexer, type Token, type Tokens } from 'marked'
import { blockLines } from './markdown-blocks'
import { safeText, wrapText } from './text-layout'
import type { Style } from './terminal'

const FENCE = /^ {0,3}(`{3,}(?=[^`\n]*\n)|~{3,})([^\n]*)\n/
/** Longer or more deeply nested blocks are shown unparsed: parsing them takes too long. */
const MAX_CHARS = 20_000
const TOO_DEEP = /^(?:[>*+-][ \t]*){60,}/m

/**
 * Renders streamed Markdown as lines for a terminal. A block is written when it is complete: a paragraph at its end, a
 * list item when the next one starts, a line of code immediately.
 */
export class MarkdownStream {
  readonly #style: Style
  readonly #columns: () => number
  #pending = ''
  /** The fence of the open code block. */
  #fence: string | undefined
  #isFirst = true
  /** The open list, and the number of its next item. */
  #list: { ordered: boolean; next: number } | undefined

  constructor(style: Style, columns: () => number) {
    this.#style = style
    this.#columns = columns
  }

  /** The incomplete text, to show progress. */
  get pending(): string {
    return this.#pending
  }

  /** Adds text; returns the complete lines that can be written now. */
  add(text: string): string {
    this.#pending += text
    return text.includes('\n') ? this.#take() : ''
  }

  /** Ends a text: returns everything held back. The next text starts separately. */
  end(): string {
    this.#pending += this.#pending === '' || this.#pending.endsWith('\n') ? '' : '\n'
    let out = this.#take()
    if (this.#pending.trim() !== '')
      out += this.#fence === undefined ? this.#written(this.#lex(this.#pending)) : this.#pending
    this.#pending = ''
    this.#fence = undefined
    this.#list = undefined
    this.#isFirst = true
    return out
  }

  /** Removes and returns the complete blocks. */
  #take(): string {
    let out = ''
    for (;;) {
      if (this.#fence !== undefined) {
        out += this.#code()
        if (this.#fence !== undefined) return out
      }
      this.#pending = withoutBlankLines(this.#pending)
      const fence = FENCE.exec(this.#pending)
      if (fence) {
        const [line, sign = ''] = fence
        out += `${this.#gap()}${this.#style.dim(safeText(line.trim()))}\n`
        this.#fence = sign
        this.#list = undefined
        this.#pending = this.#pending.slice(line.length)
        continue
      }
      const complete = this.#pending.slice(0, this.#pending.lastIndexOf('\n') + 1)
      const tokens = complete === '' ? [] : this.#complete(complete)
      if (tokens.length === 0) return out
      const length = tokens.reduce((sum, { raw }) => sum + raw.length, 0)
      out += this.#written(tokens)
      this.#pending = this.#pending.slice(length)
    }
  }

  /** The blocks at the start of the text that later text cannot change. */
  #complete(text: string): Token[] {
    const tokens = this.#lex(text)
    const last = tokens.findLastIndex(({ type }) => type !== 'space')
    const block = tokens[last]
    if (!block) return []
    const isClosed = /\n[ \t]*\n$/.test(text)
    const isOver =
      ['heading', 'hr'].includes(block.type) ||
      (isClosed && ['paragraph', 'table', 'blockquote', 'text'].includes(block.type))
    const done = isOver ? tokens : last > 0 ? tokens.slice(0, last) : begunList(block)
    // Token positions match the text only if nothing in it was replaced.
    return text.startsWith(done.map(({ raw }) => raw).join('')) ? done : []
  }

  #lex(text: string): Token[] {
    const asItIs: Tokens.Text = { type: 'text', raw: text, text, escaped: true }
    if (text.length > MAX_CHARS || TOO_DEEP.test(text)) return [asItIs]
    try {
      return new Lexer({ gfm: true }).lex(text)
    } catch {
      return [asItIs]
    }
  }

  #written(tokens: readonly Token[]): string {
    let out = ''
    for (const token of tokens) {
      if (token.type === 'space') continue
      const list = token.type === 'list' ? (token as Tokens.List) : undefined
      const goesOn = list && this.#list?.ordered === list.ordered ? this.#list : undefined
      const from = list?.ordered ? (goesOn?.next ?? (list.start === '' ? 1 : list.start)) : undefined
      const gap = goesOn ? '' : this.#gap()
      out += `${gap}${this.#lines(token, from)
        .map((line) => `${line}\n`)
        .join('')}`
      this.#list = list && { ordered: list.ordered, next: (from ?? 1) + list.items.length }
    }
    return out
  }

  #lines(token: Token, from: number | undefined): string[] {
    const columns = this.#columns()
    try {
      return blockLines([token], this.#style, columns, from)
    } catch {
      return wrapText(safeText(token.raw), columns)
    }
  }

  /** Lines of code, up to the fence that closes it. */
  #code(): string {
    const sign = this.#fence!
    let out = ''
    let end = this.#pending.indexOf('\n')
    for (; end >= 0 && this.#fence !== undefined; end = this.#pending.indexOf('\n')) {
      const line = this.#pending.slice(0, end)
      this.#pending = this.#pending.slice(end + 1)
      const closes = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1]?.startsWith(sign)
      if (closes) this.#fence = undefined
      out += `${closes ? this.#style.dim(line.trim()) : safeText(line)}\n`
    }
    return out
  }

  #gap(): string {
    const gap = this.#isFirst ? '' : '\n'
    this.#isFirst = false
    return gap
  }
}

/** All items except the last of a list that may continue. */
function begunList(block: Token): Token[] {
  if (block.type !== 'list') return []
  const list = block as Tokens.List
  const items = list.items.slice(0, -1)
  const raw = items.map((item) => item.raw).join('')
  return items.length === 0 || !list.raw.startsWith(raw) ? [] : [{ ...list, items, raw }]
}

/** The text from its first line that is not blank. */
function withoutBlankLines(text: string): string {
  let start = 0
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '\n') start = at + 1
    else if (text[at] !== ' ' && text[at] !== '\t') break
  }
  return text.slice(start)
}
