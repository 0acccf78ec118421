import type { SearchSettings } from '../config/settings/network-settings'
import type { Network } from '../network/network'
import { programFile } from '../runtime/plain-node'
import { runWorker, WorkerFailure } from '../runtime/worker-process'

/** What the web tools of a session may do; read on each use, so that changed settings apply. */
export interface WebAccess {
  /** Hosts the user allowed even if they resolve to this machine or a private network. */
  allowedHosts(): readonly string[]
  /** The configured search provider. */
  search(): SearchSettings | undefined
  /** Why a redirect target may not be visited. */
  refusal(url: string): Promise<string | undefined>
  readArticle: ReadArticle
  /** Absent: direct connections, with Node's own `fetch`. */
  network?: Pick<Network, 'fetch' | 'proxyFor'>
}

export interface ArticleInput {
  html: string
  /** Base URL for links in the article. */
  url: string
}

/** The main content of a page, without navigation and the like. */
export interface Article {
  markdown: string
  title: string
  author?: string
  published?: string
}

/**
 * Reduces a page to its article as Markdown. Undefined if that fails, times out, or is stopped: the caller has
 * fallbacks. A separate type, so that tests can replace it.
 */
type ReadArticle = (input: ArticleInput, signal: AbortSignal, limitMs?: number) => Promise<Article | undefined>

/** Includes starting a process, possibly on a busy machine. */
const LIMIT_MS = 15_000
/** The heap limit: a page that needs more fails. */
const HEAP_MEGABYTES = 512
const MAX_GROWTH_BYTES = 1024 ** 3

/** See `ReadArticle`: runs in a separate process. */
export const readArticle: ReadArticle = async (input, signal, limitMs = LIMIT_MS) => {
  try {
    return await runWorker<Article>({
      file: programFile(import.meta.url, './article-worker.ts'),
      question: input,
      signal,
      limitMs,
      heapMegabytes: HEAP_MEGABYTES,
      mostGrowthBytes: MAX_GROWTH_BYTES,
    })
  } catch (error) {
    if (error instanceof WorkerFailure || signal.aborted) return undefined
    throw error
  }
}
