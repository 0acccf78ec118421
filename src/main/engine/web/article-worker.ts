import { parentPort, workerData } from 'node:worker_threads'
import { parseHTML } from 'linkedom'
import { Defuddle } from 'defuddle/node'
import type { Article, ArticleInput } from './web-access'

/** The worker behind `readArticle`: parsing a large page takes seconds, and a hostile one may never finish. */
const { html, url } = workerData as ArticleInput

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
void read().then((article) => parentPort?.postMessage(article))

async function read(): Promise<Article> {
  const { document } = parseHTML(html)
  // With `useAsync` it would send unchecked requests to other servers.
  const found = await Defuddle(document, url, { markdown: true, useAsync: false })
  return {
    markdown: found.content,
    title: found.title,
    ...(found.author !== '' && { author: found.author }),
    ...(found.published !== '' && { published: found.published }),
  }
}
