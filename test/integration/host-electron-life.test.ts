import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CodedError } from '../../src/shared/errors'
import { holds } from '../support/client-page'
import { chromium, HOST_LISTENERS, shown, startOnDouble } from '../support/desktop-fixture'
import { memoryEngine } from '../support/memory-engine'
import { findings } from '../../e2e/assistive'
import { until } from '../support/until'

describe.skipIf(chromium === null)('the lifecycle of the desktop host', () => {
  test('a second instance exits immediately; the first one shows its window', async () => {
    const second = await startOnDouble({
      double: { isFirstInstance: false },
      openEngine: () => Promise.reject(new Error('the engine must not be opened twice')),
    })
    expect(second.electron).toMatchObject({ windows: [], app: { hasQuit: true } })
    const first = await startOnDouble()
    await shown(first)
    const window = first.window()
    Object.assign(window, { isShown: false, isFocused: false, isMinimizedNow: true })
    first.electron.app.emit('second-instance', {}, [], '', { args: [], workingFolder: '/' })
    expect(window).toMatchObject({ isShown: true, isFocused: true, isMinimizedNow: false })
    expect(first.electron.app.paths.get('userData')).toBe(join(first.home, 'electron'))
  })

  test('the window is restored to its position, but never off-screen', async () => {
    const kept = await startOnDouble({ state: { x: 100, y: 80, width: 900, height: 700, maximized: true } })
    expect(kept.window().options).toMatchObject({ x: 100, y: 80, width: 900, height: 700 })
    await shown(kept)
    expect(kept.window().isMaximizedNow).toBe(true)
    kept.window().bounds = { x: 1, y: 2, width: 800, height: 600 }
    kept.window().close()
    expect(JSON.parse(await readFile(join(kept.home, 'window.json'), 'utf8'))).toEqual({
      windows: [{ x: 1, y: 2, width: 800, height: 600, maximized: true, path: '/' }],
    })
    for (const state of [
      { x: 5000, y: 80, width: 900, height: 700, maximized: false },
      { x: 100, y: -50, width: 900, height: 700, maximized: false },
      { x: -850, y: 80, width: 900, height: 700, maximized: false },
    ]) {
      const moved = await startOnDouble({ state })
      expect(moved.window().options).toMatchObject({ width: 900, height: 700 })
      expect(moved.window().options).not.toHaveProperty('x')
    }
    const huge = await startOnDouble({ state: { x: 0, y: 0, width: 9000, height: 1, maximized: false } })
    expect(huge.window().options).toMatchObject({ x: 0, y: 0, width: 1920, height: 420 })
    const damaged = await startOnDouble({ state: 'nonsense' })
    expect(damaged.window().options).toMatchObject({ width: 1280, height: 840 })
  })

  test('a page that crashes is reloaded with a notice; after repeated crashes the user is asked', async () => {
    const desktop = await startOnDouble()
    const page = await shown(desktop)
    const contents = desktop.window().webContents
    contents.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 5 })
    await until(() => contents.reloads === 1, 'the reload')
    await holds(page, 'document.querySelector("#notices")?.textContent.includes("(crashed)")')
    for (let n = 0; n < 3; n += 1) contents.emit('render-process-gone', {}, { reason: 'oom', exitCode: 5 })
    expect(contents.reloads).toBe(3)
    await page.getByRole('heading', { name: 'This window keeps crashing' }).waitFor()
    expect(await page.textContent('main')).toContain('4 times')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Trestle 9.9.9 on electron' }).waitFor()
    expect(await desktop.log()).toContain('crashed (5)')
  })

  test('menu commands reach the page', async () => {
    const desktop = await startOnDouble()
    const page = await shown(desktop)
    await until(() => desktop.engine.changeListenerCount === HOST_LISTENERS + 1, 'the subscription')
    desktop.electron.clickMenu('New Session')
    desktop.electron.clickMenu('Settings…')
    await holds(page, 'page.commands.length === 2')
    expect(await page.evaluate('page.commands')).toEqual(['new-session', 'open-settings'])
  })

  test('quitting waits for the engine, up to a limit', async () => {
    const polite = await startOnDouble()
    await shown(polite)
    polite.electron.app.quit()
    polite.electron.app.quit()
    expect(polite.electron.app.hasQuit).toBe(false)
    await until(() => polite.electron.app.hasQuit, 'the end')
    expect(polite.engine.isClosed).toBe(true)
    const hanging = memoryEngine()
    hanging.close = () => new Promise(() => {})
    const stuck = await startOnDouble({ openEngine: async () => hanging, closeLimitMs: 50 })
    stuck.electron.app.quit()
    await until(() => stuck.electron.app.hasQuit, 'the end without the engine')
    expect(await stuck.log()).toContain('did not close within 50 ms')
  })

  test('quitting asks what to do with running tasks when the settings say so, and can be canceled', async () => {
    const engine = memoryEngine()
    const closedWith: unknown[] = []
    engine.close = async (background) => void closedWith.push(background)
    engine.tasks.onExit = () => 'ask'
    engine.tasks.put({ taskId: 'bash-00000001', command: 'npm run dev', status: 'running', background: true })
    const { electron, ...desktop } = await startOnDouble({ openEngine: async () => engine })
    await shown({ electron, ...desktop })
    electron.answer = 2
    electron.app.quit()
    await until(() => electron.questions.length === 1, 'the question')
    expect(electron.questions).toEqual(['A background task is running.'])
    electron.answer = 1
    // Asks again only after the first question is settled.
    await until(() => {
      electron.app.quit()
      return electron.app.hasQuit
    }, 'the end')
    expect(closedWith).toEqual(['stop'])
  })

  test('closing the last window quits, except on a Mac, where the app keeps running and opens another', async () => {
    const linux = await startOnDouble()
    await shown(linux)
    linux.window().close()
    await until(() => linux.electron.app.hasQuit, 'the end')
    const mac = await startOnDouble({ platform: 'darwin' })
    await shown(mac)
    mac.window().close()
    expect(mac.electron.windows).toEqual([])
    mac.electron.app.emit('activate')
    await shown(mac)
    expect(mac.electron.app.hasQuit).toBe(false)
  })

  test('an engine that fails to open is explained in the window, and retried when the user asks', async () => {
    const engine = memoryEngine({ version: '9.9.9' })
    let tries = 0
    const desktop = await startOnDouble({
      wait: false,
      openEngine: async () => {
        tries += 1
        if (tries === 1) throw new CodedError('store.too_new', 'It has version 9.')
        return engine
      },
    })
    await until(() => desktop.electron.windows[0]?.isShown === true && tries === 1, 'the window')
    const { page } = desktop.window().webContents
    await page.getByRole('heading', { name: /newer Trestle/ }).waitFor()
    expect(await page.textContent('main')).toMatch(/It has version 9\.\s+Update/)
    expect(await findings(page)).toEqual([])
    await page.getByRole('button', { name: 'Show log' }).click()
    await until(() => desktop.electron.revealed.length === 1, 'the log')
    expect(desktop.electron.revealed).toEqual([join(desktop.home, 'logs', 'trestle.log')])
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Trestle 9.9.9 on electron' }).waitFor()
  })

  test('an app that starts hidden, or without a home, says in a dialog why it cannot start', async () => {
    const hidden = await startOnDouble({
      argv: ['/electron', '/app/index.js', '--hidden'],
      openEngine: () => Promise.reject(new CodedError('store.too_new', 'It has version 9.')),
    })
    expect(hidden.electron).toMatchObject({
      windows: [],
      app: { exitCode: 1 },
      errorBoxes: [expect.stringMatching(/newer Trestle: It has version 9\.\n\nUpdate/)],
    })
    const homeless = await startOnDouble({
      resolveHome() {
        throw new Error('no home')
      },
    })
    expect(homeless.electron).toMatchObject({ app: { exitCode: 1 }, errorBoxes: ['Trestle cannot start: no home'] })
  })
})
