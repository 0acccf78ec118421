import { StringDecoder } from 'node:string_decoder'
import { fstatSync } from 'node:fs'
import { Socket } from 'node:net'
import { Writable } from 'node:stream'
import { displayWidth, padToWidth, truncateToWidth } from './display-width'

/**
 * Characters a terminal acts on, hides or reorders: control characters except LF and tab, bidi marks, zero-width
 * characters, the tags block.
 */
const UNSAFE =
  /[^\P{Cc}\n\t]|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Cs}/gu
const HIDDEN = /^[\r\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]$/u

/**
 * Makes text of a model, a tool or a file safe for a terminal: escape codes become visible text. Works on any piece of
 * a stream: no character depends on the one before it.
 */
export function safeText(text: string): string {
  return text.replaceAll(UNSAFE, (char) => {
    if (HIDDEN.test(char)) return ''
    if (char === '\u2028' || char === '\u2029') return '\n'
    const code = char.codePointAt(0)!
    if (code === 0x1b) return '␛'
    return code < 0x20 ? String.fromCodePoint(0x2400 + code) : '�'
  })
}

/** Safe text on one line, with whitespace collapsed to single spaces. */
export function oneLine(text: string): string {
  return safeText(text).replaceAll(/\s+/gu, ' ').trim()
}

/** Text on one line of at most `max` columns, with an ellipsis where it is cut. */
export function shortLine(text: string, max: number): string {
  return truncateToWidth(text.replaceAll(/\s+/g, ' ').trim(), max)
}

/** The original `write` of each guarded stream. */
const unguarded = new WeakMap<NodeJS.WriteStream, NodeJS.WriteStream['write']>()

/**
 * From now on, no text written to the stream can control the terminal, whether it comes from a model, a server, a file
 * or a command. Escape sequences become visible text.
 */
export function guardTerminal(stream: NodeJS.WriteStream): void {
  if (unguarded.has(stream)) return
  const raw = stream.write.bind(stream)
  unguarded.set(stream, raw)
  const decoder = new StringDecoder('utf8')
  stream.write = (piece: string | Uint8Array, ...more: unknown[]): boolean => {
    const text = typeof piece === 'string' ? piece : decoder.write(Buffer.from(piece))
    return Reflect.apply(raw, stream, [safeText(text), ...more]) as boolean
  }
}

/**
 * Guards stderr always, and stdout when it is a terminal. Piped to another program, stdout is data and stays unchanged.
 */
export function guardOutput({ stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'>): void {
  guardTerminal(stderr)
  if (stdout.isTTY) guardTerminal(stdout)
}

/**
 * The unguarded stream for our own line editor, which moves the cursor. Anything else written to it must be made safe
 * first.
 */
export function editorOutput(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  const write = unguarded.get(stream)
  return write ? (Object.create(stream, { write: { value: write } }) as NodeJS.WriteStream) : stream
}

/** A table as text, columns as wide as their content. Cells are single-line, whatever they contain. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headings, ...rows].map((row) => row.map(oneLine))
  const widths = headings.map((_, column) => Math.max(...all.map((row) => displayWidth(row[column] ?? ''))))
  return all
    .map((row) => row.map((cell, column) => padToWidth(cell, widths[column] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}

/** Tracks whether all output could be written. */
export interface WatchedOutput {
  /** Why a write failed; undefined when all succeeded or the reader has closed the pipe. */
  problem(): string | undefined
}

/**
 * Detects failed writes: on a full disk the program must not exit as if it had succeeded. A closed reader (`| head`) is
 * not a failure; a program without its own listener then exits.
 */
export function watchOutput(stdout: NodeJS.WriteStream, exit: (code: number) => never): WatchedOutput {
  let problem: string | undefined
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') {
      if (stdout.listenerCount('error') === 1) exit(1)
      return
    }
    // Later writes fail for the same reason.
    problem ??= error.code === 'ENOSPC' ? 'there is no space left on the device (ENOSPC)' : error.message
  })
  return { problem: () => problem }
}

/**
 * Reserves stdout for a protocol: only the returned stream writes to it, and everything else printed to stdout goes to
 * stderr. The stream never blocks the program but reports backpressure as streams do (Node's own stdout would block
 * everything while a pipe is full).
 */
export function reserveStdout(): Writable {
  const { stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr)
  if (isPipe()) return new Socket({ fd: 1, readable: false, writable: true })
  return new Writable({ write: (chunk: Buffer, _encoding, done) => void write(chunk, done) })
}

/** Node writes to pipes asynchronously only on Windows; elsewhere a pipe or socket needs its own stream. */
function isPipe(): boolean {
  if (process.platform === 'win32') return false
  try {
    const stat = fstatSync(1)
    return stat.isFIFO() || stat.isSocket()
  } catch {
    return false
  }
}
