import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCli, startCli } from '../test/support/run-cli'
import { expect, test, type App } from './app'
import { findings } from './assistive'

async function openEnginePart({ page }: App) {
  await page.keyboard.press('Control+,')
  await page.getByRole('tab', { name: 'General' }).click()
  const part = page.getByRole('region', { name: 'Engine' })
  await part.scrollIntoViewIfNeeded()
  return part
}

test('without a background engine, the settings say that the window runs its own, and set when one stops and who shares it', async ({
  app,
}) => {
  const part = await openEnginePart(app)
  await expect(part).toContainText('This window runs its own engine')
  await part.getByRole('combobox').selectOption('Stop after 1 hour')
  await expect
    .poll(() => readFileSync(join(app.scratch.home, 'config.toml'), 'utf8'))
    .toMatch(/\[engine\]\s+idle_minutes = 60\b/)
  const shared = part.getByRole('switch', { name: 'Share it with programs in a terminal' })
  await expect(shared).not.toBeChecked()
  await shared.press('Space')
  const config = (): string => readFileSync(join(app.scratch.home, 'config.toml'), 'utf8')
  await expect.poll(config).toMatch(/^shared = true$/m)
  await expect(shared).toBeChecked()
  expect(config()).toContain('idle_minutes = 60')
  expect(await findings(app.page)).toEqual([])
  await shared.press('Space')
  await expect.poll(config).not.toContain('shared')
  await expect(shared).not.toBeChecked()
})

test('the settings show the engine that runs and what it does, and restart it when it is idle', async ({ app }) => {
  const { home } = app.scratch
  const engine = startCli(['engine'], { home })
  engine.stdin.end()
  engine.stderr.resume()
  await once(engine.stdout, 'data')
  try {
    await app.restart()
    const part = await openEnginePart(app)
    await expect(part).toContainText('Runs in the background')
    await expect(part).toContainText(`process ${engine.pid}`)
    await expect(part).toContainText('1 client connected. Nothing is running.')
    for (const colorScheme of ['light', 'dark'] as const) {
      await app.page.emulateMedia({ colorScheme })
      expect(await findings(app.page)).toEqual([])
    }
    await app.page.setViewportSize({ width: 390, height: 760 })
    await part.getByRole('button', { name: 'Stop' }).scrollIntoViewIfNeeded()
    await expect(part.getByRole('button', { name: 'Stop' })).toBeInViewport()
    const ended = once(engine, 'exit')
    await part.getByRole('button', { name: 'Restart when idle' }).press('Enter')
    await ended
    await expect(part).not.toContainText(`process ${engine.pid}`)
    await expect(part).toContainText('Runs in the background')
  } finally {
    await app.kill()
    await runCli(['engine', 'stop'], { home })
  }
})
