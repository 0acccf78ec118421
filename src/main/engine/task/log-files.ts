import { closeSync, mkdirSync, openSync, read, renameSync, rmSync, write, writeSync } from 'node:fs'
import { basename, dirname, extname } from 'node:path'
import { promisify } from 'node:util'

const COPY_BYTES = 256 * 1024

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
 * The files of one log, which together never take more than `mostBytes`: the first half of it goes to `path`; what comes later to a second
 * file, which is replaced by one with its newest part when it has grown too long. Both are ordinary files at every moment. Opened with the first
 * byte, for the owner only: output can hold secrets.
 */
export class LogFiles {
  readonly path: string
  private readonly firstBytes: number
  /** The second file is replaced beyond this size, and this much of it is kept. */
  private readonly newestBytes: number
  private readonly keptBytes: number
  private first: number | undefined
  private newest: number | undefined
  private newestFrom = 0
  private headerBytes = 0
  private written = 0

  constructor(path: string, mostBytes: number) {
    this.path = path
    this.firstBytes = Math.ceil(mostBytes / 2)
    this.keptBytes = Math.floor(mostBytes / 8)
    this.newestBytes = mostBytes - this.firstBytes - this.keptBytes
  }

  /** There once the log has rotated. */
  get newestPath(): string | undefined {
    return this.newest === undefined ? undefined : newestPathOf(this.path)
  }

  /** Writes some of `data`, on another thread; tells how many bytes, at least one. */
  write(data: Buffer, done: (error: Error | null, count: number) => void): void {
    const go = (): void => {
      const { file, part } = this.place(data)
      write(file, part, 0, part.length, null, (error, count) => {
        if (!error) this.written += count
        done(error ?? (count === 0 ? new Error('nothing was written') : null), count)
      })
    }
    try {
      if (this.isTooLong()) {
        this.shorten(this.newest!).then(go, (error: Error) => done(error, 0))
      } else go()
    } catch (error) {
      done(error as Error, 0)
    }
  }

  /** The same at once; 0 when that would take long. */
  writeNow(data: Buffer): number {
    if (this.isTooLong()) return 0
    const { file, part } = this.place(data)
    const count = writeSync(file, part, 0, part.length)
    this.written += count
    return count
  }

  close(): void {
    for (const file of [this.first, this.newest]) if (file !== undefined) closeSync(file)
    this.first = undefined
    this.newest = undefined
  }

  private isTooLong(): boolean {
    return this.newest !== undefined && this.written - this.newestFrom >= this.newestBytes
  }

  private place(data: Buffer): { file: number; part: Buffer } {
    const room = this.firstBytes - this.written
    if (room > 0) {
      this.first ??= openPrivate(this.path)
      return { file: this.first, part: data.subarray(0, room) }
    }
    if (this.newest === undefined) {
      this.newest = openPrivate(newestPathOf(this.path))
      this.newestFrom = this.written
      this.headerBytes = writeSync(this.newest, newestHeader(this.written, this.path))
    }
    return { file: this.newest, part: data }
  }

  /** Puts a file with the newest part of the second file, from the start of a line on, in its place. */
  private async shorten(old: number): Promise<void> {
    const path = newestPathOf(this.path)
    const size = this.headerBytes + this.written - this.newestFrom
    const buffer = Buffer.allocUnsafe(COPY_BYTES)
    const readAt = async (at: number): Promise<Buffer> =>
      buffer.subarray(0, (await promisify(read)(old, buffer, 0, buffer.length, at)).bytesRead)
    let at = Math.max(this.headerBytes, size - this.keptBytes)
    // Zero when there is no line end nearby.
    at += (await readAt(at)).indexOf(0x0a) + 1
    const from = this.newestFrom + at - this.headerBytes
    const temporary = `${path}.tmp`
    const file = openPrivate(temporary)
    try {
      const headerBytes = writeSync(file, newestHeader(from, this.path))
      while (at < size) {
        const piece = await readAt(at)
        if (piece.length === 0) throw new Error('the log was shortened by somebody else')
        for (let done = 0; done < piece.length;) {
          done += (await promisify(write)(file, piece, done, piece.length - done, null)).bytesWritten
        }
        at += piece.length
      }
      renameSync(temporary, path)
      closeSync(old)
      this.newest = file
      this.newestFrom = from
      this.headerBytes = headerBytes
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
