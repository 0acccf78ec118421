import type { Worker } from 'node:worker_threads'

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

/** Makes the thread that runs `article-worker.ts`; given, because sources and the built program have it in different places. */
export type StartArticleWorker = (input: ArticleInput) => Worker

const LIMIT_MS = 8_000

/** Reduces a page to its article as Markdown, in a thread of its own. Undefined when that fails or takes too long: the caller has other ways. */
export async function extractArticle(
  start: StartArticleWorker,
  input: ArticleInput,
  signal: AbortSignal,
  limitMs = LIMIT_MS,
): Promise<Article | undefined> {
  const worker = start(input)
  try {
    return await new Promise<Article | undefined>((resolve) => {
      const giveUp = (): void => resolve(undefined)
      AbortSignal.any([signal, AbortSignal.timeout(limitMs)]).addEventListener('abort', giveUp, { once: true })
      worker.once('message', resolve)
      worker.once('error', giveUp)
      worker.once('exit', giveUp)
    })
  } finally {
    await worker.terminate()
  }
}
