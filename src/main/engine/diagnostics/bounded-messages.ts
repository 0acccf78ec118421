import { Transform, type TransformCallback } from 'node:stream'

const HEADER_END = Buffer.from('\r\n\r\n')
const HEADER_LINE = /^[\w-]+: *[^\n]*$/
/** A longer header is none. */
const MOST_HEADER_BYTES = 4 * 1024
/** The largest message that is read. */
export const MOST_MESSAGE_BYTES = 16 * 1024 * 1024

/**
 * Passes a stream of messages (`Content-Length: …`, as in the Language Server Protocol) on, and fails at one that is too large: the reader behind it would collect any
 * length in memory, and the program that writes it may come with a project.
 */
export class BoundedMessages extends Transform {
  #header = Buffer.alloc(0)
  /** Bytes of the body that are still to come. */
  #left = 0

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      this.#follow(chunk)
      done(null, chunk)
    } catch (error) {
      done(error as Error)
    }
  }

  #follow(chunk: Buffer): void {
    let rest = chunk
    while (rest.length > 0) {
      const body = Math.min(this.#left, rest.length)
      this.#left -= body
      rest = rest.subarray(body)
      if (rest.length === 0) return
      this.#header = Buffer.concat([this.#header, rest])
      const end = this.#header.indexOf(HEADER_END)
      if (end < 0 ? this.#header.length > MOST_HEADER_BYTES : end > MOST_HEADER_BYTES)
        throw new Error('The language server sent something that is no message.')
      if (end < 0) return
      const header = this.#header.toString('latin1', 0, end)
      // The reader behind this would wait for ever for a message that begins with other text.
      if (!header.split('\r\n').every((line) => HEADER_LINE.test(line)))
        throw new Error('The language server sent something that is no message.')
      const length = Number(/content-length: *(\d+)/i.exec(header)?.[1])
      if (!(length <= MOST_MESSAGE_BYTES)) throw new Error(`The language server sent a message of ${length} bytes, more than is read.`)
      rest = this.#header.subarray(end + HEADER_END.length)
      this.#header = Buffer.alloc(0)
      this.#left = length
    }
  }
}
