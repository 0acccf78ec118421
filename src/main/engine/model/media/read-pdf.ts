import { programFile } from '../../runtime/plain-node'
import { runWorker, WorkerFailure } from '../../runtime/worker-process'

/** What the worker is asked; the file comes beside it as `data`. */
export interface PdfQuestion {
  /** The pages that are read, from 1. */
  first: number
  last?: number
  /** Most characters of text. */
  maxChars: number
}

/** What a PDF says. */
export interface PdfText {
  /** Of the whole file. */
  pages: number
  /** The last page that was read. */
  last: number
  /** With a line before each page that says which it is. */
  text: string
  /** There is more than was read of the pages asked for. */
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
 * The text of a PDF by page. It is read in a process of its own with limits on time and memory, so that a damaged or
 * hostile file spoils nothing. Rejects with a `PdfProblem` for what cannot be read and why, and with the signal's
 * reason.
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

/** Whether bytes begin as a PDF does; some begin with other bytes, up to 1 KB of them. */
export function isPdf(head: Uint8Array): boolean {
  return Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, 1024)).includes('%PDF-')
}

function explain({ problem, message }: { problem: string; message: string }): string {
  if (problem === 'PasswordException')
    return 'The PDF is encrypted and needs a password. Remove the password first, e.g. with qpdf --decrypt.'
  if (problem === 'InvalidPDFException') return 'The PDF is damaged, or is no PDF.'
  return `The PDF could not be read: ${message}.`
}
