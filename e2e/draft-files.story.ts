import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { findings } from './assistive'
import { expect, test, type App } from './app'
import { openAt, reload, sendPrompt, startSession, transcriptText } from './steps'

test.use({
  model: { script: [{ text: 'Seen.' }, { text: 'Seen.' }] },
})

/** An image of one pixel. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const attach = (page: Page, ...names: string[]): Promise<void> =>
  page
    .locator('input[type=file]')
    .setInputFiles(
      names.map((name) =>
        name.endsWith('.png')
          ? { name, mimeType: 'image/png', buffer: PICTURE }
          : { name, mimeType: 'text/plain', buffer: Buffer.from(`content of ${name}`) },
      ),
    )

const attached = (page: Page) => page.getByRole('list', { name: 'Attachments' }).getByRole('listitem')
const removeButtons = (page: Page) =>
  page.getByRole('list', { name: 'Attachments' }).getByRole('button', { name: /^Remove / })
/** Waits until the browser has stored this many files. */
const expectKept = (page: Page, count: number): Promise<void> =>
  expect
    .poll(() =>
      page.evaluate<number>(`Object.entries(localStorage)
        .filter(([key]) => key.includes('\\nfiles of '))
        .reduce((sum, [, draft]) => sum + JSON.parse(draft).text.split('\\n').length, 0)`),
    )
    .toBe(count)
const openStart = ({ page, scratch }: App): Promise<void> =>
  openAt(page, `/new?${new URLSearchParams({ folder: scratch.project }).toString()}`)
const startField = (page: Page) => page.getByRole('textbox', { name: 'What should we work on?' })
/** The folder of the files that are stored with sessions. */
const store = ({ scratch }: App): string => join(scratch.home, 'sessions')

test('attached files of an unsent message survive a reload, until the message is sent', async ({ app }) => {
  const { page, server } = app
  await startSession(app)
  await attach(page, 'shot.png', 'notes.txt')
  await expect(attached(page)).toHaveCount(2)
  await expectKept(page, 2)
  const message = page.getByRole('textbox', { name: 'Message', exact: true })
  await message.fill('What is this?')
  // They also survive a visit to another page of the app.
  await openStart(app)
  await page.goBack()
  await expect(removeButtons(page)).toHaveCount(2)
  await reload(page)
  await expect(message).toHaveValue('What is this?')
  await expect(removeButtons(page)).toHaveCount(2)
  await page.getByRole('button', { name: 'Remove shot.png' }).click()
  await attach(page, 'other.png')
  await expect(attached(page)).toHaveCount(2)
  await expectKept(page, 2)
  await reload(page)
  await expect(page.getByRole('button', { name: 'Remove other.png' })).toBeVisible()
  await expect(removeButtons(page)).toHaveCount(2)
  await message.press('Enter')
  await server.arrived(1)
  const sent = JSON.stringify(server.requests.at(-1)?.body)
  expect(sent).toContain('content of notes.txt')
  expect(sent.match(/image_url"/g)?.length ?? 0).toBeGreaterThan(0)
  await expect(attached(page)).toHaveCount(0)
  // Until the engine has confirmed the message, a reload keeps its text.
  await expect(page.getByText('Sending…')).toBeHidden()
  await reload(page)
  await expect(message).toHaveValue('')
  await expect(attached(page)).toHaveCount(0)
})

test('a message is not offered again if the page was reloaded before its arrival was confirmed', async ({ app }) => {
  test.skip(app.url === undefined, 'the page of Electron ends with its program')
  const { page } = app
  await startSession(app)
  await attach(page, 'notes.txt')
  await expectKept(page, 1)
  const message = page.getByRole('textbox', { name: 'Message', exact: true })
  await message.fill('What is this?')
  app.freeze()
  await message.press('Enter')
  await expect(page.getByRole('list', { name: 'Messages being sent' })).toBeVisible()
  // The page is gone before the engine answers.
  const address = page.url()
  await page.goto('about:blank')
  app.thaw()
  await page.goto(address)
  await expect(transcriptText(page, 'Seen.')).toBeVisible()
  await expect(message).toHaveValue('')
  await expect(attached(page)).toHaveCount(0)
  await message.fill('What else?')
  await reload(page)
  await expect(message).toHaveValue('What else?')
})

test('the page that starts a session takes files and pictures, keeps them, and sends them', async ({ app }) => {
  const { page, server } = app
  await openStart(app)
  await attach(page, 'shot.png', 'notes.txt')
  await expect(removeButtons(page)).toHaveCount(2)
  await startField(page).fill('What is this?')
  await expectKept(page, 2)
  await reload(page)
  await expect(startField(page)).toHaveValue('What is this?')
  await expect(removeButtons(page)).toHaveCount(2)
  expect(await findings(page)).toEqual([])
  await page.getByRole('button', { name: /Start session/ }).click()
  await server.arrived(1)
  const sent = JSON.stringify(server.requests.at(-1)?.body)
  expect(sent).toMatch(/What is this\?.*Attached file notes\.txt/)
  expect(sent).toContain('image_url')
  await openStart(app)
  await expect(startField(page)).toHaveValue('')
  await expect(attached(page)).toHaveCount(0)
})

test('the message of a new session cannot be changed while the session is being created', async ({ app }) => {
  const { page, server } = app
  await openStart(app)
  await startField(page).fill('Look')
  app.freeze()
  await startField(page).press('Enter')
  await expect(startField(page)).not.toBeEditable()
  await page.keyboard.type(' and more')
  await expect(startField(page)).toHaveValue('Look')
  app.thaw()
  await server.arrived(1)
})

test('a file that cannot be stored is not lost: the message waits with it, and can be sent later', async ({ app }) => {
  const { page, server } = app
  await openStart(app)
  writeFileSync(store(app), 'in the way')
  await attach(page, 'notes.txt')
  await startField(page).fill('Read this')
  await page.getByRole('button', { name: /Start session/ }).click()
  const message = page.getByRole('textbox', { name: 'Message', exact: true })
  await expect(page.getByText(/notes\.txt could not be attached/).first()).toBeVisible()
  await expect(message).toHaveValue('Read this')
  await expect(page.getByRole('button', { name: 'Remove notes.txt' })).toBeVisible()
  expect(server.requests).toHaveLength(0)
  // The same applies to a file that is added in the session, and when the message is sent again.
  await attach(page, 'more.txt')
  await expect(page.getByRole('alert').filter({ hasText: 'more.txt could not be attached' })).toBeVisible()
  await message.press('Enter')
  await expect(page.getByRole('alert').filter({ hasText: 'The message was not sent.' })).toBeVisible()
  await expect(message).toHaveValue('Read this')
  await expectKept(page, 2)
  await reload(page)
  await expect(removeButtons(page)).toHaveCount(2)
  rmSync(store(app))
  await sendPrompt(page, 'Read both')
  await server.arrived(1)
  const sent = JSON.stringify(server.requests.at(-1)?.body)
  expect(sent).toMatch(/Read both.*content of notes\.txt.*content of more\.txt/)
})
