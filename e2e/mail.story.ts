import type { Page } from '@playwright/test'
import { hasDovecot } from '../test/support/mail/dovecot'
import { MAIL_PASSWORD, startMailLab, type MailLab } from '../test/support/mail/mail-lab'
import { plainMessage } from '../test/support/mail/messages'
import type { RecordedRequest, ScriptStep } from '../test/support/model-script'
import { expect, test } from './app'
import { findings } from './assistive'
import { pictures, sendPrompt, startSession, transcriptText } from './steps'

const brief = (name: string, input: Record<string, unknown>): ScriptStep => ({
  toolCalls: [{ name: 'call_tool', input: { name, arguments: input } }],
})

/** Finds the newest message, reads it, and answers it. */
function script({ body }: RecordedRequest, index: number): ScriptStep {
  const id = /ada:INBOX:\d+-\d+/.exec(JSON.stringify(body['messages']))?.[0] ?? 'none'
  const steps = [
    brief('MailSearch', { unread: true }),
    brief('MailRead', { id }),
    brief('MailSend', {
      to: ['Bob <bob@example.com>'],
      subject: 'Re: Lunch on Friday?',
      text: 'Hello Bob,\n\nyes, at noon.\n\nAda',
      reply_to: id,
    }),
    { text: 'I have answered Bob.' },
  ]
  return steps[index] ?? { text: 'Done.' }
}

test.skip(!hasDovecot, 'Dovecot is not installed here')
test.use({ config: { more: '[features]\nmail = true\nscheduling = true' }, model: { script } })

let lab: MailLab
test.beforeAll(async () => {
  lab = await startMailLab()
})
test.afterAll(() => lab.close())

/** Fills in the account form and saves it. */
async function addAccount(page: Page, password: string): Promise<void> {
  await page.getByRole('button', { name: 'Add account' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Add a mail account' })
  await dialog.getByRole('textbox', { name: 'Address' }).fill('ada@example.com')
  await dialog.getByLabel('Password').fill(password)
  await dialog.getByRole('textbox', { name: 'User name' }).fill('ada')
  await dialog.getByRole('textbox', { name: 'Name of the account' }).fill('ada')
  const { imap, smtp } = lab.account('ada')
  for (const [name, server] of [
    ['Reading (IMAP)', imap],
    ['Sending (SMTP)', smtp],
  ] as const) {
    const fields = dialog.getByRole('group', { name })
    await fields.getByRole('textbox', { name }).fill(server.host)
    await fields.getByRole('textbox', { name: 'Port' }).fill(String(server.port))
    await fields.getByRole('combobox', { name: 'Security' }).selectOption('none')
  }
  await dialog.getByRole('button', { name: 'Save and test' }).press('Enter')
  await expect(dialog).toBeHidden()
}

test('an account is added, tested, corrected, removed and restored, all by keyboard', async ({ app }) => {
  const { page } = app
  await page.getByRole('button', { name: 'Settings' }).press('Enter')
  await page.getByRole('tab', { name: 'Mail' }).click()
  await expect(page.getByText('No mail accounts')).toBeVisible()
  await pictures(app, 'mail-empty')
  expect(await findings(page)).toEqual([])
  await page.getByRole('button', { name: 'Add account' }).press('Enter')
  const adding = page.getByRole('dialog', { name: 'Add a mail account' })
  await adding.getByRole('textbox', { name: 'Address' }).fill('ada@gmail.com')
  await expect(adding).toContainText('create an app password in your Google account')
  await pictures(app, 'mail-add')
  expect(await findings(page)).toEqual([])
  await page.keyboard.press('Escape')

  await addAccount(page, 'wrong')
  const test = page.getByRole('status', { name: 'Test of ada' })
  await expect(test).toContainText('refused the user name or the password of ada')
  await pictures(app, 'mail-failed')
  expect(await findings(page)).toEqual([])
  await page.getByRole('button', { name: 'Edit ada' }).press('Enter')
  const editing = page.getByRole('dialog', { name: 'Mail account ada' })
  await pictures(app, 'mail-edit')
  await editing.getByLabel('Password').fill(MAIL_PASSWORD)
  await editing.getByRole('button', { name: 'Save and test' }).press('Enter')
  await expect(test).toContainText('Signed in to 127.0.0.1 for sending.')
  await pictures(app, 'mail-works')
  expect(await findings(page)).toEqual([])

  await page.getByRole('button', { name: 'Remove ada' }).press('Enter')
  await expect(page.getByText('No mail accounts')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).press('Enter')
  await expect(page.getByRole('list', { name: 'Mail accounts' })).toContainText('password stored')
})

test('mail is read, and answered once the user has seen the whole answer, all by keyboard', async ({ app }) => {
  const { page } = app
  await lab.deliver('ada', plainMessage('Lunch on Friday?', 'Hello Ada,\n\nshall we meet at noon?\n\nBob'))
  await page.getByRole('button', { name: 'Settings' }).press('Enter')
  await page.getByRole('tab', { name: 'Mail' }).click()
  await addAccount(page, MAIL_PASSWORD)
  await page.keyboard.press('Control+n')
  await startSession(app)
  const arrived = lab.smtp.next()
  await sendPrompt(page, 'Answer my unread mail')
  const card = page.getByRole('region', { name: /Send mail/ }).or(page.getByRole('group', { name: /Send mail/ }))
  await expect(card.first()).toContainText('yes, at noon.')
  await expect(card.first()).toContainText('To: Bob <bob@example.com>')
  await expect(card.first()).toContainText('Subject: Re: Lunch on Friday?')
  await pictures(app, 'mail-card')
  expect(await findings(page)).toEqual([])
  await page.keyboard.press('1')
  const sent = await arrived
  expect(sent.to).toEqual(['bob@example.com'])
  expect(sent.raw).toContain('yes, at noon.')
  await expect(transcriptText(page, 'I have answered Bob.')).toBeVisible()
  await pictures(app, 'mail-answered')
  expect(await findings(page)).toEqual([])
})

test('mail starts a schedule: it is set up with a filter, runs when a message arrives, and asks before it answers', async ({
  app,
}) => {
  const { page } = app
  await page.getByRole('button', { name: 'Settings' }).press('Enter')
  await page.getByRole('tab', { name: 'Mail' }).click()
  await addAccount(page, MAIL_PASSWORD)
  await expect(page.getByRole('status', { name: 'Test of ada' })).toContainText('Signed in')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Schedules', exact: true }).press('Enter')
  await page.getByRole('button', { name: 'New schedule' }).press('Enter')
  const form = page.getByRole('dialog', { name: 'New schedule' })
  await form.getByRole('textbox', { name: 'Name' }).fill('Failed builds')
  await form.getByRole('combobox', { name: 'Runs' }).selectOption('When mail arrives')
  await form.getByRole('textbox', { name: 'From' }).fill('ci@example.com')
  await form.getByRole('combobox', { name: 'Account' }).selectOption('ada@example.com')
  await form.getByRole('textbox', { name: 'Prompt' }).fill('Find out why the build failed.')
  await pictures(app, 'mail-schedule-form')
  expect(await findings(page)).toEqual([])
  await form.getByRole('textbox', { name: 'Name' }).press('Enter')
  const list = page.getByRole('list', { name: 'Schedules' })
  await expect(list).toContainText('When mail arrives from “ci@example.com” for ada')
  await pictures(app, 'mail-schedule')
  expect(await findings(page)).toEqual([])
  // Only a run shows that the schedule is watching, so mail is sent until it runs.
  await expect(async () => {
    await lab.deliver('ada', 'From: CI <ci@example.com>\r\nSubject: Build failed\r\n\r\nSee the log.\r\n')
    await expect(list).toContainText('Needs you', { timeout: 2000 })
  }).toPass()
  // The agent has read the message, and asks before it answers.
  await page.getByRole('button', { name: /^Inbox/ }).press('Enter')
  await expect(page.getByText('Re: Lunch on Friday?').first()).toBeVisible()
})
