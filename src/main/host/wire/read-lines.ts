/** One line as it came, or why it cannot be read. `n` counts from 1. */
export type ReadLine = { n: number; text: string } | { n: number; problem: string }

const NEWLINE = 0x0a

/**
 * The lines of a byte stream, each whole. A line longer than `mostBytes` is read to its end and reported, never kept; so is one that is not UTF-8.
 * Empty lines are left out; what stands behind the last line end counts as a line.
 */
export async function* readLines(input: AsyncIterable<Uint8Array>, mostBytes: number): AsyncGenerator<ReadLine, void, void> {
  let pieces: Uint8Array[] = []
  let bytes = 0
  let n = 1
  const finish = (): ReadLine | undefined => {
    const line = bytes > mostBytes ? tooLong(n, mostBytes) : decode(n, pieces)
    pieces = []
    bytes = 0
    n += 1
    return line
  }
  const keep = (piece: Uint8Array): void => {
    bytes += piece.length
    if (bytes > mostBytes) pieces = []
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

function tooLong(n: number, mostBytes: number): ReadLine {
  return { n, problem: `Line ${n} is longer than ${mostBytes} bytes; it was left out.` }
}

function decode(n: number, pieces: readonly Uint8Array[]): ReadLine | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces))
    return text.trim() === '' ? undefined : { n, text }
  } catch {
    return { n, problem: `Line ${n} is not UTF-8.` }
  }
}
