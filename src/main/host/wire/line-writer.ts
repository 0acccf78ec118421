import type { Writable } from 'node:stream'
import type { WireLine } from '../../../shared/contract/stdio-wire'

/** Bytes that may wait for a slow reader before no more requests are taken. */
const MOST_WAITING = 16 << 20

export interface LineWriter {
  /** Writes one line; resolves when the stream has room for another. Never rejects: whoever watches the stream hears of its end. */
  write(line: WireLine): Promise<void>
  /** Resolves at once unless so much waits to be read that nothing should be added. */
  room(): Promise<void>
  /** Resolves when everything is written, or the reader has gone. */
  flushed(): Promise<void>
}

/** Lines of JSON on a stream that says when its reader is slow. */
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
    room: () => (out.destroyed || out.writableLength < MOST_WAITING ? Promise.resolve() : drained()),
    flushed: () => (out.destroyed || out.writableLength === 0 ? Promise.resolve() : drained()),
  }
}
