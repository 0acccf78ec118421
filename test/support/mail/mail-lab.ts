import { ImapFlow } from 'imapflow'
import type { MailAccount, MailServer } from '../../../src/shared/model/assistant/mail'
import { startDovecot, type Dovecot } from './dovecot'
import { startSmtp, type SmtpDouble } from './smtp'

/** The password of every account in these tests. */
export const MAIL_PASSWORD = 'CANARY-mail-pass-4b1e'

export interface MailLab {
  imap: Dovecot
  smtp: SmtpDouble
  /** An account on the two servers; every user has their own mailbox. */
  account(user: string, more?: Partial<MailAccount>): MailAccount
  /** Acts as a mail program of the user. */
  asUser<Result>(user: string, work: (client: ImapFlow) => Promise<Result>): Promise<Result>
  /** Delivers a message; returns its number. */
  deliver(user: string, raw: Buffer | string, folder?: string): Promise<number>
  close(): Promise<void>
}

/** One mail server for reading and one for sending, both on loopback. */
export async function startMailLab(): Promise<MailLab> {
  const [imap, smtp] = await Promise.all([
    startDovecot({ password: MAIL_PASSWORD }),
    startSmtp({ password: MAIL_PASSWORD, refuses: ['gone@example.com'] }),
  ])
  const local = (port: number): MailServer => ({ host: '127.0.0.1', port, security: 'none' })
  const asUser: MailLab['asUser'] = async (user, work) => {
    const client = new ImapFlow({
      host: '127.0.0.1',
      port: imap.port,
      secure: false,
      doSTARTTLS: false,
      auth: { user, pass: MAIL_PASSWORD },
      logger: false,
      disableAutoIdle: true,
    })
    client.on('error', () => undefined)
    await client.connect()
    try {
      return await work(client)
    } finally {
      await client.logout()
    }
  }
  return {
    imap,
    smtp,
    account: (user, more = {}) => ({
      id: user,
      address: `${user}@example.com`,
      user,
      imap: local(imap.port),
      smtp: local(smtp.port),
      ...more,
    }),
    asUser,
    deliver: (user, raw, folder = 'INBOX') =>
      asUser(user, async (client) => {
        const stored = await client.append(folder, raw)
        if (!stored || stored.uid === undefined) throw new Error('The message was not stored.')
        return stored.uid
      }),
    async close() {
      await Promise.all([imap.close(), smtp.close()])
    },
  }
}

/** The account in config.toml. */
export function accountToml({ id, address, user, imap, smtp }: MailAccount): string {
  return [
    `[mail.accounts.${id}]`,
    `address = "${address}"`,
    `user = "${user ?? address}"`,
    `imap_host = "${imap.host}"`,
    `imap_port = ${imap.port}`,
    `imap_security = "${imap.security}"`,
    `smtp_host = "${smtp.host}"`,
    `smtp_port = ${smtp.port}`,
    `smtp_security = "${smtp.security}"`,
    '',
  ].join('\n')
}
