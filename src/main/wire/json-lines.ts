import type { Writable } from 'node:stream'
import type { z } from 'zod'
import { errorText } from '../../shared/error-text'
import { wireCancel, wireRequest, type WireId, type WireLine } from '../../shared/contract/stdio-wire'

/** One line, or why it cannot be read. `n` counts from 1. */
export type ReadLine = { n: number; text: string } | { n: number; problem: string }

const NEWLINE = 0x0a

/**
 * The lines of a byte stream, each complete. A line longer than `maxBytes` is skipped and reported, never buffered, and
 * so is one that is not UTF-8. Empty lines are skipped; text after the last line end counts as a line.
 */
export async function* readLines(
  input: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<ReadLine, void, void> {
  let pieces: Uint8Array[] = []
  let bytes = 0
  let n = 1
  const finish = (): ReadLine | undefined => {
    const line = bytes > maxBytes ? tooLong(n, maxBytes) : decode(n, pieces)
    pieces = []
    bytes = 0
    n += 1
    return line
  }
  const keep = (piece: Uint8Array): void => {
    bytes += piece.length
    if (bytes > maxBytes) pieces = []
    else if (piece.length > 0) pieces.push(piece)
  }
  for await (const chunk of input) {
    let at = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, at)) {
      keep(chunk.subarray(at, end))
      at = end + 1
      const line = finish()
      if (line) yield line
    }
    keep(chunk.subarray(at))
  }
  const last = finish()
  if (last) yield last
}

function tooLong(n: number, maxBytes: number): ReadLine {
  return { n, problem: `Line ${n} is longer than ${maxBytes} bytes; it was left out.` }
}

function decode(n: number, pieces: readonly Uint8Array[]): ReadLine | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces))
    return text.trim() === '' ? undefined : { n, text }
  } catch {
    return { n, problem: `Line ${n} is not UTF-8.` }
  }
}

/** A parsed line of a client. `id` is null when it cannot be determined. */
export type ParsedLine =
  | { kind: 'request'; id: WireId; method: string; input: unknown }
  | { kind: 'cancel'; id: WireId }
  | { kind: 'problem'; id: WireId | null; message: string }

const SHAPES = '{"id":1,"method":"session.list","input":{…}} or {"id":1,"cancel":true}'

/** Parses one line of a client; never throws. */
export function parseLine({ n, text }: { n: number; text: string }): ParsedLine {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return {
      kind: 'problem',
      id: null,
      message: `Line ${n} is not JSON: ${errorText(error)}`,
    }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { kind: 'problem', id: null, message: `Line ${n} is not an object. A line is ${SHAPES}.` }
  const isCancel = 'cancel' in value
  const parsed = isCancel ? wireCancel.safeParse(value) : wireRequest.safeParse(value)
  if (!parsed.success)
    return { kind: 'problem', id: idOf(value), message: `Line ${n}: ${issuesText(parsed.error)}. A line is ${SHAPES}.` }
  return 'method' in parsed.data
    ? { kind: 'request', id: parsed.data.id, method: parsed.data.method, input: parsed.data.input }
    : { kind: 'cancel', id: parsed.data.id }
}

function idOf(value: object): WireId | null {
  const id = wireRequest.shape.id.safeParse('id' in value ? value.id : undefined)
  return id.success ? id.data : null
}

function issuesText(error: z.ZodError): string {
  return error.issues
    .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
    .join('; ')
}

/** Maximum bytes buffered for a slow reader before input is paused. */
const MAX_PENDING_BYTES = 16 << 20

export interface LineWriter {
  /**
   * Writes one line; resolves when the stream can take another. Never rejects: errors are reported by the stream's own
   * events.
   */
  write(line: WireLine): Promise<void>
  /** Resolves once the buffered output is below the limit. */
  ready(): Promise<void>
  /** Resolves when everything is written, or the reader has closed the stream. */
  flushed(): Promise<void>
}

/** Writes lines of JSON to a stream, with backpressure. */
export function createLineWriter(out: Writable): LineWriter {
  const waiting = new Set<() => void>()
  const release = (): void => {
    for (const resolve of waiting) resolve()
    waiting.clear()
  }
  out.on('drain', release).on('close', release)
  const drained = (): Promise<void> => new Promise((resolve) => waiting.add(resolve))
  return {
    write(line) {
      if (out.destroyed || out.write(`${JSON.stringify(line)}\n`)) return Promise.resolve()
      return drained()
    },
    ready: () => (out.destroyed || out.writableLength < MAX_PENDING_BYTES ? Promise.resolve() : drained()),
    flushed: () => (out.destroyed || out.writableLength === 0 ? Promise.resolve() : drained()),
  }
}
