import type { Tokens } from 'marked'
import { styledWords } from './markdown-words'
import { columnsOf } from './safe-text'
import type { Style } from './style'
import { wrapText } from './wrap-words'

/** A column that is narrower than this cannot be read. */
const NARROWEST = 8
const GAP = ' │ '
/** A code of a style, which has no width, or a character. */
const CODE_OR_CHAR = new RegExp(`${String.fromCharCode(27)}\\[\\d+m|.`, 'gsu')

/** A table in columns that fit; where there is no room for them, each row as a list of its cells. */
export function tableLines({ header, rows, align }: Tokens.Table, style: Style, columns: number): string[] {
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

/** Wide columns give way first; undefined when even then there is not room for all. */
function widthsFor(rows: readonly (readonly string[])[], room: number): number[] | undefined {
  const widths = rows[0]!.map((_, index) => Math.max(1, ...rows.map((row) => columnsOf(row[index] ?? ''))))
  let over = widths.reduce((sum, width) => sum + width, 0) - room
  while (over > 0) {
    const widest = Math.max(...widths)
    if (widest <= NARROWEST) return undefined
    widths[widths.indexOf(widest)] = widest - 1
    over -= 1
  }
  return widths
}

/** Words that are wider than the column are cut into pieces: nothing reaches into the next column. */
function linesWithin(text: string, width: number): string[] {
  if (columnsOf(text) <= width) return [text]
  return wrapText(text, width, 1).flatMap((line) => (columnsOf(line) <= width ? [line.trimEnd()] : pieces(line, width)))
}

function pieces(line: string, width: number): string[] {
  const lines = ['']
  for (const piece of line.match(CODE_OR_CHAR) ?? []) {
    const last = lines.length - 1
    if (columnsOf(lines[last]! + piece) > width) lines.push(piece)
    else lines[last] += piece
  }
  return lines
}

function aligned(text: string, width: number, align: 'left' | 'right' | 'center'): string {
  const free = Math.max(0, width - columnsOf(text))
  const before = align === 'right' ? free : align === 'center' ? Math.floor(free / 2) : 0
  return ' '.repeat(before) + text + ' '.repeat(free - before)
}
