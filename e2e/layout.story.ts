import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect, test } from './app'
import { chooseInMenu, openAt, pictures, reload, sendPrompt, startSession, transcriptText } from './steps'

const todos = ['One', 'Two', 'Three'].map((title) => ({ title, status: 'pending' }))
const RTL = 'שלום עולם.\n\n- ראשון\n- שני\n\nPlain English again.'

test.use({
  model: {
    script: [
      {
        toolCalls: [
          { name: 'TodoList', input: { todos } },
          { name: 'Write', input: { path: 'a.txt', content: 'a\n' } },
          { name: 'Write', input: { path: 'b.txt', content: 'b\n' } },
        ],
      },
      { text: RTL },
    ],
  },
  config: { more: 'default_permission_mode = "auto"' },
})

/** How far a script can scroll the page sideways; resets it. */
const sideways = (page: Page): Promise<number> =>
  page.evaluate<number>(`(() => {
    const boxes = [document.documentElement, document.body, document.getElementById('root')]
    let most = 0
    for (const box of boxes) {
      box.scrollLeft = 1000
      most = Math.max(most, box.scrollLeft)
      box.scrollLeft = 0
    }
    return most
  })()`)

test('the window never scrolls sideways, and every tab of the inspector can be reached', async ({ app }) => {
  const { page } = app
  await startSession(app)
  await sendPrompt(page, 'write two files')
  await expect(transcriptText(page, 'Plain English again.')).toBeVisible()
  // The narrowest inspector: its tabs do not fit.
  await page.getByRole('separator', { name: 'Width of the inspector' }).focus()
  await page.keyboard.press('Home')
  for (const size of [
    { width: 1440, height: 900 },
    { width: 1280, height: 840 },
    { width: 1240, height: 700 },
  ]) {
    await page.setViewportSize(size)
    const tabs = page.getByRole('tablist', { name: 'Inspector' })
    for (const name of ['MCP', 'Context', /^Changes/, 'Plan', /^Todos/, /^Tasks/]) {
      const tab = tabs.getByRole('tab', { name })
      await tab.click()
      await expect(tab).toBeInViewport({ ratio: 0.95 })
      await expect.poll(() => sideways(page)).toBe(0)
      await expect(page.getByRole('navigation', { name: 'Projects and sessions' })).toBeInViewport({ ratio: 1 })
    }
  }
  await pictures(app, 'layout')
})

test('below 1240 px the inspector is a drawer, and the title of the session is not cut to a letter', async ({
  app,
}) => {
  const { page } = app
  await startSession(app)
  await sendPrompt(page, 'Fix the login')
  await expect(transcriptText(page, 'Plain English again.')).toBeVisible()
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await expect(inspector).toBeVisible()
  for (const width of [1239, 1024, 800]) {
    await page.setViewportSize({ width, height: 700 })
    await expect(inspector).toBeHidden()
    const title = page.getByRole('button', { name: 'Fix the login, rename' })
    const shown = (): Promise<number> =>
      title.evaluate((element) => {
        const { clientWidth, scrollWidth } = element as unknown as Record<'clientWidth' | 'scrollWidth', number>
        return clientWidth / scrollWidth
      })
    await expect.poll(shown).toBe(1)
    await expect.poll(() => sideways(page)).toBe(0)
  }
  await page.getByRole('button', { name: 'Show the inspector' }).click()
  await expect(inspector).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(inspector).toBeHidden()
})

test('sessions are listed beside every page from 1000 px, and in a drawer below that width', async ({ app }) => {
  const { page } = app
  const sidebar = page.getByRole('navigation', { name: 'Projects and sessions' })
  await startSession(app)
  for (const link of ['/new', '/settings/general', undefined]) {
    if (link === undefined) await page.getByRole('treeitem', { name: /^idle New session/ }).click()
    else await openAt(page, link)
    for (const width of [1200, 1000]) {
      await page.setViewportSize({ width, height: 800 })
      await expect(sidebar).toBeInViewport({ ratio: 1 })
      await expect.poll(() => sideways(page)).toBe(0)
    }
  }
  await page.setViewportSize({ width: 999, height: 800 })
  await expect(sidebar).toBeHidden()
  await page.getByRole('button', { name: 'Projects and sessions' }).click()
  await expect(sidebar).toBeVisible()
})

test('a long title leaves the name of the project readable', async ({ app }) => {
  const { page } = app
  await startSession(app)
  await sendPrompt(page, `Look at ${'averylongname'.repeat(12)}`)
  const banner = page.locator('header')
  const folder = banner.getByText('project', { exact: true })
  for (const width of [1440, 1000, 390]) {
    await page.setViewportSize({ width, height: 800 })
    await expect(banner.getByRole('heading', { level: 1 })).toContainText('averylongname')
    // It is not cut off.
    await expect.poll(() => folder.evaluate((shown) => shown.scrollWidth <= shown.clientWidth)).toBe(true)
  }
})

test('the columns are resized with the mouse and the keyboard, the sidebar can be hidden, and both are remembered', async ({
  app,
}) => {
  const { page } = app
  await startSession(app)
  const sidebar = page.getByRole('navigation', { name: 'Projects and sessions' })
  const width = async (): Promise<number> => Math.round((await sidebar.boundingBox())?.width ?? 0)
  const handle = page.getByRole('separator', { name: 'Width of the sidebar' })
  await handle.focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await expect.poll(width).toBe(252 + 32)
  const box = (await handle.boundingBox())!
  await page.mouse.move(box.x + 3, 400)
  await page.mouse.down()
  await page.mouse.move(box.x + 43, 400, { steps: 4 })
  await page.mouse.up()
  await expect.poll(width).toBe(252 + 32 + 40)
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await page.getByRole('separator', { name: 'Width of the inspector' }).focus()
  await page.keyboard.press('ArrowLeft')
  await expect.poll(async () => Math.round((await inspector.boundingBox())?.width ?? 0)).toBe(376 + 16)
  await reload(page)
  await expect.poll(width).toBe(252 + 32 + 40)
  await handle.focus()
  await page.keyboard.press('Enter')
  await expect.poll(width).toBe(252)

  await page.keyboard.press('Control+\\')
  await expect(sidebar).toBeHidden()
  await reload(page)
  await page.getByRole('button', { name: 'Projects and sessions' }).click()
  await expect(sidebar).toBeVisible()
})

test('right-to-left text runs right to left, beside text that does not', async ({ app }) => {
  const { page } = app
  await startSession(app)
  await sendPrompt(page, 'שלום, מה שלומך?')
  await expect(transcriptText(page, 'Plain English again.')).toBeVisible()
  for (const words of ['שלום, מה שלומך?', 'שלום עולם.', 'ראשון'])
    await expect(transcriptText(page, words)).toHaveCSS('direction', 'rtl')
  await expect(transcriptText(page, 'Plain English again.')).toHaveCSS('direction', 'ltr')
  await pictures(app, 'right-to-left')
  const composer = page.getByRole('textbox', { name: 'Message', exact: true })
  await composer.fill('مرحبا')
  await expect(composer).toHaveCSS('direction', 'rtl')
})

test.describe('a turn that lasts until another page is shown', () => {
  const shown = Promise.withResolvers<void>()
  test.use({ model: { script: [{ text: RTL, faults: { holds: [{ events: 1, until: shown.promise }] } }] } })

  test('a session that ended off screen is marked unread until opened, and pinned sessions are at the top', async ({
    app,
  }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'Fix the login')
    await page.getByRole('button', { name: 'Settings' }).click()
    await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible()
    shown.resolve()
    const row = page.getByRole('treeitem', { name: /Fix the login/ })
    await expect(row).toHaveAccessibleName(/unread/)
    await row.click()
    await expect(transcriptText(page, 'Plain English again.')).toBeVisible()
    await expect(row).not.toHaveAccessibleName(/unread/)
    await reload(page)
    await expect(row).toBeVisible()
    await expect(row).not.toHaveAccessibleName(/unread/)
    await chooseInMenu(row, 'Pin')
    await expect(page.getByText('Pinned', { exact: true })).toBeVisible()
    await expect(row).toHaveCount(1)
  })
})

test('read and pinned marks are the same in another browser, and survive a restart', async ({ app }) => {
  test.skip(app.url === undefined, 'A second browser needs the web host.')
  const { page } = app
  await startSession(app)
  await sendPrompt(page, 'Fix the login')
  await expect(transcriptText(page, 'Plain English again.')).toBeVisible()
  const context = await page
    .context()
    .browser()!
    .newContext({ viewport: { width: 1440, height: 900 } })
  const other = await context.newPage()
  await other.goto(app.url!)
  const otherRow = other.getByRole('treeitem', { name: /Fix the login/ })
  await expect(otherRow).toBeVisible()
  await expect(otherRow).not.toHaveAccessibleName(/unread/)
  await chooseInMenu(otherRow, 'Pin')
  await expect(page.getByText('Pinned', { exact: true })).toBeVisible()
  await context.close()
  await app.restart()
  await expect(app.page.getByText('Pinned', { exact: true })).toBeVisible()
  await expect(app.page.getByRole('treeitem', { name: /Fix the login/ })).not.toHaveAccessibleName(/unread/)
})

test('the next session takes one click, with the folder and model of the last one', async ({ app }) => {
  const { page } = app
  await startSession(app)
  await sendPrompt(page, 'Fix the login')
  await expect(transcriptText(page, 'Plain English again.')).toBeVisible()
  const first = page.url()
  await page.getByRole('button', { name: 'New session', exact: true }).click()
  await expect(page.getByRole('button', { name: /Start session/ })).toBeEnabled()
  await expect(page.getByRole('textbox', { name: 'What should we work on?' })).toBeFocused()
  await pictures(app, 'new-session')
  await page.keyboard.type('And now the logout')
  // The typed text survives a reload, and is cleared once the session starts.
  await page.reload()
  const field = page.getByRole('textbox', { name: 'What should we work on?' })
  await expect(field).toHaveValue('And now the logout')
  await field.press('Enter')
  await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toBeVisible()
  expect(page.url()).not.toBe(first)
  await page.getByRole('button', { name: 'New session', exact: true }).click()
  await expect(field).toHaveValue('')
})

test('the folder dialog hides hidden folders by default, and the start page says what is missing', async ({ app }) => {
  const { page, scratch } = app
  mkdirSync(join(scratch.project, '.secrets'))
  mkdirSync(join(scratch.project, 'visible'))
  await expect(page.getByText('Choose a folder to continue.')).toBeVisible()
  await page.getByRole('button', { name: /Choose a folder/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill(scratch.project)
  await dialog.getByRole('textbox').press('Enter')
  await expect(dialog.getByRole('option', { name: 'visible' })).toBeVisible()
  await expect(dialog.getByRole('option', { name: '.secrets' })).toHaveCount(0)
  await dialog.getByRole('button', { name: 'Show hidden folders' }).click()
  await expect(dialog.getByRole('option', { name: '.secrets' })).toBeVisible()

  // A mistyped path leads back to the folder above it.
  const typo = join(scratch.project, 'visibel')
  await dialog.getByRole('textbox').fill(typo)
  await dialog.getByRole('textbox').press('Enter')
  await expect(dialog.getByRole('alert')).toContainText('Folder not found')
  await expect(dialog.getByRole('alert')).toContainText(`There is no folder ${typo}.`)
  await expect(dialog.getByRole('button', { name: 'Open' })).toBeDisabled()
  await dialog.getByRole('button', { name: 'Go to the parent folder' }).press('Enter')
  await expect(dialog.getByRole('option', { name: 'visible' })).toBeVisible()
  await expect(dialog.getByRole('listbox')).toBeFocused()
})

test('a touch screen shows no keyboard hints', async ({ app }) => {
  test.skip(app.url === undefined, 'Electron has no touch screen here')
  await startSession(app)
  const context = await app.page
    .context()
    .browser()!
    .newContext({ viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true })
  try {
    const phone = await context.newPage()
    await phone.goto(app.url!)
    await expect(
      phone.getByText('Choose a folder to continue.').or(phone.getByRole('button', { name: /Start session/ })),
    ).toBeVisible()
    await phone.goto(new URL(app.page.url()).href)
    await expect(phone.getByRole('textbox', { name: 'Message', exact: true })).toBeVisible()
    await expect(phone.getByText(/Enter to send/)).toHaveCount(0)
    await phone.getByRole('button', { name: 'Projects and sessions' }).click()
    await expect(phone.getByRole('treeitem').first()).toBeVisible()
    for (const key of await phone.locator('kbd').all()) await expect(key).toBeHidden()
    await expect.poll(() => sideways(phone)).toBe(0)
  } finally {
    await context.close()
  }
})
