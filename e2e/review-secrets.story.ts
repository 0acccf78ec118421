import { expect, test } from './app'
import { findings } from './assistive'
import { sendPrompt, startSession, transcriptText } from './steps'

test.use({
  config: { more: 'default_permission_mode = "auto"' },
  files: { 'README.md': 'A project\n' },
  model: {
    script: [
      { toolCalls: [{ name: 'Bash', input: { command: 'echo TOKEN=hidden > .env; echo plain > plain.txt' } }] },
      { text: 'Done.' },
    ],
  },
})

test('lines of a file that may hold secrets are shown when the user asks for them, by keyboard, in both themes', async ({
  app,
}) => {
  const { page } = app
  await page.setViewportSize({ width: 1720, height: 980 })
  await startSession(app)
  await sendPrompt(page, 'make files')
  const allow = page.getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ })
  await expect(transcriptText(page, 'Done.').or(allow)).toBeVisible()
  if (await allow.isVisible()) await allow.click()
  await expect(transcriptText(page, 'Done.')).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('Review changes')
  await page.getByRole('option', { name: /Review changes/ }).click()
  const pane = page.getByRole('region', { name: 'Review', exact: true })
  await expect(pane).toContainText('plain')
  await expect(pane).toContainText('may hold secrets')
  await expect(pane).not.toContainText('TOKEN=hidden')
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect(await findings(page)).toEqual([])
  }
  await pane.getByRole('button', { name: 'Show lines' }).focus()
  await page.keyboard.press('Enter')
  await expect(pane).toContainText('TOKEN=hidden')
})
