/**
 * The part of the web streams API that the provider packages and `http-response.ts` use. An answer passes through five
 * streams, and Node's own create about thirty promises for each chunk: 20 calls in one answer took 20 ms longer at the
 * first step of a process, and 5 ms at later ones. These streams do not read ahead: a chunk is created when it is
 * requested.
 */

type Awaitable<Value> = Value | PromiseLike<Value>

/** The underlying source, as for the web's `ReadableStream`. */
interface Source<Chunk> {
  start?: (controller: StreamController<Chunk>) => void
  pull?: (controller: StreamController<Chunk>) => Awaitable<void>
  cancel?: (reason?: unknown) => Awaitable<void>
}

/** Lets a source or transformer pass on its chunks. */
interface StreamController<Chunk> {
  enqueue(chunk: Chunk): void
  close(): void
  error(reason?: unknown): void
}

interface Reader<Chunk> {
  read(): Promise<ReadResult<Chunk>>
  cancel(reason?: unknown): Promise<void>
  releaseLock(): void
}

type ReadResult<Chunk> = { done: false; value: Chunk } | { done: true; value: undefined }

const OVER: ReadResult<never> = { done: true, value: undefined }

/** A stream with one reader. Second argument: a strategy for reading ahead, which is ignored. */
export class LightReadableStream<Chunk> {
  readonly #source: Source<Chunk>
  readonly #chunks: Chunk[] = []
  /** Pending reads, for which no chunk was available. */
  readonly #reads: PromiseWithResolvers<ReadResult<Chunk>>[] = []
  #end: 'closed' | { error: unknown } | undefined
  #isPulling = false
  /** Whether `pull` has to be called again when the current call is done. */
  #pullsAgain = false

  readonly #controller: StreamController<Chunk> = {
    enqueue: (chunk) => {
      if (this.#end) throw new TypeError('The stream is closed.')
      const read = this.#reads.shift()
      if (read) read.resolve({ done: false, value: chunk })
      else this.#chunks.push(chunk)
      if (this.#reads.length > 0) this.#pull()
    },
    close: () => {
      if (this.#end) throw new TypeError('The stream is closed.')
      this.#close()
    },
    error: (error) => {
      if (this.#end) return
      this.#end = { error }
      this.#chunks.length = 0
      for (const read of this.#reads.splice(0)) read.reject(error)
    },
  }

  constructor(source: Source<Chunk> = {}, _strategy?: unknown) {
    this.#source = source
    source.start?.(this.#controller)
  }

  getReader(): Reader<Chunk> {
    return { read: () => this.read(), cancel: (reason) => this.cancel(reason), releaseLock: () => undefined }
  }

  /** The next chunk if it is already available, for callers that want to avoid a promise. */
  takeReady(): { value: Chunk } | undefined {
    return this.#chunks.length > 0 ? { value: this.#chunks.shift()! } : undefined
  }

  read(): Promise<ReadResult<Chunk>> {
    if (this.#chunks.length > 0) return Promise.resolve({ done: false, value: this.#chunks.shift()! })
    if (this.#end === 'closed') return Promise.resolve(OVER)
    if (this.#end) return Promise.reject(this.#end.error)
    const read = Promise.withResolvers<ReadResult<Chunk>>()
    this.#reads.push(read)
    this.#pull()
    return read.promise
  }

  async cancel(reason?: unknown): Promise<void> {
    if (this.#end === 'closed') return
    if (this.#end) throw this.#end.error
    this.#chunks.length = 0
    this.#close()
    await this.#source.cancel?.(reason)
  }

  pipeThrough<Out>(transform: LightTransformStream<Chunk, Out>): LightReadableStream<Out> {
    transform.readFrom(this)
    return transform.readable
  }

  /** Two streams with the same chunks. This stream is canceled when both are. */
  tee(): [LightReadableStream<Chunk>, LightReadableStream<Chunk>] {
    const open = new Set<StreamController<Chunk>>()
    let reading: Promise<void> | undefined
    const readOnce = async (): Promise<void> => {
      try {
        const { done, value } = await this.read()
        for (const branch of open) if (!done) branch.enqueue(value)
        if (done) for (const branch of open) branch.close()
      } catch (error) {
        for (const branch of open) branch.error(error)
      } finally {
        reading = undefined
      }
    }
    const branch = (): LightReadableStream<Chunk> => {
      let own: StreamController<Chunk>
      return new LightReadableStream<Chunk>({
        start: (controller) => void open.add((own = controller)),
        pull: () => (reading ??= readOnce()),
        cancel: async (reason) => {
          open.delete(own)
          if (open.size === 0) await this.cancel(reason)
        },
      })
    }
    return [branch(), branch()]
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Chunk> {
    let isRead = false
    try {
      for (;;) {
        const { done, value } = await this.read()
        if (done) break
        yield value
      }
      isRead = true
    } finally {
      if (!isRead) await this.cancel().catch(() => undefined)
    }
  }

  #close(): void {
    this.#end = 'closed'
    for (const read of this.#reads.splice(0)) read.resolve(OVER)
  }

  #pull(): void {
    if (this.#isPulling) {
      this.#pullsAgain = true
      return
    }
    this.#isPulling = true
    const pulled = (): void => {
      this.#isPulling = false
      const pullsAgain = this.#pullsAgain
      this.#pullsAgain = false
      if (pullsAgain && this.#reads.length > 0 && !this.#end) this.#pull()
    }
    try {
      const pulling = this.#source.pull?.(this.#controller)
      if (pulling) pulling.then(pulled, this.#controller.error)
      else pulled()
    } catch (error) {
      this.#controller.error(error)
    }
  }
}

interface TransformController<Out> extends StreamController<Out> {
  terminate(): void
}

interface Transformer<In, Out> {
  start?: (controller: TransformController<Out>) => void
  transform?: (chunk: In, controller: TransformController<Out>) => Awaitable<void>
  flush?: (controller: TransformController<Out>) => Awaitable<void>
}

/** A transform for `pipeThrough` of a `LightReadableStream`. It has no writable side. */
export class LightTransformStream<In, Out> {
  readonly readable: LightReadableStream<Out>
  readonly #transformer: Transformer<In, Out>
  #input: LightReadableStream<In> | undefined
  #controller!: TransformController<Out>
  #hasPassedOn = false

  constructor(transformer: Transformer<In, Out> = {}) {
    this.#transformer = transformer
    this.readable = new LightReadableStream<Out>({
      start: (controller) => {
        const over = (end: () => void): void => {
          end()
          this.#hasPassedOn = true
          void this.#input?.cancel().catch(() => undefined)
        }
        this.#controller = {
          enqueue: (chunk) => {
            this.#hasPassedOn = true
            controller.enqueue(chunk)
          },
          close: () => controller.close(),
          error: (reason) => over(() => controller.error(reason)),
          terminate: () => over(() => controller.close()),
        }
        transformer.start?.(this.#controller)
      },
      pull: () => this.#fill(),
      cancel: (reason) => this.#input?.cancel(reason),
    })
  }

  readFrom(input: LightReadableStream<In>): void {
    this.#input = input
  }

  /** Reads until there is a chunk to pass on. */
  async #fill(): Promise<void> {
    const { transform, flush } = this.#transformer
    const input = this.#input!
    this.#hasPassedOn = false
    do {
      const next = input.takeReady() ?? (await input.read())
      if ('done' in next && next.done) {
        await flush?.(this.#controller)
        this.#controller.close()
        return
      }
      try {
        const working = transform ? transform(next.value as In, this.#controller) : undefined
        if (working) await working
      } catch (error) {
        this.#controller.error(error)
        return
      }
    } while (!this.#hasPassedOn)
  }
}

/** Decodes UTF-8 bytes to text. */
export class LightTextDecoderStream extends LightTransformStream<Uint8Array, string> {
  constructor() {
    const decoder = new TextDecoder()
    super({
      transform(bytes, controller) {
        const text = decoder.decode(bytes, { stream: true })
        if (text !== '') controller.enqueue(text)
      },
      flush(controller) {
        const rest = decoder.decode()
        if (rest !== '') controller.enqueue(rest)
      },
    })
  }
}

const LINE_END = /\r\n|\n|\r(?!$)/g

/** Parses a text/event-stream like the class of the same name in the package eventsource-parser. */
export class EventSourceParserStream extends LightTransformStream<string, { event?: string; data: string }> {
  constructor() {
    let rest = ''
    let event: string | undefined
    let data: string[] = []
    super({
      transform(text, controller) {
        rest += text
        let begin = 0
        for (const { index, 0: lineEnd } of rest.matchAll(LINE_END)) {
          const line = rest.slice(begin, index)
          begin = index + lineEnd.length
          if (line === '') {
            if (data.length > 0) controller.enqueue({ data: data.join('\n'), ...(event && { event }) })
            event = undefined
            data = []
            continue
          }
          const [, name, value = ''] = /^([^:]*)(?:: ?([^]*))?$/.exec(line)!
          if (name === 'data') data.push(value)
          else if (name === 'event') event = value
        }
        rest = rest.slice(begin)
      },
    })
  }
}
