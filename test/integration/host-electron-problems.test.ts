import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findings } from '../../e2e/assistive'
import { chromium, shown, startOnDouble } from '../support/desktop-fixture'
import { until } from '../support/until'

/** An uncaught error, reported as by Node. */
function fail(error: Error): void {
  const listener = process.listeners('uncaughtException').at(-1)
  listener?.(error, 'uncaughtException')
}

describe.skipIf(chromium === null)('when something breaks in the desktop app', () => {
  test('an uncaught engine error is shown with what to do; continuing restores the page', async () => {
    const desktop = await startOnDouble()
    const page = await shown(desktop)
    fail(new TypeError('x is not a function'))
    await page.getByRole('heading', { name: 'Something went wrong in Trestle' }).waitFor()
    expect(await findings(page)).toEqual([])
    await page.getByText('Technical details').click()
    expect(await page.textContent('pre')).toContain('x is not a function')
    await page.getByRole('button', { name: 'Show log' }).click()
    await until(() => desktop.electron.revealed.length === 1, 'the log')
    await page.getByRole('button', { name: 'Continue without restarting' }).click()
    await page.getByRole('heading', { name: 'Trestle 9.9.9 on electron' }).waitFor()
    expect(await desktop.log()).toContain('x is not a function')
  })

  test('restarting after such an error asks nothing, records what ran and restarts the app', async () => {
    const desktop = await startOnDouble()
    const page = await shown(desktop)
    const { sessionId } = await desktop.engine.sessions.create({ folder: '/p' })
    await desktop.engine.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
    fail(new Error('broken'))
    await page.getByRole('button', { name: 'Restart Trestle' }).click()
    await until(() => desktop.electron.app.hasQuit, 'the end')
    expect(desktop.electron).toMatchObject({ dialogs: [], app: { isRelaunching: true } })
    expect(desktop.engine.isClosed).toBe(true)
    expect(JSON.parse(await readFile(join(desktop.home, 'desktop.json'), 'utf8')).working).toEqual([sessionId])
  })

  test('a lost connection does not navigate the user away from the page', async () => {
    const desktop = await startOnDouble()
    const page = await shown(desktop)
    fail(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }))
    expect(await page.textContent('h1')).toBe('Trestle 9.9.9 on electron')
    expect(await desktop.log()).toContain('ECONNRESET')
  })

  test('a problem can be answered only in the window that shows it, never by a page', async () => {
    const desktop = await startOnDouble()
    const page = await shown(desktop)
    await page.evaluate(`location.href = '/problem/1/restart'`)
    desktop.electron.clickMenu('New Window')
    await until(() => desktop.electron.windows[1]?.isShown === true, 'the window')
    fail(new Error('broken'))
    await page.getByRole('heading', { name: 'Something went wrong in Trestle' }).waitFor()
    const contents = desktop.window().webContents
    contents.emit('will-navigate', { url: 'trestle://app/problem/2/restart', preventDefault: () => {} })
    contents.emit('will-navigate', { url: 'trestle://app/problem/99/restart', preventDefault: () => {} })
    expect(desktop.electron.app.isRelaunching).toBe(false)
    expect((await desktop.electron.handlers.get('trestle')?.(new Request('trestle://app/problem/99')))?.status).toBe(
      404,
    )
  })

  test('the description of a problem is shown as text, whatever it contains', async () => {
    const desktop = await startOnDouble()
    const page = await shown(desktop)
    fail(new Error('</pre><script>window.injected = true</script><img src=x onerror=alert(1)>'))
    await page.getByText('Technical details').click()
    expect(await page.textContent('pre')).toContain('<script>')
    expect(await page.evaluate('typeof injected')).toBe('undefined')
    expect(await page.locator('img').count()).toBe(0)
  })

  test('the user is asked about a window that hangs, until it responds again', async () => {
    const { electron, window } = await startOnDouble()
    await shown({ electron })
    electron.keepsDialogs = true
    window().webContents.emit('unresponsive')
    window().webContents.emit('unresponsive')
    expect(electron.questions).toEqual(['This window is not responding.'])
    window().webContents.emit('responsive')
    await until(() => electron.dialogs[0]?.isOpen === false, 'the question to go')
    expect(window().webContents).toMatchObject({ crashes: 0 })
    electron.keepsDialogs = false
    electron.answer = 1
    window().webContents.emit('unresponsive')
    await until(() => window().webContents.crashes === 1 && window().webContents.reloads === 1, 'the reload')
  })

  test('files that fail to load are named, and the window is shown', async () => {
    const desktop = await startOnDouble()
    const page = await shown(desktop)
    desktop.window().webContents.emit('did-fail-load', {}, -6, 'ERR_FILE_NOT_FOUND', 'trestle://app/', true)
    await page.getByRole('heading', { name: 'This window could not be loaded' }).waitFor()
    expect(await findings(page)).toEqual([])
    expect(await desktop.log()).toContain('ERR_FILE_NOT_FOUND')
  })

  test('repeated GPU crashes offer a start without acceleration, which the next start applies', async () => {
    const desktop = await startOnDouble()
    await shown(desktop)
    const crash = () => desktop.electron.app.emit('child-process-gone', {}, { type: 'GPU', reason: 'crashed' })
    crash()
    crash()
    expect(desktop.electron.questions).toEqual([])
    crash()
    await until(() => desktop.electron.app.hasQuit, 'the restart')
    expect(desktop.electron.questions).toEqual(['The graphics driver keeps crashing.'])
    expect(desktop.electron.app).toMatchObject({ isRelaunching: true, hasAcceleratedGraphics: true })
    const file = JSON.parse(await readFile(join(desktop.home, 'desktop.json'), 'utf8'))
    const next = await startOnDouble({ file })
    expect(next.electron.app.hasAcceleratedGraphics).toBe(false)
    const page = await shown(next)
    expect(
      await page.evaluate('page.connection.client.desktop.setAcceleratedGraphics({ enabled: true })'),
    ).toMatchObject({
      acceleratedGraphics: true,
    })
  })

  test('GPU crashes that ended the app before it could ask are asked about at the next start', async () => {
    const now = Date.now()
    const desktop = await startOnDouble({ file: { graphicsCrashes: [now, now, now] } })
    desktop.electron.answer = 1
    await until(() => desktop.electron.questions.length === 1, 'the question')
    const old = await startOnDouble({ file: { graphicsCrashes: [1, 2, 3] } })
    expect(old.electron.questions).toEqual([])
  })
})
