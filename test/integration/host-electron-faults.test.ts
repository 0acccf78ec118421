import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { chromium, shown, startOnDouble } from '../support/desktop-fixture'
import { until } from '../support/until'

/** Calls what listens as Node does when nothing has caught an error; emitting would end this process, whose test runner listens too. */
function throwUncaught(error: Error, before: readonly unknown[]): void {
  for (const listener of process.listeners('uncaughtException')) if (!before.includes(listener)) listener(error, 'uncaughtException')
}

describe.skipIf(chromium === null)('the desktop host, when something goes wrong', () => {
  test('tells the user of an error that nothing caught, once, and restarts when that is chosen', async () => {
    const before = process.listeners('uncaughtException')
    const desktop = await startOnDouble()
    await shown(desktop)
    throwUncaught(new Error('the parts do not fit'), before)
    await until(() => desktop.electron.questions.length === 1, 'the message')
    expect(desktop.electron.questions[0]).toBe('Trestle ran into a problem')
    expect(desktop.electron.app.hasRelaunched).toBe(false)
    throwUncaught(new Error('the parts do not fit'), before)
    desktop.electron.answer = 1
    throwUncaught(new Error('another one'), before)
    await until(() => desktop.electron.app.hasRelaunched, 'the restart')
    expect(desktop.electron.questions).toHaveLength(2)
    expect((await desktop.log()).match(/ error \d+ unhandled: Error: the parts do not fit/g)).toHaveLength(2)
  })

  test('keeps crash dumps on this machine, and a log for the user alone that begins with versions', async () => {
    const desktop = await startOnDouble()
    expect(desktop.electron.crashReports).toEqual([{ uploadToServer: false }])
    expect(desktop.electron.app.paths.get('crashDumps')).toBe(join(desktop.home, 'logs', 'crashes'))
    expect((await desktop.log()).split('\n')[0]).toMatch(/ info \d+ started: Electron .*, Node \d+\.\d+\.\d+, \w+ \w+, unpackaged$/)
    expect(statSync(join(desktop.home, 'logs', 'trestle.log')).mode & 0o777).toBe(0o600)
  })

  test('tells the diagnostics of the key store and the GPU, and asks the system for its proxy', async () => {
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
