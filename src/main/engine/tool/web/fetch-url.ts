import { z } from 'zod'
import { lazySchema } from '../../../../shared/lazy-schema'
import type { ToolDetails } from '../../../../shared/model/approval/preview'
import { MAX_WHOLE_PAGES } from '../pdf-result'
import { WebRefusal } from '../../web/fetch-guards'
import type { WebAccess } from '../../web/web-access'
import { failed, ok, refuse, type CallContext, type Tool, type ToolResult } from '../tool'
import description from './fetch-url.md?raw'
import { cutText, shortText } from '../../../../shared/cut-text'

const input = lazySchema(() =>
  z.strictObject({
    url: z.string().min(1).describe('Whole URL, http or https'),
  }),
)

/** Reads a web page. */
export function fetchUrlTool({ web }: { web: WebAccess }): Tool<typeof input> {
  return {
    name: 'FetchURL',
    description,
    input,
    subject: ['url'],
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
    // Connecting, redirects and reading have 25 s, processing the page 15 s.
    timeoutMs: 45_000,
    async prepare({ url: asked }) {
      // It contains tables of all address ranges, which a start that fetches nothing should not load.
      const { checkUrl } = await import('../../web/fetch-guards')
      try {
        const url = checkUrl(asked.trim(), web.allowedHosts())
        return {
          summary: shown(url),
          accesses: [{ kind: 'network', host: url.hostname, url: url.href }],
          run: (ctx) => run(web, url.href, ctx),
        }
      } catch (error) {
        if (error instanceof WebRefusal) return refuse(error.message)
        throw error
      }
    },
  }
}

async function run(web: WebAccess, url: string, { signal }: CallContext): Promise<ToolResult> {
  const { readPage } = await import('../../web/read-page')
  try {
    const page = await readPage(web, { url, signal })
    const head = [
      ...(page.title === undefined ? [] : [`Title: ${page.title}`]),
      ...(page.url === url ? [] : [`Redirected to: ${page.url}`]),
      `Content: ${page.kind}${page.notes.map((note) => `; ${note}`).join('')}`,
    ]
    const details: ToolDetails = {
      kind: 'page',
      url: page.url,
      extracted: page.kind === 'extracted',
      bytes: page.bytes,
      ...(page.title !== undefined && { title: page.title }),
      text: cutText(page.text, CARD_CHARS),
    }
    // A long document is returned as text, which is saved to a file if it is too long.
    if (page.pdf && page.pdf.read.pages <= MAX_WHOLE_PAGES) {
      const { pdfPart } = await import('../../model/media/fit-media')
      const name = page.url.split(/[/?#]/).findLast((part) => /\.pdf$/i.test(part)) ?? 'document.pdf'
      return {
        content: [{ type: 'text', text: head.join('\n') }, pdfPart(page.pdf.body, page.pdf.read, name)],
        details,
      }
    }
    return ok(`${head.join('\n')}\n\n${page.text === '' ? '[The page is empty.]' : page.text}`, details)
  } catch (error) {
    if (signal.aborted) return failed('Fetching was stopped.')
    if (error instanceof WebRefusal) return failed(error.message)
    return failed(`${url} could not be fetched: ${reasonOf(error)}.`)
  }
}

/** Maximum length of a page on its card. */
const CARD_CHARS = 8_000

/** The system's reason, as text. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, message } = error as NodeJS.ErrnoException
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'there is no such host, or no network'
    case 'ECONNREFUSED':
      return 'the server refused the connection'
    case 'ECONNRESET':
    case 'EPIPE':
      return 'the server closed the connection'
    case 'ETIMEDOUT':
      return 'the server did not answer'
    default:
      return message
  }
}

function shown(url: URL): string {
  return shortText(url.href, 120)
}
