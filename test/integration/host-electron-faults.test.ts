import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { chromium, shown, startOnDouble } from '../support/desktop-fixture'

describe.skipIf(chromium === null)('the desktop host, when something goes wrong', () => {
  test('keeps crash dumps on this machine, and a private log that starts with versions', async () => {
    const desktop = await startOnDouble()
    expect(desktop.electron.crashReports).toEqual([{ uploadToServer: false }])
    expect(desktop.electron.app.paths.get('crashDumps')).toBe(join(desktop.home, 'logs', 'crashes'))
    expect((await desktop.log()).split('\n')[0]).toMatch(
      / info \d+ started: Electron .*, Node \d+\.\d+\.\d+, \w+ \w+, unpackaged$/,
    )
    expect(statSync(join(desktop.home, 'logs', 'trestle.log')).mode & 0o777).toBe(0o600)
  })

  test('includes the key store and the GPU in diagnostics, and asks the system for its proxy', async () => {
    const asked: string[] = []
    const desktop = await startOnDouble()
    const page = await shown(desktop)
    const report = JSON.stringify(await page.evaluate('page.connection.client.app.diagnostics()'))
    expect(report).toContain('webgl: disabled_software')
    expect(report).toContain('Renderer sandbox')
    const second = await startOnDouble({
      openEngine: async ({ systemProxy }) => {
        asked.push(await systemProxy('https://example.com/'))
        return desktop.engine
      },
    })
    await shown(second)
    expect(asked).toEqual(['DIRECT'])
  })
})
