import type { Locator, Page } from '@playwright/test'
import { expect, test } from './app'
import { chooseInMenu, sendPrompt, startSession, transcriptText } from './steps'

test.use({ files: { 'README.md': '# A project\n', 'crlf.txt': 'one\r\ntwo\r\n' } })

/** The file pane beside the conversation. */
const pane = (page: Page): Locator => page.getByRole('region', { name: /^File / })
const message = (page: Page): Locator => page.getByRole('textbox', { name: 'Message', exact: true })

test('keeps a separate draft for each window that edits the file', async ({ app }) => {
  const { page } = app
  await startSession(app)
  await page.keyboard.press('ControlOrMeta+Shift+E')
  await page.getByRole('treeitem', { name: 'crlf.txt' }).click()
  await pane(page).getByRole('button', { name: 'Edit', exact: true }).press('Enter')
  await expect(pane(page).getByRole('textbox')).toBeFocused()
  await page.keyboard.type('first ')
  const opened = page.waitForEvent('popup')
  await page.evaluate("void window.open(location.href, '_blank', 'noopener')")
  const other = await opened
  const field = pane(other).getByRole('textbox')
  const open = async (): Promise<void> => {
    await other.keyboard.press('ControlOrMeta+Shift+E')
    await other.getByRole('treeitem', { name: 'crlf.txt' }).click()
  }
  await expect(other.getByRole('textbox', { name: 'Message', exact: true })).toBeVisible()
  await open()
  await expect(field).toContainText('first one')
  await expect(pane(other).getByText('Unsaved changes, continued from another window')).toBeVisible()
  await field.click()
  await other.keyboard.press('ControlOrMeta+Home')
  await other.keyboard.type('second ')
  for (const [window, text] of [
    [page, 'first one'],
    [other, 'second first one'],
  ] as const) {
    await window.reload()
    await expect(pane(window).getByText(text, { exact: true })).toBeVisible()
  }
  await other.close()
})

test('keeps the text typed in each window for a session, also when the window is closed', async ({ app }) => {
  const { page } = app
  await startSession(app)
  const open = async (): Promise<Page> => {
    const opened = page.waitForEvent('popup')
    await page.evaluate("void window.open(location.href, '_blank', 'noopener')")
    const window = await opened
    await expect(message(window)).toBeVisible()
    return window
  }
  const second = await open()
  await message(second).fill('from the second')
  await message(page).fill('from the first')
  await second.close({ runBeforeUnload: true })
  await page.reload()
  await expect(message(page)).toHaveValue('from the first')
  const third = await open()
  await expect(message(third)).toHaveValue('from the second')
  await third.close()
})

/** A second window of the session. */
async function openSecond(page: Page): Promise<Page> {
  const opened = page.waitForEvent('popup')
  await page.evaluate("void window.open(location.href, '_blank', 'noopener')")
  const window = await opened
  await expect(message(window)).toBeVisible()
  return window
}

test('unarchives a session that another window has archived, once a message is sent', async ({ app }) => {
  const { page } = app
  await startSession(app)
  await sendPrompt(page, 'First things first')
  await expect(transcriptText(page, 'Hello.')).toBeVisible()
  const other = await openSecond(page)
  const row = other.getByRole('treeitem', { name: /First things first/ })
  await expect(row).toBeVisible()
  await chooseInMenu(page.getByRole('treeitem', { name: /First things first/ }), 'Archive')
  await expect(other.getByRole('button', { name: 'Archived, restore' })).toBeVisible()
  await expect(other.getByText('No active sessions.')).toBeVisible()
  await sendPrompt(other, 'And then')
  await expect(row).toBeVisible()
  await expect(other.getByRole('button', { name: 'Archived, restore' })).toBeHidden()
  await other.close()
})

test.describe('with a request', () => {
  test.use({
    model: {
      script: [{ toolCalls: [{ name: 'Write', input: { path: 'new.txt', content: 'new' } }] }, { text: 'Written.' }],
    },
  })

  test('reports that an answer came too late because another window answered first', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'Write it')
    await expect(page.getByRole('button', { name: /^Allow once/ })).toBeVisible()
    // Messages of the engine reach the second window late.
    let late: (() => void)[] | undefined
    const answers: string[] = []
    await page.context().routeWebSocket(/\/socket$/, (socket) => {
      socket.connectToServer().onMessage((text) => {
        answers.push(text.toString())
        if (late) late.push(() => socket.send(text))
        else socket.send(text)
      })
    })
    const other = await openSecond(page)
    const reject = other.getByRole('button', { name: 'Reject and stop' })
    await expect(reject).not.toHaveAttribute('aria-disabled', 'true')
    late = []
    await page.getByRole('button', { name: /^Allow once/ }).click()
    await expect(transcriptText(page, 'Written.')).toBeVisible()
    await reject.click()
    await expect.poll(() => answers.some((text) => text.includes('approval.gone'))).toBe(true)
    for (const arrive of late) arrive()
    late = undefined
    await expect(other.getByText('Your answer was not used. It was already allowed.').first()).toBeVisible()
    await expect(transcriptText(other, 'Written.')).toBeVisible()
    await other.close()
  })
})

const queue = (window: Page): Locator => window.getByRole('list', { name: 'Queued prompts' })

/** Edits the text of the only queued prompt without saving it. */
async function changeQueued(window: Page, text: string): Promise<void> {
  await window.getByRole('button', { name: /^Edit: / }).click()
  await window.getByRole('textbox', { name: 'Edit the queued prompt' }).fill(text)
}

test.describe('with a queue', () => {
  test.use({ model: { script: [{ text: 'Never ends.', faults: { stallAfterBytes: 1 } }] } })

  test('reports that an edit of a queued prompt replaced one from another window, and undoes it', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'Begin')
    await expect(page.getByRole('button', { name: 'Stop', exact: true })).toBeVisible()
    await sendPrompt(page, 'next step')
    const other = await openSecond(page)
    await expect(queue(other)).toContainText('next step')
    await changeQueued(page, 'mine')
    await changeQueued(other, 'theirs')
    await other.keyboard.press('Enter')
    await expect(queue(other)).toContainText('theirs')
    await page.keyboard.press('Enter')
    await expect(queue(other)).toContainText('mine')
    const toast = page.getByText('Your change replaced one made in another window.')
    await expect(toast.first()).toBeVisible()
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await expect(queue(page)).toContainText('theirs')
    await other.close()
  })
})
