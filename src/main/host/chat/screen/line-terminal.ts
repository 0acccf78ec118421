import { StringDecoder } from 'node:string_decoder'
import { readHidden } from '../../../console/typed-secret'
import { LineReader } from '../../../engine/process/line-reader'
import { APPROVAL_GRACE_MS } from './key-input'
import { createStyle, type KeyRequest, type LineRequest, type LineResult, type Terminal } from './terminal'

/** Width of a pipe: its reader wraps the text. */
const UNLIMITED = 10_000

/**
 * A terminal without cursor control (TERM=dumb), or a pipe. Never writes escape codes. A line that arrives early waits
 * for the next line read, but never answers a question.
 */
export class LineTerminal implements Terminal {
  readonly style = createStyle(false)
  readonly isInteractive: boolean
  isMidLine = false
  readonly #out: NodeJS.WritableStream & { columns?: number }
  readonly #input: NodeJS.ReadableStream
  readonly #lines: string[] = []
  readonly #decoder = new StringDecoder('utf8')
  readonly #reader = new LineReader((line) => this.#lines.push(line.replace(/\r$/, '')))
  #hasEnded = false
  #wake: (() => void) | undefined
  #busy: { interrupt(): void } | undefined

  constructor(input: NodeJS.ReadableStream, out: NodeJS.WritableStream & { columns?: number }, isInteractive: boolean) {
    this.isInteractive = isInteractive
    this.#out = out
    this.#input = input
    input.on('data', this.#read)
    for (const end of ['end', 'close', 'error']) input.on(end, this.#end)
    process.on('SIGINT', this.#interrupt)
  }

  get columns(): number {
    // Some terminals report 0.
    return this.#out.columns || (this.isInteractive ? 80 : UNLIMITED)
  }

  write(text: string): void {
    if (text === '') return
    this.#out.write(text)
    this.isMidLine = !text.endsWith('\n')
  }

  alert(): void {
    // A simple terminal may show the codes for a title.
    if (this.isInteractive) this.#out.write('\u0007')
  }

  freshLine(): void {
    if (this.isMidLine) this.write('\n')
  }

  status(): void {
    // A status line that cannot be erased would be noise.
  }

  onBusyInput(listener: { interrupt(): void }): () => void {
    this.#busy = listener
    return () => {
      if (this.#busy === listener) this.#busy = undefined
    }
  }

  async readLine({ prompt, signal, isSecret = false }: LineRequest): Promise<LineResult> {
    this.freshLine()
    if (isSecret) return this.#readSecret(prompt, signal)
    if (this.isInteractive) this.write(prompt)
    const line = await this.#next(signal)
    if (line === undefined) return signal?.aborted ? { kind: 'aborted', text: '' } : { kind: 'end' }
    if (!this.isInteractive && line.trim() !== '') this.write(`${prompt}${line}`)
    this.isMidLine = !this.isInteractive && line.trim() !== ''
    this.freshLine()
    return { kind: 'line', text: line }
  }

  /** Not shown while it is typed; from a pipe, it is not repeated. */
  async #readSecret(prompt: string, signal: AbortSignal | undefined): Promise<LineResult> {
    const { setRawMode } = this.#input as Partial<NodeJS.ReadStream>
    if (!this.isInteractive || setRawMode === undefined) {
      this.write(prompt)
      const line = await this.#next(signal)
      this.freshLine()
      if (line === undefined) return signal?.aborted ? { kind: 'aborted', text: '' } : { kind: 'end' }
      return { kind: 'line', text: line }
    }
    // Lines typed earlier must not answer this question.
    this.#lines.length = 0
    this.#input.off('data', this.#read)
    const text = await readHidden(this.#input as NodeJS.ReadStream, () => this.write(prompt), signal)
    if (!this.#hasEnded) this.#input.on('data', this.#read)
    this.freshLine()
    if (text === undefined) return { kind: signal?.aborted ? 'aborted' : 'interrupt', text: '' }
    return { kind: 'line', text }
  }

  async readKey({ keys, prompt, signal }: KeyRequest): Promise<string | undefined> {
    for (;;) {
      await orAborted(APPROVAL_GRACE_MS, signal)
      if (this.#hasEnded || signal?.aborted) return undefined
      this.#lines.length = 0
      this.freshLine()
      this.write(prompt)
      const line = await this.#next(signal)
      if (line === undefined) return undefined
      this.isMidLine = false
      const key = line.trim()
      if (key.length === 1 && keys.includes(key)) return key
    }
  }

  close(): void {
    process.off('SIGINT', this.#interrupt)
    this.#end()
  }

  /** The next line; undefined at the end of the input and when the signal aborts. */
  async #next(signal: AbortSignal | undefined): Promise<string | undefined> {
    const wake = (): void => this.#wake?.()
    signal?.addEventListener('abort', wake)
    const isOver = (): boolean => this.#lines.length > 0 || this.#hasEnded || signal?.aborted === true
    while (!isOver()) await new Promise<void>((resolve) => (this.#wake = resolve))
    signal?.removeEventListener('abort', wake)
    return signal?.aborted ? undefined : this.#lines.shift()
  }

  /** Lines end only at LF: other separators, such as U+2028, are text. */
  readonly #read = (chunk: Buffer | string): void => {
    this.#reader.add(typeof chunk === 'string' ? chunk : this.#decoder.write(chunk))
    this.#wake?.()
  }

  readonly #end = (): void => {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#input.off('data', this.#read)
    this.#input.pause()
    const rest = this.#reader.takeRest()
    if (rest !== '') this.#lines.push(rest)
    this.#wake?.()
  }

  readonly #interrupt = (): void => {
    if (this.#busy) this.#busy.interrupt()
    else this.#end()
  }
}

function orAborted(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    const abort = (): void => {
      clearTimeout(timer)
      resolve()
    }
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort, { once: true })
  })
}
