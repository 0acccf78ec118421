import { crc32, deflateSync } from 'node:zlib'
import type { Locator, Page } from '@playwright/test'
import type { RecordedRequest, ScriptStep } from '../test/support/model-script'
import { RUNS_ALL } from '../test/support/sampled'
import { expect, test, type App } from './app'
import { pictures, reload, sendPrompt, startSession, transcriptText } from './steps'

const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 700 },
  { width: 390, height: 844 },
]
const LONG = Array.from(
  { length: 60 },
  (_, n) => `Paragraph ${n + 1} of a long answer, which says a little more than fits on one line.`,
).join('\n\n')
/** The stories, spread over the sizes in turn: each size gets two or more. */
const STORIES = [
  'after the wheel',
  'after touch',
  'after the keys',
  'Latest',
  'after expanding',
  'after a compaction',
  'resizing',
  'images',
  'a streaming answer',
]
/** Takes longer than any story waits: the story stops it. */
const SLOW = Array.from({ length: 40 }, () => LONG).join('\n\n')
const EDIT = { name: 'Edit', input: { path: 'README.md', old_string: 'second line', new_string: 'zweite Zeile' } }

/** Responses by the user's last message. */
function answer({ body }: RecordedRequest): ScriptStep {
  if (JSON.stringify(body).includes('You write the memory of an agent')) return { text: '**Task:** continue.' }
  const messages = body['messages'] as { role: string; content: unknown }[]
  if (messages.at(-1)?.role === 'tool') return { text: 'That was it.' }
  const words = JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content)
  if (words.includes('a long answer')) return { text: LONG, deltaChars: 400 }
  if (words.includes('a slow answer')) return { text: SLOW, deltaChars: 30, faults: { eventDelayMs: 40 } }
  if (words.includes('read it')) return { toolCalls: [{ name: 'Read', input: { path: 'README.md' } }] }
  if (words.includes('change it')) return { text: 'I change the second line.', toolCalls: [EDIT] }
  return { text: 'Yes.' }
}

test.use({ model: { script: answer } })

/** Distance of the conversation from its end; negative while it is not rendered. */
const distance = (page: Page): Promise<number> =>
  page
    .getByRole('region', { name: 'Conversation' })
    .evaluate((area) => Math.round(area.scrollHeight - area.clientHeight - area.scrollTop))
const atEnd = (page: Page): Promise<void> => expect.poll(() => distance(page)).toBe(0)

/** The approval card: complete, within the window, with its buttons. */
async function cardIsOnScreen(page: Page): Promise<Locator> {
  const card = page.getByRole('group', { name: /Edit README\.md/ })
  await expect(card).toBeInViewport({ ratio: 1 })
  await expect(card.getByRole('button', { name: /^Allow once/ })).toBeInViewport({ ratio: 1 })
  await expect(card.getByRole('button', { name: /^Reject(?! and stop)/ })).toBeInViewport({ ratio: 1 })
  return card
}

/**
 * Whatever the user did before: the sent message is visible, its output is followed, and its approval is on screen.
 * Then rejects it.
 */
async function sendAndCheck(page: Page, words: string): Promise<void> {
  await sendPrompt(page, `${words}: change it`)
  const card = await cardIsOnScreen(page)
  await atEnd(page)
  await expect(transcriptText(page, `${words}: change it`)).toBeInViewport()
  await card.getByRole('button', { name: /^Reject(?! and stop)/ }).click()
  await card.getByRole('textbox', { name: 'Tell the agent what to do instead' }).press('Enter')
  await expect(card).toBeHidden()
  await expect(transcriptText(page, 'That was it.').last()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden()
  await atEnd(page)
}

/** The sizes of the current story. */
const sizesOf = (): typeof SIZES => {
  const { title } = test.info()
  const index = STORIES.findIndex((beginning) => title.startsWith(beginning))
  if (index < 0) throw new Error(`Which size is "${title}" for?`)
  return RUNS_ALL ? SIZES : [SIZES[index % SIZES.length]!]
}

/** Runs the story in a conversation longer than the screen: at one of the sizes, or at all with `TRESTLE_TESTS=all`. */
async function atEachSize(app: App, story: (page: Page, name: string) => Promise<void>): Promise<void> {
  test.slow()
  const { page } = app
  await startSession(app)
  await sendPrompt(page, 'a long answer, please')
  await expect(transcriptText(page, 'Paragraph 60 ')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden()
  for (const size of sizesOf()) {
    await page.setViewportSize(size)
    await atEnd(page)
    const name = `${size.width} by ${size.height}`
    await test.step(name, () => story(page, name))
  }
}

async function overConversation(page: Page): Promise<{ x: number; y: number }> {
  const box = await page.getByRole('region', { name: 'Conversation' }).boundingBox()
  if (!box) throw new Error('The conversation is not on screen.')
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

async function wheel(page: Page, by: number): Promise<void> {
  const { x, y } = await overConversation(page)
  await page.mouse.move(x, y)
  await page.mouse.wheel(0, by)
}

const latest = (page: Page): Locator => page.getByRole('button', { name: /jump to the latest message/ })

test('after the wheel: sending scrolls to the end and follows', ({ app }) =>
  atEachSize(app, async (page, name) => {
    await wheel(page, -900)
    await expect(latest(page)).toBeVisible()
    await sendAndCheck(page, name)
    // Even a single pixel up stops following: text that arrives must not scroll back to the end.
    await wheel(page, -30)
    await expect.poll(() => distance(page)).toBeGreaterThan(0)
    await sendAndCheck(page, `${name} again`)
  }))

test('after touch: sending scrolls to the end and follows', ({ app }) =>
  atEachSize(app, async (page, name) => {
    const cdp = await page.context().newCDPSession(page)
    const { x, y } = await overConversation(page)
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', at?: number): Promise<unknown> =>
      cdp.send('Input.dispatchTouchEvent', { type, touchPoints: at === undefined ? [] : [{ x, y: at }] })
    await touch('touchStart', y - 100)
    for (let moved = 0; moved <= 200; moved += 20) await touch('touchMove', y - 100 + moved)
    await touch('touchEnd')
    await expect.poll(() => distance(page)).toBeGreaterThan(80)
    await expect(latest(page)).toBeVisible()
    await sendAndCheck(page, name)
  }))

test('after the keys: sending scrolls to the end and follows', ({ app }) =>
  atEachSize(app, async (page, name) => {
    for (const key of ['PageUp', 'ArrowUp', 'Home', 'Shift+Space']) {
      await page.getByRole('region', { name: 'Conversation' }).focus()
      await page.keyboard.press(key)
      await expect.poll(() => distance(page)).toBeGreaterThan(0)
      await page.keyboard.press('End')
      await atEnd(page)
    }
    await page.keyboard.press('PageUp')
    await expect.poll(() => distance(page)).toBeGreaterThan(100)
    await sendAndCheck(page, name)
  }))

test('Latest scrolls all the way to the end and follows', ({ app }) =>
  atEachSize(app, async (page, name) => {
    await wheel(page, -2500)
    await latest(page).click()
    await atEnd(page)
    await expect(latest(page)).toBeHidden()
    await sendAndCheck(page, name)
    // An approval is on screen wherever the user is, and the button shows that it is pending.
    await sendPrompt(page, `${name} once more: change it`)
    const card = await cardIsOnScreen(page)
    await wheel(page, -2500)
    await expect(latest(page)).toContainText('Approval needed')
    await cardIsOnScreen(page)
    await pictures(app, `scroll-away-${name.replaceAll(' ', '-')}`)
    await latest(page).click()
    await atEnd(page)
    await card.getByRole('button', { name: /^Reject(?! and stop)/ }).click()
    await card.getByRole('textbox', { name: 'Tell the agent what to do instead' }).press('Enter')
    await expect(card).toBeHidden()
    await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden()
    await atEnd(page)
  }))

test('after expanding a row: sending scrolls to the end and follows', ({ app }) =>
  atEachSize(app, async (page, name) => {
    const before = app.server.requests.length
    await sendPrompt(page, `${name}: read it`)
    await expect.poll(() => app.server.requests.length).toBe(before + 2)
    await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden()
    const row = page.getByRole('button', { name: /^Read README\.md/ }).last()
    await row.click()
    await expect(row).toHaveAttribute('aria-expanded', 'true')
    // The expanded row can be read, and the end is still followed.
    await expect(row).toBeInViewport()
    await atEnd(page)
    await sendAndCheck(page, name)
    await wheel(page, -200)
    await row.click()
    await expect(row).toHaveAttribute('aria-expanded', 'false')
    await sendAndCheck(page, `${name} closed`)
  }))

test('after a compaction: sending scrolls to the end and follows', ({ app }) =>
  atEachSize(app, async (page, name) => {
    const compact = async (): Promise<void> => {
      const before = app.server.requests.length
      await sendPrompt(page, '/compact keep the plan')
      await expect.poll(() => app.server.requests.length).toBeGreaterThan(before)
      await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden()
      await expect(page.getByText('Conversation compacted').last()).toBeInViewport()
      await atEnd(page)
    }
    await compact()
    await sendAndCheck(page, name)
    await wheel(page, -900)
    await expect(latest(page)).toBeVisible()
    await compact()
    await sendAndCheck(page, `${name} again`)
  }))

test('resizing the window keeps the end and the card on screen', ({ app }) =>
  atEachSize(app, async (page, name) => {
    await sendPrompt(page, `${name}: change it`)
    const card = await cardIsOnScreen(page)
    const size = page.viewportSize()!
    for (const change of [
      { width: size.width - 40, height: size.height - 260 },
      { width: size.width, height: size.height - 120 },
      size,
    ]) {
      await page.setViewportSize(change)
      await atEnd(page)
      await expect(card).toBeInViewport({ ratio: 1 })
      await expect(card.getByRole('button', { name: /^Reject(?! and stop)/ })).toBeInViewport({ ratio: 1 })
    }
    await cardIsOnScreen(page)
    await card.getByRole('button', { name: /^Reject(?! and stop)/ }).click()
    await card.getByRole('textbox', { name: 'Tell the agent what to do instead' }).press('Enter')
    await expect(card).toBeHidden()
    await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden()
    await sendAndCheck(page, `${name} again`)
  }))

test('in a low window, the card shows only its title and its buttons until expanded', async ({ app }) => {
  const { page } = app
  await startSession(app)
  await page.setViewportSize({ width: 1024, height: 420 })
  await sendPrompt(page, 'change it')
  const card = page.getByRole('group', { name: /Edit README\.md/ })
  await expect(card).toBeInViewport({ ratio: 1 })
  await expect(card).toContainText('+1 −1')
  await expect(card.getByRole('button', { name: /^Reject(?! and stop)/ })).toBeInViewport({ ratio: 1 })
  // Nothing is allowed that was not in view.
  await expect(card.getByRole('status')).toHaveText('Show the request to allow it.')
  await expect(card.getByRole('button', { name: /^Allow once/ })).toBeDisabled()
  await pictures(app, 'card-compact')
  await page.setViewportSize({ width: 1024, height: 420 })
  await card.getByRole('button', { name: 'Show the whole request' }).click()
  await expect(card.getByRole('button', { name: /^Reject(?! and stop)/ })).toBeInViewport({ ratio: 1 })
  await card.getByText('zweite Zeile').scrollIntoViewIfNeeded()
  await expect(card.getByRole('button', { name: /^Allow once/ })).toBeEnabled()
  await pictures(app, 'card-shown')
  await page.setViewportSize({ width: 1024, height: 420 })
  await card.getByRole('button', { name: 'Hide the details' }).click()
  await expect(card.getByText('zweite Zeile')).toBeHidden()
  await card.getByRole('button', { name: /^Allow once/ }).click()
  await expect(transcriptText(page, 'That was it.')).toBeVisible()
})

test('images that load late do not stop following', ({ app }) =>
  atEachSize(app, async (page, name) => {
    await page
      .getByLabel('Attachments', { exact: true })
      .setInputFiles({ name: 'tall.png', mimeType: 'image/png', buffer: png(300, 700) })
    await expect(page.getByRole('img', { name: /tall/ }).last()).toBeVisible()
    await sendAndCheck(page, name)
    // The images load again with the page.
    await reload(page)
    await expect(transcriptText(page, `${name}: change it`)).toBeVisible()
    await atEnd(page)
    await wheel(page, -1500)
    await expect(latest(page)).toBeVisible()
    await sendAndCheck(page, `${name} again`)
  }))

test('a streaming answer is followed until the user scrolls up, and again after Latest', ({ app }) =>
  atEachSize(app, async (page, name) => {
    await sendPrompt(page, `${name}: a slow answer, please`)
    const stop = page.getByRole('button', { name: 'Stop' })
    await expect(stop).toBeVisible()
    // Long enough that the user is still in it after scrolling up: rows out of sight need not grow.
    await expect(page.locator('[data-kind=answer]').last()).toContainText('Paragraph 30 ')
    await expect.poll(() => distance(page)).toBeLessThanOrEqual(1)
    await wheel(page, -400)
    await expect(latest(page)).toBeVisible()
    // It keeps growing, and the user's position stays.
    const top = (): Promise<number> =>
      page.getByRole('region', { name: 'Conversation' }).evaluate((area) => Math.round(area.scrollTop))
    const [before, far] = [await top(), await distance(page)]
    await expect.poll(() => distance(page)).toBeGreaterThan(far + 40)
    expect(await top()).toBe(before)
    await latest(page).click()
    await expect(latest(page)).toBeHidden()
    await expect.poll(() => distance(page)).toBeLessThanOrEqual(1)
    // A message sent during the turn is queued, and following continues.
    await wheel(page, -400)
    await sendPrompt(page, `${name} queued`)
    await expect(latest(page)).toBeHidden()
    await expect.poll(() => distance(page)).toBeLessThanOrEqual(1)
    await stop.click()
    await expect(transcriptText(page, 'Stopped.').last()).toBeVisible()
    await atEnd(page)
    await page.getByRole('button', { name: /Remove/ }).click()
    await sendAndCheck(page, `${name} after`)
  }))

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const out = Buffer.alloc(body.length + 8)
  out.writeUInt32BE(data.length, 0)
  body.copy(out, 4)
  out.writeUInt32BE(crc32(body), body.length + 4)
  return out
}

/** A gray image of this size. */
function png(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight-bit grayscale.
  header.set([8, 0, 0, 0, 0], 8)
  const rows = Buffer.alloc((width + 1) * height, 0x99)
  for (let y = 0; y < height; y += 1) rows[y * (width + 1)] = 0
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
