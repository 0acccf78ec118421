import { createServer, type AddressInfo, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { SignedAccount } from '../../../src/main/engine/mail/mail-connection'

/** Answers one command and returns true; everything else is answered as usual. `args`: the text after the command. */
export type ScriptedAnswer = (asked: {
  command: string
  args: string
  tag: string
  say: (line: string) => void
}) => boolean

/**
 * An IMAP server that answers as the test says, also in ways that no real server would. `opened` is what it reports
 * about its only folder. Returns the account on it, and the commands it got.
 */
export async function scriptedImap(
  opened: readonly string[],
  answer: ScriptedAnswer = () => false,
): Promise<{ signed: SignedAccount; commands: string[] }> {
  const commands: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => socket.destroy()))
    const say = (line: string): void => void socket.write(`${line}\r\n`)
    let [rest, idleTag] = ['', '']
    const run = (line: string): void => {
      if (line === 'DONE') return say(`${idleTag} OK`)
      const [, tag = '', command = '', args = ''] = /^(\S+) ((?:UID )?\S+) ?(.*)$/i.exec(line) ?? []
      commands.push(command)
      if (command === 'IDLE') idleTag = tag
      if (answer({ command, args, tag, say })) return
      if (command === 'CAPABILITY') say('* CAPABILITY IMAP4rev1 IDLE')
      if (command === 'LIST') say('* LIST () "/" INBOX')
      if (command === 'EXAMINE') for (const each of opened) say(each)
      say(command === 'IDLE' ? '+ idling' : `${tag} OK`)
    }
    say('* OK [CAPABILITY IMAP4rev1 IDLE] ready')
    socket.on('data', (bytes) => {
      const lines = `${rest}${bytes.toString('latin1')}`.split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) run(line)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const local = { host: '127.0.0.1', port, security: 'none' as const }
  return {
    signed: { account: { id: 'work', address: 'a@example.com', imap: local, smtp: local }, password: 'x' },
    commands,
  }
}
