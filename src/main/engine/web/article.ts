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
export type ReadArticle = (input: ArticleInput, signal: AbortSignal, limitMs?: number) => Promise<Article | undefined>
