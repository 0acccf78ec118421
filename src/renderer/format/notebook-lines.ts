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
const OUTPUT = /^\s*"output_type": "(\w+)",?$/
const PICTURE = /^\s*"(image\/(?:png|jpeg|gif|webp))": "([A-Za-z0-9+/=\\n]+)",?$/
/** A picture whose data is too long for a diff. */
const FOLDED_PICTURE = /^\s*"(image\/[a-z+]+)": ".* ⋯ ([\d,]+) characters ⋯ /
const TEXT = /^\s*(?:"(?:source|text|text\/plain)": )?("(?:[^"\\]|\\.)*"),?$/

export function isNotebook(path: string | undefined): boolean {
  return path !== undefined && /\.ipynb$/i.test(path)
}

/**
 * The rows of a notebook's diff with the text of its cells and outputs instead of JSON. Lines other than texts,
 * pictures and the frame around them stay unchanged, so that every other change is visible.
 */
export function notebookLines(lines: readonly DiffLine[]): (DiffLine | PictureLine)[] {
  return lines.flatMap((line): (DiffLine | PictureLine)[] => {
    if (line.kind === 'note' || line.kind === 'gap') return [line.kind === 'gap' ? { ...line, text: '' } : line]
    if (FRAME.test(line.text)) return []
    if (DEFAULTS.test(line.text)) return line.kind === 'same' ? [] : [line]
    const cell = CELL.exec(line.text)?.[1]
    if (cell !== undefined) return [{ ...line, text: visibleText(`— ${CELL_NAMES[cell]} cell`) }]
    const output = OUTPUT.exec(line.text)?.[1]
    if (output !== undefined) return [{ ...line, text: `— Output (${output})` }]
    const [, mediaType, data] = PICTURE.exec(line.text) ?? []
    if (mediaType !== undefined && data !== undefined)
      return [{ kind: 'picture', sign: line.kind, mediaType, data: data.replaceAll('\\n', '') }]
    const [, folded, chars] = FOLDED_PICTURE.exec(line.text) ?? []
    if (folded !== undefined) return [{ ...line, text: `— Image (${folded}, ${chars} characters)` }]
    const text = textOf(line.text)
    return text === undefined ? [line] : text.split('\n').map((part) => ({ ...line, text: visibleText(part) }))
  })
}

const HEADING = /^\s*[—–―─-]+\s*(?:(?:Code|Markdown|Raw) cell|Output|Picture)/im
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
