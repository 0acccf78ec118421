import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createUnzip, createZstdDecompress } from 'node:zlib'

/** The bytes of an answer without their content coding. A coding nobody knows is left as it came. */
export function decoded(message: IncomingMessage): Readable {
  let source: Readable = message
  for (const coding of (message.headers['content-encoding'] ?? '').toLowerCase().split(',').toReversed()) {
    const decoder = decoderFor(coding.trim())
    // An error of any link reaches the last one, which is read.
    if (decoder) source = pipeline(source, decoder, () => undefined)
  }
  return source
}

function decoderFor(coding: string) {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
    case 'deflate':
      return createUnzip()
    case 'br':
      return createBrotliDecompress()
    case 'zstd':
      return createZstdDecompress()
    default:
      return undefined
  }
}
