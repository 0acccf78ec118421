import { z } from 'zod'
import { errorText } from '../../../../shared/error-text'
import { lazySchema, type SchemaOutput } from '../../../../shared/lazy-schema'
import { WebRefusal } from '../../web/fetch-guards'
import type { WebHit } from '../../web/search-web'
import type { WebAccess } from '../../web/web-access'
import { failed, ok, type CallContext, type Tool, type ToolResult } from '../tool'
import description from './web-search.md?raw'
import { cutText, shortText } from '../../../../shared/cut-text'

const input = lazySchema(() =>
  z.strictObject({
    query: z.string().trim().min(1).max(1000),
    limit: z.int().min(1).max(20).default(5).describe('Number of hits'),
    include_content: z.boolean().default(false).describe("Bring the pages' text along"),
  }),
)

type Input = SchemaOutput<typeof input>

/**
 * Maximum characters of a page's text in the result: twenty pages still fit a model's window, and FetchURL returns the
 * rest.
 */
const PAGE_CHARS = 12_000
/** Number of pages fetched in parallel. */
const AT_ONCE = 5

/** Searches the web through the configured provider; offered only when one is configured. */
export function webSearchTool({ web }: { web: WebAccess }): Tool<typeof input> {
  return {
    name: 'WebSearch',
    description,
    input,
    subject: ['query'],
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
    timeoutMs: 60_000,
    async prepare(asked) {
      const provider = web.search()?.provider ?? 'none'
      return {
        summary: shortText(asked.query, 120),
        accesses: [{ kind: 'network', host: provider }],
        run: (ctx) => run(web, asked, ctx),
      }
    },
  }
}

async function run(
  web: WebAccess,
  { query, limit, include_content: withContent }: Input,
  { signal, progress }: CallContext,
): Promise<ToolResult> {
  const settings = web.search()
  if (!settings)
    return failed(
      'A search provider is no longer configured ([web.search] in config.toml). Continue without searching.',
    )
  try {
    const { searchWeb } = await import('../../web/search-web')
    const hits = await searchWeb({ query, limit, withContent }, settings, signal, web.network?.fetch)
    if (hits.length === 0)
      return ok(`No results for ${JSON.stringify(query)}. Try other or fewer words.`, detailsOf(query, hits))
    if (withContent) await addContent(web, hits, signal, progress)
    return ok(hits.map(shown).join('\n\n'), detailsOf(query, hits))
  } catch (error) {
    if (signal.aborted) return failed('The search was stopped.')
    if (error instanceof WebRefusal) return failed(error.message)
    throw error
  }
}

/** Fetches the pages of hits that came without text; if one cannot be fetched, the reason is shown instead. */
async function addContent(
  web: WebAccess,
  hits: WebHit[],
  signal: AbortSignal,
  progress: (text: string) => void,
): Promise<void> {
  const { readPage } = await import('../../web/read-page')
  const waiting = hits.filter(({ content }) => content === undefined)
  const next = async (): Promise<void> => {
    for (let hit = waiting.shift(); hit && !signal.aborted; hit = waiting.shift()) {
      progress(`${hit.url}\n`)
      // The search was allowed, not its hits: they are judged like the target of a redirect.
      const refusal = await web.refusal(hit.url)
      hit.content =
        refusal === undefined
          ? await readPage(web, { url: hit.url, signal }).then(
              ({ text }) => text,
              (error: unknown) => `[Not fetched: ${errorText(error)}]`,
            )
          : `[Not fetched: ${refusal}]`
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))
}

function shown({ title, url, snippet, date, site, content }: WebHit, index: number): string {
  const lines = [`${index + 1}. ${title}`, `URL: ${url}`]
  if (site !== undefined) lines.push(`Site: ${site}`)
  if (date !== undefined) lines.push(`Date: ${date}`)
  if (snippet !== '') lines.push(snippet)
  if (content !== undefined)
    lines.push(
      '',
      content.length > PAGE_CHARS ? `${content.slice(0, PAGE_CHARS)}\n[Cut here; FetchURL has all of it.]` : content,
    )
  return lines.join('\n')
}

function detailsOf(query: string, hits: readonly WebHit[]): NonNullable<ToolResult['details']> {
  return {
    kind: 'hits',
    query,
    hits: hits.map(({ title, url, snippet }) => ({ title, url, snippet: cutText(snippet, 300) })),
  }
}
