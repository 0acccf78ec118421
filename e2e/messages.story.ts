import { rmSync } from 'node:fs'
import { expect, test } from './app'
import { startSession } from './steps'

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
