import { StringDecoder } from 'node:string_decoder'
import { safeText } from './safe-text'

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
