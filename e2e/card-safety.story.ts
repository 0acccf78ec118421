import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from './app'
import { pictures, transcriptText, sendPrompt, startSession } from './steps'

const run = (command: string) => ({ toolCalls: [{ name: 'Bash', input: { command, description: 'Tidies up' } }] })

test.describe('a dangerous command', () => {
  test.use({ model: { script: [run('touch ran; git push --force; rm -rf /etc/nothing'), { text: 'Pushed.' }] } })

  test('lists every danger, and no single key allows it', async ({ app }) => {
    const { page, scratch } = app
    await startSession(app)
    await sendPrompt(page, 'push it')
    const card = page.getByRole('group', { name: /Approval needed/ })
    const allow = card.getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ })
    await expect(allow).toBeEnabled()
    const reasons = card.getByRole('list', { name: 'Reasons' }).getByRole('listitem')
    await expect(reasons.filter({ hasText: 'git push --force' })).toBeVisible()
    await expect(reasons.filter({ hasText: 'rm -rf /etc/nothing' }).first()).toBeVisible()
    await expect(card.getByText('The agent says:')).toBeVisible()
    await expect(card.getByRole('button', { name: /always|session/ })).toHaveCount(0)
    await pictures(app, 'dangerous-command')
    // 0 rejects. Letters are checked last: a number in a message belongs to the message.
    for (const key of ['1', '2', '3', '4', '9', 'Enter', ' ', 'y', 'a']) {
      const pressed = await page.evaluate(() => performance.now())
      await page.keyboard.press(key)
      // Soon after another key, a card ignores all keys.
      await page.waitForFunction((at) => performance.now() > at + 650, pressed)
    }
    await expect(card).toBeVisible()
    expect(existsSync(join(scratch.project, 'ran'))).toBe(false)
  })
})

test.describe('a command longer than the card', () => {
  const long = Array.from({ length: 80 }, (_, line) => `echo ${line}`).join('\n')
  test.use({ model: { script: [run(`${long}\necho end > ran`), { text: 'Done.' }] } })

  test('can be allowed only after scrolling to its end', async ({ app }) => {
    const { page, scratch } = app
    await startSession(app)
    await sendPrompt(page, 'go')
    const card = page.getByRole('group', { name: /Approval needed/ })
    const allow = card.getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ })
    await expect(card.getByText('Scroll to the end of the preview to allow this.')).toBeVisible()
    await expect(allow).toBeDisabled()
    await pictures(app, 'preview-end')
    await page.keyboard.press('1')
    await expect(card).toBeVisible()
    expect(existsSync(join(scratch.project, 'ran'))).toBe(false)
    // By keyboard alone.
    await card.getByLabel('Command', { exact: true }).focus()
    await page.keyboard.press('End')
    await expect(allow).toBeEnabled()
    await allow.focus()
    await page.keyboard.press('Enter')
    await expect(transcriptText(page, 'Done.')).toBeVisible()
    expect(existsSync(join(scratch.project, 'ran'))).toBe(true)
  })
})

test.describe('hidden content', () => {
  test.use({ model: { script: [run(`echo \u202ehi\u200b${'\n'.repeat(120)}touch ran`), { text: 'Done.' }] } })

  test('is spelled out and counted', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'go')
    const command = page.getByRole('group', { name: /Approval needed/ }).getByLabel('Command', { exact: true })
    await expect(command).toContainText(String.raw`echo \u{202e}hi\u{200b}`)
    await expect(command).toContainText('⋯ 119 blank lines ⋯')
    await pictures(app, 'hidden-content')
  })
})

test.describe('a link whose text names another host', () => {
  test.use({
    model: {
      script: [
        { text: 'See [https://github.com/login](https://evil.example/x) and [docs](https://user:pw@evil.example/).' },
      ],
    },
  })

  test('shows its real URL before it opens, and one with a password does not open', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'where?')
    await page.getByRole('link', { name: /github\.com\/login/ }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Open this address?' })
    await expect(dialog).toContainText('The link says github.com, but it opens evil.example.')
    await expect(dialog).toContainText('https://evil.example/x')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect(page.getByRole('link', { name: /docs/ })).toHaveCount(0)
  })
})

test.describe('an edit', () => {
  const lines = Array.from({ length: 40 }, (_, n) => `line ${n + 1}`)
  const change = lines.slice(4, 30).map((line) => `${line} changed`)
  test.use({
    files: { 'a.txt': `${lines.join('\n')}\n` },
    model: {
      script: [
        { toolCalls: [{ name: 'Read', input: { path: 'a.txt' } }] },
        {
          toolCalls: [
            {
              name: 'Edit',
              input: { path: 'a.txt', old_string: lines.slice(4, 30).join('\n'), new_string: change.join('\n') },
            },
          ],
        },
        { text: 'Changed.' },
      ],
    },
  })

  test('can be allowed once its last changed line was in view; the lines around it need not be', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'change it')
    const card = page.getByRole('group', { name: /Approval needed: Edit/ })
    const allow = card.getByRole('button', { name: /^Allow once/ })
    await expect(card.getByText('Scroll to the end of the preview to allow this.')).toBeVisible()
    await expect(allow).toBeDisabled()
    await card.getByRole('button', { name: /^Show all/ }).click()
    await expect(allow).toBeDisabled()
    // The card may still change its size.
    await expect(async () => {
      await card.getByText('line 30 changed').evaluate((row) => row.scrollIntoView({ block: 'end' }))
      await expect(allow).toBeEnabled({ timeout: 2000 })
    }).toPass()
    await expect(card.getByText('line 33', { exact: true })).not.toBeInViewport()
    await allow.click()
    await expect(transcriptText(page, 'Changed.')).toBeVisible()
  })
})
