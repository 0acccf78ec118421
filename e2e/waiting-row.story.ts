import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from './app'
import { pictures, said, say, startSession } from './steps'

test.use({
  model: {
    script: [
      {
        toolCalls: [
          { name: 'Bash', input: { command: 'until [ -e done ]; do sleep 0.1; done', description: 'Wait for the file' } },
          { name: 'Write', input: { path: 'note.md', content: 'Hello' } },
        ],
      },
      { text: 'All done.' },
    ],
  },
})

test('the waiting row has a chip with an icon for the call that runs, and none for one that has not been allowed', async ({ app }) => {
  const { page, scratch } = app
  await startSession(app)
  await say(page, 'wait for it')
  const row = page.locator('.waiting')
  const first = page.getByRole('group', { name: /Approval needed: Bash/ })
  await expect(first).toBeVisible()
  await expect(row.locator('.waiting-chip')).toHaveCount(0)
  await first.getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ }).click()
  const chip = row.locator('.waiting-chip')
  await expect(chip).toHaveText('Bash')
  await expect(chip.locator('svg')).toHaveCount(1)
  await pictures(app, 'waiting-row')
  writeFileSync(join(scratch.project, 'done'), '')
  await page
    .getByRole('group', { name: /Approval needed: Write/ })
    .getByRole('button', { name: /^Allow once/ })
    .click()
  await expect(said(page, 'All done.')).toBeVisible()
  await expect(row).toBeHidden()
})
