import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from './app'
import { pictures, transcriptText, sendPrompt, startSession } from './steps'

test.use({
  model: {
    script: [
      {
        toolCalls: [
          {
            name: 'Bash',
            input: { command: 'until [ -e done ]; do sleep 0.1; done', description: 'Wait for the file' },
          },
          { name: 'Write', input: { path: 'note.md', content: 'Hello' } },
        ],
      },
      { text: 'All done.' },
    ],
  },
})

test('the waiting row has a chip with an icon for the running call, and no chip for a queued or waiting one', async ({
  app,
}) => {
  const { page, scratch } = app
  await startSession(app)
  await sendPrompt(page, 'wait for it')
  const row = page.locator('.waiting')
  // The command is read-only, so it runs without approval; the other call is queued behind it.
  await expect(page.getByRole('button', { name: /Write note\.md queued/ })).toBeVisible()
  await expect(row).toHaveAccessibleName('Running command')
  await expect(row.locator('.waiting-word')).toContainText('Running command')
  const chip = row.locator('.waiting-chip')
  await expect(chip).toHaveText('Bash')
  await expect(chip.locator('svg')).toHaveCount(1)
  await pictures(app, 'waiting-row')
  writeFileSync(join(scratch.project, 'done'), '')
  const card = page.getByRole('group', { name: /Approval needed: Write/ })
  await expect(card).toBeVisible()
  await expect(row).toHaveAccessibleName('Waiting for you')
  await expect(chip).toHaveCount(0)
  await card.getByRole('button', { name: /^Allow once/ }).click()
  await expect(transcriptText(page, 'All done.')).toBeVisible()
  await expect(row).toBeHidden()
})
