import { StringDecoder } from 'node:string_decoder'

/** Reads a secret that is typed at the terminal, without echo. Undefined for Ctrl-C. */
export async function typedSecret(question: string): Promise<string | undefined> {
  const { stdin, stderr } = process
  const typed = readHidden(stdin, () => stderr.write(question))
  try {
    return await typed
  } finally {
    stdin.pause()
    stderr.write('\n')
  }
}

/**
 * Reads the next typed line without echo; undefined for Ctrl-C and when the signal aborts. `ask` writes the question
 * once echo is off: the user can type as soon as it appears.
 */
export function readHidden(
  input: NodeJS.ReadStream,
  ask: () => void,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const decoder = new StringDecoder('utf8')
  let typed = ''
  input.setRawMode(true)
  ask()
  return new Promise((resolve) => {
    const end = (secret: string | undefined): void => {
      input.off('data', hear)
      signal?.removeEventListener('abort', cancel)
      input.setRawMode(false)
      resolve(secret)
    }
    const cancel = (): void => end(undefined)
    const hear = (piece: Buffer | string): void => {
      for (const char of typeof piece === 'string' ? piece : decoder.write(piece)) {
        if (char === '\x03') return end(undefined)
        if (char === '\r' || char === '\n' || char === '\x04') return end(typed.trim())
        if (char === '\x7f' || char === '\b') typed = typed.replace(/.$/su, '')
        else if (char === '\x15') typed = ''
        else if (char >= ' ') typed += char
      }
    }
    input.on('data', hear)
    if (signal?.aborted) cancel()
    signal?.addEventListener('abort', cancel, { once: true })
  })
}
