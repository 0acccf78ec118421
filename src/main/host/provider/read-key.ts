import { text } from 'node:stream/consumers'
import { StringDecoder } from 'node:string_decoder'
import { UsageError } from '../../command-line/parse'

/** Longer than any key; a file piped in by mistake is none. */
const MOST_CHARS = 16_384

/**
 * A provider's key: piped in, or typed at the terminal without being shown. Empty when there is to be none, undefined for Ctrl-C. A key is never taken from the
 * command line, which every program of the machine can read.
 */
export async function readKey(name: string, fromStdin: boolean): Promise<string | undefined> {
  const { stdin, stderr } = process
  if (stdin.isTTY && stderr.isTTY) return typedKey(`Key of ${name} (not shown; leave empty for none): `)
  if (!fromStdin)
    throw new UsageError(
      'Where is its key? Pipe it in with --key-stdin, name its variable with --key-env NAME, or say --no-key.',
      'provider',
    )
  const key = (await text(stdin)).trim()
  if (key === '') throw new UsageError('No key came on stdin.', 'provider')
  if (key.length > MOST_CHARS || /[\s\p{Cc}]/u.test(key))
    throw new UsageError('What came on stdin is no key: it has blanks or several lines.', 'provider')
  return key
}

function typedKey(question: string): Promise<string | undefined> {
  const { stdin, stderr } = process
  const decoder = new StringDecoder('utf8')
  let typed = ''
  // First: whoever sees the question may type at once.
  stdin.setRawMode(true)
  stderr.write(question)
  return new Promise((resolve) => {
    const end = (key: string | undefined): void => {
      stdin.off('data', hear)
      stdin.setRawMode(false)
      stdin.pause()
      stderr.write('\n')
      resolve(key)
    }
    const hear = (piece: Buffer): void => {
      for (const char of decoder.write(piece)) {
        if (char === '\x03') return end(undefined)
        if (char === '\r' || char === '\n' || char === '\x04') return end(typed.trim())
        if (char === '\x7f' || char === '\b') typed = typed.slice(0, -1)
        else if (char === '\x15') typed = ''
        else if (char >= ' ') typed += char
      }
    }
    stdin.on('data', hear)
  })
}
