import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from './app'
import { findings } from './assistive'
import { pictures, reload, sendPrompt, startSession, transcriptText } from './steps'

const MESSAGE = `Only \`line 4,711\` of the log counts: **connection refused** on port 5433.

- The port is set in \`config/db.ts\`, not in the environment.
- Raising the time-out does not help; \`retry.ts\` was the wrong way.

Next: correct the port, then run the tests.`

test.use({
  config: { more: 'default_permission_mode = "accept-edits"\n[checkpoints]\nd_mail = true' },
  files: { 'app.log': 'line\n'.repeat(400), 'db.ts': 'export const port = 5433\n' },
  model: {
    script: [
      { toolCalls: [{ name: 'Read', input: { path: 'db.ts' } }], text: 'I begin with the settings.' },
      { toolCalls: [{ name: 'Read', input: { path: 'app.log' } }], text: 'The log may tell more.' },
      { toolCalls: [{ name: 'Write', input: { path: 'retry.ts', content: 'export const retries = 99\n' } }] },
      { toolCalls: [{ name: 'SendDMail', input: { checkpoint_id: 2, message: MESSAGE, files: true } }] },
      { toolCalls: [{ name: 'AskUserQuestion', input: { questions: [question()] } }] },
      { text: 'The port is right now.' },
      { text: 'Yes, I have that again.' },
    ],
  },
})

function question() {
  const options = ['5432', '5434'].map((label) => ({ label, description: 'A port' }))
  return { question: 'Which port is it?', options }
}

test('the agent restores its session with a D-Mail: a card lists what was undone, and the user can undo that', async ({
  app,
}) => {
  const { page } = app
  const wrong = join(app.scratch.project, 'retry.ts')
  const conversation = page.getByRole('region', { name: 'Conversation' })
  await startSession(app)
  await sendPrompt(page, 'why do the tests fail?')
  const card = page.getByRole('region', { name: 'D-Mail' })
  await expect(card).toContainText('The agent went back 3 steps with a note to itself')
  await expect(card).toContainText('1 file restored')
  await expect(transcriptText(page, 'I begin with the settings.')).toBeVisible()
  await expect(conversation.getByText('The log may tell more.')).toHaveCount(0)
  expect(existsSync(wrong)).toBe(false)
  // The turn waits for an answer: a restore is not possible in the middle of it.
  await expect(page.getByRole('group', { name: 'Question' })).toBeVisible()
  await expect(card.getByRole('button', { name: 'Undo', exact: true })).toBeDisabled()
  await card.getByRole('button', { name: /2 calls removed from the conversation/ }).click()
  await expect(card.getByText('Write retry.ts')).toBeVisible()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect(await findings(page)).toEqual([])
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await pictures(app, 'd-mail')
  await card.getByRole('button', { name: /2 calls removed from the conversation/ }).click()
  await page.getByRole('group', { name: 'Question' }).getByRole('radio', { name: '5432' }).check()
  await page.getByRole('button', { name: 'Answer', exact: true }).click()
  await expect(transcriptText(page, 'The port is right now.')).toBeVisible()

  // The turn is over.
  await expect(conversation.getByText(/\d[kM]? tokens/).last()).toBeVisible()

  // After a reload it looks the same.
  const rows = await conversation.innerText()
  await reload(page)
  await expect(transcriptText(page, 'The port is right now.')).toBeVisible()
  await expect.poll(() => conversation.innerText()).toBe(rows)

  await card.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect(transcriptText(page, 'The log may tell more.')).toBeVisible()
  await expect(card).toHaveCount(0)
  await expect.poll(() => existsSync(wrong)).toBe(true)
  await pictures(app, 'd-mail-taken-back')
  await sendPrompt(page, 'do you remember the log?')
  await expect(transcriptText(page, 'Yes, I have that again.')).toBeVisible()
  expect(JSON.stringify(app.server.requests.at(-1)!.body)).not.toContain('<d-mail>')
})
