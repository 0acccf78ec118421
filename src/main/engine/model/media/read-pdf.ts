import { programFile } from '../../runtime/plain-node'
import { runWorker, WorkerFailure } from '../../runtime/worker-process'

/** The worker's input; the file is passed separately as `data`. */
export interface PdfQuestion {
  /** The pages to read, from 1. */
  first: number
  last?: number
  /** Maximum characters of text. */
  maxChars: number
}

/** The text of a PDF. */
export interface PdfText {
  /** Number of pages of the whole file. */
  pages: number
  /** The last page that was read. */
  last: number
  /** With a line before each page that names the page. */
  text: string
  /** Part of the requested pages was not read. */
  isCut: boolean
}

export type PdfAnswer = PdfText | { problem: string; message: string }

/** A PDF that cannot be read; the message is a whole sentence. */
export class PdfProblem extends Error {}

const LIMIT_MS = 20_000
const HEAP_MEGABYTES = 768
const MAX_GROWTH_BYTES = 1024 ** 3
export const MAX_PDF_BYTES = 32 * 1024 * 1024
export const MAX_PDF_CHARS = 100_000

export interface PdfRead {
  /** Default: from the first page on. */
  pages?: { first: number; last: number }
  maxChars?: number
  signal?: AbortSignal
  limitMs?: number
  mostGrowthBytes?: number
}

/**
 * The text of a PDF by page. Reads it in a separate process with limits on time and memory, so that a damaged or
 * hostile file does no harm. Rejects with a `PdfProblem` if it cannot be read, or with the signal's reason.
 */
export async function readPdf(
  data: Uint8Array,
  { pages, maxChars = MAX_PDF_CHARS, signal, limitMs = LIMIT_MS, mostGrowthBytes = MAX_GROWTH_BYTES }: PdfRead = {},
): Promise<PdfText> {
  signal?.throwIfAborted()
  if (data.length > MAX_PDF_BYTES)
    throw new PdfProblem(
      `The PDF has ${Math.ceil(data.length / 1_000_000)} MB; ` +
        `at most ${MAX_PDF_BYTES / 1024 ** 2} MiB can be read. Split it first.`,
    )
  const question: PdfQuestion = { first: pages?.first ?? 1, ...(pages && { last: pages.last }), maxChars }
  let answer: PdfAnswer
  try {
    const file = programFile(import.meta.url, 'pdf-worker.ts')
    answer = await runWorker<PdfAnswer>({
      file,
      question,
      data,
      ...(signal && { signal }),
      limitMs,
      heapMegabytes: HEAP_MEGABYTES,
      mostGrowthBytes,
    })
  } catch (error) {
    if (!(error instanceof WorkerFailure)) throw error
    if (error.reason === 'time')
      throw new PdfProblem(`The PDF took longer than ${limitMs / 1000} s to read and was given up.`)
    if (error.reason === 'memory') throw new PdfProblem('The PDF needs too much memory to read and was given up.')
    throw new PdfProblem(`The PDF could not be read: ${error.message}.`, { cause: error })
  }
  if ('problem' in answer) throw new PdfProblem(explain(answer))
  if (pages && pages.first > answer.pages)
    throw new PdfProblem(
      `The PDF has only ${answer.pages} ${answer.pages === 1 ? 'page' : 'pages'}, so there is no page ${pages.first}.`,
    )
  return answer
}

/** Whether bytes are the start of a PDF; its header can come after up to 1 KB of other bytes. */
export function isPdf(head: Uint8Array): boolean {
  return Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, 1024)).includes('%PDF-')
}

function explain({ problem, message }: { problem: string; message: string }): string {
  if (problem === 'PasswordException')
    return 'The PDF is encrypted and needs a password. Remove the password first, e.g. with qpdf --decrypt.'
  if (problem === 'InvalidPDFException') return 'The PDF is damaged, or is no PDF.'
  return `The PDF could not be read: ${message}.`
}
