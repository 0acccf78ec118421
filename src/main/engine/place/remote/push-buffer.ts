import { CodedError } from '../../../../shared/errors'

/** The pushes of one subscription, bounded: a reader that is too slow loses them and gets an error. */
export class PushBuffer implements AsyncIterableIterator<unknown> {
  readonly #waiting: { value: unknown; bytes: number }[] = []
  readonly #maxBytes: number
  readonly #onReturn: () => void
  #bytes = 0
  #wake: (() => void) | undefined
  #isOver = false
  #error: Error | undefined

  /** `onReturn` is called when the reader stops reading. */
  constructor(maxBytes: number, onReturn: () => void) {
    this.#maxBytes = maxBytes
    this.#onReturn = onReturn
  }

  push(value: unknown, bytes: number): void {
    if (this.#isOver) return
    this.#waiting.push({ value, bytes })
    this.#bytes += bytes
    if (this.#bytes > this.#maxBytes && this.#waiting.length > 1) {
      this.#waiting.length = 0
      this.fail(new CodedError('connection.lost', 'More arrived than could be read.'))
      this.#onReturn()
    }
    this.#wake?.()
  }

  end(): void {
    this.#isOver = true
    this.#wake?.()
  }

  fail(error: Error): void {
    if (this.#isOver) return
    this.#error = error
    this.end()
  }

  async next(): Promise<IteratorResult<unknown, undefined>> {
    for (;;) {
      const first = this.#waiting.shift()
      if (first) {
        this.#bytes -= first.bytes
        return { done: false, value: first.value }
      }
      if (this.#error) {
        const error = this.#error
        this.#error = undefined
        throw error
      }
      if (this.#isOver) return { done: true, value: undefined }
      await new Promise<void>((resolve) => (this.#wake = resolve))
      this.#wake = undefined
    }
  }

  async return(): Promise<IteratorResult<unknown, undefined>> {
    this.#waiting.length = 0
    this.#error = undefined
    if (!this.#isOver) {
      this.end()
      this.#onReturn()
    }
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
