import type { Locator, Page } from '@playwright/test'
import { expect, test } from './app'
import { startSession } from './steps'

test.use({ files: { 'README.md': '# A project\n', 'crlf.txt': 'one\r\ntwo\r\n' } })

/** The file on screen beside the conversation. */
const pane = (page: Page): Locator => page.getByRole('region', { name: /^File / })
const message = (page: Page): Locator => page.getByRole('textbox', { name: 'Message', exact: true })

test('keeps a draft for each window that edits the file', async ({ app }) => {
  const { page } = app
  await startSession(app)
  await page.keyboard.press('ControlOrMeta+Shift+E')
  await page.getByRole('treeitem', { name: 'crlf.txt' }).click()
  await pane(page).getByRole('button', { name: 'Edit', exact: true }).press('Enter')
  await expect(pane(page).getByRole('textbox')).toBeFocused()
  await page.keyboard.type('first ')
  const opened = page.waitForEvent('popup')
  await page.evaluate("void window.open(location.href, '_blank', 'noopener')")
  const other = await opened
  const field = pane(other).getByRole('textbox')
  const open = async (): Promise<void> => {
    await other.keyboard.press('ControlOrMeta+Shift+E')
    await other.getByRole('treeitem', { name: 'crlf.txt' }).click()
  }
  await expect(other.getByRole('textbox', { name: 'Message', exact: true })).toBeVisible()
  await open()
  await expect(field).toContainText('first one')
  await expect(pane(other).getByText('Unsaved changes, continued from another window')).toBeVisible()
  await field.click()
  await other.keyboard.press('ControlOrMeta+Home')
  await other.keyboard.type('second ')
  for (const [window, text] of [
    [page, 'first one'],
    [other, 'second first one'],
  ] as const) {
    await window.reload()
    await expect(pane(window).getByText(text, { exact: true })).toBeVisible()
  }
  await other.close()
})

test('keeps what each window has typed in a session, also when it is closed', async ({ app }) => {
  const { page } = app
  await startSession(app)
  const open = async (): Promise<Page> => {
    const opened = page.waitForEvent('popup')
    await page.evaluate("void window.open(location.href, '_blank', 'noopener')")
    const window = await opened
    await expect(message(window)).toBeVisible()
    return window
  }
  const second = await open()
  await message(second).fill('from the second')
  await message(page).fill('from the first')
  await second.close({ runBeforeUnload: true })
  await page.reload()
  await expect(message(page)).toHaveValue('from the first')
  const third = await open()
  await expect(message(third)).toHaveValue('from the second')
  await third.close()
})
