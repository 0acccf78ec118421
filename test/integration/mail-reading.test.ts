import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMail, type Mail } from '../../src/main/engine/mail/mail'
import { hasDovecot } from '../support/mail/dovecot'
import { MAIL_PASSWORD, startMailLab, type MailLab } from '../support/mail/mail-lab'
import { REAL_MESSAGES } from '../support/mail/messages'

describe.skipIf(!hasDovecot)('mail on a Dovecot server', () => {
  let lab: MailLab
  let mail: Mail
  beforeAll(async () => {
    lab = await startMailLab()
    const account = lab.account('ada')
    mail = createMail({ accounts: () => [account], password: () => MAIL_PASSWORD })
  })
  afterAll(async () => {
    mail.close()
    await lab.close()
  })

  const idOf = async (uid: number): Promise<string> => {
    const { messages } = await mail.search({ limit: 50 })
    const found = messages.find(({ id }) => id.endsWith(`-${uid}`))
    if (!found) throw new Error(`no message ${uid}`)
    return found.id
  }

  it.each(REAL_MESSAGES.map((message) => [message.name, message] as const))('reads %s', async (_name, message) => {
    const id = await idOf(await lab.deliver('ada', message.raw))
    const read = await mail.read(id)
    const { from = read.from, subject, text, files = [], without = /^$(?!)x/, notes = /(?:)/ } = message
    expect(read).toMatchObject({ from, subject: matching(subject), text: matching(text) })
    expect(read.files.map(({ name }) => name)).toEqual(files)
    expect(read.text).not.toMatch(without)
    expect(read.notes.join('\n')).toMatch(notes)
    expect(read.unread).toBe(true)
  })
})

/** A string must match exactly, a regular expression as a pattern. */
function matching(wanted: string | RegExp): unknown {
  const pattern = typeof wanted === 'string' ? `^${wanted.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$` : wanted
  return expect.stringMatching(pattern)
}
