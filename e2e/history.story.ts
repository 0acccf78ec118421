import { join } from 'node:path'
import { runCli } from '../test/support/run-cli'
import { expect, test } from './app'
import { findings } from './assistive'
import { chooseInMenu, pictures, sendPrompt, startSession, transcriptText } from './steps'

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

test('the history of a session is verified and replayed by keyboard, with its file changes', async ({ app }) => {
  const { page } = app
  await startSession(app)
  await sendPrompt(page, 'Change the second line')
  await page.getByRole('button', { name: /Allow once/ }).click()
  await expect(transcriptText(page, 'It is changed.')).toBeVisible()

  await chooseInMenu(page.getByRole('treeitem', { name: /Change the second line/ }), 'Verify history')
  const result = page.getByRole('dialog', { name: 'Verify history' })
  await expect(result.getByText('The history is intact')).toBeVisible()
  await pictures(app, 'history-verified')
  expect(await findings(page)).toEqual([])
  await result.getByRole('button', { name: 'Done' }).click()

  await chooseInMenu(page.getByRole('treeitem', { name: /Change the second line/ }), 'Replay…')
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

test('a moved session says where it continues, and can be moved back', async ({ app }) => {
  const { page, scratch } = app
  await startSession(app)
  await sendPrompt(page, 'Change the second line')
  await page.getByRole('button', { name: /Allow once/ }).click()
  await expect(transcriptText(page, 'It is changed.')).toBeVisible()
  const row = page.getByRole('treeitem', { name: /Change the second line/ })
  await page.getByRole('button', { name: /^Inbox/ }).click()
  await expect(page.getByRole('region', { name: 'Conversation' })).toBeHidden()
  const run = (...args: string[]) => runCli(['session', ...args], { home: scratch.home })
  const [session] = JSON.parse((await run('list', '--json')).stdout) as { sessionId: string }[]
  const file = join(scratch.home, '..', 'moved')
  const out = await run('move-out', session!.sessionId, file, '--to', 'home-0', '--place', 'my server')
  expect(out).toMatchObject({ code: 0, stderr: '' })

  await row.click()
  await expect(page.getByText(/This session was moved to my server/)).toBeVisible()
  await expect(page.getByText('This session continues at my server.')).toBeVisible()
  await pictures(app, 'history-moved')
  expect(await findings(page)).toEqual([])
  await page.getByRole('button', { name: 'Cancel the move…' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Cancel the move?' })
  await expect(dialog).toContainText('trestle session move-refuse move-')
  await pictures(app, 'history-take-back')
  expect(await findings(page)).toEqual([])
  await dialog.getByRole('button', { name: /cancel the move/ }).click()
  await expect(page.getByText(/This session was moved to/)).toBeHidden()
})
