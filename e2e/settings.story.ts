import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from './app'
import { findings } from './assistive'

test.describe('the settings page', () => {
  test.use({ config: { more: '# my own words\ndefault_permission_mode = "ask" # stays\n' } })

  test('tests a connection, and changes the file without changing its comments', async ({ app }) => {
    const { page } = app
    const file = join(app.scratch.home, 'config.toml')
    await page.keyboard.press('Control+,')
    await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible()
    await page
      .getByRole('tab', { name: 'Models' })
      .or(page.getByRole('link', { name: 'Models' }))
      .or(page.getByRole('button', { name: 'Models' }))
      .first()
      .click()
    await page.getByRole('button', { name: /Test/ }).first().click()
    await expect(page.getByText(/^Connected: It answered/).first()).toBeVisible()
    expect(app.server.requests).toHaveLength(1)

    await page
      .getByRole('tab', { name: 'General' })
      .or(page.getByRole('link', { name: 'General' }))
      .or(page.getByRole('button', { name: 'General' }))
      .first()
      .click()
    await page.getByRole('switch', { name: /Bash/ }).click()
    await expect.poll(() => readFileSync(file, 'utf8')).toContain('disabled = ["Bash"]')
    expect(readFileSync(file, 'utf8')).toContain('# my own words\ndefault_permission_mode = "ask" # stays')
  })

  test('says what is removed with a provider', async ({ app }) => {
    const { page } = app
    await page.keyboard.press('Control+,')
    await page.getByRole('tab', { name: 'Providers' }).click()
    await page.getByRole('button', { name: 'Add provider' }).click()
    const form = page.getByRole('dialog', { name: 'Add a provider' })
    await form.getByRole('textbox', { name: 'Base URL' }).fill('http://127.0.0.1:9/v1')
    await form.getByRole('textbox', { name: 'Name' }).fill('spare')
    await form.getByRole('button', { name: 'Add provider' }).click()
    await page.getByRole('button', { name: 'Remove spare' }).click()
    await expect(page.getByText('This also removes its API key.')).toBeVisible()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Remove local' }).click()
    await expect(page.getByText('This also removes its model and API key.')).toBeVisible()
  })

  test('shows where a broken file is broken, and leaves it unchanged', async ({ app }) => {
    const { page } = app
    const file = join(app.scratch.home, 'config.toml')
    const broken = `${readFileSync(file, 'utf8')}\n[providers.two\n`
    writeFileSync(file, broken)
    await expect(page.getByText(/config\.toml/).first()).toBeVisible()
    await expect(page.getByText(/line \d+|:\d+:\d+/i).first()).toBeVisible()
    expect(readFileSync(file, 'utf8')).toBe(broken)

    // The problem is a sentence of its own.
    writeFileSync(file, broken.replace('[providers.two', '[features]\nunheard_of = true'))
    await expect(page.getByText(/Unknown key "unheard_of".*\w\. Until it’s fixed/)).toBeVisible()
  })
})

test('backups are shown with number, size and folder, and one is created on demand', async ({ app }) => {
  const { page } = app
  await page.keyboard.press('Control+,')
  await page.getByRole('tab', { name: 'About' }).click()
  await expect(page.getByText('No backups yet. One is created every day.')).toBeVisible()
  await expect(page.getByText(join(app.scratch.home, 'backups'))).toBeVisible()
  await page.getByRole('button', { name: 'Back up now' }).click()
  await expect(page.getByText(/^1 · \d+ (KB|MB) · newest today \d{1,2}:\d\d(?:\s[AP]M)?$/)).toBeVisible()
  expect(readdirSync(join(app.scratch.home, 'backups'))).toEqual([expect.stringMatching(/^trestle-\d+-\w+\.db$/)])
  if (process.env['TRESTLE_SHOTS'] !== undefined)
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [390, 1280]) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 700 })
        await page.screenshot({ path: join(process.env['TRESTLE_SHOTS'], `backups-${colorScheme}-${width}.png`) })
      }
})

test('the theme follows the system and can be chosen', async ({ app }) => {
  const { page } = app
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await page.emulateMedia({ colorScheme: 'light' })
  await expect(page.locator('html')).not.toHaveAttribute('data-theme', 'dark')
})

test('a feature is turned on and off with the keyboard, and says what it adds to a request', async ({ app }) => {
  const { page } = app
  const file = join(app.scratch.home, 'config.toml')
  await page.keyboard.press('Control+,')
  await page.getByRole('tab', { name: 'General' }).click()
  const features = page.getByRole('region', { name: 'Features' })
  const memory = features.getByRole('switch', { name: 'Memory' })
  await expect(memory).not.toBeChecked()
  await expect(features).toContainText(/Adds about \d+ tokens to each request/)
  await memory.focus()
  await page.keyboard.press('Space')
  await expect(memory).toBeChecked()
  await expect.poll(() => readFileSync(file, 'utf8')).toContain('memory = true')
  await page.keyboard.press('Space')
  await expect(memory).not.toBeChecked()
  await expect.poll(() => readFileSync(file, 'utf8')).not.toContain('memory = true')
  expect(await findings(page)).toEqual([])
  // The palette finds features that are off, and every setting.
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Commands' }).fill('schedules')
  await expect(page.getByRole('option').first()).toContainText('Turn on schedules…')
  await page.getByRole('combobox', { name: 'Commands' }).fill('contrast')
  await expect(page.getByRole('option').first()).toContainText('Settings: Contrast')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('tab', { name: 'Appearance', selected: true })).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Commands' }).fill('turn on mail')
  await page.keyboard.press('Enter')
  await expect(features.getByRole('heading', { name: 'Features' })).toBeFocused()
})

test('tools are cards in one to three columns; a click anywhere on one toggles it, and WebSearch shows what is missing', async ({
  app,
}) => {
  const { page } = app
  const file = join(app.scratch.home, 'config.toml')
  await page.keyboard.press('Control+,')
  await page.getByRole('tab', { name: 'General' }).click()
  const cards = page.getByRole('region', { name: 'Tools' }).getByRole('listitem')
  const columns = (): Promise<number> =>
    cards.evaluateAll((all) => new Set(all.map((card) => Math.round(card.getBoundingClientRect().left))).size)
  for (const [width, count] of [
    [1280, 3],
    [800, 3],
    [799, 2],
    [500, 2],
    [390, 1],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await expect.poll(columns).toBe(count)
    await expect.poll(() => page.locator('html').evaluate((root) => root.scrollWidth <= root.clientWidth)).toBe(true)
  }
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 900 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await cards.first().scrollIntoViewIfNeeded()
      if (process.env['TRESTLE_SHOTS'] !== undefined)
        await page.screenshot({ path: join(process.env['TRESTLE_SHOTS'], `tools-${colorScheme}-${width}.png`) })
    }
  }
  const list = cards.filter({ hasText: 'List folder' })
  await expect(list.getByRole('switch')).toBeChecked()
  // Its lower left corner, far from the switch and its label.
  const box = (await list.boundingBox())!
  await list.click({ position: { x: 6, y: box.height - 6 } })
  await expect(list.getByRole('switch')).not.toBeChecked()
  await expect.poll(() => readFileSync(file, 'utf8')).toContain('disabled = ["ListDirectory"]')
  const web = cards.filter({ hasText: 'Search the web' })
  await expect(web).toContainText('No search provider is set. Add [web.search] to the configuration file.')
  await web.getByRole('button', { name: 'Show the file' }).click()
  await expect(page.getByText('Configuration file', { exact: true })).toBeVisible()
  expect(readFileSync(file, 'utf8')).not.toContain('WebSearch')
})

test('the everyday tools are toggled in the grid with the keyboard alone', async ({ app }) => {
  const { page } = app
  const file = join(app.scratch.home, 'config.toml')
  await page.keyboard.press('Control+,')
  await page.getByRole('tab', { name: 'General' }).click()
  const tools = page.getByRole('region', { name: 'Tools' })
  const toggle = tools.getByRole('switch', { name: 'Alarm', exact: true })
  await toggle.focus()
  await page.keyboard.press('Space')
  await expect(toggle).not.toBeChecked()
  await expect.poll(() => readFileSync(file, 'utf8')).toContain('disabled = ["SetAlarm"]')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Tab')
  await expect(toggle).toBeFocused()
  await page.keyboard.press('Space')
  await expect(toggle).toBeChecked()
  await expect.poll(() => readFileSync(file, 'utf8')).not.toContain('SetAlarm')
  // Tools of a feature are turned on with the feature, and have no card.
  await expect(tools.getByRole('switch', { name: 'Remember', exact: true })).toHaveCount(0)
  for (const name of ['Notify', 'Calendar event', 'Open link', 'Local time'])
    await expect(tools.getByRole('switch', { name, exact: true })).toBeChecked()
  expect(await findings(page)).toEqual([])
})
