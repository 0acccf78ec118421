import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, type App } from './app'
import { transcriptText, sendPrompt, startSession } from './steps'

const mkdir = (name: string): { toolCalls: { name: string; input: { command: string } }[] } => ({
  toolCalls: [{ name: 'Bash', input: { command: `mkdir ${name}` } }],
})
const isThere = (app: App, name: string): boolean => existsSync(join(app.scratch.project, name))

test.describe('allow always', () => {
  test.use({
    model: {
      script: [mkdir('first'), mkdir('second'), { text: 'Two folders.' }, mkdir('third'), { text: 'Three folders.' }],
    },
    config: { more: '# my own words\n' },
  })

  test('shows what it covers, writes exactly that rule, and the next such command runs without approval', async ({
    app,
  }) => {
    const { page } = app
    const file = join(app.scratch.home, 'config.toml')
    await startSession(app)
    await sendPrompt(page, 'two folders')
    const first = page.getByRole('group', { name: /mkdir first/ })
    await expect(first.getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ })).toBeEnabled()
    await page.keyboard.press('1')

    const card = page.getByRole('group', { name: /mkdir second/ })
    await expect(card.getByRole('button', { name: 'Allow always' })).toBeEnabled()
    await page.keyboard.press('3')
    const rules = card.getByRole('radiogroup', { name: 'What the rule covers' })
    await expect(rules.getByRole('radio').first()).toBeFocused()
    await expect(rules.getByRole('radio').first()).toBeChecked()
    await expect(rules.getByRole('radio').first()).toHaveAccessibleName('Allow exactly mkdir second')
    // One sentence per choice; the rule and its effect on earlier commands are collapsed, and the buttons stay in view.
    await expect(card.getByLabel('The rule', { exact: true })).toBeHidden()
    await expect(card.getByText('What should be allowed without asking?')).toBeInViewport({ ratio: 1 })
    await expect(card.getByRole('button', { name: 'Allow always' })).toBeInViewport({ ratio: 0.8 })
    await card.getByText('Details').click()
    await expect(card.getByRole('button', { name: 'Allow always' })).toBeInViewport({ ratio: 0.8 })
    await rules.getByRole('radio').first().focus()
    // The narrowest rule would not have covered the earlier command; the wider one would.
    const before = card
      .getByRole('list', { name: 'Past commands under this rule' })
      .getByRole('listitem')
      .filter({ hasText: 'mkdir first' })
    await expect(before).toHaveText('mkdir firstasked, as before')
    await page.keyboard.press('ArrowDown', { delay: 60 })
    await expect(rules.getByRole('radio', { name: 'Allow mkdir with anything after it' })).toBeChecked()
    await expect(before).toContainText(/asked →.*allowed/)
    const rule = card.getByLabel('The rule', { exact: true })
    await expect(rule).toHaveText('[[permission.rules]]\ndecision = "allow"\npattern = "Bash(mkdir *)"')
    expect(readFileSync(file, 'utf8')).not.toContain('permission')
    const shown = await rule.textContent()
    await expect(card.getByRole('button', { name: 'Allow always' })).toBeEnabled()
    await page.keyboard.press('Enter')
    await expect(transcriptText(page, 'Two folders.')).toBeVisible()
    expect(readFileSync(file, 'utf8')).toContain(shown)
    expect(readFileSync(file, 'utf8')).toContain('# my own words')

    await sendPrompt(page, 'and a third')
    await expect(transcriptText(page, 'Three folders.')).toBeVisible()
    expect(isThere(app, 'third')).toBe(true)
    await page.getByRole('button', { name: /Bash mkdir third/ }).click()
    await page.getByRole('button', { name: 'Why was this allowed?' }).click()
    await expect(page.getByRole('note')).toContainText('allow Bash(mkdir *)')
    await expect(page.getByRole('note')).toContainText(/config\.toml:\d+/)
  })

  test('for this session writes no file, and Back allows nothing', async ({ app }) => {
    const { page } = app
    const file = join(app.scratch.home, 'config.toml')
    const before = readFileSync(file, 'utf8')
    await startSession(app)
    await sendPrompt(page, 'two folders')
    const card = page.getByRole('group', { name: /mkdir first/ })
    await expect(card.getByRole('button', { name: 'Allow for this session' })).toBeEnabled()
    await card.getByRole('button', { name: 'Allow for this session' }).click()
    await expect(card.getByRole('radio', { name: /This session/ })).toBeChecked()
    await page.keyboard.press('Escape')
    await expect(card.getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ })).toBeVisible()
    expect(isThere(app, 'first')).toBe(false)
    await card.getByRole('button', { name: 'Allow for this session' }).click()
    await card.getByRole('radio', { name: 'Allow mkdir with anything after it' }).click()
    await card.getByRole('button', { name: 'Allow for this session' }).click()
    await expect(transcriptText(page, 'Two folders.')).toBeVisible()
    expect(isThere(app, 'second')).toBe(true)
    expect(readFileSync(file, 'utf8')).toBe(before)
  })
})

test.describe('a request in a low and narrow pane', () => {
  test.use({ model: { script: [mkdir('made'), { text: 'Made.' }] } })

  test('leaves the message box whole, and scrolls to its last button', async ({ app }) => {
    const { page } = app
    // A small window, or one zoomed to 200%.
    await page.setViewportSize({ width: 720, height: 450 })
    await startSession(app)
    await page.keyboard.press('ControlOrMeta+Shift+E')
    await expect(page.getByRole('tab', { name: 'Files' })).toBeVisible()
    await sendPrompt(page, 'Make it')
    const card = page.getByRole('group', { name: /^Approval needed/ })
    await expect(card).toBeVisible()
    await expect(page.getByRole('button', { name: 'Stop', exact: true })).toBeInViewport({ ratio: 1 })
    const last = card.getByRole('button', { name: 'Reject and stop' })
    await last.scrollIntoViewIfNeeded()
    await expect(last).toBeInViewport({ ratio: 1 })
  })
})
