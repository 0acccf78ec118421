import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, type App } from './app'
import { findings } from './assistive'
import { pictures, transcriptText, sendPrompt, startSession } from './steps'

const NOTES = Array.from({ length: 12 }, (_, n) => `line ${n + 1}`).join('\n')

test.use({
  config: { more: 'default_permission_mode = "auto"' },
  files: { 'notes.md': `${NOTES}\n`, 'keep.txt': 'mine\n' },
  model: {
    script: [
      { toolCalls: [{ name: 'Read', input: { path: 'notes.md' } }] },
      { toolCalls: [{ name: 'Edit', input: { path: 'notes.md', old_string: 'line 2\n', new_string: 'line two\n' } }] },
      {
        toolCalls: [
          { name: 'Edit', input: { path: 'notes.md', old_string: 'line 11\n', new_string: 'line eleven\n' } },
        ],
      },
      { text: 'First done.' },
      { toolCalls: [{ name: 'Bash', input: { command: 'rm keep.txt; echo made > new.txt' } }] },
      { text: 'Second done.' },
    ],
  },
})

const file = (app: App, name: string): string => join(app.scratch.project, name)
const read = (app: App, name: string): string => readFileSync(file(app, name), 'utf8')

async function twoTurns(app: App): Promise<void> {
  const { page } = app
  await startSession(app)
  await sendPrompt(page, 'change the notes')
  await expect(transcriptText(page, 'First done.')).toBeVisible()
  await sendPrompt(page, 'tidy up')
  await expect(transcriptText(page, 'Second done.')).toBeVisible()
}

test('restoring to before a message previews the changes on disk, keeps files changed elsewhere, and can be undone', async ({
  app,
}) => {
  const { page } = app
  await twoTurns(app)
  expect([existsSync(file(app, 'keep.txt')), read(app, 'new.txt')]).toEqual([false, 'made\n'])
  writeFileSync(file(app, 'new.txt'), 'theirs\n')
  await page.getByText('tidy up').first().hover()
  await page.getByRole('button', { name: 'Message actions' }).nth(1).click()
  await page.getByRole('menuitem', { name: /Restore to here/ }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('keep.txt')).toBeVisible()
  await expect(dialog.getByText('It was changed outside this session.')).toBeVisible()
  expect(await findings(page)).toEqual([])
  await pictures(app, 'go-back')
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click()
  await expect(transcriptText(page, /to this point/)).toBeVisible()
  await expect(page.getByRole('region', { name: 'Conversation' }).getByText('Second done.')).toHaveCount(0)
  expect([read(app, 'keep.txt'), read(app, 'new.txt')]).toEqual(['mine\n', 'theirs\n'])
  // The message is back in the composer, to be changed and sent again.
  await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toHaveValue('tidy up')
  await pictures(app, 'went-back')
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect(transcriptText(page, 'Second done.')).toBeVisible()
  await expect.poll(() => existsSync(file(app, 'keep.txt'))).toBe(false)
})

test('the changes of a session can be undone per hunk and per file', async ({ app }) => {
  const { page } = app
  await twoTurns(app)
  // One file edited by a tool, and two changed by a command.
  await expect(page.getByRole('tab', { name: 'Changes 3' })).toBeVisible()
  await page.getByRole('tab', { name: /Changes/ }).click()
  const pane = page.getByRole('tabpanel', { name: /Changes/ })
  await pane
    .getByRole('button', { name: /notes\.md/ })
    .first()
    .click()
  await expect(pane.getByText('+line two')).toBeVisible()
  expect(await findings(page)).toEqual([])
  await page.screenshot({ path: test.info().outputPath('changes.png') })
  await pane.getByRole('button', { name: 'Undo the change at line 2' }).click()
  await expect.poll(() => read(app, 'notes.md')).toBe(`${NOTES.replace('line 11', 'line eleven')}\n`)
  await pane.getByRole('button', { name: /keep\.txt/ }).click()
  await pane.getByRole('button', { name: 'Undo: restore the file' }).click()
  await expect.poll(() => existsSync(file(app, 'keep.txt'))).toBe(true)
  await expect(pane.getByRole('button', { name: /keep\.txt/ })).toHaveCount(0)
  await expect(page.getByRole('tab', { name: 'Changes 2' })).toBeVisible()
})

test('the line counts of a file compare it with its state before the session, for tools and commands', async ({
  app,
}) => {
  const { page } = app
  await twoTurns(app)
  await page.getByRole('tab', { name: /Changes/ }).click()
  const pane = page.getByRole('tabpanel', { name: /Changes/ })
  const row = (name: string) => pane.getByRole('button', { name: new RegExp(`${name}\\b.*`) }).first()
  await expect(row('notes.md')).toHaveAccessibleName(/\+2 lines added, −2 lines removed$/)
  // A command created one file and deleted the other.
  await expect(row('new.txt')).toHaveAccessibleName(/\+1 lines? added$/)
  await expect(row('keep.txt')).toHaveAccessibleName(/−1 lines? removed$/)
  await row('notes.md').click()
  await pane.getByRole('button', { name: 'Undo the change at line 2' }).click()
  await expect(row('notes.md')).toHaveAccessibleName(/\+1 line added, −1 line removed$/)
})

test('a fork continues the conversation from before the message', async ({ app }) => {
  const { page } = app
  await twoTurns(app)
  await page.getByText('tidy up').first().hover()
  await page.getByRole('button', { name: 'Message actions' }).nth(1).click()
  await page.getByRole('menuitem', { name: 'Fork the session from here' }).click()
  await expect(transcriptText(page, 'First done.')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Conversation' }).getByText('Second done.')).toHaveCount(0)
})
