import { expect, test } from './app'
import { findings } from './assistive'
import { pictures, sendPrompt, startSession, transcriptText } from './steps'

const brief = (name: string, input: Record<string, unknown>) => ({
  toolCalls: [{ name: 'call_tool', input: { name, arguments: input } }],
})

test.use({
  config: { more: '[features]\nmemory = true' },
  model: {
    script: [
      brief('MemoryStore', { key: 'package manager', text: 'npm, always' }),
      { text: 'I will remember it.' },
      { text: 'pnpm add zod' },
      { text: 'Nothing to say.' },
    ],
  },
})

test('a fact is remembered, viewed, corrected, recalled, forgotten and restored, all by keyboard', async ({ app }) => {
  const { page, server } = app
  await startSession(app)
  await sendPrompt(page, 'Remember which package manager we use')
  await expect(transcriptText(page, 'I will remember it.')).toBeVisible()
  await expect(transcriptText(page, 'package manager')).toBeVisible()

  await page.getByRole('button', { name: 'Memory', exact: true }).press('Enter')
  const row = page.getByRole('list', { name: 'Memory' }).getByRole('button')
  await expect(row).toContainText('npm, always')
  await pictures(app, 'memory')
  expect(await findings(page)).toEqual([])
  await row.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'package manager' })
  await expect(dialog).toContainText('Added by the agent')
  await expect(dialog).toContainText('Remember which package manager we use')
  await pictures(app, 'memory-entry')
  expect(await findings(page)).toEqual([])
  await dialog.getByRole('textbox', { name: 'Text' }).fill('pnpm, never npm')
  await dialog.getByRole('textbox', { name: 'Name' }).press('Enter')
  await expect(row).toContainText('pnpm, never npm')

  await page.keyboard.press('Control+n')
  await page.getByRole('button', { name: /Start session/ }).press('Enter')
  await sendPrompt(page, 'Which package manager installs zod?')
  await expect(transcriptText(page, 'Recalled from memory: package manager')).toBeVisible()
  await expect(transcriptText(page, 'pnpm add zod')).toBeVisible()
  await pictures(app, 'memory-recalled')
  expect(JSON.stringify(server.requests.at(-1)!.body)).toContain('- package manager: pnpm, never npm')
  await page.getByRole('tab', { name: 'Context' }).click()
  await expect(page.getByRole('tabpanel', { name: 'Context' })).toContainText('Memory')
  await pictures(app, 'memory-context')

  await page.getByRole('button', { name: 'Memory', exact: true }).press('Enter')
  await row.press('Delete')
  await expect(page.getByText('No memories yet')).toBeVisible()
  await pictures(app, 'memory-deleted')
  await page.getByRole('button', { name: /^Deleted/ }).press('Enter')
  await expect(row).toContainText('deleted')
  await page.getByRole('button', { name: 'Undo' }).press('Enter')
  await page.getByRole('button', { name: /^Deleted/ }).press('Enter')
  await expect(row).toContainText('pnpm, never npm')
})

test('text with a token is rejected with the reason, and can be corrected in the form', async ({ app }) => {
  const { page } = app
  await page.getByRole('button', { name: 'Memory', exact: true }).click()
  await expect(page.getByText('No memories yet')).toBeVisible()
  await pictures(app, 'memory-empty')
  expect(await findings(page)).toEqual([])
  await page.getByRole('button', { name: 'Add' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add to memory' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('deploy')
  await dialog.getByRole('textbox', { name: 'Text' }).fill(`ghp_${'aB3'.repeat(12)}`)
  await dialog.getByRole('button', { name: 'Add' }).click()
  await expect(dialog.getByRole('alert')).toContainText('This looks like a GitHub token')
  await pictures(app, 'memory-refused')
  expect(await findings(page)).toEqual([])
  await dialog.getByRole('textbox', { name: 'Text' }).fill('The deploy key is in the vault')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await expect(page.getByRole('list', { name: 'Memory' })).toContainText('The deploy key is in the vault')
})
