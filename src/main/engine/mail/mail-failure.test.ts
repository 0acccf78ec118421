import { describe, expect, test } from 'vitest'
import { CodedError } from '../../../shared/errors'
import type { MailAccount } from '../../../shared/model/assistant/mail'
import { explainMailError, mailError } from './mail-failure'

const ACCOUNT: MailAccount = {
  id: 'work',
  address: 'ada@example.com',
  imap: { host: 'imap.example.com', port: 993, security: 'tls' },
  smtp: { host: 'smtp.example.com', port: 587, security: 'starttls' },
}
const failing = (fields: object, message = 'Command failed'): Error => Object.assign(new Error(message), fields)
const explained = (error: unknown, password?: string) =>
  explainMailError(error, { account: ACCOUNT, server: 'imap', ...(password !== undefined && { password }) })

describe('an error message of a mail server', () => {
  const refusal = (responseText: string): Error => failing({ authenticationFailed: true, responseText })

  test.each(['p4ss w0rd', 'double  blank', 'tab\tbed', '$&$1'])('never shows the password %j', (password) => {
    for (const said of [`No: ${password}!`, `${'x'.repeat(295)}${password}`, `${password}${password}`]) {
      const { message, advice } = explained(refusal(said), password)!
      const shown = `${message} ${advice}`
      expect(shown).not.toContain(password)
      expect(shown).not.toContain(password.replaceAll(/\s+/g, ' '))
      expect(shown).not.toContain(password.slice(0, 4))
    }
  })

  test('is on one line, without a trailing period, and limited in length', () => {
    expect(explained(failing({ responseStatus: 'NO', responseText: ' Not\r\n now. ' }))!.message).toBe(
      'imap.example.com rejected it. It says: "Not now".',
    )
    const { message } = explained(failing({ responseStatus: 'NO', responseText: `${'x'.repeat(299)}👋` }))!
    expect(message.length).toBeLessThan(400)
    expect(message.isWellFormed()).toBe(true)
  })

  test('about a full mailbox is not confused with similar words', () => {
    const adviceFor = (responseText: string): string =>
      explained(failing({ responseStatus: 'NO', responseText }))!.advice
    expect(adviceFor('Mailbox is full')).toContain('The mailbox is full')
    expect(adviceFor('Over quota')).toContain('The mailbox is full')
    expect(adviceFor('Sender not fully verified')).not.toContain('The mailbox is full')
  })
})

describe('a failure of a mail server', () => {
  test.each([
    [{ code: 'ENOTFOUND' }, 'mail.unreachable', 'There is no server called'],
    [{ code: 'EAI_AGAIN' }, 'mail.unreachable', 'could not be looked up'],
    [{ code: 'ECONNREFUSED' }, 'mail.unreachable', 'does not accept connections on port 993'],
    [{ code: 'ETIMEDOUT' }, 'mail.unreachable', 'does not answer on port 993'],
    [{ code: 'EPROTO' }, 'mail.unreachable', 'does not speak TLS'],
    [{ code: 'ECONNRESET' }, 'mail.unreachable', 'closed the connection'],
    [{ code: 'CERT_HAS_EXPIRED' }, 'mail.certificate', 'has expired, so no password was sent'],
    [{ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }, 'mail.certificate', 'is for another name'],
    [{ code: 'EAUTH' }, 'mail.sign_in', 'refused the user name or the password of ada@example.com'],
    [{ responseCode: 535, response: '535 no' }, 'mail.sign_in', 'refused'],
    [{ mailboxMissing: true, path: 'Größe' }, 'mail.not_found', 'The folder "Größe" does not exist in work'],
    [{ responseCode: 550, response: '550 no such user' }, 'mail.rejected', 'It says: "550 no such user"'],
  ])('%j is explained', (fields, code, message) => {
    expect(explained(failing(fields))).toMatchObject({ code, message: expect.stringContaining(message) })
  })

  test('is found in the chain of causes, up to a sensible depth', () => {
    expect(explained(new Error('x', { cause: failing({ code: 'ENOTFOUND' }) }))).toMatchObject({
      code: 'mail.unreachable',
    })
    const circle = new Error('x')
    circle.cause = circle
    expect(explained(circle)).toBeUndefined()
  })

  test('that no server can cause stays unchanged, because it is a bug', () => {
    const bug = new TypeError('x is undefined')
    expect(mailError(bug, { account: ACCOUNT, server: 'imap' })).toBe(bug)
    expect(mailError('odd', { account: ACCOUNT, server: 'imap' })).toBeInstanceOf(Error)
    const coded = new CodedError('request.cancelled', 'x')
    expect(mailError(coded, { account: ACCOUNT, server: 'imap' })).toBe(coded)
  })
})
