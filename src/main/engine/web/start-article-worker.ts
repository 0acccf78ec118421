import { Worker } from 'node:worker_threads'
import type { StartArticleWorker } from './article'

/** From sources it is beside this file; in the built program, beside the entries, with this code in one of them or in a chunk. */
function workerFile(here: string): URL {
  if (here.endsWith('.ts')) return new URL('./article-worker.ts', here)
  return new URL(here.includes('/chunks/') ? '../article-worker.js' : './article-worker.js', here)
}

/** A page that needs more memory than this is given up, and only that. */
const MOST_MEGABYTES = 512

export const startArticleWorker: StartArticleWorker = (input) =>
  new Worker(workerFile(import.meta.url), {
    workerData: input,
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
  })
