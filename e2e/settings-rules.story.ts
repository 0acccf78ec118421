import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from './app'
import { everyLook } from './looks'
import { pictures } from './steps'

test.use({
  config: {
    more: '# The house rules\n[[permission.rules]]\ndecision = "deny" # never\npattern = "Read(secrets/**)"\n',
  },
})

test('a rule is added, tested, edited, moved, deleted and restored, all by keyboard', async ({ app }) => {
  const { page } = app
  const config = (): string => readFileSync(join(app.scratch.home, 'config.toml'), 'utf8')
  await page.keyboard.press('Control+,')
  await page.getByRole('combobox', { name: 'Search settings' }).fill('rules')
  await page.keyboard.press('Enter')
  const rules = page.getByRole('list', { name: 'Your rules' }).getByRole('listitem')
  await expect(rules).toHaveCount(1)
  await expect(rules.first()).toContainText('Blocks reading files that match secrets/** in the project')
  await expect(rules.first()).toContainText(/config\.toml:\d+/)

  await page.getByRole('button', { name: 'Add rule' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Add rule' })
  const pattern = dialog.getByRole('textbox', { name: 'Pattern' })
  await pattern.fill('Bash(npm test && rm x)')
  await expect(dialog.getByRole('alert')).toContainText('the commands of a line are judged separately')
  await pattern.fill('Bash(npm run *)')
  await expect(dialog).toContainText('Allows commands that begin with “npm run” without asking.')
  await everyLook(page)
  await pictures(app, 'rule-dialog')
  await pattern.press('Enter')
  await expect(rules).toHaveCount(2)
  expect(config()).toContain('# The house rules\n[[permission.rules]]\ndecision = "deny" # never')

  await page.getByRole('textbox', { name: 'Command line' }).fill('npm run build && git push')
  await page.keyboard.press('Enter')
  const parts = page.getByRole('list', { name: '2 parts, judged separately' }).getByRole('listitem')
  await expect(parts.first()).toContainText('Allowed by your rule allow Bash(npm run *)')
  await expect(parts.last()).toContainText('Asks')
  // A result is only about what is shown beside it.
  await page.getByRole('textbox', { name: 'Command line' }).fill('npm run build && git push --force')
  await expect(parts).toHaveCount(0)
  await page.getByRole('combobox', { name: 'What to test' }).selectOption('Read')
  await page.getByRole('textbox', { name: 'Path' }).fill('secrets/key.txt')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Decided by a deny rule.')).toBeVisible()
  await everyLook(page)
  await pictures(app, 'rules')

  await page.getByRole('button', { name: 'Edit: Allow Bash(npm run *)' }).press('Enter')
  const edit = page.getByRole('dialog', { name: 'Edit rule' })
  await edit.getByRole('radio', { name: /^Ask/ }).focus()
  await page.keyboard.press('Space')
  await edit.getByRole('button', { name: 'Save' }).press('Enter')
  await expect(rules.last()).toContainText('Asks before commands that begin with “npm run”')
  expect(app.server.requests).toEqual([])

  const menu = page.getByRole('button', { name: 'Actions for Ask Bash(npm run *)' })
  await menu.press('Enter')
  await page.getByRole('menuitem', { name: 'Move up' }).press('Enter')
  await expect(rules.first()).toContainText('Bash(npm run *)')
  await menu.press('Enter')
  await page.getByRole('menuitem', { name: 'Delete' }).press('Enter')
  await expect(rules).toHaveCount(1)
  await page.getByRole('button', { name: 'Undo' }).last().press('Enter')
  await expect(rules).toHaveCount(2)
  expect(config()).toContain('decision = "deny" # never')
})

test('an empty list says what to do', async ({ app }) => {
  const { page } = app
  await page.keyboard.press('Control+,')
  await page.getByRole('tab', { name: 'Permissions' }).click()
  await page.getByRole('button', { name: /^Actions for Deny/ }).press('Enter')
  await page.getByRole('menuitem', { name: 'Delete' }).press('Enter')
  await expect(page.getByText('No rules', { exact: true })).toBeVisible()
  await everyLook(page)
})
