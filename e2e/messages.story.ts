import { rmSync } from 'node:fs'
import { expect, test } from './app'
import { sendPrompt, startSession } from './steps'

test('toasts can be read again after they disappear', async ({ app }) => {
  const { page } = app
  await startSession(app)
  await expect(page.getByRole('button', { name: 'Messages' })).toHaveCount(0)
  rmSync(app.scratch.project, { recursive: true })
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('are you there?')
  await page.keyboard.press('Enter')
  const toast = page.getByRole('region', { name: 'Messages' })
  await expect(toast).toContainText(/folder/)
  await toast.getByRole('button', { name: 'Dismiss' }).click()
  await expect(toast).not.toContainText(/folder/)
  await page.getByRole('button', { name: 'Messages' }).click()
  await expect(page.getByRole('dialog', { name: 'Messages' })).toContainText(/folder/)
})

test.describe('an answer that reaches the length limit', () => {
  test.use({
    model: {
      script: [
        { text: 'The first half', finish: 'length' },
        { text: 'and more', finish: 'length' },
      ],
    },
  })

  test('is reported as cut off once, at the end', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'tell me everything')
    const conversation = page.getByRole('region', { name: 'Conversation' })
    await expect(conversation.getByText('The answer was cut off at the model’s length limit.')).toHaveCount(1)
    // Before that, only the model is notified, and continues.
    await expect(conversation.getByText(/cut off|length limit/)).toHaveText([/^Note from Trestle to the model/, /^The/])
  })
})
