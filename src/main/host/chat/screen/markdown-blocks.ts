import type { MarkedToken, Token, Tokens } from 'marked'
import { tableLines } from './markdown-table'
import { styledWords } from './markdown-words'
import { columnsOf, safeText } from './safe-text'
import type { Style } from './style'
import { wrapText } from './wrap-words'

/** Lines of prose are not made narrower than this by what stands before them. */
const NARROWEST = 10
const RULE_COLUMNS = 40

/** The lines of blocks, with an empty one between any two. */
export function blockLines(tokens: readonly Token[], style: Style, columns: number, from?: number): string[] {
  const blocks = tokens.map((token) => linesOf(token as MarkedToken, style, columns, from)).filter(({ length }) => length > 0)
  return blocks.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]))
}

function linesOf(token: MarkedToken, style: Style, columns: number, from?: number): string[] {
  const words = (text: string): string[] => wrapText(text, columns)
  switch (token.type) {
    case 'space':
    case 'checkbox':
      return []
    case 'heading':
      return words(styledWords(token.tokens, style, (text) => (token.depth === 1 ? style.underline(style.bold(text)) : style.bold(text))))
    case 'paragraph':
      return words(styledWords(token.tokens, style))
    case 'text':
      return words(styledWords([token], style))
    case 'code':
      return codeLines(token, style)
    case 'blockquote':
      return prefixed(blockLines(token.tokens, style, columns - 2), style.dim('│ '), style.dim('│ '))
    case 'list':
      return listLines(token, style, columns, from)
    case 'table':
      return tableLines(token, style, columns)
    case 'hr':
      return [style.dim('─'.repeat(Math.min(columns, RULE_COLUMNS)))]
    default:
      return words(safeText(token.raw.trimEnd()))
  }
}

/** Code is neither wrapped nor moved: what is copied from it is what was written. */
function codeLines({ text, lang = '' }: Tokens.Code, style: Style): string[] {
  return [style.dim(safeText(`\`\`\`${lang}`)), ...safeText(text).split('\n'), style.dim('```')]
}

/** `from` is the number the first item has where its list began before. */
function listLines({ items, ordered, start }: Tokens.List, style: Style, columns: number, from?: number): string[] {
  const first = from ?? (start === '' ? 1 : start)
  return items.flatMap((item, index) => {
    const number = ordered ? `${first + index}. ` : '• '
    const sign = item.task ? `${number}[${item.checked ? 'x' : ' '}] ` : number
    const width = columnsOf(sign)
    const lines = itemLines(item, style, Math.max(NARROWEST, columns - width))
    return prefixed(lines.length === 0 ? [''] : lines, style.dim(sign), ' '.repeat(width))
  })
}

/** What an item says first, and what belongs to it: only paragraphs stand apart. */
function itemLines({ tokens }: Tokens.ListItem, style: Style, columns: number): string[] {
  const blocks = tokens
    .filter(({ type }) => type !== 'space' && type !== 'checkbox')
    .map((token) => ({ type: token.type, lines: linesOf(token as MarkedToken, style, columns) }))
  return blocks.flatMap(({ type, lines }, index) => (index > 0 && type !== 'list' && type !== 'code' ? ['', ...lines] : lines))
}

function prefixed(lines: readonly string[], first: string, others: string): string[] {
  return lines.map((line, index) => `${index === 0 ? first : others}${line}`.trimEnd())
}
