import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A message received by the SMTP server. */
export interface ReceivedMail {
  from: string
  to: string[]
  raw: string
}

export interface SmtpDouble {
  port: number
  received: ReceivedMail[]
  /** Resolves with the next message. */
  next(): Promise<ReceivedMail>
  close(): Promise<void>
}

export interface SmtpOptions {
  password: string
  /** Files of a certificate; without them there is no encryption. */
  tls?: { key: string; cert: string }
  /** Recipients that it rejects. */
  refuses?: readonly string[]
}

/** An SMTP server on loopback that keeps the messages it receives. */
export async function startSmtp({ password, tls, refuses = [] }: SmtpOptions): Promise<SmtpDouble> {
  const received: ReceivedMail[] = []
  const waiting: ((mail: ReceivedMail) => void)[] = []
  const server = new SMTPServer({
    logger: false,
    ...(tls
      ? { key: readFileSync(tls.key), cert: readFileSync(tls.cert) }
      : { disabledCommands: ['STARTTLS'], allowInsecureAuth: true }),
    onAuth(auth, _session, done) {
      if (auth.password === password) done(null, { user: auth.username })
      else done(new Error('Username and Password not accepted'))
    },
    onRcptTo({ address }, _session, done) {
      done(refuses.includes(address) ? Object.assign(new Error('No such user here'), { responseCode: 550 }) : null)
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        const mail = {
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString('utf8'),
        }
        received.push(mail)
        waiting.shift()?.(mail)
        done()
      })
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    port,
    received,
    next: () => new Promise((resolve) => waiting.push(resolve)),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
