import { fstatSync } from 'node:fs'

/**
 * A program that starts us with a socket for stdin and forgets to close it would make us wait for ever: when nothing has come
 * through a socket for this long, nothing is meant to come. A shell's pipe and a file are read to their end, however long that takes.
 */
const SOCKET_SILENCE_MS = 500
const HINT_AFTER_MS = 3000

/** What was piped into the program, or an empty string for a terminal, a closed stdin, or nothing. */
export async function readStdin(): Promise<string> {
  if (process.stdin.isTTY) return ''
  let isSocket = false
  try {
    const stat = fstatSync(0)
    if (stat.isCharacterDevice()) return ''
    isSocket = stat.isSocket()
  } catch {
    return ''
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const hint = setTimeout(() => process.stderr.write('trestle: waiting for stdin to end (use </dev/null for none)\n'), HINT_AFTER_MS)
    const silence = isSocket ? setTimeout(() => done(), SOCKET_SILENCE_MS) : undefined
    const done = (): void => {
      clearTimeout(hint)
      clearTimeout(silence)
      process.stdin.destroy()
      resolve(Buffer.concat(chunks).toString('utf8'))
    }
    process.stdin.on('data', (chunk: Buffer) => {
      clearTimeout(silence)
      clearTimeout(hint)
      chunks.push(chunk)
    })
    process.stdin.once('end', done)
    process.stdin.once('error', reject)
  })
}
