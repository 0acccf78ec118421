import type { CodeToken } from './code-lines'
import type { HighlightReply, HighlightRequest } from './highlight-messages'

/** Forwards requests, and passes replies to the blocks that still exist. */
export class Highlighting {
  readonly #send: (request: HighlightRequest) => void
  readonly #blocks = new Map<number, WeakRef<PageCode>>()
  readonly #dropped = new FinalizationRegistry<number>((id) => {
    this.#blocks.delete(id)
    this.#send({ id, forget: true })
  })
  #lastId = 0

  constructor(send: (request: HighlightRequest) => void) {
    this.#send = send
  }

  add(code: PageCode): number {
    const id = ++this.#lastId
    this.#blocks.set(id, new WeakRef(code))
    this.#dropped.register(code, id)
    return id
  }

  send(request: HighlightRequest): void {
    this.#send(request)
  }

  take(reply: HighlightReply): void {
    this.#blocks.get(reply.id)?.deref()?.take(reply)
  }
}

let worker: Worker | undefined

/** Highlighting in a worker, which starts with the first code block. */
const inWorker: Highlighting = new Highlighting((request) => {
  if (!worker) {
    worker = new Worker(new URL('./highlight-worker.ts', import.meta.url), { type: 'module' })
    worker.addEventListener('message', ({ data }: MessageEvent<HighlightReply>) => inWorker.take(data))
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin to choose
  worker.postMessage(request)
})

/** The lines of one code block of the page; a worker highlights them. */
export class PageCode {
  readonly #language: string
  readonly #highlighting: Highlighting
  readonly #id: number
  readonly #listeners = new Set<() => void>()
  #lines: readonly string[] = []
  /** The lines that the worker has, and up to where highlighting was requested. */
  #sent: readonly string[] = []
  #asked = 0
  #version = 0
  #tokens: CodeToken[][] = []

  constructor(language: string, highlighting = inWorker) {
    this.#language = language
    this.#highlighting = highlighting
    this.#id = highlighting.add(this)
  }

  /** The lines highlighted so far. */
  get tokens(): readonly CodeToken[][] {
    return this.#tokens
  }

  /** Sets the current lines. If a line that may have been highlighted changes, all are highlighted again. */
  set(lines: readonly string[]): void {
    if (lines === this.#lines) return
    this.#lines = lines
    const kept = commonLength(this.#sent, lines)
    if (kept >= Math.min(this.#asked, this.#sent.length)) return
    this.#version += 1
    this.#asked = 0
    this.#sent = []
    this.#tokens = []
  }

  /** Requests highlighting of the lines up to `until`. */
  ask(until: number): void {
    const end = Math.min(until, this.#lines.length)
    if (end <= this.#asked) return
    const kept = commonLength(this.#sent, this.#lines)
    const lines = this.#lines.slice(kept)
    this.#sent = this.#lines
    this.#asked = end
    const [id, version, language] = [this.#id, this.#version, this.#language]
    this.#highlighting.send({ id, version, language, kept, lines, until: end })
  }

  /** Calls back when more lines are highlighted; returns the unsubscribe function. */
  listen(onMore: () => void): () => void {
    this.#listeners.add(onMore)
    return () => void this.#listeners.delete(onMore)
  }

  take({ version, from, tokens }: HighlightReply): void {
    if (version !== this.#version || from !== this.#tokens.length) return
    this.#tokens.push(...tokens)
    for (const onMore of this.#listeners) onMore()
  }
}

function commonLength(a: readonly string[], b: readonly string[]): number {
  let length = 0
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1
  return length
}
