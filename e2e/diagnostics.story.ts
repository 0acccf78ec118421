import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from './app'

test.describe('Settings, Diagnostics', () => {
  test.use({ config: { more: 'default_permission_mode = "nonsense"\n' } })

  test('lists problems with their fixes, shows recent errors, and copies a report without secrets', async ({ app }) => {
    const { page } = app
    mkdirSync(join(app.scratch.home, 'logs'), { recursive: true })
    const key = `sk-ant-${'x9Y8'.repeat(12)}`
    writeFileSync(
      join(app.scratch.home, 'logs', 'trestle.log'),
      `2026-11-22T10:00:00.000Z error 1 the request with ${key} failed\n`,
    )
    await page.keyboard.press('Control+,')
    await page.getByRole('tab', { name: 'Diagnostics' }).click()
    const checks = page.getByRole('list', { name: 'Checks' })
    await expect(checks.getByRole('listitem').filter({ hasText: 'Configuration' })).toContainText('Failed', {
      timeout: 30_000,
    })
    await expect(checks).toContainText('Fix the file at the line named')
    await expect(page.getByText('the request with [redacted] failed')).toBeVisible()
    await expect(
      page.getByText('Commands use the environment of the terminal or program that started Trestle.'),
    ).toBeVisible()
    await page.getByText(/^PATH/).click()
    await expect(page.getByRole('list', { name: 'Folders of PATH' }).getByRole('listitem').first()).toBeVisible()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy diagnostics' }).click()
    await expect(page.getByText('Diagnostics copied')).toBeVisible()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(copied).toMatch(/FAILED +Configuration: .*config\.toml/)
    expect(copied).not.toContain(key)
    if (process.env['TRESTLE_SHOTS'] !== undefined)
      for (const colorScheme of ['light', 'dark'] as const)
        for (const width of [390, 1440]) {
          await page.emulateMedia({ colorScheme })
          await page.setViewportSize({ width, height: 1100 })
          await page.screenshot({ path: join(process.env['TRESTLE_SHOTS'], `diagnostics-${colorScheme}-${width}.png`) })
        }
  })

  test('turns the login shell off and on in config.toml', async ({ app }) => {
    const { page } = app
    await page.keyboard.press('Control+,')
    await page.getByRole('tab', { name: 'Diagnostics' }).click()
    const setting = page.getByRole('switch', { name: 'Use the environment of your login shell' })
    await setting.click()
    const text = (): string => readFileSync(join(app.scratch.home, 'config.toml'), 'utf8')
    await expect.poll(text).toContain('login_shell = false')
    await setting.click()
    await expect.poll(text).not.toContain('login_shell')
  })
})

test('a replaced session store is reported as a warning with the location of the damaged file', async ({ app }) => {
  await app.kill()
  const file = join(app.scratch.home, 'trestle.db')
  for (const ending of ['-wal', '-shm']) rmSync(file + ending, { force: true })
  writeFileSync(file, 'not a database')
  await app.restart()
  const warning = app.page.getByRole('status').filter({ hasText: 'The session store was damaged' })
  await expect(warning.getByRole('img', { name: 'Warning' })).toBeVisible()
  await expect(warning).toContainText('Trestle starts with an empty store')
  await expect(warning).toContainText(`The damaged file is kept as ${file}.damaged-`)
  await warning.getByRole('button', { name: 'Dismiss' }).click()
  await expect(warning).toBeHidden()
})
