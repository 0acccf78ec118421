import type { NotebookPart } from '../../shared/model/session/review'
import { visibleText } from '../../shared/visible-text'
import type { DiffLine } from './diff-lines'

/** A picture among the outputs of a notebook. */
export interface PictureLine {
  kind: 'picture'
  sign: 'same' | 'add' | 'del'
  mediaType: string
  data: string
}

/** JSON that adds nothing to the other lines: brackets, and the fields of every cell. */
const FRAME = /^\s*(?:[[\]{},]*|"(?:source|text|outputs|data|traceback|metadata|text\/plain)": [[{][\]}]?,?)$/
const DEFAULTS = /^\s*"(?:execution_count|id)": (?:null|\d+|"[\w-]+"),?$/
const CELL = /^\s*"cell_type": "(code|markdown|raw)",?$/
const SOURCE = /^\s*"source": (?:\[|")/
const OUTPUT = /^\s*"output_type": "(\w+)",?$/
const PICTURE = /^\s*"(image\/(?:png|jpeg|gif|webp))": "([A-Za-z0-9+/=\\n]+)",?$/
/** A picture whose data is too long for a diff. */
const FOLDED_PICTURE = /^\s*"(image\/[a-z+]+)": ".*⋯ ([\d,]+) characters ⋯/
const TEXT = /^\s*(?:"(?:source|text|text\/plain)": )?("(?:[^"\\]|\\.)*"),?$/

/** A path whose grammar is that of the code cells. A diff rarely contains their language, which is mostly Python. */
export function codeCellPath(language = 'python'): string {
  return `cell.${language}`
}

export function isNotebook(path: string | undefined): boolean {
  return path !== undefined && /\.ipynb$/i.test(path)
}

/**
 * For each line of a notebook's diff, the rows that show it: the text of its cells and outputs instead of JSON. Lines
 * other than texts, pictures and the frame around them stay unchanged, and so does a change of the frame alone, so that
 * every other change is visible. `parts`, if known, give the headings of cells their numbers.
 */
export function notebookLines(
  lines: readonly DiffLine[],
  parts: readonly NotebookPart[] = [],
): (DiffLine | PictureLine)[][] {
  const [first] = lines
  let isBelowOutput = first?.kind === 'same' && notebookPartAt(parts, first.new)?.isOutput === true
  const rows = lines.map((line): (DiffLine | PictureLine)[] => {
    if (line.kind === 'note' || line.kind === 'gap') return [line.kind === 'gap' ? { ...line, text: '' } : line]
    if (CELL.test(line.text)) isBelowOutput = false
    else if (OUTPUT.test(line.text)) isBelowOutput = true
    else if (isBelowOutput && SOURCE.test(line.text)) {
      // Jupyter writes the source of a cell after its outputs.
      isBelowOutput = false
      return [{ ...line, text: '— Source' }, ...rowsFor(line, parts)]
    }
    return rowsFor(line, parts)
  })
  for (let at = 0; at < lines.length; at += 1) {
    const start = at
    while (isChange(lines[at])) at += 1
    const change = rows.slice(start, at)
    if (change.every((shown) => shown.length === 0)) for (let n = start; n < at; n += 1) rows[n] = [lines[n]!]
  }
  return rows
}

type TextLine = Extract<DiffLine, { kind: 'same' | 'add' | 'del' }>

function isChange(line: DiffLine | undefined): boolean {
  return line?.kind === 'add' || line?.kind === 'del'
}

function rowsFor(line: TextLine, parts: readonly NotebookPart[]): (DiffLine | PictureLine)[] {
  if (FRAME.test(line.text)) return []
  if (DEFAULTS.test(line.text)) return line.kind === 'same' ? [] : [line]
  const cell = CELL.exec(line.text)?.[1]
  if (cell !== undefined) {
    const part = line.kind === 'del' ? undefined : notebookPartAt(parts, line.new)
    return [{ ...line, text: `— ${CELL_NAMES[cell]} cell${part ? ` ${part.cell}` : ''}` }]
  }
  const output = OUTPUT.exec(line.text)?.[1]
  if (output !== undefined) return [{ ...line, text: `— Output (${output})` }]
  const [, mediaType, data] = PICTURE.exec(line.text) ?? []
  if (mediaType !== undefined && data !== undefined)
    return [{ kind: 'picture', sign: line.kind, mediaType, data: data.replaceAll('\\n', '') }]
  const [, folded, chars] = FOLDED_PICTURE.exec(line.text) ?? []
  if (folded !== undefined) return [{ ...line, text: `— Image (${folded}, ${chars} characters)` }]
  const text = textOf(line.text)
  return text === undefined ? [line] : text.split('\n').map((part) => ({ ...line, text: visibleText(part) }))
}

/** The part of a notebook that a line of its new version belongs to; undefined before the first cell. */
export function notebookPartAt(parts: readonly NotebookPart[], line: number): NotebookPart | undefined {
  return parts.findLast((part) => part.line <= line)
}

/** Names the cell above lines from its middle. */
export function nameOfPart({ kind, cell, isOutput }: NotebookPart): string {
  return `${CELL_NAMES[kind]} cell ${cell}${isOutput ? ', output' : ''}`
}

/** Whether a row is the heading of a cell: no other row starts like this. */
export function isCellHeading(text: string): boolean {
  return CELL_HEADING.test(text)
}

/**
 * For each row, its text as code to highlight: headings, outputs and the text of other cells are not code. Rows below a
 * gap count as code; `startsInCode`: whether the first ones do.
 */
export function codeInCells(rows: readonly DiffLine[], startsInCode = true): string[] {
  let isCode = startsInCode
  return rows.map((row) => {
    if (row.kind === 'gap') isCode = true
    if (row.kind === 'gap' || row.kind === 'note') return ''
    if (!SHOWN_HEADING.test(row.text)) return isCode ? row.text : ''
    isCode = CODE_HEADING.test(row.text)
    return ''
  })
}

const CELL_HEADING = /^— (?:Code|Markdown|Raw) cell/
const CODE_HEADING = /^— (?:Code cell|Source$)/
const SHOWN_HEADING = /^— (?:(?:Code|Markdown|Raw) cell|Output \(|Image \(|Source$)/
const HEADING = /^\s*[—–―─-]+\s*(?:(?:Code|Markdown|Raw) cell|Output|Image|Source\s*$)/im
const CELL_NAMES: Readonly<Record<string, string>> = { code: 'Code', markdown: 'Markdown', raw: 'Raw' }

/** The text of a line that is a JSON string; undefined for any other line. */
function textOf(line: string): string | undefined {
  const [, written] = TEXT.exec(line) ?? []
  if (written === undefined) return undefined
  try {
    const text: unknown = JSON.parse(written)
    // Text that looks like the heading of a cell is left as JSON.
    if (typeof text !== 'string' || HEADING.test(text)) return undefined
    return text.replace(/\n$/, '')
  } catch {
    return undefined
  }
}
