import { expect, test } from './app'
import { findings } from './assistive'
import { pictures, sendPrompt, startSession, transcriptText } from './steps'

test.use({
  model: {
    script: [
      { toolCalls: [{ name: 'Read', input: { path: 'README.md' } }] },
      {
        toolCalls: [
          { name: 'Write', input: { path: 'README.md', content: '# A project\n\nfirst line\nanother line\n' } },
        ],
      },
      { text: 'It is changed.' },
    ],
  },
})

test('the history of a session is verified and replayed by keyboard, with the changes of files', async ({ app }) => {
  const { page } = app
  await startSession(app)
  await sendPrompt(page, 'Change the second line')
  await page.getByRole('button', { name: /Allow once/ }).click()
  await expect(transcriptText(page, 'It is changed.')).toBeVisible()

  await page.getByRole('treeitem', { name: /Change the second line/ }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Verify history' }).click()
  const result = page.getByRole('dialog', { name: 'Verify history' })
  await expect(result.getByText('The history is intact')).toBeVisible()
  await pictures(app, 'history-verified')
  expect(await findings(page)).toEqual([])
  await result.getByRole('button', { name: 'Done' }).click()

  await page.getByRole('treeitem', { name: /Change the second line/ }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Replay…' }).click()
  const replay = page.getByRole('dialog', { name: 'Replay' })
  await expect(replay.getByRole('heading', { name: 'The session was created' })).toBeVisible()
  await page.keyboard.press(']')
  await expect(replay.getByRole('heading', { name: 'You asked' })).toBeVisible()
  const shown = replay.getByRole('region', { name: 'Event' })
  await expect(shown.getByText('Change the second line')).toBeVisible()
  const slider = replay.getByRole('slider', { name: 'Event' })
  await slider.focus()
  await page.keyboard.press('End')
  await expect(replay.getByRole('heading', { name: /The turn ended/ })).toBeVisible()
  while (!(await replay.getByRole('heading', { name: 'A file was changed' }).isVisible())) {
    const value = await slider.inputValue()
    await page.keyboard.press('ArrowLeft')
    await expect(slider).not.toHaveValue(value)
    await expect(shown).toHaveAttribute('aria-busy', 'false')
  }
  await expect(shown.getByRole('group', { name: 'Changes' })).toContainText('another line')
  await pictures(app, 'history-replay')
  expect(await findings(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(replay).toBeHidden()
})
