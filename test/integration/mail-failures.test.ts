import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testAccount } from '../../src/main/engine/mail/mail'
import type { MailAccount, MailCheck } from '../../src/shared/model/assistant/mail'
import { freePort, hasDovecot } from '../support/mail/dovecot'
import { MAIL_PASSWORD, startMailLab, type MailLab } from '../support/mail/mail-lab'

describe.skipIf(!hasDovecot)('the test of a mail account', () => {
  let lab: MailLab
  beforeAll(async () => {
    lab = await startMailLab()
  })
  afterAll(() => lab.close())

  const check = async (
    change: Partial<MailAccount>,
    password = MAIL_PASSWORD,
  ): Promise<Partial<Record<MailCheck['what'], MailCheck>>> => {
    const { checks } = await testAccount({ account: lab.account('ada', change), password })
    return Object.fromEntries(checks.map((one) => [one.what, one]))
  }
  const imap = (port: number, security: 'tls' | 'starttls' | 'none', host = '127.0.0.1') => ({
    imap: { host, port, security },
  })

  it('passes for a working account and reports what it found', async () => {
    const result = await testAccount({ account: lab.account('ada'), password: MAIL_PASSWORD })
    expect(result).toMatchObject({
      ok: true,
      folders: expect.arrayContaining(['INBOX', 'Drafts', 'Sent', 'Trash', 'Archive']),
    })
    expect(result.checks.map(({ message }) => message)).toEqual([
      'Signed in to 127.0.0.1; the inbox has 0 messages.',
      'Folders found: Drafts, Sent.',
      'Signed in to 127.0.0.1 for sending.',
    ])
  })

  it('names a wrong password, for reading and for sending, and never shows it', async () => {
    const found = await check({}, 'CANARY-wrong')
    expect(found.imap).toMatchObject({
      ok: false,
      message: expect.stringContaining('refused the user name or the password of ada'),
      advice: expect.stringContaining('app password'),
    })
    expect(found.smtp).toMatchObject({
      ok: false,
      message: expect.stringContaining('Username and Password not accepted'),
    })
    expect(JSON.stringify(found)).not.toContain('CANARY')
  })

  it('names an untrusted certificate, and accepts one of a server on this computer when told to', async () => {
    const found = await check(imap(lab.imap.tlsPort, 'tls'))
    expect(found.imap).toMatchObject({
      ok: false,
      message: expect.stringMatching(
        /^The certificate of 127\.0\.0\.1 is (?:signed by|self-signed).*, so no password was sent\.$/,
      ),
      advice: expect.stringContaining('self_signed = true'),
    })
    expect((await check({ ...imap(lab.imap.tlsPort, 'tls'), selfSigned: true })).imap).toMatchObject({ ok: true })
    expect((await check({ ...imap(lab.imap.port, 'starttls'), selfSigned: true })).imap).toMatchObject({ ok: true })
    expect((await check(imap(lab.imap.port, 'starttls'))).imap).toMatchObject({
      ok: false,
      message: expect.stringContaining('certificate'),
    })
  })

  it('names a port that nothing listens on, and one that does not speak TLS', async () => {
    const closed = await freePort()
    expect((await check(imap(closed, 'tls'))).imap).toMatchObject({
      ok: false,
      message: `127.0.0.1 does not accept connections on port ${closed}.`,
    })
    expect((await check(imap(lab.imap.port, 'tls'))).imap).toMatchObject({
      ok: false,
      message: `Port ${lab.imap.port} of 127.0.0.1 does not speak TLS.`,
      advice: expect.stringContaining('STARTTLS'),
    })
    const smtp = { host: '127.0.0.1', port: lab.smtp.port, security: 'starttls' as const }
    expect((await check({ smtp })).smtp).toMatchObject({
      ok: false,
      message: expect.stringContaining('offers no encryption'),
    })
  })

  it('names a server that does not exist', async () => {
    const found = await check(imap(993, 'tls', 'imap.invalid'))
    expect(found.imap).toMatchObject({
      ok: false,
      message: expect.stringMatching(/no server called imap\.invalid|address of imap\.invalid could not be looked up/),
    })
  })

  it('names a folder that is missing', async () => {
    expect((await check({ sentFolder: 'Gesendet' })).folders).toMatchObject({
      ok: false,
      message: expect.stringMatching(/has no folder "Gesendet".*There are:/),
      advice: 'Correct sent_folder in [mail.accounts.ada].',
    })
  })
})
