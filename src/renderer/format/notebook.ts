/** Reads the cells of Jupyter notebooks. */

export type NotebookOutput =
  | { kind: 'text'; text: string; isError?: true }
  | { kind: 'picture'; mediaType: string; data: string }
  /** Only of types that are not shown: widgets, HTML without a text version. */
  | { kind: 'other'; types: string[] }

export interface NotebookCell {
  kind: 'code' | 'markdown' | 'raw'
  source: string
  /** The execution count, which Jupyter shows in brackets. */
  count?: number
  outputs: NotebookOutput[]
}

export interface Notebook {
  /** The language of the code cells. */
  language: string
  cells: NotebookCell[]
}

/** Shown in an `<img>`, in which an SVG runs no scripts. */
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/svg+xml']

/** The cells of a notebook (nbformat 4); undefined for any other text. */
export function parseNotebook(text: string): Notebook | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const { cells, metadata } = fieldsOf(value)
  if (!Array.isArray(cells)) return undefined
  const { language_info: info, kernelspec } = fieldsOf(metadata)
  const language = fieldsOf(info)['name'] ?? fieldsOf(kernelspec)['language']
  return {
    language: typeof language === 'string' ? language.toLowerCase() : 'python',
    cells: cells.map(cellOf),
  }
}

function cellOf(value: unknown): NotebookCell {
  const { cell_type: type, source, execution_count: count, outputs } = fieldsOf(value)
  return {
    kind: type === 'markdown' || type === 'raw' ? type : 'code',
    source: textIn(source),
    ...(typeof count === 'number' && { count }),
    outputs: Array.isArray(outputs) ? outputs.map(outputOf) : [],
  }
}

function outputOf(value: unknown): NotebookOutput {
  const { output_type: type, text, data, traceback, ename, evalue } = fieldsOf(value)
  if (type === 'stream') return { kind: 'text', text: textIn(text) }
  if (type === 'error') {
    const lines = Array.isArray(traceback) && traceback.length > 0 ? traceback : [`${textIn(ename)}: ${textIn(evalue)}`]
    return { kind: 'text', text: lines.map(textIn).join('\n'), isError: true }
  }
  const shown = fieldsOf(data)
  const picture = PICTURES.find((mediaType) => shown[mediaType] !== undefined)
  if (picture !== undefined) {
    const content = textIn(shown[picture])
    // SVG images are stored as text, the others as base64.
    return {
      kind: 'picture',
      mediaType: picture,
      data: picture.endsWith('xml') ? base64Of(content) : unbroken(content),
    }
  }
  const plain = shown['text/plain'] ?? shown['text/markdown'] ?? shown['text/latex'] ?? shown['application/json']
  if (plain === undefined) return { kind: 'other', types: Object.keys(shown) }
  if (typeof plain !== 'object' || Array.isArray(plain)) return { kind: 'text', text: textIn(plain) }
  try {
    return { kind: 'text', text: JSON.stringify(plain) }
  } catch {
    // Nested too deeply.
    return { kind: 'other', types: Object.keys(shown) }
  }
}

/** A text is stored as one string, or as lines with their line endings. */
function textIn(value: unknown): string {
  if (Array.isArray(value)) return value.filter((line) => typeof line === 'string').join('')
  return typeof value === 'string' ? value : ''
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function unbroken(data: string): string {
  return data.replaceAll(/\s/g, '')
}

function base64Of(text: string): string {
  const bytes = new TextEncoder().encode(text)
  let binary = ''
  // In pieces: a function accepts only about 100,000 arguments.
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  return btoa(binary)
}
