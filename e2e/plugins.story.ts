import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from './app'
import { findings } from './assistive'
import { pictures, sendPrompt, startSession, transcriptText } from './steps'

const IN_PROJECT = '.trestle/plugins/tidy'

test.use({
  files: {
    'README.md': 'A project\n',
    [`${IN_PROJECT}/plugin.toml`]:
      'name = "tidy"\nversion = "1.2.0"\ndescription = "Keeps the project tidy"\nauthor = "Ada"\nhomepage = ' +
      '"https://example.com/tidy"\n[[hooks]]\nevent = "Stop"\ncommand = "sh $TRESTLE_PLUGIN_ROOT/note.sh"\n',
    [`${IN_PROJECT}/note.sh`]: 'echo tidied >> tidied.txt\n',
    [`${IN_PROJECT}/commands/sweep.md`]:
      '---\ndescription: Sweep a folder\nargument-hint: [folder]\n---\nSweep $folder.\n',
    [`${IN_PROJECT}/skills/dust/SKILL.md`]: '---\nname: dust\ndescription: How to dust\n---\nDust the shelves.\n',
  },
  model: { script: [{ text: 'First answer.' }, { text: 'Second answer.' }, { text: 'Third answer.' }] },
})

test('a plugin is reviewed, accepted, used, changed, reviewed again, removed and restored, all by keyboard', async ({
  app,
}) => {
  const { page, scratch, server } = app
  const noted = join(scratch.project, 'tidied.txt')
  await startSession(app)
  await sendPrompt(page, 'the first')
  await expect(transcriptText(page, 'First answer.')).toBeVisible()
  expect(existsSync(noted)).toBe(false)
  expect(JSON.stringify(server.requests[0]!.body)).not.toContain('dust')

  const openPlugins = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Settings' }).press('Enter')
    await page.getByRole('tab', { name: 'Plugins' }).click()
  }
  await openPlugins()
  const row = page.getByRole('list', { name: 'Plugins', exact: true }).getByRole('listitem').first()
  await expect(row).toContainText('Not reviewed')
  await expect(row).toContainText('1 hook · 1 skill · 1 slash command')
  await expect(row.getByRole('switch')).toBeDisabled()
  await pictures(app, 'plugins')
  expect(await findings(page)).toEqual([])
  await page.getByRole('button', { name: 'Review tidy' }).press('Enter')
  const review = page.getByRole('dialog', { name: 'Review tidy' })
  await expect(review).toContainText('sh $TRESTLE_PLUGIN_ROOT/note.sh')
  await expect(review).toContainText('echo tidied >> tidied.txt')
  await expect(review).toContainText('/tidy:sweep')
  await expect(review).toContainText('Dust the shelves.')
  await pictures(app, 'plugin-review')
  expect(await findings(page)).toEqual([])
  await review.getByRole('button', { name: 'Accept and turn on' }).press('Enter')
  await expect(review).toHaveCount(0)
  await expect(row.getByRole('switch', { name: 'Use tidy' })).toBeChecked()

  await page.getByRole('button', { name: 'Close', exact: true }).press('Enter')
  const message = page.getByRole('textbox', { name: 'Message', exact: true })
  await message.fill('/tidy:')
  await expect(page.getByRole('option', { name: /tidy:sweep/ })).toBeVisible()
  await pictures(app, 'plugin-command')
  await message.fill('/tidy:sweep src')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Enter')
  await expect(transcriptText(page, 'Second answer.')).toBeVisible()
  expect(JSON.stringify(server.requests.at(-1)!.body)).toContain('Sweep src.')
  expect(JSON.stringify(server.requests.at(-1)!.body)).toContain('tidy:dust')
  // The hook runs after the answer.
  await expect.poll(() => existsSync(noted) && readFileSync(noted, 'utf8')).toBe('tidied\n')

  writeFileSync(join(scratch.project, IN_PROJECT, 'note.sh'), 'echo taken over >> tidied.txt\n')
  await sendPrompt(page, 'the third')
  await expect(transcriptText(page, 'Third answer.')).toBeVisible()
  await openPlugins()
  await expect(row).toContainText('Changed, off')
  await page.getByRole('button', { name: 'Review tidy' }).press('Enter')
  const changed = page.getByRole('dialog', { name: 'Review the changes of tidy' })
  await expect(changed.getByRole('group', { name: 'Changes' })).toContainText('echo taken over')
  await pictures(app, 'plugin-changed')
  expect(await findings(page)).toEqual([])
  await page.keyboard.press('Escape')

  expect(readFileSync(noted, 'utf8')).toBe('tidied\n')

  await page.getByRole('button', { name: 'Remove tidy' }).press('Enter')
  await expect(page.getByText('No plugins')).toBeVisible()
  expect(existsSync(join(scratch.project, IN_PROJECT))).toBe(false)
  await pictures(app, 'plugin-removed')
  expect(await findings(page)).toEqual([])
  await page.getByRole('button', { name: 'Restore tidy' }).press('Enter')
  await expect(row).toContainText('Changed, off')
  expect(existsSync(join(scratch.project, IN_PROJECT, 'note.sh'))).toBe(true)
})

test('a plugin is added from a folder, and a folder without one shows an error', async ({ app }) => {
  const { page, scratch } = app
  await page.getByRole('button', { name: 'Settings' }).press('Enter')
  await page.getByRole('tab', { name: 'Plugins' }).click()
  await expect(page.getByText('No plugins')).toBeVisible()
  await page.getByRole('button', { name: 'Add plugin' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Add plugin' })
  const from = dialog.getByRole('textbox', { name: 'Folder or git address' })
  await from.fill(scratch.project)
  await from.press('Enter')
  await expect(dialog.getByRole('alert')).toContainText('The folder has no plugin.toml')
  await pictures(app, 'plugin-refused')
  expect(await findings(page)).toEqual([])
  await from.fill(join(scratch.project, IN_PROJECT))
  await from.press('Enter')
  const review = page.getByRole('dialog', { name: 'Review tidy' })
  await expect(review).toContainText('It is off. Read what it would do before you accept it.')
  await review.getByRole('button', { name: 'Not now' }).press('Enter')
  const row = page.getByRole('list', { name: 'Plugins', exact: true }).getByRole('listitem')
  await expect(row).toContainText('Not reviewed')
  await row.getByRole('button', { name: 'Update tidy' }).press('Enter')
  await expect(page.getByText('tidy is up to date')).toBeVisible()
})
