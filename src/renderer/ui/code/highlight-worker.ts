/** The worker that highlights the code of the page. */
import type { HighlightRequest } from './highlight-messages'
import { HighlightQueue } from './highlight-queue'

const { port1, port2 } = new MessageChannel()
let due: (() => void) | undefined
port1.addEventListener('message', () => due?.())
port1.start()

const queue = new HighlightQueue(
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker's page has no origin to choose
  (reply) => postMessage(reply),
  (work) => {
    due = work
    port2.postMessage(undefined)
  },
)
addEventListener('message', ({ data }: MessageEvent<HighlightRequest>) => queue.take(data))
