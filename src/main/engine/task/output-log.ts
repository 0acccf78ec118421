import { closeSync, mkdirSync, openSync, write, writeSync } from 'node:fs'
import { dirname } from 'node:path'

const CHUNK = 64 * 1024
/** Chunks kept of the end, beside the first one: more than any result shows. */
const TAIL_CHUNKS = 4
/** Unwritten output reaches the file after this long at the latest, so that it can be followed. */
const FLUSH_MS = 200
/** A flood must not fill the disk. */
const MAX_FILE_BYTES = 1024 * 1024 * 1024

interface Chunk {
  buffer: Buffer
  /** Offset of its first byte in the whole output. */
  start: number
  length: number
}

/** What is still in memory: everything, in `head`, when `dropped` is 0; else the beginning and the end. */
export interface KeptOutput {
  head: Uint8Array[]
  /** Bytes missing between the two. */
  dropped: number
  tail: Uint8Array[]
}

/** Buffers of ended tasks, so that a thousand small commands do not leave a thousand buffers to collect. */
const spareBuffers: Buffer[] = []
const MOST_SPARE = 8

/**
 * Everything a command prints: streamed to a file, its beginning and end kept in memory, which stays bounded whatever comes. The same
 * buffers serve the file and the end of the output, so that a flood is copied once. The file is made with the first byte. A disk that fails
 * does not stop the command: `problem` then says what is missing.
 */
export class OutputLog {
  readonly path: string
  /** Bytes so far. */
  total = 0
  /** Why the file does not have everything, if so. One sentence. */
  problem: string | undefined
  private readonly onRoom: () => void
  private readonly maxFileBytes: number
  /** In order; the first one stays, later ones are used again once they are written and no longer part of the end. */
  private chunks: Chunk[] = []
  private written = 0
  private file: number | undefined
  private writing = false
  private full = false
  private ended = false
  private flushTimer: NodeJS.Timeout | undefined
  private waiting: (() => void)[] = []

  /** `onRoom` is called once there is room again after `append` said no. */
  constructor(path: string, onRoom: () => void = () => {}, maxFileBytes = MAX_FILE_BYTES) {
    this.path = path
    this.onRoom = onRoom
    this.maxFileBytes = maxFileBytes
  }

  /** Takes everything given (copied). False: the disk is behind, so read no more until `onRoom`. */
  append(data: Uint8Array): boolean {
    if (this.ended) return true
    for (let offset = 0; offset < data.length;) {
      const last = this.chunks.at(-1)
      const chunk = last && last.length < CHUNK ? last : this.addChunk()
      const part = Math.min(CHUNK - chunk.length, data.length - offset)
      chunk.buffer.set(data.subarray(offset, offset + part), chunk.length)
      chunk.length += part
      offset += part
      this.total += part
    }
    if (this.total - this.written >= CHUNK) this.pump()
    else this.flushLater()
    // So much to write means that a write is under way, whose end makes room.
    this.full = this.total - this.written > TAIL_CHUNKS * CHUNK && this.problem === undefined
    return !this.full
  }

  /** The bytes from offset `from` on that are still in memory, at most the newest `most`. */
  newest(from: number, most: number): Uint8Array[] {
    const start = Math.max(from, this.total - most)
    return this.chunks
      .filter((chunk) => chunk.start + chunk.length > start)
      .map((chunk) => chunk.buffer.subarray(Math.max(0, start - chunk.start), chunk.length))
  }

  /** Views into buffers that live until `close`. */
  kept(): KeptOutput {
    const views = this.chunks.map(({ buffer, length }) => buffer.subarray(0, length))
    const dropped = this.total - this.chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    return dropped === 0 ? { head: views, dropped, tail: [] } : { head: views.slice(0, 1), dropped, tail: views.slice(1) }
  }

  /** Resolves when the file has everything that came so far, or cannot have it. */
  async flushed(): Promise<void> {
    clearTimeout(this.flushTimer)
    this.flushTimer = undefined
    // Usually little is left and nothing under way: three system calls and no detour over other threads.
    if (!this.writing && this.total - this.written <= CHUNK) this.flushNow()
    while (this.written < this.total && this.problem === undefined) {
      const step = new Promise<void>((resolve) => this.waiting.push(resolve))
      this.pump()
      await step
    }
  }

  /** After the last byte: writes the rest, closes the file, gives the memory back. */
  async close(): Promise<void> {
    if (this.ended) return
    this.ended = true
    await this.flushed()
    if (this.file !== undefined) closeSync(this.file)
    this.file = undefined
    for (const { buffer } of this.chunks) recycle(buffer)
    this.chunks = []
  }

  private addChunk(): Chunk {
    const free: Buffer[] = []
    while (this.chunks.length > TAIL_CHUNKS && this.isWritten(this.chunks[1]!))
      free.push(...this.chunks.splice(1, 1).map((chunk) => chunk.buffer))
    const chunk = { buffer: free.pop() ?? spareBuffers.pop() ?? Buffer.allocUnsafeSlow(CHUNK), start: this.total, length: 0 }
    free.forEach(recycle)
    this.chunks.push(chunk)
    return chunk
  }

  private isWritten(chunk: Chunk): boolean {
    return this.problem !== undefined || chunk.start + chunk.length <= this.written
  }

  /** Starts the next write, unless one is under way. */
  private pump(): void {
    if (this.writing || !this.mayWrite()) return
    const next = this.unwritten()
    if (!next || this.file === undefined) return
    this.writing = true
    write(this.file, next, 0, next.length, null, (error, count) => {
      this.writing = false
      if (error || count === 0) this.fail(error ?? new Error('nothing was written'))
      else this.written += count
      this.stepped()
    })
  }

  private stepped(): void {
    if (this.full) {
      this.full = false
      this.onRoom()
    }
    for (const resolve of this.waiting.splice(0)) resolve()
    if (this.total - this.written >= CHUNK) this.pump()
    else if (this.written < this.total && !this.ended) this.flushLater()
  }

  private flushNow(): void {
    try {
      for (let next = this.unwritten(); next && this.mayWrite() && this.file !== undefined; next = this.unwritten()) {
        this.written += writeSync(this.file, next, 0, next.length)
      }
    } catch (error) {
      this.fail(error)
    }
  }

  private flushLater(): void {
    this.flushTimer ??= setTimeout(() => {
      this.flushTimer = undefined
      this.pump()
    }, FLUSH_MS)
  }

  private unwritten(): Buffer | undefined {
    const chunk = this.chunks.find((candidate) => candidate.start + candidate.length > this.written)
    return chunk?.buffer.subarray(this.written - chunk.start, chunk.length)
  }

  /** Opens the file when that is due. */
  private mayWrite(): boolean {
    if (this.problem !== undefined) return false
    if (this.written >= this.maxFileBytes) {
      this.problem = `The log stops after ${Math.round(this.maxFileBytes / 1024 / 1024)} MB; what was printed later is not in it.`
      return false
    }
    try {
      this.file ??= open(this.path)
      return true
    } catch (error) {
      this.fail(error)
      return false
    }
  }

  private fail(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    this.problem = `The output could not be saved (${reason}), so only its beginning and end were kept.`
  }
}

/** For its owner only: output can hold secrets. */
function open(path: string): number {
  try {
    return openSync(path, 'w', 0o600)
  } catch {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    return openSync(path, 'w', 0o600)
  }
}

function recycle(buffer: Buffer): void {
  if (spareBuffers.length < MOST_SPARE) spareBuffers.push(buffer)
}
