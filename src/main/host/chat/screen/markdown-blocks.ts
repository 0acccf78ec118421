import type { MarkedToken, Token, Tokens } from 'marked'
import { clustersOf } from '../../../../shared/cut-text'
import { displayWidth, safeText, wrapText } from './text-layout'
import type { Style } from './terminal'

/** Minimum width of prose, whatever its indentation. */
const MIN_BLOCK_WIDTH = 10
const RULE_COLUMNS = 40

/** The lines of blocks, separated by empty lines. */
export function blockLines(tokens: readonly Token[], style: Style, columns: number, from?: number): string[] {
  const blocks = tokens
    .map((token) => linesOf(token as MarkedToken, style, columns, from))
    .filter(({ length }) => length > 0)
  return blocks.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]))
}

function linesOf(token: MarkedToken, style: Style, columns: number, from?: number): string[] {
  const words = (text: string): string[] => wrapText(text, columns)
  switch (token.type) {
    case 'space':
    case 'checkbox':
      return []
    case 'heading':
      return words(
        styledWords(token.tokens, style, (text) =>
          token.depth === 1 ? style.underline(style.bold(text)) : style.bold(text),
        ),
      )
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

/** Code is neither wrapped nor indented, so that copied code equals the original. */
function codeLines({ text, lang = '' }: Tokens.Code, style: Style): string[] {
  return [style.dim(safeText(`\`\`\`${lang}`)), ...safeText(text).split('\n'), style.dim('```')]
}

/** `from` is the number of the first item when its list started earlier. */
function listLines({ items, ordered, start }: Tokens.List, style: Style, columns: number, from?: number): string[] {
  const first = from ?? (start === '' ? 1 : start)
  return items.flatMap((item, index) => {
    const number = ordered ? `${first + index}. ` : '• '
    const sign = item.task ? `${number}[${item.checked ? 'x' : ' '}] ` : number
    const width = displayWidth(sign)
    const lines = itemLines(item, style, Math.max(MIN_BLOCK_WIDTH, columns - width))
    return prefixed(lines.length === 0 ? [''] : lines, style.dim(sign), ' '.repeat(width))
  })
}

/** The blocks of an item: only paragraphs are separated by empty lines. */
function itemLines({ tokens }: Tokens.ListItem, style: Style, columns: number): string[] {
  const blocks = tokens
    .filter(({ type }) => type !== 'space' && type !== 'checkbox')
    .map((token) => ({ type: token.type, lines: linesOf(token as MarkedToken, style, columns) }))
  return blocks.flatMap(({ type, lines }, index) =>
    index > 0 && type !== 'list' && type !== 'code' ? ['', ...lines] : lines,
  )
}

function prefixed(lines: readonly string[], first: string, others: string): string[] {
  return lines.map((line, index) => `${index === 0 ? first : others}${line}`.trimEnd())
}

/** Minimum readable width of a column. */
const MIN_COLUMN_WIDTH = 8
const GAP = ' │ '
/** Between style codes, which have no width and stay in the result. */
const STYLE_CODE = new RegExp(`(${String.fromCharCode(27)}\\[\\d+m)`)

/** A table in columns that fit; if they do not fit, each row as a list of its cells. */
function tableLines({ header, rows, align }: Tokens.Table, style: Style, columns: number): string[] {
  const words = (cell: Tokens.TableCell): string => styledWords(cell.tokens, style)
  const names = header.map((cell) => styledWords(cell.tokens, style, style.bold))
  const cells = rows.map((row) => row.map(words))
  const widths = widthsFor([names, ...cells], columns - (names.length - 1) * GAP.length)
  if (!widths) {
    return cells.flatMap((row, at) => [
      ...(at > 0 ? [''] : []),
      ...row.flatMap((cell, index) => wrapText(`${names[index]}: ${cell}`, columns)),
    ])
  }
  const line = (row: readonly string[]): string[] => {
    const wrapped = row.map((cell, index) => linesWithin(cell, widths[index]!))
    return Array.from({ length: Math.max(1, ...wrapped.map(({ length }) => length)) }, (_, at) =>
      wrapped
        .map((lines, index) => aligned(lines[at] ?? '', widths[index]!, align[index] ?? 'left'))
        .join(style.dim(GAP))
        .trimEnd(),
    )
  }
  return [...line(names), style.dim(widths.map((width) => '─'.repeat(width)).join('─┼─')), ...cells.flatMap(line)]
}

/** Column widths, shrinking the widest first; undefined when the columns cannot fit. */
function widthsFor(rows: readonly (readonly string[])[], room: number): number[] | undefined {
  const widths = rows[0]!.map((_, index) => Math.max(1, ...rows.map((row) => displayWidth(row[index] ?? ''))))
  let over = widths.reduce((sum, width) => sum + width, 0) - room
  while (over > 0) {
    const widest = Math.max(...widths)
    if (widest <= MIN_COLUMN_WIDTH) return undefined
    widths[widths.indexOf(widest)] = widest - 1
    over -= 1
  }
  return widths
}

/** Splits words wider than the column, so that they stay out of the next column. */
function linesWithin(text: string, width: number): string[] {
  if (displayWidth(text) <= width) return [text]
  return wrapText(text, width, 1).flatMap((line) =>
    displayWidth(line) <= width ? [line.trimEnd()] : pieces(line, width),
  )
}

function pieces(line: string, width: number): string[] {
  const lines = ['']
  const all = line.split(STYLE_CODE).flatMap((part, index) => (index % 2 === 1 ? [part] : [...clustersOf(part)]))
  for (const piece of all) {
    const last = lines.length - 1
    if (displayWidth(lines[last]! + piece) > width) lines.push(piece)
    else lines[last] += piece
  }
  return lines
}

function aligned(text: string, width: number, align: 'left' | 'right' | 'center'): string {
  const free = Math.max(0, width - displayWidth(text))
  const before = align === 'right' ? free : align === 'center' ? Math.floor(free / 2) : 0
  return ' '.repeat(before) + text + ' '.repeat(free - before)
}

type Paint = (text: string) => string

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' }

/**
 * The styled words of a paragraph, a cell or a heading. Each word has its own codes, so that lines can break between
 * any two.
 */
function styledWords(tokens: readonly Token[], style: Style, paint: Paint = (text) => text): string {
  return tokens.map((token) => wordsOf(token as MarkedToken, style, paint)).join('')
}

function wordsOf(token: MarkedToken, style: Style, paint: Paint): string {
  const within = (children: readonly Token[], more: Paint): string =>
    styledWords(children, style, (text) => more(paint(text)))
  switch (token.type) {
    case 'strong':
      return within(token.tokens, style.bold)
    case 'em':
      return within(token.tokens, style.italic)
    case 'del':
      return within(token.tokens, style.struck)
    case 'codespan':
      return eachWord(token.text, (word) => style.blue(paint(word)))
    case 'br':
      return '\n'
    case 'checkbox':
      return ''
    case 'link': {
      const words = within(token.tokens, style.underline)
      // Always show the target: the text of a link can be misleading.
      return sameTarget(token.text, token.href) ? words : `${words} ${style.dim(safeText(`(${token.href})`))}`
    }
    case 'image':
      return `${eachWord(token.text === '' ? 'Image' : token.text, paint)} ${style.dim(safeText(`(${token.href})`))}`
    case 'text':
      return 'tokens' in token && token.tokens
        ? styledWords(token.tokens, style, paint)
        : eachWord(decoded(token.text), paint)
    case 'escape':
      return eachWord(token.text, paint)
    default:
      return eachWord(token.raw, paint)
  }
}

function eachWord(text: string, paint: Paint): string {
  return safeText(text).replaceAll(/\S+/gu, (word) => paint(word))
}

/** The few entities that models write; all others stay unchanged. */
function decoded(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|#39|nbsp);/g, (_all, name: string) => ENTITIES[name]!)
}

function sameTarget(text: string, href: string): boolean {
  return text === href || `mailto:${text}` === href || `http://${text}` === href
}
