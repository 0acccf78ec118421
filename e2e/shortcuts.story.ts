import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from './app'
import { everyLook } from './looks'
import { pictures } from './steps'

test('keys are recorded, conflicts are shown, and the new keys work everywhere at once', async ({ app }) => {
  const { page } = app
  const config = (): string => readFileSync(join(app.scratch.home, 'config.toml'), 'utf8')
  await page.keyboard.press('Control+,')
  await page.getByRole('tab', { name: 'Shortcuts' }).click()
  await everyLook(page)
  await pictures(app, 'shortcuts')
  const change = page.getByRole('button', { name: 'Change the shortcut of Inbox' })
  await change.press('Enter')
  const record = page.getByRole('textbox', { name: /^Press the new keys for Inbox/ })
  await expect(record).toBeFocused()
  await page.keyboard.press('Control+b')
  await expect(page.getByRole('alert')).toContainText('Tasks has these keys.')
  await everyLook(page)
  await record.press('Control+c')
  await expect(page.getByRole('alert')).toContainText('This is used for copying.')
  await expect(page.getByRole('button', { name: 'Keep both' })).toBeHidden()
  await record.press('Control+Shift+U')
  await expect(change).toBeFocused()
  await expect.poll(config).toContain('inbox = "Mod+Shift+U"')
  await expect(page.getByRole('listitem').filter({ hasText: /^Inbox/ })).toContainText('Ctrl Shift U')

  await page.keyboard.press('Control+Shift+U')
  await expect(page.getByRole('heading', { name: 'Inbox', level: 1 })).toBeVisible()
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('option', { name: /^Inbox/ })).toContainText('Ctrl Shift U')
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toContainText('Ctrl Shift U')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Inbox' })).toHaveAttribute('aria-keyshortcuts', 'Control+Shift+U')
})

test('keys are taken from another command, removed, and reset one by one and together', async ({ app }) => {
  const { page } = app
  const config = (): string => readFileSync(join(app.scratch.home, 'config.toml'), 'utf8')
  await page.keyboard.press('Control+,')
  await page.getByRole('tab', { name: 'Shortcuts' }).click()
  await page.getByRole('button', { name: 'Change the shortcut of Messages' }).press('Enter')
  await page.keyboard.press('Control+u')
  await page.getByRole('button', { name: 'Use it here instead' }).press('Enter')
  await expect.poll(config).toContain('messages = "Mod+U"')
  expect(config()).toContain('inbox = ""')
  const inbox = page.getByRole('listitem').filter({ hasText: /^Inbox/ })
  await expect(inbox).toContainText('None')
  await page.getByRole('button', { name: 'Change the shortcut of Tasks' }).press('Enter')
  await page.keyboard.press('Backspace')
  await expect.poll(config).toContain('tasks = ""')
  await page.getByRole('button', { name: 'Reset the shortcut of Tasks' }).press('Enter')
  await expect.poll(config).not.toContain('tasks =')
  await page.getByRole('button', { name: 'Reset all' }).press('Enter')
  await expect.poll(config).not.toContain('messages =')
  await expect(page.getByText('All shortcuts reset')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).last().press('Enter')
  await expect.poll(config).toContain('messages = "Mod+U"')
  await page.getByRole('textbox', { name: 'Filter commands' }).fill('zzz')
  await expect(page.getByText('No command matches')).toBeVisible()
})
