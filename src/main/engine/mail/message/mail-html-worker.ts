import { parentPort, workerData } from 'node:worker_threads'
// With the extension, because this file also runs from source, where none is added.
import { htmlToMarkdown } from './html-to-markdown.ts'

/** The worker behind `readHtml`: parsing endlessly nested HTML takes minutes. */
const { html } = workerData as { html: string }
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
void htmlToMarkdown(html).then((answer) => parentPort?.postMessage(answer))
