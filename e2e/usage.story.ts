import { readFileSync } from 'node:fs'
import { expect, test } from './app'
import { findings } from './assistive'
import { openAt, pictures, sendPrompt, startSession, transcriptText } from './steps'

const USAGE = { input: 100_000, output: 10_000, cached: 50_000 }

test.use({
  model: {
    script: [
      { toolCalls: [{ name: 'Read', input: { path: 'README.md' } }], usage: USAGE },
      { text: 'Read it.', usage: USAGE },
      { text: 'And more.', usage: USAGE },
    ],
  },
  // 50,000 * $1 + 50,000 * $0.1 + 10,000 * $10, each per million: $0.155
  config: {
    more: '[models."local/scripted".prices]\ninput = 1\noutput = 10\ncache_read = 0.1\n[budget]\nsession = 0.15\n',
  },
})

test('a spending limit asks before the next request, and the usage page shows the cost, by keyboard alone', async ({
  app,
}) => {
  const { page, server } = app
  await startSession(app)
  await sendPrompt(page, 'Read the file')
  const card = page.getByRole('group', { name: 'Spending limit' })
  await expect(card).toContainText('The limit of $0.15 for this session is reached')
  expect(server.requests).toHaveLength(1)
  await pictures(app, 'spending-limit')
  expect(await findings(page)).toEqual([])
  await card.getByRole('button', { name: /Continue for another \$0\.15/ }).press('Enter')
  await expect(transcriptText(page, 'Read it.')).toBeVisible()

  const cost = page.getByRole('button', { name: /^Cost: \$0\.31/ })
  await cost.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Cost of this session' })
  await expect(dialog.getByRole('row', { name: /Read the file/ })).toContainText('$0.31')
  await expect(dialog).toContainText('Limit for this session')
  await pictures(app, 'session-cost')
  expect(await findings(page)).toEqual([])
  await dialog.getByRole('button', { name: 'All usage' }).press('Enter')

  const chart = page.getByRole('slider', { name: 'Cost by day' })
  await expect(chart).toHaveAttribute('aria-valuetext', /\$0\.31.*2 requests/)
  await chart.focus()
  await page.keyboard.press('ArrowLeft')
  await expect(chart).toHaveAttribute('aria-valuetext', /\$0\.00.*0 requests/)
  const row = page.getByRole('row', { name: /local\/scripted/ })
  await expect(row).toContainText('50%')
  // A phone shows the cost without scrolling sideways.
  const size = page.viewportSize()!
  await page.setViewportSize({ width: 390, height: 844 })
  await row.scrollIntoViewIfNeeded()
  await expect(page.getByRole('columnheader', { name: 'Cost' })).toBeInViewport({ ratio: 1 })
  await expect(row.getByRole('cell', { name: '$0.31' })).toBeInViewport({ ratio: 1 })
  await page.setViewportSize(size)
  await pictures(app, 'usage')
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await findings(page)).toEqual([])
  }
  await page.setViewportSize({ width: 390, height: 800 })
  await expect.poll(() => page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  await page.setViewportSize({ width: 1280, height: 840 })
  await page.getByRole('combobox', { name: 'Range' }).selectOption('7')
  await page.getByRole('button', { name: 'Session', exact: true }).press('Enter')
  await expect(page.getByRole('row', { name: /Read the file/ })).toBeVisible()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).press('Enter')
  const file = await download
  expect(file.suggestedFilename()).toMatch(/^trestle-usage-by-session-.*\.csv$/)
  expect(readFileSync(await file.path(), 'utf8')).toMatch(/^session,label,requests,.*\r\n.*Read the file/s)

  await page.getByRole('button', { name: 'Limits…' }).press('Enter')
  const limits = page.getByRole('form', { name: 'Usage limits' })
  await limits.getByLabel('Dollars per day').fill('0.001')
  await page.keyboard.press('Enter')
  await expect(limits.getByRole('alert')).toContainText('at least 0.01')
  await limits.getByLabel('Dollars per day').fill('5')
  await page.keyboard.press('Enter')
  await expect
    .poll(() => readFileSync(`${app.scratch.home}/config.toml`, 'utf8'))
    .toMatch(/\[budget\]\nsession = 0\.15\nday = 5/)
  expect(await findings(page)).toEqual([])
})

test.describe('without prices', () => {
  test.use({ config: {} })

  test('the chart shows tokens, and costs when they are chosen', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'Read the file')
    await expect(transcriptText(page, 'Read it.')).toBeVisible()
    await page.getByRole('button', { name: 'Usage', exact: true }).press('Enter')
    await expect(page.getByRole('slider', { name: 'Tokens by day' })).toHaveAttribute('aria-valuetext', /2 requests/)
    await page.getByRole('combobox', { name: 'Measure' }).selectOption('cost')
    await expect(page.getByRole('slider', { name: 'Cost by day' })).toBeVisible()
  })
})

test('links to other views move the focus to the setting that they name', async ({ app }) => {
  const { page } = app
  const focused = (): Promise<string> =>
    page.evaluate<string>('document.activeElement.closest("[id]")?.id ?? document.activeElement.tagName')
  await page.getByRole('button', { name: /^Usage/ }).press('Enter')
  await page.getByRole('button', { name: 'Limits…' }).press('Enter')
  await expect(page.getByRole('form', { name: 'Usage limits' })).toBeInViewport()
  await expect.poll(focused).toBe('settings-limits')
  // If a link names no setting, the main area has the focus.
  await openAt(page, '/schedules')
  await page.getByRole('main').getByRole('button', { name: 'Settings' }).press('Enter')
  await expect(page.getByRole('heading', { name: 'Permission mode' })).toBeVisible()
  expect(await focused()).toBe('main')
})
