import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from './app'
import { findings } from './assistive'
import { transcriptText, sendPrompt, startSession } from './steps'

const FILE = '.trestle/config.toml'
const rule = (decision: string, pattern: string): string =>
  `[[permission.rules]]\ndecision = "${decision}"\npattern = "${pattern}"\n`
const mkdir = (name: string): { toolCalls: { name: string; input: { command: string } }[] } => ({
  toolCalls: [{ name: 'Bash', input: { command: `mkdir ${name}` } }],
})

test.use({
  files: { 'README.md': 'A project\n', [FILE]: rule('allow', 'Bash(mkdir *)') },
  model: {
    script: [
      mkdir('first'),
      { text: 'First.' },
      mkdir('second'),
      { text: 'Second.' },
      mkdir('third'),
      { text: 'Third.' },
    ],
  },
})

test("a project's rules apply only once the folder is trusted, and a change asks again with a diff", async ({
  app,
}) => {
  const { page, scratch } = app
  await startSession(app)
  const question = page.getByRole('region', { name: 'This project has its own settings' })
  await expect(question).toContainText('allow Bash(mkdir *)')
  await expect(question).toContainText(FILE)
  expect(await findings(page)).toEqual([])

  // It blocks nothing, and calls that it would allow still ask.
  await sendPrompt(page, 'the first')
  const card = page.getByRole('group', { name: /Approval needed: Bash mkdir first/ })
  await card.getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ }).click()
  await expect(transcriptText(page, 'First.')).toBeVisible()

  await question.getByRole('button', { name: 'Trust folder' }).click()
  await expect(question).toHaveCount(0)
  await sendPrompt(page, 'the second')
  await expect(transcriptText(page, 'Second.')).toBeVisible()
  expect(existsSync(join(scratch.project, 'second'))).toBe(true)

  writeFileSync(join(scratch.project, FILE), rule('allow', 'Bash(*)'))
  await sendPrompt(page, 'the third')
  const changed = page.getByRole('region', { name: /changed since you trusted them/ })
  await expect(changed.getByRole('group', { name: 'Changes' })).toContainText('Bash(mkdir *)')
  await expect(changed.getByRole('group', { name: 'Changes' })).toContainText('Bash(*)')
  await changed.getByRole('button', { name: 'Not now' }).click()
  await expect(changed).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Not trusted' })).toBeVisible()
  await expect(page.getByRole('group', { name: /Approval needed: Bash mkdir third/ })).toBeVisible()
  expect(existsSync(join(scratch.project, 'third'))).toBe(false)
})

test('trust in a folder can be revoked in the settings', async ({ app }) => {
  const { page } = app
  await startSession(app)
  await page.getByRole('button', { name: 'Trust folder' }).click()
  await expect(page.getByText('Folder trusted')).toBeVisible()
  await page.keyboard.press('Control+,')
  await page.getByRole('tab', { name: 'General' }).click()
  const list = page.getByRole('list', { name: 'Trusted folders' })
  await list.getByRole('button', { name: 'Stop trusting project' }).click()
  await expect(list).toContainText('No trusted folders')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Trust folder' })).toBeVisible()
})

test('trust in a repository can be revoked in the settings, by keyboard, in both themes', async ({ app }) => {
  const { page, scratch } = app
  execFileSync('git', ['-C', scratch.project, 'init', '-q'])
  writeFileSync(join(scratch.project, '.git/hooks/pre-commit'), '#!/bin/sh\n')
  chmodSync(join(scratch.project, '.git/hooks/pre-commit'), 0o755)
  await startSession(app)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('Git')
  await page
    .getByRole('option', { name: /^(?:Open )?Git/ })
    .first()
    .click()
  await page.getByRole('button', { name: 'Trust repository' }).click()
  await expect(page.getByRole('button', { name: 'Trust repository' })).toHaveCount(0)
  await page.keyboard.press('Control+,')
  await page.getByRole('tab', { name: 'General' }).click()
  const list = page.getByRole('list', { name: 'Trusted repositories' })
  const stop = list.getByRole('button', { name: 'Stop trusting project' })
  await expect(stop).toBeVisible()
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect(await findings(page)).toEqual([])
  }
  await stop.focus()
  await page.keyboard.press('Enter')
  await expect(list).toContainText('No trusted repositories')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Trust repository' })).toBeVisible()
})
