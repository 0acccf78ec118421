import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect, test, type App } from './app'
import { chooseFolder, reload, sendPrompt, startSession, transcriptText } from './steps'

const read = (app: App, path: string): string => readFileSync(join(app.scratch.project, path), 'utf8')

test.describe('an edit', () => {
  const edit = { name: 'Edit', input: { path: 'README.md', old_string: 'second line', new_string: 'zweite Zeile' } }
  test.use({
    model: {
      script: [
        { thinking: 'First I read it.', toolCalls: [{ name: 'Read', input: { path: 'README.md' } }] },
        { text: 'I will translate the second line.', toolCalls: [edit] },
        { text: 'What would you like instead?' },
      ],
    },
  })

  test('is shown as a diff, is approved by key after the grace period, and then changes the file', async ({ app }) => {
    const { page } = app
    await chooseFolder(app)
    await sendPrompt(page, 'translate the second line')
    const card = page.getByRole('group', { name: /Edit README\.md/ })
    await expect(card).toContainText('second line')
    await expect(card).toContainText('zweite Zeile')
    expect(read(app, 'README.md')).toContain('second line')
    await expect(card.getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ })).toBeEnabled()
    await page.keyboard.press('1')
    await expect.poll(() => read(app, 'README.md')).toContain('zweite Zeile')
    await expect(transcriptText(page, 'What would you like instead?')).toBeVisible()
    await page.getByRole('button', { name: /Edit README\.md/ }).click()
    await expect(transcriptText(page, 'zweite Zeile').last()).toBeVisible()
  })

  test('can be rejected with a reason that reaches the model', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'translate the second line')
    const card = page.getByRole('group', { name: /Edit README\.md/ })
    await card.getByRole('button', { name: 'Why?' }).click()
    await expect(card).toContainText('Edit can change things')
    await card.getByRole('button', { name: 'Reject…' }).click()
    await card.getByRole('textbox').fill('use French, please')
    await page.keyboard.press('Enter')
    await expect(transcriptText(page, 'What would you like instead?')).toBeVisible()
    expect(read(app, 'README.md')).toContain('second line')
    expect(JSON.stringify(app.server.requests[2]!.body)).toContain('use French, please')
  })

  test('"Reject and stop" ends the turn without another request, and the next message works', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'translate the second line')
    const card = page.getByRole('group', { name: /Edit README\.md/ })
    await expect(card.getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ })).toBeEnabled()
    await card.getByRole('button', { name: 'Reject and stop' }).click()
    await expect(card).toBeHidden()
    await expect(page.getByRole('button', { name: 'Stop', exact: true })).toBeHidden()
    expect(app.server.requests).toHaveLength(2)
    expect(read(app, 'README.md')).toContain('second line')
    await sendPrompt(page, 'leave it then')
    await expect(transcriptText(page, 'What would you like instead?')).toBeVisible()
    expect(JSON.stringify(app.server.requests[2]!.body)).toContain('rejected this call and stopped the turn')
  })

  test('ignores keys within the grace period', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'translate the second line')
    const card = page.getByRole('group', { name: /Edit README\.md/ })
    await card.waitFor()
    await page.keyboard.press('1')
    await expect(card.getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ })).toBeVisible()
    expect(read(app, 'README.md')).toContain('second line')
  })
})

test.describe('while the agent works', () => {
  // Longer than any of these stories takes on a busy machine: each of them ends it.
  const slow = { text: 'Thinking about it for quite some time. '.repeat(300), faults: { eventDelayMs: 60 } }
  test.use({ model: { script: [slow, { text: 'And here is the second answer.' }, { text: 'And the third.' }] } })

  test('another prompt is queued, can be edited and removed, and runs afterwards', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'a long question')
    await expect(transcriptText(page, 'Thinking about it')).toBeVisible()
    await sendPrompt(page, 'and then this')
    const queue = page.getByRole('list', { name: 'Queued prompts' })
    await expect(queue).toContainText('and then this')
    await sendPrompt(page, 'and that, too')
    await expect(queue.getByRole('listitem')).toHaveCount(2)
    await queue
      .getByRole('button', { name: /Remove/ })
      .last()
      .click()
    await expect(queue.getByRole('listitem')).toHaveCount(1)
    await page.getByRole('button', { name: /^Stop/ }).click()
    await expect(transcriptText(page, /stopped/i)).toBeVisible()
    await queue.getByRole('button', { name: /Send now/ }).click()
    await expect(transcriptText(page, 'And here is the second answer.')).toBeVisible()
  })

  test('a reload in the middle of the answer loses nothing', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'a long question')
    await expect(transcriptText(page, 'Thinking about it')).toBeVisible()
    await reload(page)
    await expect(transcriptText(page, 'Thinking about it')).toBeVisible()
    await page.getByRole('button', { name: /^Stop/ }).click()
    await expect(transcriptText(page, /stopped/i)).toBeVisible()
    await sendPrompt(page, 'continue')
    await expect(transcriptText(page, 'And here is the second answer.')).toBeVisible()
  })

  test('killing the program shows the turn as interrupted at the next start, and it can be continued', async ({
    app,
  }) => {
    await startSession(app)
    await sendPrompt(app.page, 'a long question')
    await expect(transcriptText(app.page, 'Thinking about it')).toBeVisible()
    await app.kill()
    await expect(app.page.getByText('Not connected. Your draft is kept.')).toBeVisible()
    await sendPrompt(app.page, 'sent too late')
    await expect(app.page.getByRole('alert').filter({ hasText: 'Not sent.' })).toBeVisible()
    await expect(app.page.getByRole('textbox', { name: 'Message', exact: true })).toHaveValue('sent too late')
    await app.restart()
    await app.page.getByRole('treeitem', { name: /a long question/ }).click()
    await expect(transcriptText(app.page, /interrupted|closed during this turn/i)).toBeVisible()
    await sendPrompt(app.page, 'continue')
    await expect(transcriptText(app.page, 'And here is the second answer.')).toBeVisible()
  })
})

test.describe('a failing model', () => {
  test.use({
    config: { loop: 'retry_base_ms = 1500' },
    model: {
      script: [
        { faults: { status: 529, body: { error: { message: 'overloaded, sorry' } } } },
        { text: 'Recovered.' },
        { faults: { status: 401, body: { error: { message: 'no such key' } } } },
        { text: 'Now it works.' },
      ],
    },
  })

  test('is retried visibly; an invalid key is not, and shows what to do', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'hello')
    await expect(transcriptText(page, 'Recovered.')).toBeVisible()
    // The failed attempt stays in view; the wait for the next one may be too short to be seen.
    await expect(transcriptText(page, /Attempt 1 failed/)).toBeVisible()
    await sendPrompt(page, 'again')
    await expect(transcriptText(page, 'Invalid API key')).toBeVisible()
    await expect(transcriptText(page, /Check this provider's API key/)).toBeVisible()
    await page.getByRole('button', { name: 'Open settings' }).click()
    await expect(page.getByRole('tab', { name: 'Providers', selected: true })).toBeVisible()
    await page.goBack()
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(transcriptText(page, 'Now it works.')).toBeVisible()
  })
})

test.describe('a command', () => {
  test.use({
    model: {
      script: [
        { toolCalls: [{ name: 'Bash', input: { command: 'printf "\\033[32mgreen\\033[0m output\\n"; exit 3' } }] },
        { text: 'It failed.' },
      ],
    },
  })

  test('shows its output and its exit code', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await chooseMode(page, 'Auto')
    await sendPrompt(page, 'run it')
    await expect(transcriptText(page, 'It failed.')).toBeVisible()
    const row = page.getByRole('button', { name: /Bash printf/ })
    await expect(row).toContainText(/exit 3/)
    await row.click()
    await expect(transcriptText(page, 'green output')).toBeVisible()
  })
})

test.describe('hostile answers', () => {
  test.use({
    model: {
      script: [
        {
          text:
            '<img src=x onerror="document.title=\'owned\'"> ![pixel](http://127.0.0.1:9/track.png) ' +
            '[click](javascript:alert(1)) <script>document.title="owned"</script>',
        },
      ],
    },
  })

  test('neither run nor load anything', async ({ app }) => {
    const { page } = app
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await startSession(app)
    await sendPrompt(page, 'hi')
    await expect(transcriptText(page, /pixel/)).toBeVisible()
    expect(await page.title()).not.toBe('owned')
    expect(asked.filter((url) => url.includes('track.png'))).toEqual([])
    expect(await page.locator('a[href^="javascript:"]').count()).toBe(0)
  })
})

async function chooseMode(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /Ask first/ }).click()
  await page.getByRole('menuitemradio', { name: new RegExp(name) }).click()
}
