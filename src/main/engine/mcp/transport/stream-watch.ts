const OVERLAP = 64

/** Looks whether the answer to a request has come on a stream of events, without reading the events. */
export class StreamWatch {
  readonly #answer: RegExp | undefined
  #tail = ''
  #isAnswered = false
  #canResume = false

  /** `request`: its number; without one the stream owes nothing. */
  constructor(request: number | undefined) {
    this.#answer = request === undefined ? undefined : new RegExp(`"id"\\s*:\\s*${request}\\b`)
  }

  /** Whether the answer has not come, and will not come otherwise: a stream whose events have ids is taken up again where it broke off. */
  get isOwed(): boolean {
    return this.#answer !== undefined && !this.#isAnswered && !this.#canResume
  }

  see(chunk: Uint8Array): void {
    if (!this.isOwed) return
    const text = this.#tail + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1')
    this.#isAnswered = this.#answer?.test(text) ?? false
    this.#canResume = /(?:^|[\r\n])id:/.test(text)
    this.#tail = text.slice(-OVERLAP)
  }
}

/** Where the last event that ends in these bytes ends: after an empty line. 0: none does. */
export function endOfEvent(chunk: Uint8Array, lastWasBreak: boolean): number {
  for (let at = chunk.length - 1; at >= 0; at--) {
    if (!isBreak(chunk[at])) continue
    const before = at > 0 ? chunk[at - 1] : lastWasBreak ? 0x0a : undefined
    const isPair = chunk[at] === 0x0a && before === 0x0d
    if (isPair ? isBreak(at > 1 ? chunk[at - 2] : undefined) : isBreak(before)) return at + 1
  }
  return 0
}

export function isBreak(byte: number | undefined): boolean {
  return byte === 0x0a || byte === 0x0d
}
