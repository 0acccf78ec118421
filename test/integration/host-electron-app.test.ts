import { describe, expect, test } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import { builtRenderer } from '../support/built-renderer'
import { chromium, startOnDouble } from '../support/desktop-fixture'
import { required } from '../support/required'
import { until } from '../support/until'

describe.skipIf(chromium === null)('the app on the desktop host', () => {
  test('the real UI and the real engine connect through the port, and the page violates none of its own policies', async () => {
    const desktop = await startOnDouble({
      rendererDir: builtRenderer(),
      openEngine: ({ home, log }) => createEngine({ version: '9.9.9', home, log, interactive: true, watch: false }),
    })
    await until(() => desktop.electron.windows[0]?.isShown === true, 'the window')
    const { page } = required(desktop.electron.windows[0], 'a window').webContents
    const complaints: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
    await page.reload()
    // The first page shows data from app.info, session.list and settings.get.
    await page.getByRole('button', { name: 'Try the demo' }).waitFor()
    expect(await page.title()).toContain('Trestle')
    expect(complaints).toEqual([])
    desktop.electron.app.quit()
    await until(() => desktop.electron.app.hasQuit, 'the end')
    expect(await desktop.log()).not.toContain(' error ')
  })
})
