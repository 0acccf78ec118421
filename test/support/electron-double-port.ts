import { EventEmitter } from 'node:events'

/** A MessagePortMain: messages wait until `start`, and closing one end notifies the other. */
export class DoublePort extends EventEmitter {
  #other: DoublePort | undefined
  #isStarted = false
  #isClosed = false
  #waiting: unknown[] = []

  static pair(): [DoublePort, DoublePort] {
    const first = new DoublePort()
    const second = new DoublePort()
    first.#other = second
    second.#other = first
    return [first, second]
  }

  postMessage(message: unknown): void {
    if (!this.#isClosed) this.#other?.deliver(structuredClone(message))
  }

  deliver(message: unknown): void {
    if (this.#isClosed) return
    if (this.#isStarted) setImmediate(() => this.emit('message', { data: message, ports: [] }))
    else this.#waiting.push(message)
  }

  start(): void {
    this.#isStarted = true
    for (const message of this.#waiting.splice(0)) this.deliver(message)
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    setImmediate(() => this.emit('close'))
    this.#other?.close()
  }
}
