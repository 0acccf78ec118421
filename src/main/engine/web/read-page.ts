import { WebRefusal } from './fetch-guards'
import { fetchPage, type Page } from './fetch-page'
import { plainText } from './plain-text'
import { isPdf, PdfProblem, readPdf, type PdfText } from '../model/media/read-pdf'
import type { WebAccess } from './web-access'

/** A page in the form a model reads. */
export interface ReadablePage {
  url: string
  title?: string
  text: string
  /** `extracted`: the article of an HTML page as Markdown; `passthrough`: the text unchanged. */
  kind: 'extracted' | 'passthrough'
  bytes: number
  /** Author and date, as stated by the page. */
  notes: string[]
  /** Set for a PDF: its bytes; its text is in `text`. */
  pdf?: { body: Buffer; read: PdfText }
}

/**
 * Fetches a page and converts it to readable text. Rejects like `fetchPage`, and with a `WebRefusal` for binary content
 * and error responses.
 */
export async function readPage(
  web: WebAccess,
  { url, signal }: { url: string; signal: AbortSignal },
): Promise<ReadablePage> {
  const page = await fetchPage({
    url,
    signal,
    allowedHosts: web.allowedHosts(),
    refusal: web.refusal,
    ...(web.network && { proxyFor: web.network.proxyFor }),
  })
  const type = page.contentType.split(';', 1)[0]!.trim().toLowerCase() || sniffed(page.body)
  const common = { url: page.url.href, bytes: page.body.length, notes: [] }
  if (page.status >= 400) throw new WebRefusal(failureOf(page, type))
  if (page.body.length === 0) return { ...common, kind: 'passthrough', text: '' }
  if (type === 'application/pdf' || (!isText(type) && isPdf(page.body))) {
    const read = await readPdf(page.body, { signal }).catch((error: unknown) => {
      throw error instanceof PdfProblem ? new WebRefusal(`${page.url.href}: ${error.message}`) : error
    })
    return {
      ...common,
      kind: 'passthrough',
      text: read.text,
      notes: [`PDF document, ${read.pages} ${read.pages === 1 ? 'page' : 'pages'}`],
      pdf: { body: page.body, read },
    }
  }
  if (!isText(type))
    throw new WebRefusal(
      `${page.url.href} is ${type} (${kilobytes(page.body.length)}), which is not text. ` +
        'Download it with curl in Bash if it is needed.',
    )
  const text = decodeText(page.body, page.contentType || type)
  if (!/html/.test(type)) return { ...common, kind: 'passthrough', text }
  const article = await web.readArticle({ html: text, url: page.url.href }, signal)
  signal.throwIfAborted()
  if (article === undefined || article.markdown.trim() === '')
    return {
      ...common,
      kind: 'extracted',
      text: plainText(text),
      notes: ['No article was found in the page; this is its text.'],
    }
  return {
    ...common,
    kind: 'extracted',
    text: article.markdown,
    ...(article.title !== '' && { title: article.title }),
    notes: [
      ...(article.author === undefined ? [] : [`By ${article.author}`]),
      ...(article.published === undefined ? [] : [`Published ${article.published}`]),
    ],
  }
}

function isText(type: string): boolean {
  return /^text\/|[/+](json|xml|yaml|javascript|x-javascript|ecmascript|toml|x-sh|x-ndjson|jsonlines|sql|graphql|xhtml)\b/.test(
    type,
  )
}

/** Guesses the type of a body without a content type. */
function sniffed(body: Buffer): string {
  const start = body.subarray(0, 1024).toString('latin1')
  if (/^\s*(?:<!doctype html|<html|<head|<body)/i.test(start)) return 'text/html'
  return start.includes('\0') ? 'application/octet-stream' : 'text/plain'
}

function failureOf(page: Page, type: string): string {
  const excerpt = isText(type) ? plainText(decodeText(page.body, page.contentType)).slice(0, 500) : ''
  const advice =
    page.status === 404 || page.status === 410
      ? ' Look for the right address.'
      : page.status === 401 || page.status === 403
        ? ' It may need a sign-in, or turn programs away.'
        : ''
  return `${page.url.href} answered ${page.status}.${advice}${excerpt === '' ? '' : `\n${excerpt}`}`
}

function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KiB`
}

/** How far into a page to search for its encoding, as in the HTML standard. */
const META_BYTES = 1024

/**
 * Decodes a body by its byte order mark, otherwise by the server's charset, the charset declared in the HTML page, or
 * as UTF-8.
 */
function decodeText(body: Buffer, contentType: string): string {
  const named =
    bomOf(body) ?? /charset\s*=\s*["']?([^\s;"']+)/i.exec(contentType)?.[1] ?? metaCharset(body, contentType) ?? 'utf-8'
  return decoderFor(named).decode(body)
}

function decoderFor(name: string) {
  try {
    return new TextDecoder(name)
  } catch {
    return new TextDecoder('utf-8')
  }
}

function bomOf(body: Buffer): string | undefined {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8'
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le'
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be'
  return undefined
}

function metaCharset(body: Buffer, contentType: string): string | undefined {
  if (!/html|xml/i.test(contentType)) return undefined
  const start = body.subarray(0, META_BYTES).toString('latin1')
  return (
    /<meta[^>]+charset\s*=\s*["']?([^\s"'/>;]+)/i.exec(start)?.[1] ??
    /<\?xml[^>]+encoding\s*=\s*["']([^"']+)/i.exec(start)?.[1]
  )
}
