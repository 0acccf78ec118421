import { errorText } from '../../../../shared/error-text'
import { LogFiles } from './log-files'

const CHUNK = 64 * 1024
/** Chunks kept of the end, in addition to the first one: more than any result shows. */
const TAIL_CHUNKS = 4
/** Unwritten output reaches the file after at most this long, so that it can be followed. */
const FLUSH_MS = 200
/** Keeps a flood from filling the disk. */
const MAX_BYTES = 64 * 1024 * 1024
/** The first buffer of a task whose start need not be kept: most tasks print little, and there may be hundreds. */
const SMALL_CHUNK = 4 * 1024
/** What such a task keeps while it is idle; half of it is free for new output. */
const REST_CHUNK = 16 * 1024

export interface OutputLogOptions {
  /** Called once the log is writable again after `append` returned false. */
  onWritable?: () => void
  /** Maximum bytes on disk; beyond it the first part and the newest are kept. */
  maxBytes?: number
  /** Whether the start stays in memory, for a result that shows it; default true. */
  keepsHead?: boolean
}

interface Chunk {
  buffer: Buffer
  /** Offset of its first byte in the whole output. */
  start: number
  length: number
}

/** What is still in memory: everything, in `head`, if `dropped` is 0; else the start and the end. */
export interface KeptOutput {
  head: Uint8Array[]
  /** Bytes missing between the two. */
  dropped: number
  tail: Uint8Array[]
}

/**
 * Buffers of ended tasks for reuse, so that a thousand small commands do not leave a thousand buffers for the garbage
 * collector.
 */
const spareBuffers: Buffer[] = []
const MAX_SPARE = 8

/**
 * Everything a command prints: streamed to a file, with its start and end kept in bounded memory. The same buffers
 * serve the file and the end of the output, so that a flood is copied only once. The file is created with the first
 * byte. A failing disk does not stop the command: `problem` then says what is missing.
 */
export class OutputLog {
  /** Bytes so far. */
  total = 0
  /** Why the file is incomplete, if so. One sentence. */
  problem: string | undefined
  private readonly onWritable: () => void
  private readonly files: LogFiles
  private readonly keepsHead: boolean
  /**
   * In order; the first one stays if the head is kept, others are reused once they are written and no longer part of
   * the end.
   */
  private chunks: Chunk[] = []
  private written = 0
  private writing = false
  /** Nothing has been printed since the timer started the last write. */
  private isQuiet = false
  private full = false
  private ended = false
  private flushTimer: NodeJS.Timeout | undefined
  private waiting: (() => void)[] = []

  constructor(path: string, { onWritable = () => {}, maxBytes = MAX_BYTES, keepsHead = true }: OutputLogOptions = {}) {
    this.files = new LogFiles(path, maxBytes)
    this.onWritable = onWritable
    this.keepsHead = keepsHead
  }

  get path(): string {
    return this.files.path
  }

  /** The file with the newest output, once the log has rotated. */
  get newestPath(): string | undefined {
    return this.files.newestPath
  }

  /** Tells the reader of an excerpt where the rest is. */
  get fullOutputLocation(): string {
    if (this.problem !== undefined) return `${this.path} has part of it`
    return this.newestPath === undefined
      ? `All of it: ${this.path}`
      : `Its beginning: ${this.path}, its newest part: ${this.newestPath}`
  }

  /** Appends a copy of `data`. Returns false if the disk is behind: stop reading until `onWritable`. */
  append(data: Uint8Array): boolean {
    if (this.ended) return true
    this.isQuiet = false
    for (let offset = 0; offset < data.length;) {
      const last = this.chunks.at(-1)
      const chunk = last && last.length < last.buffer.length ? last : this.addChunk()
      const part = Math.min(chunk.buffer.length - chunk.length, data.length - offset)
      chunk.buffer.set(data.subarray(offset, offset + part), chunk.length)
      chunk.length += part
      offset += part
      this.total += part
    }
    if (this.total - this.written >= CHUNK) this.pump()
    else this.flushLater()
    // This much unwritten output implies a pending write, whose completion frees buffers.
    this.full = this.total - this.written > TAIL_CHUNKS * CHUNK && this.problem === undefined
    return !this.full
  }

  /** The bytes from offset `from` that are still in memory, at most the newest `max`. */
  newest(from: number, max: number): Uint8Array[] {
    const start = Math.max(from, this.total - max)
    return this.chunks
      .filter((chunk) => chunk.start + chunk.length > start)
      .map((chunk) => chunk.buffer.subarray(Math.max(0, start - chunk.start), chunk.length))
  }

  /** Views into buffers that are valid until `close`. */
  kept(): KeptOutput {
    const views = this.chunks.map(({ buffer, length }) => buffer.subarray(0, length))
    const dropped = this.total - this.chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    const headChunks = dropped === 0 ? views.length : this.keepsHead ? 1 : 0
    return { head: views.slice(0, headChunks), dropped, tail: views.slice(headChunks) }
  }

  /** Resolves when the file has all output so far, or writing has failed. */
  async flushed(): Promise<void> {
    clearTimeout(this.flushTimer)
    this.flushTimer = undefined
    // Usually little is left and no write is pending: three system calls, without going through other threads.
    if (!this.writing && this.total - this.written <= CHUNK) this.flushNow()
    // Waits only for output up to now, not for what is appended later.
    for (const goal = this.total; this.written < goal && this.problem === undefined;) {
      const step = new Promise<void>((resolve) => this.waiting.push(resolve))
      this.pump()
      await step
    }
  }

  /** After the last byte: writes the rest, closes the file, releases the memory. */
  async close(): Promise<void> {
    if (this.ended) return
    this.ended = true
    await this.flushed()
    this.files.close()
    for (const { buffer } of this.chunks) recycle(buffer)
    this.chunks = []
  }

  private addChunk(): Chunk {
    const free: Buffer[] = []
    const oldest = this.keepsHead ? 1 : 0
    while (this.chunks.length > oldest + TAIL_CHUNKS - 1 && this.isWritten(this.chunks[oldest]!)) {
      free.push(...this.chunks.splice(oldest, 1).map((chunk) => chunk.buffer))
    }
    const buffer =
      this.keepsHead || this.total >= CHUNK
        ? this.wholeBuffer(free)
        : Buffer.allocUnsafeSlow(Math.max(SMALL_CHUNK, this.total))
    const chunk = { buffer, start: this.total, length: 0 }
    free.forEach(recycle)
    this.chunks.push(chunk)
    return chunk
  }

  private wholeBuffer(free: Buffer[]): Buffer {
    const at = free.findIndex((buffer) => buffer.length === CHUNK)
    return (at < 0 ? spareBuffers.pop() : free.splice(at, 1)[0]) ?? Buffer.allocUnsafeSlow(CHUNK)
  }

  private isWritten(chunk: Chunk): boolean {
    return this.problem !== undefined || chunk.start + chunk.length <= this.written
  }

  /** Starts the next write, unless one is pending. */
  private pump(): void {
    if (this.writing || this.problem !== undefined) return
    const next = this.unwritten()
    if (!next) return
    try {
      this.writing = true
      this.files.write(next).then(
        (count) => this.stepped(count),
        (error: unknown) => this.failed(error),
      )
    } catch (error) {
      this.failed(error)
    }
  }

  private failed(error: unknown): void {
    this.fail(error)
    this.stepped(0)
  }

  private stepped(count: number): void {
    this.writing = false
    this.written += count
    if (this.full) {
      this.full = false
      this.onWritable()
    }
    for (const resolve of this.waiting.splice(0)) resolve()
    if (this.total - this.written >= CHUNK) this.pump()
    else if (this.written < this.total && !this.ended) this.flushLater()
    else if (this.isQuiet) this.shrink()
  }

  /** Releases memory while everything is written and little is printed, as for most of many tasks. */
  private shrink(): void {
    const first = this.chunks[0]
    if (this.keepsHead || this.ended || !first || (this.chunks.length === 1 && first.buffer.length <= REST_CHUNK))
      return
    const buffer = Buffer.allocUnsafeSlow(REST_CHUNK)
    let length = 0
    for (const part of this.newest(0, REST_CHUNK / 2)) {
      buffer.set(part, length)
      length += part.length
    }
    for (const chunk of this.chunks) recycle(chunk.buffer)
    this.chunks = [{ buffer, start: this.total - length, length }]
  }

  private flushNow(): void {
    try {
      for (let next = this.unwritten(); next && this.problem === undefined; next = this.unwritten()) {
        const count = this.files.writeNow(next)
        if (count === 0) return
        this.written += count
      }
    } catch (error) {
      this.fail(error)
    }
  }

  private flushLater(): void {
    this.flushTimer ??= setTimeout(() => {
      this.flushTimer = undefined
      this.isQuiet = true
      this.pump()
    }, FLUSH_MS)
  }

  private unwritten(): Buffer | undefined {
    const chunk = this.chunks.find((candidate) => candidate.start + candidate.length > this.written)
    return chunk?.buffer.subarray(this.written - chunk.start, chunk.length)
  }

  private fail(error: unknown): void {
    const reason = errorText(error)
    this.problem = `The output could not be saved (${reason}), so only its beginning and end were kept.`
  }
}

function recycle(buffer: Buffer): void {
  if (buffer.length === CHUNK && spareBuffers.length < MAX_SPARE) spareBuffers.push(buffer)
}

/** At most 20 updates a second. */
const TICK_MS = 50
const BYTES_PER_SECOND = 64 * 1024

/**
 * Passes the newest output on as text, at most 64 KB a second: faster output is skipped, oldest first (the file has
 * everything). A command that ends within 50 ms passes nothing; its result has it all.
 */
export class LiveOutput {
  private readonly log: OutputLog
  private readonly onOutput: (raw: string) => void
  private timer: NodeJS.Timeout | undefined
  private stopped = false
  private shown = 0
  private allowance = BYTES_PER_SECOND
  private lastTick = 0
  private decoder = new TextDecoder('utf-8', { ignoreBOM: true })

  constructor(log: OutputLog, onOutput: (raw: string) => void) {
    this.log = log
    this.onOutput = onOutput
  }

  /** Call after something was appended to the log. */
  changed(): void {
    if (!this.stopped) this.timer ??= setTimeout(() => this.tick(), TICK_MS)
  }

  stop(): void {
    this.stopped = true
    clearTimeout(this.timer)
  }

  private tick(): void {
    const now = performance.now()
    this.allowance = Math.min(BYTES_PER_SECOND, this.allowance + ((now - this.lastTick) / 1000) * BYTES_PER_SECOND)
    this.lastTick = now
    this.timer = undefined
    const max = Math.floor(this.allowance)
    const skipped = this.log.total - this.shown > max
    const parts = this.log.newest(this.shown, max)
    this.shown = this.log.total
    // After a gap, the bytes before and after do not belong together.
    if (skipped) this.decoder = new TextDecoder('utf-8', { ignoreBOM: true })
    let text = ''
    for (const part of parts) {
      this.allowance -= part.length
      text += this.decoder.decode(part, { stream: true })
    }
    if (skipped) text = text.slice(text.indexOf('\n') + 1)
    if (text !== '') this.onOutput(text)
  }
}
