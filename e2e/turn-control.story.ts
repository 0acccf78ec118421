import type { Locator, Page } from '@playwright/test'
import { expect, test } from './app'
import { pictures, reload, sendPrompt, startSession, transcriptText } from './steps'

const EDIT = { name: 'Edit', input: { path: 'README.md', old_string: 'second line', new_string: 'zweite Zeile' } }
const composer = (page: Page): Locator => page.getByRole('textbox', { name: 'Message', exact: true })
const stop = (page: Page): Locator => page.getByRole('button', { name: 'Stop' })

test.describe('Escape', () => {
  test.use({ model: { script: [{ text: 'I change it.', toolCalls: [EDIT] }, { text: 'Continued.' }] } })

  test('closes the innermost layer first; only a second Escape stops the turn, which can be continued', async ({
    app,
  }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'change it')
    const card = page.getByRole('group', { name: /Edit README\.md/ })
    await expect(card.getByRole('button', { name: /^Allow once/ })).not.toHaveAttribute('aria-disabled')
    await card.getByRole('button', { name: 'Why?' }).click()
    await expect(card).toContainText('Edit can change things')
    // The focus is in the composer, as usual.
    await composer(page).focus()
    await page.keyboard.press('Escape')
    await expect(card).not.toContainText('Edit can change things')

    await card.getByRole('button', { name: /^Reject(?! and stop)/ }).click()
    await expect(card.getByRole('textbox', { name: 'Tell the agent what to do instead' })).toBeFocused()
    await composer(page).focus()
    await page.keyboard.press('Escape')
    await expect(card.getByRole('textbox', { name: 'Tell the agent what to do instead' })).toBeHidden()
    await expect(card.getByRole('button', { name: /^Allow once/ })).toBeVisible()

    await page.getByRole('button', { name: /Ask first/ }).click()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('menu')).toBeHidden()
    await expect(page.getByText('Press Esc again to stop')).toBeHidden()

    await composer(page).focus()
    const stopped = transcriptText(page, 'Stopped.')
    await expect(async () => {
      // The previous try may have stopped the turn with a delay.
      if (await stopped.isVisible()) return
      await page.keyboard.press('Escape')
      await expect(page.getByText('Press Esc again to stop')).toBeVisible({ timeout: 1000 })
      await expect(card).toBeVisible()
      await pictures(app, 'escape-once')
      await composer(page).focus()
      await page.keyboard.press('Escape')
      await expect(stopped).toBeVisible({ timeout: 2000 })
    }).toPass()
    await expect(card).toBeHidden()
    await pictures(app, 'stopped')
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect(transcriptText(page, 'Continued.')).toBeVisible()
  })
})

test.describe('a question', () => {
  const options = ['Postgres', 'SQLite'].map((label) => ({ label, description: '' }))
  const ask = {
    name: 'AskUserQuestion',
    input: { questions: [{ header: 'Database', question: 'Which database?', options }] },
  }
  test.use({ model: { script: [{ toolCalls: [ask] }, { text: 'I decide myself.' }] } })

  test('is skipped by Escape from the composer, as its button says, and the turn continues', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'set it up')
    const card = page.getByRole('group', { name: 'Question: Which database?' })
    await expect(card.getByRole('button', { name: 'Skip' })).not.toHaveAttribute('aria-disabled')
    await expect(card).toBeInViewport({ ratio: 1 })
    await composer(page).focus()
    await page.keyboard.press('Escape')
    await expect(transcriptText(page, 'I decide myself.')).toBeVisible()
    await expect(card).toBeHidden()
    await expect(page.getByText('Stopped.')).toBeHidden()
  })
})

test.describe('waiting calls', () => {
  const command = { name: 'Bash', input: { command: 'mkdir made' } }
  test.use({ model: { script: [{ text: 'Two things.', toolCalls: [EDIT, command] }, { text: 'Neither, then.' }] } })

  test('are queued, then need approval, and are never shown as running', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'both')
    const rows = page.getByRole('region', { name: 'Conversation' })
    const edit = rows.getByRole('button', { name: /^Edit README\.md/ })
    const bash = rows.getByRole('button', { name: /^Bash mkdir made/ })
    await expect(edit).toContainText('waiting for you')
    await expect(bash).toContainText('queued')
    await expect(rows.getByRole('status', { name: 'Waiting for you' })).toBeVisible()
    await expect(rows.getByText('running')).toHaveCount(0)
    await pictures(app, 'queued-call')
    const card = page.getByRole('group', { name: /Approval needed/ })
    await expect(card.getByRole('button', { name: /^Allow once/ })).not.toHaveAttribute('aria-disabled')
    // The same key rejects on every card.
    await expect(async () => {
      if (await card.getByRole('button', { name: /^Reject(?! and stop)/ }).isVisible()) await page.keyboard.press('0')
      await expect(card.getByRole('textbox', { name: 'Tell the agent what to do instead' })).toBeFocused({
        timeout: 1000,
      })
    }).toPass()
    await page.keyboard.press('Enter')
    await expect(edit).toContainText('rejected')
    await expect(bash).toContainText('waiting for you')
    await expect(
      page
        .getByRole('group', { name: /Approval needed: Bash mkdir made/ })
        .getByRole('button', { name: /^Reject(?! and stop)/ }),
    ).toContainText('0')
  })
})

test.describe('steering', () => {
  const slow = {
    text: 'Thinking about it for quite some time. '.repeat(120),
    faults: { eventDelayMs: 60 },
    toolCalls: [EDIT],
  }
  test.use({ model: { script: [slow, { text: 'I heard both.' }] } })

  test('shows that the message is sent at the next step, in every window and after a reload', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'a long question')
    await expect(transcriptText(page, 'Thinking about it')).toBeVisible()
    await sendPrompt(page, 'for later')
    await sendPrompt(page, 'for now')
    const queue = page.getByRole('list', { name: 'Queued prompts' })
    const now = queue.getByRole('listitem').filter({ hasText: 'for now' })
    await now.getByRole('button', { name: 'Send now' }).click()
    await expect(now).toContainText('Sends at the next step')
    await expect(now.getByRole('button', { name: 'Send now' })).toHaveCount(0)
    await composer(page).fill('at once')
    await page.keyboard.press('Control+S')
    await expect(queue.getByRole('listitem').filter({ hasText: 'at once' })).toContainText('Sends at the next step')
    await expect(queue.getByRole('listitem').filter({ hasText: 'for later' })).toContainText('Next:')
    await pictures(app, 'steering')
    await reload(page)
    await expect(now).toContainText('Sends at the next step')
    await stop(page).click()
    await expect(transcriptText(page, 'Stopped.')).toBeVisible()
    // Without a turn there is nothing to join.
    await expect(queue.getByText('Sends at the next step')).toHaveCount(0)
  })
})

test.describe('the queue', () => {
  const held = { text: 'Thinking about it.', faults: { holds: [{ events: 2, until: new Promise(() => undefined) }] } }
  test.use({ model: { script: [held] } })

  test('is edited by keyboard, and the focus moves to a neighbor when the focused prompt disappears', async ({
    app,
  }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'a long question')
    await expect(transcriptText(page, 'Thinking')).toBeVisible()
    await sendPrompt(page, 'first')
    await sendPrompt(page, 'second')
    await sendPrompt(page, 'third')
    const queue = page.getByRole('list', { name: 'Queued prompts' })
    const item = (words: string) => queue.getByRole('listitem').filter({ hasText: words })
    // Each button says which prompt it is for.
    for (const name of ['Send now', 'Edit', 'Remove'])
      await expect(queue.getByRole('button', { name: `${name}: “second”`, exact: true })).toHaveCount(1)
    await item('first').getByRole('button', { name: 'Edit' }).press('Enter')
    await expect(queue.getByRole('textbox')).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(item('first').getByRole('button', { name: /^Move/ })).toBeFocused()
    await item('first').getByRole('button', { name: 'Edit' }).press('Enter')
    await expect(queue.getByRole('textbox')).toBeFocused()
    await page.keyboard.type(' of all')
    await page.keyboard.press('Enter')
    await expect(item('first of all').getByRole('button', { name: /^Move/ })).toBeFocused()
    await item('second').getByRole('button', { name: 'Remove' }).press('Enter')
    await expect(item('third').getByRole('button', { name: /^Move/ })).toBeFocused()
    await item('first of all').getByRole('button', { name: 'Remove' }).press('Enter')
    await item('third').getByRole('button', { name: 'Remove' }).press('Enter')
    await expect(composer(page)).toBeFocused()
    await stop(page).click()
  })
})

test.describe('a queued prompt with an attached file', () => {
  const held = { text: 'Thinking about it.', faults: { holds: [{ events: 2, until: new Promise(() => undefined) }] } }
  test.use({ model: { script: [held, { text: 'Read it.' }] } })

  test('shows and edits what was typed, and keeps the file', async ({ app }) => {
    const { page, server } = app
    await startSession(app)
    await sendPrompt(page, 'a long question')
    await expect(transcriptText(page, 'Thinking')).toBeVisible()
    const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('remember the milk') }
    await page.locator('input[type=file]').setInputFiles([notes])
    await expect(page.getByRole('button', { name: 'Remove notes.txt' })).toBeVisible()
    await sendPrompt(page, 'what is this?')
    const queue = page.getByRole('list', { name: 'Queued prompts' })
    await expect(queue.getByRole('listitem')).toContainText('“what is this? · 1 attachment”')
    await queue.getByRole('button', { name: /^Edit/ }).click()
    await expect(queue.getByRole('textbox')).toHaveValue('what is this?')
    await queue.getByRole('textbox').fill('what is that?')
    await page.keyboard.press('Enter')
    await expect(queue.getByRole('listitem')).toContainText('“what is that? · 1 attachment”')
    await stop(page).click()
    await queue.getByRole('button', { name: /^Send now/ }).click()
    await server.arrived(2)
    expect(JSON.stringify(server.requests.at(-1)?.body)).toMatch(/what is that\?.*Attached file notes\.txt/)
  })
})

test.describe('a queued prompt that is sent while it is edited', () => {
  const gate = Promise.withResolvers<void>()
  const held = { text: 'Thinking about it.', faults: { holds: [{ events: 2, until: gate.promise }] } }
  test.use({ model: { script: [held, { text: 'Sent as it was.' }] } })

  test('leaves the new text in the message box, and says so', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'a long question')
    await expect(transcriptText(page, 'Thinking')).toBeVisible()
    await sendPrompt(page, 'the old text')
    const queue = page.getByRole('list', { name: 'Queued prompts' })
    await queue.getByRole('button', { name: 'Edit: “the old text”' }).click()
    await queue.getByRole('textbox').fill('the new text')
    gate.resolve()
    await expect(transcriptText(page, 'Sent as it was.')).toBeVisible()
    await expect(page.getByText(/was sent or removed before your change was saved/).first()).toBeVisible()
    await expect(composer(page)).toHaveValue('the new text')
    await pictures(app, 'queue-left-over')
  })
})

test.describe('a hung program', () => {
  test.use({ model: { script: [{ text: 'Good morning.' }, { text: 'Here I am.' }] } })

  test('keeps the sent message visible, reports that it does not respond, and loses nothing', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'hello')
    await expect(transcriptText(page, 'Good morning.')).toBeVisible()
    app.freeze()
    await sendPrompt(page, 'are you there?')
    const sending = page.getByRole('list', { name: 'Messages being sent' })
    await expect(sending).toContainText('are you there?')
    await expect(sending).toBeVisible()
    await expect(page.getByText('Not responding.')).toBeVisible()
    await pictures(app, 'not-responding')
    app.thaw()
    await expect(transcriptText(page, 'Here I am.')).toBeVisible()
    await expect(sending).toBeHidden()
    await expect(page.getByText('Not responding.')).toBeHidden()
    await expect(composer(page)).toHaveValue('')
  })

  test('shows that a file is still being read', async ({ app }) => {
    const { page } = app
    await startSession(app)
    app.freeze()
    const file = { name: 'data.bin', mimeType: 'application/octet-stream', buffer: Buffer.from([0, 1, 2]) }
    await page.getByLabel('Attachments', { exact: true }).setInputFiles(file)
    await expect(page.getByText('Reading files…')).toBeVisible()
    app.thaw()
    await expect(page.getByRole('list', { name: 'Attachments' })).toContainText('data.bin')
    await expect(page.getByText('Reading files…')).toBeHidden()
  })
})
