import type { Locator, Page } from '@playwright/test'
import { expect, test, type App } from './app'
import { findings, findingsInBothThemes } from './assistive'
import { pictures, reload, sendPrompt, startSession, transcriptText } from './steps'

test.use({ model: { script: [{ text: 'First answer.' }, { text: 'Second answer.' }, { text: 'Third answer.' }] } })

/** Opens panes through the menu in the header. */
async function openPanes(page: Page, ...names: string[]): Promise<void> {
  for (const name of names) {
    await page.getByRole('button', { name: 'Panes', exact: true }).click()
    await page.getByRole('menuitem', { name, exact: true }).click()
    await expect(tab(page, name)).toHaveAttribute('aria-selected', 'true')
  }
}

const tab = (page: Page, name: string): Locator =>
  page.getByRole('tab', { name, exact: true }).and(page.locator('[data-pane-tab]'))
const strips = (page: Page): Locator => page.getByRole('tablist', { name: /^Panes with/ })
const box = async (locator: Locator) => (await locator.boundingBox())!

/** Starts a second session in the same project, after one message in the first. */
async function twoSessions({ page }: App): Promise<void> {
  await sendPrompt(page, 'One')
  await expect(transcriptText(page, 'First answer.')).toBeVisible()
  await page.keyboard.press('Control+n')
  await page.getByRole('button', { name: /Start session/ }).click()
  await sendPrompt(page, 'Two')
  await expect(transcriptText(page, 'Second answer.')).toBeVisible()
}

test('panes open beside the conversation, are moved by keyboard, and keep their layout after a reload', async ({
  app,
}) => {
  const { page } = app
  await startSession(app)
  await sendPrompt(page, 'One')
  await expect(transcriptText(page, 'First answer.')).toBeVisible()
  await openPanes(page, 'Files', 'Review', 'Tasks')
  await expect(strips(page)).toHaveCount(3)
  await expect
    .poll(async () => (await box(tab(page, 'Files'))).x - (await box(tab(page, 'Conversation'))).x)
    .toBeGreaterThan(0)
  await expect
    .poll(async () => (await box(tab(page, 'Tasks'))).y - (await box(tab(page, 'Files'))).y)
    .toBeGreaterThan(0)

  await tab(page, 'Review').focus()
  await page.keyboard.press('Shift+F10')
  await page.getByRole('menuitem', { name: 'Move left' }).press('Enter')
  await expect(tab(page, 'Review')).toBeFocused()
  await expect(page.getByRole('tablist', { name: 'Panes with Review' }).getByRole('tab')).toHaveText([
    'Conversation',
    'Review',
  ])
  await page.keyboard.press('ArrowLeft')
  await expect(tab(page, 'Conversation')).toBeFocused()
  await expect(transcriptText(page, 'First answer.')).toBeVisible()

  const separator = page.getByRole('separator', { name: 'Width of Conversation' })
  const before = (await box(tab(page, 'Files'))).x
  await separator.focus()
  await page.keyboard.press('ArrowRight')
  await expect.poll(async () => (await box(tab(page, 'Files'))).x).toBeGreaterThan(before + 10)
  const after = (await box(tab(page, 'Files'))).x
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect(await findings(page)).toEqual([])
  }
  await pictures(app, 'panes')

  await reload(page)
  await expect(strips(page)).toHaveCount(3)
  await expect.poll(async () => (await box(tab(page, 'Files'))).x).toBeCloseTo(after, -1)

  await tab(page, 'Tasks').focus()
  await page.keyboard.press('Delete')
  await expect(tab(page, 'Tasks')).toHaveCount(0)
  await expect(strips(page)).toHaveCount(2)
  await tab(page, 'Files').focus()
  await page.keyboard.press('Control+Shift+M')
  await expect(strips(page)).toHaveCount(1)
  await page.keyboard.press('Control+Shift+M')
  await expect(strips(page)).toHaveCount(2)
  await page.keyboard.press('F6')
  await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toBeFocused()
})

test('a tab is dragged to another group, and to an edge to split it', async ({ app }) => {
  const { page } = app
  await startSession(app)
  await openPanes(page, 'Files', 'Review')
  const draft = page.getByRole('textbox', { name: 'Message', exact: true })
  await draft.fill('A draft')
  const files = await box(page.getByRole('tabpanel', { name: 'Review' }))
  await tab(page, 'Files').dragTo(page.getByRole('tabpanel', { name: 'Review' }), {
    targetPosition: { x: files.width / 2, y: files.height - 20 },
  })
  await expect(strips(page)).toHaveCount(3)
  await expect
    .poll(async () => (await box(tab(page, 'Files'))).y - (await box(tab(page, 'Review'))).y)
    .toBeGreaterThan(0)
  await tab(page, 'Files').dragTo(tab(page, 'Conversation'))
  await expect(page.getByRole('tablist', { name: 'Panes with Files' }).getByRole('tab')).toHaveText([
    'Files',
    'Conversation',
  ])
  await tab(page, 'Conversation').dragTo(page.getByRole('tabpanel', { name: 'Review' }))
  await expect(page.getByRole('tablist', { name: 'Panes with Conversation' }).getByRole('tab')).toHaveText([
    'Review',
    'Conversation',
  ])
  await expect(draft).toHaveValue('A draft')
})

test('two sessions side by side: each has its message box, and Escape and Ctrl+F apply to the one in front', async ({
  app,
}) => {
  const { page } = app
  await startSession(app)
  await twoSessions(app)
  await page.getByRole('button', { name: 'Panes', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Another session…' }).click()
  await expect(page.getByRole('combobox', { name: 'Sessions' })).toBeFocused()
  expect(await findingsInBothThemes(page)).toEqual([])
  await page.getByRole('combobox', { name: 'Sessions' }).fill('One')
  await page.keyboard.press('Enter')
  const other = page.getByRole('region', { name: 'One', exact: true })
  await expect(other.getByText('First answer.').first()).toBeVisible()
  await expect(transcriptText(page, 'Second answer.')).toBeVisible()
  await other.getByRole('textbox', { name: 'Message', exact: true }).fill('More')
  await page.keyboard.press('Enter')
  await expect(other.getByText('Third answer.').first()).toBeVisible()
  await page.keyboard.press('Control+f')
  await expect(other.getByRole('search', { name: 'Session' })).toBeVisible()
  await page.keyboard.press('Escape')
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect(await findings(page)).toEqual([])
  }
  await pictures(app, 'panes-sessions')
  await reload(page)
  await expect(other.getByText('Third answer.').first()).toBeVisible()
})

test('in a narrow window the panes are tabs over the conversation', async ({ app }) => {
  const { page } = app
  await startSession(app)
  await openPanes(page, 'Files', 'Tasks')
  await page.setViewportSize({ width: 390, height: 780 })
  await expect(strips(page)).toHaveCount(1)
  await expect(strips(page).getByRole('tab')).toHaveText(['Conversation', 'Files', 'Tasks'])
  await tab(page, 'Conversation').click()
  await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toBeVisible()
  expect(await findings(page)).toEqual([])
  await page.setViewportSize({ width: 1440, height: 900 })
  await expect(strips(page)).toHaveCount(3)
})

test('a damaged layout is replaced by the default one', async ({ app }) => {
  const { page } = app
  await startSession(app)
  await page.evaluate(
    `localStorage.setItem('trestle.panes', '{"' + location.pathname.slice(3) + '":{"root":[7]},"x":')`,
  )
  await reload(page)
  await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toBeVisible()
  await expect(strips(page)).toHaveCount(0)
})

test.describe('a long conversation', () => {
  const lines = Array.from({ length: 120 }, (_, n) => `Paragraph ${n + 1} of a long answer.`)
  test.use({ model: { script: [{ text: lines.join('\n\n') }] } })

  test('keeps its scroll position when panes are opened, moved and maximized', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'Write much')
    await expect(transcriptText(page, 'Paragraph 120')).toBeVisible()
    const scroller = page.locator('.transcript-scroll')
    await openPanes(page, 'Files')
    // Scroll up as a user would, because the view otherwise follows the end.
    const place = () => scroller.evaluate((element) => Math.round(element.scrollTop))
    const end = await place()
    await scroller.hover()
    await page.mouse.wheel(0, -1500)
    // The page scrolls in one step, in an upcoming frame: it does not animate the wheel here.
    await expect.poll(place).toBeLessThan(end - 1000)
    const before = await place()
    await openPanes(page, 'Tasks')
    expect(await place()).toBe(before)
    await tab(page, 'Tasks').focus()
    await page.keyboard.press('Control+Shift+M')
    await expect(strips(page)).toHaveCount(1)
    await page.keyboard.press('Control+Shift+M')
    await expect(strips(page)).toHaveCount(3)
    expect(await place()).toBe(before)
    await tab(page, 'Tasks').focus()
    await page.keyboard.press('Delete')
    await expect(strips(page)).toHaveCount(2)
    expect(await place()).toBe(before)
  })
})
