import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from './app'
import { findings } from './assistive'
import { openAt, pictures, sendPrompt, transcriptText } from './steps'

test.use({ model: { script: [{ text: 'It is Tuesday.' }, { text: 'Still Tuesday.' }] } })

test('a session without a project greets as the assistant, answers, and is listed under "No project"', async ({
  app,
}) => {
  const { page } = app
  await page.getByRole('button', { name: 'No project' }).press('Enter')
  await pictures(app, 'no-project-start')
  expect(await findings(page)).toEqual([])
  await page.getByRole('button', { name: 'Start session' }).press('Enter')
  await expect(page.getByText('Ask me anything, or hand me an everyday task.')).toBeVisible()
  await sendPrompt(page, 'What day is it?')
  await expect(transcriptText(page, 'It is Tuesday.')).toBeVisible()
  const group = page.getByRole('treeitem', { name: /^No project/ })
  await expect(group).toContainText('1 session')
  await pictures(app, 'no-project')
  expect(await findings(page)).toEqual([])

  await group.getByRole('button', { name: 'New session without a project' }).click()
  // The page has changed to the new session: before, the message would be sent to the first one.
  await expect(page.getByText('Ask me anything, or hand me an everyday task.')).toBeVisible()
  await sendPrompt(page, 'And now?')
  await expect(transcriptText(page, 'Still Tuesday.')).toBeVisible()
  await expect(group).toContainText('2 sessions')
  const folders = join(dirname(app.scratch.home), '.trestle-scratch')
  expect(existsSync(folders) && readdirSync(folders)).toHaveLength(2)
})

test('a project offers first messages, which are only put into the composer, and the session to continue', async ({
  app,
}) => {
  const { page } = app
  await openAt(page, `/new?${new URLSearchParams({ folder: app.scratch.project }).toString()}`)
  const suggestions = page.getByRole('group', { name: 'Suggestions' })
  await expect(suggestions.getByRole('button')).toHaveText(['Explain this project', 'Fix failing tests'])
  await pictures(app, 'suggestions')
  await suggestions.getByRole('button', { name: 'Fix failing tests' }).press('Enter')
  const field = page.getByRole('textbox', { name: 'What should we work on?' })
  await expect(field).toBeFocused()
  await expect(field).toHaveValue(/^Run the tests\./)
  await expect(suggestions).toBeHidden()
  expect(app.server.requests).toEqual([])

  await field.fill('What day is it?')
  await page.getByRole('button', { name: /Start session/ }).press('Enter')
  await expect(transcriptText(page, 'It is Tuesday.')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+n')
  await suggestions.getByRole('button', { name: 'Continue “What day is it?”' }).press('Enter')
  await expect(transcriptText(page, 'It is Tuesday.')).toBeVisible()
})
