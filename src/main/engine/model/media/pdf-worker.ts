import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import type * as Library from 'pdfjs-dist'
import type { PdfAnswer, PdfQuestion } from './read-pdf'

/** The worker behind `readPdf`: a large file takes seconds, and a hostile one forever. */
const { data, first, last, maxChars } = workerData as PdfQuestion & { data: Uint8Array }

void read().then(answer, (error: unknown) =>
  answer({
    problem: error instanceof Error ? error.name : 'Error',
    message: error instanceof Error ? error.message : String(error),
  }),
)

async function read(): Promise<PdfAnswer> {
  const { getDocument, VerbosityLevel } = await library()
  const document = await getDocument({
    data,
    ...resources(),
    verbosity: VerbosityLevel.ERRORS,
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    enableXfa: false,
    useWorkerFetch: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    stopAtErrors: false,
  } as Parameters<typeof getDocument>[0]).promise
  const pages = document.numPages
  const end = Math.min(last ?? pages, pages)
  let text = ''
  let done = first - 1
  for (let number = first; number <= end && text.length < maxChars; number += 1) {
    text += `${text === '' ? '' : '\n\n'}[Page ${number} of ${pages}]\n${await textOf(document, number)}`
    done = number
  }
  const isCut = text.length > maxChars
  return {
    pages,
    last: done,
    text: (isCut ? text.slice(0, maxChars) : text).toWellFormed(),
    isCut: isCut || done < end,
  }
}

/**
 * While loading, the library requests a native package that renders pages. Nothing is rendered here, and native code
 * should not run on untrusted files.
 */
async function library(): Promise<Pick<typeof Library, 'getDocument' | 'VerbosityLevel'>> {
  const { getBuiltinModule } = process
  process.getBuiltinModule = () => undefined
  const loaded = await import('pdfjs-dist/legacy/build/pdf.mjs')
  process.getBuiltinModule = getBuiltinModule
  // Runs the library's worker in this thread.
  Object.assign(globalThis, { pdfjsWorker: await import('pdfjs-dist/legacy/build/pdf.worker.mjs') })
  return loaded
}

async function textOf(document: Library.PDFDocumentProxy, number: number): Promise<string> {
  try {
    const page = await document.getPage(number)
    const { items } = await page.getTextContent()
    page.cleanup()
    return items
      .map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''))
      .join('')
      .trim()
  } catch (error) {
    return `(This page cannot be read: ${error instanceof Error ? error.message : String(error)})`
  }
}

function answer(value: PdfAnswer): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(value)
}

/**
 * Tables for Chinese, Japanese and Korean, and for fonts that files only name; without them, only such text is lost.
 */
function resources(): { cMapUrl?: string; cMapPacked?: true; standardFontDataUrl?: string } {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'))
    return {
      cMapUrl: join(folder, 'cmaps', '/'),
      cMapPacked: true,
      standardFontDataUrl: join(folder, 'standard_fonts', '/'),
    }
  } catch {
    return {}
  }
}
