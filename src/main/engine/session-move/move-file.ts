import { createHash, type Hash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import { isRecord } from '../../../shared/json-fields'
import { CodedError } from '../../../shared/errors'

/** The name of the format in the first line of the file. */
export const MOVE_FORMAT = 'trestle-move'
export const MOVE_VERSION = 1

/** Maximum record size; the largest record is a project's bundle. */
const MAX_RECORD_BYTES = 2 ** 31 - 1
const MAX_LINE_BYTES = 64 * 1024

/**
 * A record of a move file: one line of JSON with its kind and size, then the bytes and a line feed. The last record,
 * `end`, has the SHA-256 of everything before it.
 */
export interface MoveRecord {
  kind: string
  /** The id, hash or name of the content. */
  name?: string
  data: Buffer
}

/** Writes a move file, which is incomplete until `finish` returns. */
export interface MoveFileWriter {
  add(kind: string, data: Uint8Array, name?: string): void
  /** Writes the last record and flushes everything to disk. */
  finish(): void
  /** Closes the incomplete file. */
  close(): void
}

export function createMoveFile(path: string): MoveFileWriter {
  const fd = openSync(path, 'wx', 0o600)
  const digest = createHash('sha256')
  const put = (bytes: Uint8Array): void => {
    digest.update(bytes)
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at)
  }
  const add: MoveFileWriter['add'] = (kind, data, name) => {
    put(Buffer.from(`${JSON.stringify({ kind, ...(name !== undefined && { name }), bytes: data.length })}\n`))
    put(data)
    put(Buffer.from('\n'))
  }
  return {
    add,
    finish() {
      add('end', Buffer.from(digest.copy().digest('hex')))
      fsyncSync(fd)
      closeSync(fd)
    },
    close: () => closeSync(fd),
  }
}

/**
 * The records of a move file, in order, without the last one. Throws `move.damaged` at the first error; the file is
 * known to be complete only after all records were read.
 */
export function* readMoveFile(path: string): Generator<MoveRecord, void> {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) throw new CodedError('request.invalid', `There is no file ${path}.`)
  // Opening a pipe would wait for a writer.
  if (!stat.isFile()) throw new CodedError('request.invalid', `${path} is not a file.`)
  const { size } = stat
  const fd = openSync(path, 'r')
  try {
    const digest = createHash('sha256')
    let at = 0
    for (;;) {
      const before = digest.copy()
      const line = lineAt(fd, at)
      const head = headOf(line)
      const start = at + line.length + 1
      if (!head || start + head.bytes + 1 > size) throw damaged('it ends too early, or is not a move file')
      const data = bytesAt(fd, start, head.bytes + 1)
      if (data[head.bytes] !== 0x0a) throw damaged('a record has another length than it says')
      at = start + head.bytes + 1
      const content = data.subarray(0, head.bytes)
      if (head.kind === 'end') return checkEnd(before, content, at === size)
      digest.update(line).update('\n').update(data)
      yield { kind: head.kind, ...(head.name !== undefined && { name: head.name }), data: content }
    }
  } finally {
    closeSync(fd)
  }
}

function checkEnd(digest: Hash, content: Buffer, isLast: boolean): void {
  if (!isLast) throw damaged('something was added at its end')
  if (content.toString('latin1') !== digest.digest('hex')) throw damaged('its content does not match its digest')
}

function headOf(line: Buffer): { kind: string; name?: string; bytes: number } | undefined {
  try {
    const head: unknown = JSON.parse(line.toString('utf8'))
    if (!isRecord(head)) return undefined
    const { kind, name, bytes } = head
    if (typeof kind !== 'string' || !Number.isInteger(bytes)) return undefined
    if (Number(bytes) < 0 || Number(bytes) > MAX_RECORD_BYTES) return undefined
    return { kind, bytes: Number(bytes), ...(typeof name === 'string' && { name }) }
  } catch {
    return undefined
  }
}

/** The line at the position, without its line end. */
function lineAt(fd: number, at: number): Buffer {
  const chunk = Buffer.alloc(4096)
  const parts: Buffer[] = []
  for (let length = 0; length < MAX_LINE_BYTES;) {
    const read = readSync(fd, chunk, 0, chunk.length, at + length)
    if (read === 0) break
    const end = chunk.subarray(0, read).indexOf(0x0a)
    parts.push(Buffer.from(chunk.subarray(0, end === -1 ? read : end)))
    if (end !== -1) return Buffer.concat(parts)
    length += read
  }
  throw damaged('it ends too early, or is not a move file')
}

function bytesAt(fd: number, at: number, count: number): Buffer {
  const bytes = Buffer.allocUnsafe(count)
  for (let done = 0; done < count;) {
    const read = readSync(fd, bytes, done, count - done, at + done)
    if (read === 0) throw damaged('it ends too early')
    done += read
  }
  return bytes
}

export function damaged(why: string): CodedError {
  return new CodedError('move.damaged', `The file cannot be received: ${why}.`)
}
