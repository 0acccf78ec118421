import { Worker } from 'node:worker_threads'

export interface PdfQuestion {
  data: Uint8Array
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
const MOST_MEGABYTES = 768
/** What is unpacked lies outside the thread's own memory, which is all that the limit above counts. */
const MOST_GROWTH_BYTES = 1024 ** 3
const WATCH_MS = 50
export const MOST_PDF_BYTES = 32 * 1024 * 1024
export const MOST_PDF_CHARS = 100_000

export interface PdfRead {
  /** Default: from the first page on. */
  pages?: { first: number; last: number }
  maxChars?: number
  signal?: AbortSignal
  limitMs?: number
  mostGrowthBytes?: number
}

/**
 * The text of a PDF by page. It is read in a thread of its own with limits on time and memory, so that a damaged or hostile file spoils nothing. Rejects with a `PdfProblem`
 * for what cannot be read and why, and with the signal's reason.
 */
export async function readPdf(
  data: Uint8Array,
  { pages, maxChars = MOST_PDF_CHARS, signal, limitMs = LIMIT_MS, mostGrowthBytes = MOST_GROWTH_BYTES }: PdfRead = {},
): Promise<PdfText> {
  signal?.throwIfAborted()
  if (data.length > MOST_PDF_BYTES)
    throw new PdfProblem(
      `The PDF has ${Math.ceil(data.length / 1_000_000)} MB; at most ${MOST_PDF_BYTES / 1024 ** 2} MiB can be read. Split it first.`,
    )
  const question: PdfQuestion = { data, first: pages?.first ?? 1, ...(pages && { last: pages.last }), maxChars }
  const worker = new Worker(workerFile(import.meta.url), {
    workerData: question,
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
  })
  const late = AbortSignal.timeout(limitMs)
  const before = process.memoryUsage.rss()
  let watch: NodeJS.Timeout | undefined
  try {
    const answer = await new Promise<PdfAnswer>((resolve, reject) => {
      late.addEventListener('abort', () => reject(new PdfProblem(`The PDF took longer than ${limitMs / 1000} s to read and was given up.`)))
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
      watch = setInterval(() => {
        if (process.memoryUsage.rss() - before > mostGrowthBytes) reject(tooMuchMemory())
      }, WATCH_MS)
      worker.once('message', resolve)
      worker.once('error', (error: NodeJS.ErrnoException) =>
        reject(
          error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuchMemory() : new PdfProblem(`The PDF could not be read: ${error.message}.`),
        ),
      )
      worker.once('exit', () => reject(new PdfProblem('The PDF could not be read: the reader ended before its end.')))
    })
    if ('problem' in answer) throw new PdfProblem(explain(answer))
    if (pages && pages.first > answer.pages)
      throw new PdfProblem(`The PDF has only ${answer.pages} ${answer.pages === 1 ? 'page' : 'pages'}, so there is no page ${pages.first}.`)
    return answer
  } finally {
    clearInterval(watch)
    await worker.terminate()
  }
}

/** Whether bytes begin as a PDF does; some begin with other bytes, up to 1 KB of them. */
export function isPdf(head: Uint8Array): boolean {
  return Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, 1024)).includes('%PDF-')
}

function tooMuchMemory(): PdfProblem {
  return new PdfProblem('The PDF needs too much memory to read and was given up.')
}

function explain({ problem, message }: { problem: string; message: string }): string {
  if (problem === 'PasswordException')
    return 'The PDF is encrypted and needs a password. Remove the password first, e.g. with qpdf --decrypt.'
  if (problem === 'InvalidPDFException') return 'The PDF is damaged, or is no PDF.'
  return `The PDF could not be read: ${message}.`
}

/** From sources it is beside this file; in the built program, beside the entries, with this code in one of them or in a chunk. */
function workerFile(here: string): URL {
  if (here.endsWith('.ts')) return new URL('./pdf-worker.ts', here)
  return new URL(here.includes('/chunks/') ? '../pdf-worker.js' : './pdf-worker.js', here)
}
