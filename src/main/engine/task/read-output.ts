import { open, type FileHandle } from 'node:fs/promises'
import type { TaskOutputPage } from '../../../shared/model/task'
import { newestPathOf, readNewestHeader } from './log-files'

/** Longer than any header line. */
const HEADER_ROOM = 4096

/** One of a log's files: the output from byte `from` to `to` stands in it from `skip` on. */
interface Part {
  file: FileHandle
  from: number
  to: number
  skip: number
}

/**
 * A piece of at most `bytes` of the log at `path`, ending before byte `before` (default: the end), cut between characters. Reads what is on
 * disk, so it serves logs of any task, whoever writes or wrote them. An output that was never written is empty.
 */
export async function readOutput(path: string, page: { before?: number; bytes: number }): Promise<TaskOutputPage> {
  // The newest first: what rotates away meanwhile is still open then.
  const newest = await openPart(newestPathOf(path), true)
  const first = await openPart(path, false)
  try {
    const parts = [first, newest].filter((part) => part !== undefined)
    const total = parts.at(-1)?.to ?? 0
    const end = Math.min(page.before ?? total, total)
    // Right before `newest.from` comes the end of the first part.
    const part = newest && end > newest.from ? newest : first
    if (!part) return { text: '', from: 0, to: 0, total, dropped: 0 }
    const to = Math.min(end, part.to)
    const { text, from, length } = await readPart(part, Math.max(part.from, to - page.bytes), to)
    const dropped = part === newest && from === newest.from ? Math.max(0, newest.from - (first?.to ?? 0)) : 0
    return { text, from, to: from + length, total, dropped }
  } finally {
    await first?.file.close()
    await newest?.file.close()
  }
}

/** Bytes of output in the log at `path`, what was dropped included. */
export async function outputSize(path: string): Promise<number> {
  return (await readOutput(path, { before: 0, bytes: 0 })).total
}

async function openPart(path: string, hasHeader: boolean): Promise<Part | undefined> {
  let file: FileHandle
  try {
    file = await open(path, 'r')
  } catch {
    return undefined
  }
  const { size } = await file.stat()
  if (!hasHeader) return { file, from: 0, to: size, skip: 0 }
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_ROOM), 0, HEADER_ROOM, 0)
  const skip = buffer.subarray(0, bytesRead).indexOf(0x0a) + 1
  const from = readNewestHeader(buffer.toString('utf8', 0, skip))
  if (from !== undefined) return { file, from, to: from + size - skip, skip }
  await file.close()
  return undefined
}

async function readPart(
  { file, from: start, skip }: Part,
  from: number,
  to: number,
): Promise<{ text: string; from: number; length: number }> {
  const bytes = Buffer.alloc(Math.max(0, to - from))
  const { bytesRead } = await file.read(bytes, 0, bytes.length, skip + from - start)
  const begin = from > start ? characterStart(bytes.subarray(0, bytesRead)) : 0
  const end = wholeLength(bytes.subarray(0, bytesRead))
  const text = bytes.toString('utf8', begin, Math.max(begin, end))
  return { text, from: from + begin, length: Math.max(0, end - begin) }
}

/** Where the first whole character begins; at most three bytes belong to one before. */
function characterStart(bytes: Uint8Array): number {
  let at = 0
  while (at < 3 && at < bytes.length && (bytes[at]! & 0xc0) === 0x80) at++
  return at
}

/** The length without a character that is cut at the end. */
export function wholeLength(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!
    if ((byte & 0xc0) === 0x80) continue
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return needs > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}
