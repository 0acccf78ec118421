import type { SearchSettings } from '../config/settings/network-settings'
import type { Network } from '../network/network'
import { programFile } from '../runtime/plain-node'
import { runWorker, WorkerFailure } from '../runtime/worker-process'

/** What the web tools of a session may do; each is asked when it is needed, so that changed settings count. */
export interface WebAccess {
  /** Hosts the user allowed although they lead to this machine or a private network. */
  allowedHosts(): readonly string[]
  /** Who searches. */
  search(): SearchSettings | undefined
  /** Why a page that another one redirects to may not be visited. */
  refusal(url: string): Promise<string | undefined>
  readArticle: ReadArticle
  /** Absent: directly, with Node's own `fetch`. */
  network?: Pick<Network, 'fetch' | 'proxyFor'>
}

export interface ArticleInput {
  html: string
  /** Links in the article become absolute by it. */
  url: string
}

/** What a page is about, without what surrounds it. */
export interface Article {
  markdown: string
  title: string
  author?: string
  published?: string
}

/**
 * Reduces a page to its article as Markdown. Undefined when that fails, takes too long, or is stopped: the caller has other ways. Given, so that a test can have one that fails.
 */
type ReadArticle = (input: ArticleInput, signal: AbortSignal, limitMs?: number) => Promise<Article | undefined>

/** A process has to start first, on a machine that may have much else to do. */
const LIMIT_MS = 15_000
/** A page that needs more memory than this is given up, and only that. */
const HEAP_MEGABYTES = 512
const MAX_GROWTH_BYTES = 1024 ** 3

/** See `ReadArticle`: in a process of its own. */
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
