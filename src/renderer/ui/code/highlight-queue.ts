import { CodeLines } from './code-lines'
import type { HighlightReply, HighlightRequest } from './highlight-messages'

/** Time in ms to work on a block before a reply, so that its first lines arrive soon and blocks take turns. */
const SLICE_MS = 10

interface Block {
  version: number
  lines: readonly string[]
  code: CodeLines
  until: number
}

/** Highlights the requested blocks of code in time slices. */
export class HighlightQueue {
  readonly #reply: (reply: HighlightReply) => void
  readonly #later: (work: () => void) => void
  readonly #blocks = new Map<number, Block>()
  readonly #due = new Set<number>()
  #isScheduled = false

  /** `later` calls back once the requests that have arrived in the meantime were passed to `take`. */
  constructor(reply: (reply: HighlightReply) => void, later: (work: () => void) => void) {
    this.#reply = reply
    this.#later = later
  }

  take(request: HighlightRequest): void {
    const { id } = request
    if ('forget' in request) return void this.#blocks.delete(id)
    const { version, language, kept, until } = request
    const known = this.#blocks.get(id)
    const code = known?.version === version ? known.code : new CodeLines(language)
    const lines = [...(known?.lines.slice(0, kept) ?? []), ...request.lines]
    code.set(lines)
    this.#blocks.set(id, { version, lines, code, until })
    // Without its language a block stays plain.
    code.load().then(
      () => this.#schedule(id),
      () => undefined,
    )
  }

  #schedule(id: number): void {
    this.#due.add(id)
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#later(() => this.#work())
  }

  #work(): void {
    this.#isScheduled = false
    const [id] = this.#due
    if (id === undefined) return
    this.#due.delete(id)
    const block = this.#blocks.get(id)
    if (block) {
      const { code, version, until } = block
      const from = code.tokens.length
      code.work(SLICE_MS, until)
      if (code.tokens.length > from) this.#reply({ id, version, from, tokens: code.tokens.slice(from) })
      if (code.tokens.length < Math.min(until, block.lines.length)) this.#due.add(id)
    }
    const [next] = this.#due
    if (next !== undefined) this.#schedule(next)
  }
}
