import type { Page } from '@playwright/test'
import { findings } from './assistive'
import { expect, test } from './app'
import { openAt, sendPrompt, startSession } from './steps'

test.use({ model: { script: [{ text: 'Read it.' }, { text: 'Read it.' }] } })

/** Pastes a text of this length into the focused field; resolves with whether the browser is to insert it. */
const paste = (page: Page, chars: number): Promise<boolean> =>
  page.evaluate<boolean>(`(() => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', 'pasted text '.repeat(${chars / 12}))
    const pasted = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
    return document.activeElement.dispatchEvent(pasted)
  })()`)

test('a text that is too long for a text field is attached as a file, also where a session is started', async ({
  app,
}) => {
  const { page, server, scratch } = app
  await startSession(app)
  const message = page.getByRole('textbox', { name: 'Message', exact: true })
  await expect(message).toBeFocused()
  expect(await paste(page, 96_000)).toBe(true)
  expect(await paste(page, 1_200_000)).toBe(false)
  await expect(page.getByRole('list', { name: 'Attachments' })).toContainText('pasted-text.txt')
  await expect(message).toHaveValue('')
  await sendPrompt(page, 'Read what I pasted')
  await server.arrived(1)
  const sent = (): string => JSON.stringify(server.requests.at(-1)?.body)
  expect(sent()).toMatch(/Read what I pasted.*Attached file pasted-text\.txt \(text, 1200000 bytes\), kept at /)

  await openAt(page, `/new?${new URLSearchParams({ folder: scratch.project }).toString()}`)
  const start = page.getByRole('textbox', { name: 'What should we work on?' })
  await expect(start).toBeFocused()
  for (let n = 0; n < 2; n += 1) await paste(page, 1_200_000)
  await page.getByRole('button', { name: 'Remove pasted-text.txt' }).first().click()
  expect(await findings(page)).toEqual([])
  await start.fill('Read this one')
  await page.keyboard.press('Enter')
  await server.arrived(2)
  expect(sent()).toMatch(/Read this one.*Attached file pasted-text\.txt/)
  expect(sent().match(/Attached file/g)).toHaveLength(1)
})
