import { programFile } from '../runtime/program-file'
import { askWorker, WorkerFailure } from '../runtime/worker-process'
import type { Article, ReadArticle } from './article'

/** A process has to start first, on a machine that may have much else to do. */
const LIMIT_MS = 15_000
/** A page that needs more memory than this is given up, and only that. */
const HEAP_MEGABYTES = 512
const MOST_GROWTH_BYTES = 1024 ** 3

/** See `ReadArticle`: in a process of its own. */
export const readArticle: ReadArticle = async (input, signal, limitMs = LIMIT_MS) => {
  try {
    return await askWorker<Article>({
      file: programFile(import.meta.url, './article-worker.ts'),
      question: input,
      signal,
      limitMs,
      heapMegabytes: HEAP_MEGABYTES,
      mostGrowthBytes: MOST_GROWTH_BYTES,
    })
  } catch (error) {
    if (error instanceof WorkerFailure || signal.aborted) return undefined
    throw error
  }
}
