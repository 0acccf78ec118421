import { fstatSync } from 'node:fs'
import { Socket } from 'node:net'
import { Writable } from 'node:stream'

/**
 * Reserves stdout for a protocol: only the returned stream writes to it, and everything else printed to stdout goes to
 * stderr. The stream never blocks the program: it reports backpressure as streams do (Node's own stdout would stop
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
