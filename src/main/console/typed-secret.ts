import { StringDecoder } from 'node:string_decoder'

/** Reads a secret that is typed at the terminal, without echo. Undefined for Ctrl-C. */
export function typedSecret(question: string): Promise<string | undefined> {
  const { stdin, stderr } = process
  const decoder = new StringDecoder('utf8')
  let typed = ''
  // Before the prompt, because the user may type as soon as it appears.
  stdin.setRawMode(true)
  stderr.write(question)
  return new Promise((resolve) => {
    const end = (secret: string | undefined): void => {
      stdin.off('data', hear)
      stdin.setRawMode(false)
      stdin.pause()
      stderr.write('\n')
      resolve(secret)
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
