import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist'
// oxlint-disable-next-line import/default -- Vite makes it the address of the file.
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useClient } from '../../../state/page/queries'
import { readBytes } from './file-bytes'

interface PdfViewProps {
  sessionId: string
  path: string
  size: number
  version: string
}

/** A PDF, page by page. A page is drawn when it comes into view. */
export function PdfView({ sessionId, path, size, version }: PdfViewProps) {
  const client = useClient()
  const [document, setDocument] = useState<PDFDocumentProxy>()
  const [problem, setProblem] = useState<string>()
  const { data, error } = useQuery({
    queryKey: ['file-bytes', sessionId, path, version],
    queryFn: () => readBytes(client, { sessionId, path, size }),
    structuralSharing: false,
    gcTime: 0,
    retry: 1,
  })
  useEffect(() => {
    if (!data) return undefined
    let isOver = false
    let opened: PDFDocumentProxy | undefined
    const open = async (): Promise<void> => {
      const pdf = await import('pdfjs-dist')
      pdf.GlobalWorkerOptions.workerSrc = workerUrl
      // The bytes are transferred to the worker, so it gets a copy.
      opened = await pdf.getDocument({ data: data.slice(), enableXfa: false, stopAtErrors: false }).promise
      if (isOver) void opened.loadingTask.destroy()
      else setDocument(opened)
    }
    open().catch((reason: unknown) => {
      const isLocked = reason instanceof Error && reason.name === 'PasswordException'
      setProblem(isLocked ? 'This PDF is protected by a password.' : 'This PDF could not be read; it may be damaged.')
    })
    return () => {
      isOver = true
      setDocument(undefined)
      void opened?.loadingTask.destroy()
    }
  }, [data])
  const errorText = error?.message ?? problem
  if (errorText !== undefined) return <p className="file-note">{errorText}</p>
  return (
    <div className="file-pdf" tabIndex={0} role="group" aria-label={`Pages of ${path}`}>
      {!document && <p role="status">Loading the PDF…</p>}
      {document &&
        Array.from({ length: document.numPages }, (_, n) => (
          <PdfPage key={n} document={document} number={n + 1} pages={document.numPages} />
        ))}
    </div>
  )
}

const MAX_TEXT = 5_000

function PdfPage({ document, number, pages }: { document: PDFDocumentProxy; number: number; pages: number }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [isNear, setNear] = useState(number === 1)
  const [words, setWords] = useState('')
  useEffect(() => {
    const element = canvas.current
    if (!element) return undefined
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && setNear(true), {
      rootMargin: '600px',
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    if (!isNear) return undefined
    let isOver = false
    const draw = async (): Promise<void> => {
      const page: PDFPageProxy = await document.getPage(number)
      const element = canvas.current
      if (isOver || !element) return
      const width = Math.min(900, element.parentElement?.clientWidth ?? 800)
      const scale = (width / page.getViewport({ scale: 1 }).width) * Math.min(2, devicePixelRatio)
      const viewport = page.getViewport({ scale })
      element.width = viewport.width
      element.height = viewport.height
      await page.render({ canvas: element, viewport }).promise
      const content = await page.getTextContent()
      if (!isOver)
        setWords(
          content.items
            .map((item) => ('str' in item ? item.str : ''))
            .join(' ')
            .slice(0, MAX_TEXT),
        )
    }
    // A page that cannot be drawn stays empty; its neighbors are shown.
    draw().catch(() => undefined)
    return () => {
      isOver = true
    }
  }, [document, isNear, number])
  return (
    <figure>
      <canvas ref={canvas} role="img" aria-label={`Page ${number} of ${pages}`} />
      <figcaption className="sr-only">{words}</figcaption>
    </figure>
  )
}
