import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from './app'
import { findings } from './assistive'
import { everyLook } from './looks'
import { openAt, pictures, reload } from './steps'

test('the appearance is chosen by keyboard, saved in the configuration, and applied at first paint', async ({
  app,
}) => {
  const { page } = app
  const file = join(app.scratch.home, 'config.toml')
  const html = page.locator('html')
  await page.keyboard.press('Control+,')
  await page.getByRole('combobox', { name: 'Search settings' }).fill('dark')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('radio', { name: 'Match system' }).first()).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await expect(html).toHaveAttribute('data-theme', 'dark')
  for (const [group, choice, attribute, value] of [
    ['Accent', 'Violet', 'data-accent', 'violet'],
    ['Contrast', 'High', 'data-contrast', 'high'],
    ['Density', 'Compact', 'data-density', 'compact'],
    ['Motion', 'Reduced', 'data-motion', 'reduced'],
  ] as const) {
    await page.getByRole('radiogroup', { name: group }).getByRole('radio', { name: choice }).press('Space')
    await expect(html).toHaveAttribute(attribute, value)
    expect([group, await findings(page)]).toEqual([group, []])
  }
  // With reduced motion, no transition starts, even when every color changes.
  const transitions = await page.evaluate<number>(`(async () => {
    let count = 0
    addEventListener('transitionrun', () => (count += 1))
    for (const theme of ['light', 'dark']) {
      document.documentElement.dataset.theme = theme
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    }
    return count
  })()`)
  expect(transitions).toBe(0)
  await page.getByRole('combobox', { name: 'Text size' }).selectOption('125%')
  await page.getByLabel('Code font').fill('Fira Code')
  await page.keyboard.press('Enter')
  await expect(html).toHaveCSS('--text-scale', '1.25')
  await expect.poll(() => readFileSync(file, 'utf8')).toContain('code_font = "Fira Code"')
  expect(readFileSync(file, 'utf8')).toContain('accent = "violet"')
  await pictures(app, 'appearance-chosen')

  // The state at first paint: without the browser's cached copy, before any script of the page.
  await page.evaluate(() => localStorage.clear())
  await page.route('**/assets/*.js', (route) => route.abort())
  await page.reload({ waitUntil: 'commit' })
  await expect(html).toHaveAttribute('data-theme', 'dark')
  await expect(html).toHaveAttribute('data-contrast', 'high')
  await expect(html).toHaveCSS('--text-scale', '1.25')
  await page.unroute('**/assets/*.js')
  await reload(page)
  await page.getByRole('button', { name: 'Reset' }).press('Enter')
  await expect(html).toHaveAttribute('data-contrast', 'normal')
  await page.getByRole('button', { name: 'Undo' }).press('Enter')
  await expect(html).toHaveAttribute('data-contrast', 'high')
})

test('every theme has readable colors, and forced colors keep selections visible', async ({ app }) => {
  const { page } = app
  await page.keyboard.press('Control+,')
  await page.getByRole('tab', { name: 'Appearance' }).click()
  for (const accent of ['Graphite', 'Violet']) {
    await page.getByRole('radio', { name: accent }).press('Space')
    await everyLook(page)
  }
  await pictures(app, 'appearance')
  await page.emulateMedia({ forcedColors: 'active' })
  const chosen = page.getByRole('radio', { name: 'Violet' })
  await expect(chosen).toHaveCSS('outline-style', 'solid')
  await page.getByRole('tab', { name: 'Diagnostics' }).click()
  // The thumb's position shows whether the switch is on.
  const thumb = page.getByRole('switch').first().locator('span')
  const paper = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
  await expect(thumb).not.toHaveCSS('background-color', paper)
  await expect(page.getByRole('button', { name: /^Settings/ })).toHaveCSS('outline-style', 'solid')
  await openAt(page, '/schedules')
  await expect(page.getByRole('button', { pressed: true })).toHaveCSS('outline-style', 'solid')
  expect(await findings(page)).toEqual([])
})

test('a change to config.toml is applied to an open window, and formats follow the chosen locale', async ({ app }) => {
  const { page } = app
  const file = join(app.scratch.home, 'config.toml')
  writeFileSync(file, `${readFileSync(file, 'utf8')}\n[appearance]\ntheme = "dark"\n`)
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await page.keyboard.press('Control+,')
  await page.getByRole('tab', { name: 'Appearance' }).click()
  await page.getByRole('combobox', { name: 'Dates and numbers' }).selectOption('de-DE')
  await expect(page.getByText('1.234.567,8')).toBeVisible()
  await expect(page.locator('html')).toHaveAttribute('lang', 'en')
  await expect(page.locator('html')).toHaveAttribute('dir', 'ltr')
})
