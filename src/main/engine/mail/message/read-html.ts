import { programFile } from '../../runtime/plain-node'
import { runWorker, WorkerFailure } from '../../runtime/worker-process'

/**
 * Any HTML with up to this many tags is parsed in a few milliseconds; more tags may take minutes if they are nested.
 */
const MAX_TAGS_HERE = 5_000
/** Includes starting a process, possibly on a busy machine. */
const LIMIT_MS = 10_000
const HEAP_MEGABYTES = 512
const MAX_GROWTH_BYTES = 1024 ** 3

export interface ReadHtml {
  /** Markdown. */
  text: string
  /** Whether hidden text was omitted. */
  hidden: boolean
}

/**
 * An HTML message as Markdown; undefined when that takes too long or too much memory. A large one is read in a separate
 * process.
 */
export async function readHtml(html: string, limitMs = LIMIT_MS): Promise<ReadHtml | undefined> {
  if (tagsIn(html) <= MAX_TAGS_HERE) return (await import('./html-to-markdown')).htmlToMarkdown(html)
  try {
    return await runWorker<ReadHtml>({
      file: programFile(import.meta.url, './mail-html-worker.ts'),
      question: { html },
      limitMs,
      heapMegabytes: HEAP_MEGABYTES,
      mostGrowthBytes: MAX_GROWTH_BYTES,
    })
  } catch (error) {
    if (error instanceof WorkerFailure) return undefined
    throw error
  }
}

function tagsIn(html: string): number {
  let count = 0
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at + 1)) count += 1
  return count
}
