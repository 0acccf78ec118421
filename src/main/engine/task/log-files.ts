import { closeSync, ftruncate, mkdirSync, openSync, read, rmSync, write, writeSync } from 'node:fs'
import { basename, dirname, extname } from 'node:path'
import { promisify } from 'node:util'
import { renameOverSync } from '../workspace/rename-over'

const COPY_BYTES = 256 * 1024
const readAsync = promisify(read)
const writeAsync = promisify(write)

/** Where the newest output is once a log has rotated: beside the file with the first part. */
export function newestPathOf(path: string): string {
  const end = extname(path)
  return `${path.slice(0, path.length - end.length)}.newest${end}`
}

/** The first line of the file with the newest output says where its first byte stands in the whole. */
export function newestHeader(from: number, firstPath: string): string {
  return `[The output from byte ${from} on. Its beginning is in ${basename(firstPath)}; what is missing between the two was dropped to keep the log small.]\n`
}

export function readNewestHeader(line: string): number | undefined {
  const from = /^\[The output from byte (\d+) on\./.exec(line)?.[1]
  return from === undefined ? undefined : Number(from)
}

/**
 * The files of one log, which together take no more than `mostBytes` (and an eighth more for the moment in which they are made shorter). Up
 * to there one file has everything. Beyond it that file keeps the first half, and a second one has the newest output: never less than an
 * eighth of the limit. Both are ordinary files at every moment, for the owner only: output can hold secrets. The first is made with the first byte.
 */
export class LogFiles {
  readonly path: string
  private readonly mostBytes: number
  private readonly firstBytes: number
  private first: number | undefined
  private newest: { file: number; from: number; headerBytes: number } | undefined
  private written = 0

  constructor(path: string, mostBytes: number) {
    this.path = path
    this.mostBytes = mostBytes
    this.firstBytes = Math.ceil(mostBytes / 2)
  }

  /** There once the log has rotated. */
  get newestPath(): string | undefined {
    return this.newest && newestPathOf(this.path)
  }

  /** Writes some of `data`, on another thread; resolves with how many bytes, at least one. Throws at once when there can be no file. */
  write(data: Buffer): Promise<number> {
    const file = this.file()
    return this.room() > 0 ? this.writeTo(file, data) : this.shorten().then(() => this.writeTo(this.file(), data))
  }

  /** The same at once; 0 when that would take long. */
  writeNow(data: Buffer): number {
    if (this.room() <= 0) return 0
    const part = data.subarray(0, this.room())
    const count = writeSync(this.file(), part, 0, part.length)
    this.written += count
    return count
  }

  close(): void {
    for (const file of [this.first, this.newest?.file]) if (file !== undefined) closeSync(file)
    this.first = undefined
  }

  private async writeTo(file: number, data: Buffer): Promise<number> {
    const part = data.subarray(0, this.room())
    const { bytesWritten } = await writeAsync(file, part, 0, part.length, null)
    if (bytesWritten === 0) throw new Error('nothing was written')
    this.written += bytesWritten
    return bytesWritten
  }

  private room(): number {
    return this.newest ? this.mostBytes - this.firstBytes - (this.written - this.newest.from) : this.mostBytes - this.written
  }

  private file(): number {
    return this.newest?.file ?? (this.first ??= openPrivate(this.path))
  }

  /** Puts the newest part, from the start of a line on, into a second file of its own, in the place of the one before. */
  private async shorten(): Promise<void> {
    const { from: start, headerBytes: skip } = this.newest ?? { from: 0, headerBytes: 0 }
    const source = this.file()
    const buffer = Buffer.allocUnsafe(COPY_BYTES)
    const readAt = async (offset: number): Promise<Buffer> =>
      buffer.subarray(0, (await readAsync(source, buffer, 0, buffer.length, skip + offset - start)).bytesRead)
    let at = this.written - Math.floor(this.mostBytes / 8)
    // Nothing is added when there is no line end nearby.
    at += (await readAt(at)).subarray(0, this.written - at).indexOf(0x0a) + 1
    const from = at
    const path = newestPathOf(this.path)
    const temporary = `${path}.tmp`
    const file = openPrivate(temporary)
    try {
      const headerBytes = writeSync(file, newestHeader(from, this.path))
      while (at < this.written) {
        const piece = await readAt(at)
        if (piece.length === 0) throw new Error('the log was shortened by somebody else')
        for (let done = 0; done < piece.length;) {
          done += (await writeAsync(file, piece, done, piece.length - done, null)).bytesWritten
        }
        at += piece.length
      }
      renameOverSync(temporary, path)
      if (this.newest) closeSync(source)
      else await promisify(ftruncate)(source, this.firstBytes)
      this.newest = { file, from, headerBytes }
    } catch (error) {
      closeSync(file)
      rmSync(temporary, { force: true })
      throw error
    }
  }
}

function openPrivate(path: string): number {
  try {
    return openSync(path, 'w+', 0o600)
  } catch {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    return openSync(path, 'w+', 0o600)
  }
}
