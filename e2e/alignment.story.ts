import type { Locator } from '@playwright/test'
import { expect, test } from './app'
import { openAt, sendPrompt, startSession, transcriptText } from './steps'

test.use({
  files: { 'a.ts': 'export const a = 1\n', 'long-name/of-a-file.ts': 'export const b = 1\n' },
  model: {
    script: [
      { toolCalls: [{ name: 'Edit', input: { path: 'a.ts', old_string: 'a = 1', new_string: 'a = 2' } }] },
      {
        toolCalls: [
          { name: 'Edit', input: { path: 'long-name/of-a-file.ts', old_string: 'b = 1', new_string: 'b = 2' } },
        ],
      },
      { text: 'Both changed.' },
    ],
  },
})

async function box(locator: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const found = await locator.boundingBox()
  if (!found) throw new Error('It is not on screen.')
  return found
}

const middle = async (locator: Locator): Promise<number> => {
  const { y, height } = await box(locator)
  return Math.round(y + height / 2)
}

test('buttons that do not fit on one line stay together, and counts are below each other', async ({ app }) => {
  const { page } = app
  await startSession(app)
  await sendPrompt(page, 'change both')
  const card = page.getByRole('group', { name: /Approval needed: Edit a\.ts/ })
  // In the usual window, the answers that allow and the others each have a line of their own.
  const names = ['Reject…', 'Reject and stop', 'Edit…']
  const lines = await Promise.all(names.map((name) => middle(card.getByRole('button', { name, exact: true }))))
  expect(new Set(lines).size).toBe(1)

  // On a phone, the header of a session takes at most two lines.
  await page.setViewportSize({ width: 390, height: 800 })
  const panes = page.getByRole('button', { name: 'Panes', exact: true })
  await expect.poll(async () => (await middle(panes)) - (await middle(page.getByText('Read-only').first()))).toBe(0)
  await page.setViewportSize({ width: 1440, height: 900 })

  await card.getByRole('button', { name: /^Allow once/ }).click()
  await page
    .getByRole('group', { name: /of-a-file/ })
    .getByRole('button', { name: /^Allow once/ })
    .click()
  await expect(transcriptText(page, 'Both changed.')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByRole('combobox', { name: 'Commands' })).toBeFocused()
  await page.keyboard.insertText('Review changes')
  await expect(page.getByRole('option', { name: 'Review changes' })).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Enter')
  const review = page.getByRole('region', { name: 'Review', exact: true })
  await expect(review.getByText('2 files')).toBeVisible()
  expect((await box(review)).width).toBeLessThan(480)
  const counts = review.locator('.review-head .text-add-ink')
  await expect(counts).toHaveCount(2)
  expect(Math.abs((await box(counts.nth(0))).x - (await box(counts.nth(1))).x)).toBeLessThan(1)
})

test.describe('a line that does not fit', () => {
  const LONG = `expect(${'x'.repeat(120)})`
  test.use({
    config: { more: 'default_permission_mode = "auto"' },
    files: { 'a.ts': 'if (a) {\n}\n', 'long.ts': `if (a) {\n    ${LONG}\n\t\t${LONG}\n}\n` },
    model: {
      script: [{ toolCalls: [{ name: 'Bash', input: { command: 'cp long.ts a.ts' } }] }, { text: 'Copied.' }],
    },
  })

  /** In the page: the places of the first characters of each row of a line, within the line. */
  const ROWS = `(line) => {
    const rows = new Map()
    const text = document.createTreeWalker(line, NodeFilter.SHOW_TEXT)
    const range = document.createRange()
    const { x: left, y: top } = line.getBoundingClientRect()
    while (text.nextNode()) {
      if (text.currentNode.textContent.trim() === '') continue
      range.selectNodeContents(text.currentNode)
      for (const { x, y } of range.getClientRects())
        if (!rows.has(Math.round(y))) rows.set(Math.round(y), { x: Math.round(x - left), y: Math.round(y - top) })
    }
    return [...rows.values()]
  }`

  test('keeps its indentation in the review, and starts beside its number', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'copy it')
    await expect(transcriptText(page, 'Copied.')).toBeVisible()
    await page.getByRole('button', { name: 'Panes', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Review', exact: true }).click()
    const lines = page.locator('.review-text').filter({ hasText: 'expect(' })
    await expect(lines).toHaveCount(2)
    // Colors arrive later, and must not change where the line breaks.
    await expect(lines.first().locator('.ct-function')).toBeVisible()
    const rows = await page.evaluate<{ x: number; y: number }[][]>(
      `[...document.querySelectorAll('.review-text')].filter(({ textContent }) => textContent.includes('expect('))
        .map(${ROWS})`,
    )
    expect(rows).toHaveLength(2)
    for (const [first, ...others] of rows) {
      expect(first!.y).toBeLessThan(10)
      expect(others.length).toBeGreaterThan(0)
      expect(others.map(({ x }) => Math.abs(x - first!.x) <= 1)).not.toContain(false)
    }
    // Two tabs are eight columns.
    expect(Math.abs(rows[1]![0]!.x - 2 * rows[0]![0]!.x)).toBeLessThanOrEqual(1)
  })
})

test('Stop shares a line with the switches of a conversation beside the inspector', async ({ app }) => {
  const { page } = app
  await startSession(app)
  await sendPrompt(page, 'change both')
  await expect(page.getByRole('group', { name: /Approval needed: Edit a\.ts/ })).toBeVisible()
  for (const width of [1280, 1300, 1320]) {
    await page.setViewportSize({ width, height: 900 })
    await expect.poll(async () => (await box(page.locator('.composer'))).width).toBeLessThan(width / 1.8)
    const stop = await middle(page.getByRole('button', { name: /^Stop/ }))
    const mode = await middle(page.getByRole('button', { name: /^Permissions/ }))
    expect(Math.abs(stop - mode), `${width} px`).toBeLessThan(4)
  }
})

test('the selected tab of the settings is in view when the window becomes narrow', async ({ app }) => {
  const { page } = app
  await openAt(page, '/settings/about')
  const tab = page.getByRole('tab', { name: 'About' })
  await expect(tab).toHaveAttribute('aria-selected', 'true')
  await page.setViewportSize({ width: 390, height: 800 })
  await expect(tab).toBeInViewport({ ratio: 1 })

  await openAt(page, '/settings/skills')
  const [refresh, add] = ['Refresh', 'New skill'].map((name) => page.getByRole('button', { name, exact: true }))
  await expect.poll(async () => (await middle(refresh!)) - (await middle(add!))).toBe(0)
})

test('an error below the name of a model does not move the button beside the name', async ({ app }) => {
  const { page } = app
  await openAt(page, '/settings/models')
  await page.getByRole('button', { name: 'Add model' }).click()
  const dialog = page.getByRole('dialog')
  const list = dialog.getByRole('button', { name: 'List models' })
  const name = dialog
    .getByRole('combobox', { name: 'Model name' })
    .or(dialog.getByRole('textbox', { name: 'Model name' }))
  await expect(list).toBeVisible()
  expect(Math.abs((await middle(list)) - (await middle(name)))).toBeLessThan(3)
  await dialog.getByRole('button', { name: 'Add model' }).click()
  await expect(dialog.getByText('Enter a model ID')).toBeVisible()
  expect(Math.abs((await middle(list)) - (await middle(name)))).toBeLessThan(3)
})

test('a link to a session that does not exist says so', async ({ app }) => {
  const { page } = app
  await openAt(page, '/s/session-0000000000000000')
  await expect(page.getByText('This session no longer exists here')).toBeVisible()
  await expect(page.getByRole('button', { name: /Start session/ })).toBeVisible()
})
