import type { FileHandle } from 'node:fs/promises'
import { failed, type ToolResult } from './tool'
import { pdfPart } from '../model/media/fit-media'
import { MAX_PDF_BYTES, PdfProblem, readPdf } from '../model/media/read-pdf'

/**
 * A longer document is shown as text, as much of it as requested, because each page of a document takes as many tokens
 * as a picture.
 */
export const MAX_WHOLE_PAGES = 20
/** Maximum characters of text that are shown at a time. */
const MAX_CHARS = 50_000

/** A range of pages, written as `3` or `3-7`. Undefined for anything else. */
export function pageRange(text: string): { first: number; last: number } | undefined {
  const [, from, to = from] = /^\s*(\d{1,6})(?:\s*-\s*(\d{1,6}))?\s*$/.exec(text) ?? []
  const [first, last] = [Number(from), Number(to)]
  return first >= 1 && last >= first ? { first, last } : undefined
}

/**
 * A PDF as the result of a tool: the document with its text if it is short and requested as a whole, otherwise the text
 * of its pages. For a PDF that cannot be read, a failed result with the reason.
 */
export async function pdfResult(
  bytes: Buffer,
  { shown, pages, signal }: { shown: string; pages?: { first: number; last: number } | undefined; signal: AbortSignal },
): Promise<ToolResult> {
  try {
    const read = await readPdf(bytes, { maxChars: MAX_CHARS, signal, ...(pages && { pages }) })
    const size =
      bytes.length < 100_000 ? `${Math.ceil(bytes.length / 1000)} kB` : `${(bytes.length / 1_000_000).toFixed(1)} MB`
    const head = `${shown}: PDF document, ${read.pages} ${read.pages === 1 ? 'page' : 'pages'}, ${size}.`
    const details = { kind: 'media' as const, path: shown, mediaType: 'application/pdf', bytes: bytes.length }
    if (!pages && read.pages <= MAX_WHOLE_PAGES)
      return { content: [{ type: 'text', text: head }, pdfPart(bytes, read, shown)], details }
    const first = pages?.first ?? 1
    const next =
      read.isCut || read.last < read.pages
        ? ` Continue with pages "${read.isCut ? read.last : read.last + 1}-…" of Read.`
        : ''
    const note =
      `[Pages ${first}-${read.last} of ${read.pages}, ` +
      `as text${read.isCut ? ', cut at 50,000 characters' : ''}.${next}]`
    return { content: [{ type: 'text', text: `${head}\n\n${read.text}\n\n${note}` }], details }
  } catch (error) {
    if (error instanceof PdfProblem) return failed(`${shown}: ${error.message}`)
    if (signal.aborted) return failed('Reading was stopped.')
    throw error
  }
}

/** The entire content of an open PDF, or why it is not read, as a sentence. */
export async function pdfBytes(file: FileHandle, shown: string): Promise<Buffer | string> {
  const { size } = await file.stat()
  return size > MAX_PDF_BYTES
    ? `${shown} has ${(size / 1_000_000).toFixed(1)} MB; ` +
        `PDFs of at most ${MAX_PDF_BYTES / 1024 ** 2} MiB can be read. Split it first.`
    : file.readFile()
}
