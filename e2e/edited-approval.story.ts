import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from './app'
import { findings } from './assistive'
import { pictures, sendPrompt, startSession, transcriptText } from './steps'

const LINES = Array.from({ length: 20 }, (_, n) => `line ${n + 1}`).join('\n')

test.use({
  files: { 'notes.md': `${LINES}\n` },
  model: {
    script: [
      {
        toolCalls: [
          {
            name: 'Patch',
            input: {
              path: 'notes.md',
              patches: [
                { find: 'line 2\n', replace: 'second line\n' },
                { find: 'line 15\n', replace: 'fifteenth line\n' },
              ],
            },
          },
        ],
      },
      { text: 'Patched.' },
    ],
  },
})

test('an approval accepts some of the changes and edits the text, by keyboard alone', async ({ app }) => {
  const { page } = app
  await startSession(app)
  await sendPrompt(page, 'change the notes')
  const card = page.getByRole('group', { name: /Approval needed/ })
  await expect(card).toBeVisible()
  // All answers fit on two lines on a phone.
  await page.setViewportSize({ width: 390, height: 800 })
  const top = async (name: string): Promise<number> =>
    (await card.getByRole('button', { name, exact: true }).boundingBox())?.y ?? 0
  await expect.poll(async () => (await top('Edit…')) - (await top('Allow always…'))).toBe(0)
  await page.setViewportSize({ width: 1440, height: 900 })
  await card.getByRole('button', { name: 'Edit…' }).focus()
  await page.keyboard.press('Enter')
  const second = card.getByRole('checkbox', { name: 'Accept the change at line 15' })
  await expect(second).toBeChecked()
  await second.focus()
  await page.keyboard.press('Space')
  const written = card.getByRole('region', { name: 'What will be written' })
  await expect(written.getByText('second line')).toBeVisible()
  await expect(written.getByText('fifteenth line')).toHaveCount(0)
  await card.getByRole('button', { name: 'Edit the text' }).focus()
  await page.keyboard.press('Enter')
  const text = card.getByRole('textbox', { name: 'Text of the file' })
  await text.focus()
  await page.keyboard.press('ControlOrMeta+Home')
  await page.keyboard.type('A title\n')
  await expect(written.getByText('A title')).toBeVisible()
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect(await findings(page)).toEqual([])
  }
  await pictures(app, 'edited-approval')
  await card.getByRole('button', { name: 'Allow with these changes' }).focus()
  await page.keyboard.press('Enter')
  await expect(transcriptText(page, 'Patched.')).toBeVisible()
  expect(readFileSync(join(app.scratch.project, 'notes.md'), 'utf8')).toBe(
    `A title\n${LINES.replace('line 2\n', 'second line\n')}\n`,
  )
  expect(JSON.stringify(app.server.requests.at(-1)?.body)).toContain('The user changed the proposal')
})
