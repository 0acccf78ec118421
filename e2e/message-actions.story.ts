import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, type App } from './app'
import { pictures, sendPrompt, startSession, transcriptText } from './steps'
import { findingsInBothThemes } from './assistive'

const read = (app: App, path: string): string => readFileSync(join(app.scratch.project, path), 'utf8')
const edit = { name: 'Write', input: { path: 'made.txt', content: 'by the agent\n' } }

test.describe('a message', () => {
  test.use({
    model: {
      script: [
        { text: 'The first answer.' },
        { text: 'Now I write.', toolCalls: [edit] },
        { text: 'The second answer.' },
        { text: 'The third answer.' },
        { text: 'The fourth answer.' },
      ],
    },
    config: { more: 'default_permission_mode = "auto"' },
  })

  test('is edited and sent again by keyboard alone, and what it changed is undone', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'hello')
    await expect(transcriptText(page, 'The first answer.')).toBeVisible()
    await sendPrompt(page, 'write a file')
    await expect(transcriptText(page, 'The second answer.')).toBeVisible()
    expect(read(app, 'made.txt')).toBe('by the agent\n')

    const pencil = page.getByRole('button', { name: 'Edit and resend' }).last()
    await pencil.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Edit and resend' })
    await expect(dialog.getByRole('textbox', { name: 'Message' })).toHaveValue('write a file')
    await dialog.getByRole('textbox', { name: 'Message' }).fill('write nothing, just answer')
    await dialog.getByRole('radio', { name: /restore the files/ }).check()
    await expect(dialog.getByRole('list', { name: 'What changes on disk' })).toContainText('made.txt')
    expect(await findingsInBothThemes(page)).toEqual([])
    await pictures(app, 'edit-and-resend')
    await dialog.getByRole('textbox', { name: 'Message' }).press('Control+Enter')
    await expect(transcriptText(page, 'The third answer.')).toBeVisible()
    await expect(transcriptText(page, 'The second answer.')).toHaveCount(0)
    expect(() => read(app, 'made.txt')).toThrow()
    expect(JSON.stringify(app.server.requests.at(-1)!.body)).toContain('write nothing, just answer')
    expect(JSON.stringify(app.server.requests.at(-1)!.body)).not.toContain('write a file')
  })

  test('is sent again in a fork, and the session stays unchanged', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'hello')
    await expect(transcriptText(page, 'The first answer.')).toBeVisible()
    await page.getByRole('button', { name: 'Message actions' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Edit and resend…' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Edit and resend' })
    await dialog.getByRole('textbox', { name: 'Message' }).fill('hello, fork')
    await dialog.getByRole('radio', { name: /In a fork/ }).check()
    // The second press comes before the answer to the first one.
    app.freeze()
    const message = dialog.getByRole('textbox', { name: 'Message' })
    await message.press('Control+Enter')
    await message.press('Control+Enter')
    app.thaw()
    await expect(transcriptText(page, 'Now I write.')).toBeVisible()
    await expect(transcriptText(page, 'hello, fork')).toBeVisible()
    await expect(page.getByRole('treeitem', { name: /hello/ })).toHaveCount(2)
  })

  test('is quoted, copied, and retried; the turn shows its time, model and tokens', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'hello')
    await expect(transcriptText(page, 'The first answer.')).toBeVisible()
    const foot = page.locator('.turn-foot')
    await expect(foot).toContainText(/\d{1,2}:\d{2}/)
    await expect(foot).toContainText('tokens')
    await expect(foot).toContainText('scripted')
    await page.getByRole('button', { name: 'Answer actions' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Quote in the message' }).press('Enter')
    const field = page.getByRole('textbox', { name: 'Message', exact: true })
    await expect(field).toHaveValue('> The first answer.\n\n')
    await field.fill('')
    await page.getByRole('button', { name: 'Retry' }).focus()
    await page.keyboard.press('Enter')
    await expect(transcriptText(page, 'Now I write.')).toBeVisible()
    await expect(transcriptText(page, 'The first answer.')).toHaveCount(0)
    await expect(transcriptText(page, 'The second answer.')).toBeVisible()
    expect(await findingsInBothThemes(page)).toEqual([])
    await page.locator('.row').last().hover()
    await pictures(app, 'turn-figures')
    // The turn wrote a file: a retry asks what to do with it.
    await page.getByRole('button', { name: 'Retry' }).focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog', { name: 'Retry' })).toContainText('made.txt')
    expect(await findingsInBothThemes(page)).toEqual([])
    await page.keyboard.press('Escape')
  })
})

test.describe('an answer', () => {
  test.use({
    model: { script: (_request, index) => ({ text: `Answer ${index + 1}.` }) },
    config: {
      more:
        '[models."local/other"]\nprovider = "local"\nmodel = "other"\n' +
        'context_window = 128000\ncapabilities = ["tools"]',
    },
  })

  test('is retried with another model from its menu', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'hello')
    await expect(transcriptText(page, 'Answer 1.')).toBeVisible()
    await page.getByRole('button', { name: 'Answer actions' }).press('Enter')
    await page.getByRole('menuitem', { name: 'other' }).press('Enter')
    await expect(transcriptText(page, 'Answer 2.')).toBeVisible()
    await expect(transcriptText(page, 'Answer 1.')).toHaveCount(0)
    expect(app.server.requests.at(-1)!.body).toMatchObject({ model: 'other' })
    await expect(page.locator('.turn-foot')).toContainText('other')
    // Undo restores what the retry removed.
    await page.getByRole('button', { name: 'Undo' }).first().press('Enter')
    await expect(transcriptText(page, 'Answer 1.')).toBeVisible()
  })
})

test.describe('queued messages', () => {
  // The answer never ends, so the queue stays.
  test.use({ model: { script: [{ text: 'Working on it.', faults: { stallAfterBytes: 40 } }] } })

  test('are reordered with the arrow keys', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'wait')
    await page.getByRole('button', { name: /^Stop/ }).waitFor()
    for (const words of ['first', 'second', 'third']) await sendPrompt(page, words)
    const queue = page.getByRole('list', { name: 'Queued prompts' })
    await expect(queue.getByRole('listitem')).toHaveCount(3)
    const grip = queue.getByRole('button', { name: /^Move “third”/ })
    await grip.focus()
    await page.keyboard.press('ArrowUp')
    await expect(queue.getByRole('listitem').nth(1)).toContainText('third')
    await expect(grip).toBeFocused()
    await page.keyboard.press('ArrowUp')
    await expect(queue.getByRole('listitem').first()).toContainText('Next: “third”')
    expect(await findingsInBothThemes(page)).toEqual([])
    await queue
      .getByRole('listitem')
      .first()
      .getByRole('button', { name: /^Move/ })
      .dragTo(queue.getByRole('listitem').last())
    await expect(queue.getByRole('listitem').last()).toContainText('third')
    await grip.focus()
    await page.keyboard.press('Home')
    for (let n = 0; n < 2; n++) await page.keyboard.press('ArrowDown')
    await expect(grip).toHaveAccessibleName(/place 3 of 3/)
    await page.reload()
    await expect(queue.getByRole('listitem').last()).toContainText('third')

    // A prompt that is removed in another window during an edit keeps its edited text.
    await queue.getByRole('listitem').last().getByRole('button', { name: 'Edit' }).press('Enter')
    await page.getByRole('textbox', { name: 'Edit the queued prompt' }).fill('third, with more')
    const opened = page.waitForEvent('popup')
    await page.evaluate("void window.open(location.href, '_blank', 'noopener')")
    const other = await opened
    await other.getByRole('listitem').filter({ hasText: 'third' }).getByRole('button', { name: 'Remove' }).click()
    await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toHaveValue('third, with more')
    await other.close()
  })
})
