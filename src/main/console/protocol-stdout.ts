import { fstatSync } from 'node:fs'
import { Socket } from 'node:net'
import { Writable } from 'node:stream'

/**
 * Takes stdout for a protocol: from now on only the stream returned writes there, and what anything else prints to stdout goes to stderr.
 * The stream never blocks the program: a reader that does not read fills it, and it says so as streams do (Node's own stdout would stop
 * everything while a pipe is full).
 */
export function reserveStdout(): Writable {
  const { stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr)
  if (isPipe()) return new Socket({ fd: 1, readable: false, writable: true })
  return new Writable({ write: (chunk: Buffer, _encoding, done) => void write(chunk, done) })
}

/** Node writes to pipes and sockets without waiting on Windows only. */
function isPipe(): boolean {
  if (process.platform === 'win32') return false
  try {
    const stat = fstatSync(1)
    return stat.isFIFO() || stat.isSocket()
  } catch {
    return false
  }
}
