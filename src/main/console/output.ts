import { StringDecoder } from 'node:string_decoder'

/** What a terminal acts on, hides or reorders: control characters but line feed and tab, direction marks, characters without width, the tags block. */
const UNSAFE =
  /[^\P{Cc}\n\t]|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Cs}/gu
const HIDDEN = /^[\r\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]$/u

/**
 * Text of a model, a tool or a file as it may be written to a terminal: an escape code becomes visible text and does nothing. Works on any piece of a
 * stream: no character depends on the one before it.
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

/** On one line, with everything between words a single space. */
export function oneLine(text: string): string {
  return safeText(text).replaceAll(/\s+/gu, ' ').trim()
}

/** What was written straight to a stream before it was guarded. */
const unguarded = new WeakMap<NodeJS.WriteStream, NodeJS.WriteStream['write']>()

/**
 * From now on no text that this program writes to the stream can steer a terminal, whoever wrote it: a model, a server, a file or a command. Escape
 * sequences become visible text.
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

/** Guards what people read: messages on stderr always, stdout where it is a terminal. Piped to another program, stdout is data and stays as it is. */
export function guardOutput({ stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'>): void {
  guardTerminal(stderr)
  if (stdout.isTTY) guardTerminal(stdout)
}

/** The stream for a line editor of our own, which moves the cursor. Whatever else is written to it must be made safe first. */
export function editorOutput(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  const write = unguarded.get(stream)
  return write ? (Object.create(stream, { write: { value: write } }) as NodeJS.WriteStream) : stream
}

/** Rows under their headings, as wide as they need to be. No cell can add a row, whatever it contains. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headings, ...rows].map((row) => row.map(oneLine))
  const widths = headings.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}

/** Whether everything that was printed has been written. */
export interface WatchedOutput {
  /** Why some of it was not; undefined when all was, or when nobody reads it any more. */
  problem(): string | undefined
}

/**
 * Notices when what is printed cannot be written: on a full disk a program must not end as if all had gone well. A reader that is gone (`| head`) is no failure;
 * a program that does not listen for that itself ends then.
 */
export function watchOutput(stdout: NodeJS.WriteStream, exit: (code: number) => never): WatchedOutput {
  let problem: string | undefined
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') {
      if (stdout.listenerCount('error') === 1) exit(1)
      return
    }
    // What follows the first failure is refused because of it.
    problem ??= error.code === 'ENOSPC' ? 'there is no space left where it goes (ENOSPC)' : error.message
  })
  return { problem: () => problem }
}
