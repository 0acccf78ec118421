import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from './app'
import { findings } from './assistive'
import { chooseFolder, reload, sendPrompt, startSession, transcriptText } from './steps'

test.describe('accessibility', () => {
  test.use({
    model: {
      script: [
        {
          thinking: 'Hm.',
          text: '# Title\n\nSome `code`, a [link](https://example.org) and\n\n```ts\nconst x = 1\n```',
          toolCalls: [
            { name: 'Grep', input: { pattern: 'line' } },
            { name: 'Read', input: { path: 'README.md' } },
          ],
        },
        {
          toolCalls: [{ name: 'Edit', input: { path: 'README.md', old_string: 'first line', new_string: '1st line' } }],
        },
        { text: '**Done.** See `README.md`.' },
      ],
    },
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`every page passes the accessibility checks, ${colorScheme}`, async ({ app }) => {
      const { page } = app
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await expect(page.getByRole('button', { name: /Choose a folder/ })).toBeVisible()
      expect(await findings(page)).toEqual([])
      await startSession(app)
      await sendPrompt(page, 'please edit')
      await expect(
        page
          .getByRole('group', { name: /Approval needed/ })
          .getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ }),
      ).toBeEnabled()
      expect(await findings(page)).toEqual([])
      await page.keyboard.press('Control+,')
      await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible()
      expect(await findings(page)).toEqual([])
      await page.keyboard.press('Control+k')
      await expect(page.getByRole('combobox').first()).toBeVisible()
      expect(await findings(page)).toEqual([])
    })
  }

  test('a whole conversation works without a mouse', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toBeFocused()
    await page.keyboard.type('please edit')
    await page.keyboard.press('Enter')
    await expect(
      page
        .getByRole('group', { name: /Approval needed/ })
        .getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ }),
    ).toBeEnabled()
    await page.keyboard.press('1')
    await expect(transcriptText(page, 'Done.')).toBeVisible()
    // Screen readers get the text of the answer, without the marks of Markdown.
    await expect(page.locator('.transcript > [aria-live]')).toHaveText('Done. See README.md.')
  })

  test('the palette accepts typing from the first key on, and returns the focus', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await reload(page)
    const message = page.getByRole('textbox', { name: 'Message', exact: true })
    await expect(message).toBeFocused()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('rename')
    await expect(page.getByRole('combobox', { name: 'Commands' })).toHaveValue('rename')
    await page.keyboard.press('Escape')
    await expect(message).toBeFocused()
    await expect(message).toHaveValue('')
  })

  test('what could not be loaded is tried again by keyboard, and the focus stays in its dialog', async ({ app }) => {
    const { page, scratch } = app
    const folder = join(scratch.project, 'later')
    await page.getByRole('button', { name: /Choose a folder/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Path' }).fill(folder)
    await page.keyboard.press('Enter')
    await expect(dialog.getByRole('alert')).toContainText(folder)
    expect(await findings(page)).toEqual([])
    mkdirSync(join(folder, 'inside'), { recursive: true })
    await dialog.getByRole('button', { name: 'Try again' }).focus()
    await page.keyboard.press('Enter')
    await expect(dialog.getByRole('option', { name: 'inside' })).toBeVisible()
    await expect(dialog.getByRole('alert')).toBeHidden()
    await expect(page.locator('[role=dialog]:focus, [role=dialog] :focus')).toHaveCount(1)
  })

  test('a narrow window keeps every control reachable', async ({ app }) => {
    const { page } = app
    await chooseFolder(app)
    await page.setViewportSize({ width: 400, height: 800 })
    await sendPrompt(page, 'please edit')
    const card = page.getByRole('group', { name: /Approval needed/ })
    await card.getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ }).click()
    await expect(transcriptText(page, 'Done.')).toBeVisible()
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
  })
})
