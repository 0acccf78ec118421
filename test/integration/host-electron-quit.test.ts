import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { holds } from '../support/client-page'
import { chromium, shown, startOnDouble, type StartedDesktop } from '../support/desktop-fixture'
import { memoryEngine, type MemoryEngine } from '../support/memory-engine'
import { required } from '../support/required'
import { until } from '../support/until'

const KEEP = 0
const STOP = 1
const CANCEL = 2

/** A desktop with a running session, and the arguments with which its engine was closed. */
async function atWork(options: Parameters<typeof startOnDouble>[0] = {}, engine = memoryEngine({ version: '9.9.9' })) {
  const closed: unknown[] = []
  const close = engine.close.bind(engine)
  engine.close = async (background) => {
    closed.push(background)
    return close(background)
  }
  const desktop = await startOnDouble({ openEngine: async () => engine, ...options })
  await shown(desktop)
  const sessionId = await begin(engine)
  return { ...desktop, engine, sessionId, closed }
}

async function begin(engine: MemoryEngine, title = 'Fix the bridge'): Promise<string> {
  const { sessionId } = await engine.sessions.create({ folder: '/p' })
  await engine.sessions.change(sessionId, { title })
  await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
  return sessionId
}

const working = async ({ home }: Pick<StartedDesktop, 'home'>) =>
  JSON.parse(await readFile(join(home, 'desktop.json'), 'utf8')).working

describe.skipIf(chromium === null)('quitting the desktop app', () => {
  test('asks while a session is working, and names it; canceling changes nothing', async () => {
    const { electron, closed, window } = await atWork()
    electron.answer = CANCEL
    electron.app.quit()
    await until(() => electron.dialogs.length === 1 && window().isFocused, 'the question')
    expect(electron.dialogs[0]).toMatchObject({
      message: 'A session is still working.',
      detail: expect.stringContaining('Fix the bridge'),
      buttons: ['Keep working in the background', 'Stop and quit', 'Cancel'],
    })
    expect(electron.app.hasQuit).toBe(false)
    expect(closed).toEqual([])
    electron.answer = STOP
    electron.app.quit()
    await until(() => electron.app.hasQuit, 'the end')
    expect(closed).toEqual([undefined])
  })

  test('asks when the last window is closed too; the window stays until the answer', async () => {
    const { electron, window } = await atWork()
    electron.keepsDialogs = true
    window().close()
    window().close()
    expect(electron.dialogs).toHaveLength(1)
    expect(electron.windows).toHaveLength(1)
    required(electron.dialogs[0], 'a question').answer(CANCEL)
    await until(() => electron.dialogs[0]?.isOpen === false, 'the answer')
    expect(electron.windows).toHaveLength(1)
  })

  test('can keep the work running without a window, and the app quits when it is done', async () => {
    const { electron, engine, sessionId, closed, window, ...desktop } = await atWork()
    electron.answer = KEEP
    window().close()
    await until(() => electron.windows.length === 0, 'the window to go')
    expect(electron.app.hasQuit).toBe(false)
    expect(closed).toEqual([])
    // Starting Trestle again shows it.
    electron.app.emit('second-instance', {}, [], '', { args: [], workingFolder: '/' })
    await shown({ electron })
    electron.windows[0]?.close()
    await until(() => electron.windows.length === 0, 'the window to go')
    await engine.sessions.stop(sessionId)
    await until(() => electron.app.hasQuit, 'the end')
    expect(closed).toEqual([undefined])
    expect(await working(desktop)).toEqual([])
  })

  test('leaves the work to a resident engine and quits, where it holds the engine of the home', async () => {
    const left: unknown[] = []
    const engine = Object.assign(memoryEngine({ version: '9.9.9' }), {
      leave: async (options: unknown) => void left.push(options),
    })
    const { electron, closed, window } = await atWork({ closeLimitMs: 5000 }, engine)
    electron.answer = KEEP
    window().close()
    await until(() => electron.app.hasQuit, 'the end')
    expect(left).toEqual([{ resident: true, limitMs: 2500 }])
    expect(closed).toEqual([])
  })

  test('leaves the work for the next start on shutdown, without another engine', async () => {
    const left: unknown[] = []
    const engine = Object.assign(memoryEngine({ version: '9.9.9' }), {
      leave: async (options: unknown) => void left.push(options),
    })
    const { electron, closed } = await atWork({ closeLimitMs: 60_000 }, engine)
    electron.powerMonitor.emit('shutdown', {})
    await until(() => electron.app.hasQuit, 'the end')
    expect(left).toEqual([{ resident: false, limitMs: 1000 }])
    expect(closed).toEqual([])
  })

  test('closes a window that is not the last one, an idle session and a Mac window without asking', async () => {
    const two = await atWork()
    two.electron.clickMenu('New Window')
    await until(() => two.electron.windows[1]?.isShown === true, 'the window')
    two.window().close()
    const mac = await atWork({ platform: 'darwin' })
    mac.window().close()
    const idle = await atWork()
    await idle.engine.sessions.stop(idle.sessionId)
    idle.window().close()
    await until(() => idle.electron.app.hasQuit, 'the end')
    for (const { electron } of [two, mac, idle]) expect(electron.dialogs).toEqual([])
    expect(mac.electron.app.hasQuit).toBe(false)
  })

  test('leaves the app in the tray after the last window when the user chose so', async () => {
    const { electron, engine, sessionId, window } = await atWork()
    await engine.settings.setDesktop({ closeToTray: true })
    window().close()
    await engine.sessions.stop(sessionId)
    expect(electron).toMatchObject({ dialogs: [], windows: [], app: { hasQuit: false } })
    electron.trays[0]?.emit('click')
    await shown({ electron })
    // Without the icon, the user could not get back to the app.
    await engine.settings.setDesktop({ tray: false })
    electron.windows[0]?.close()
    await until(() => electron.app.hasQuit, 'the end')
  })

  test('asks nothing on shutdown or log-out, does not delay it, and leaves the work resumable', async () => {
    for (const end of ['shutdown', 'session-end', 'terminate'] as const) {
      let terminate: (() => void) | undefined
      const { electron, sessionId, closed, window, ...desktop } = await atWork({
        onTerminate: (listener) => (terminate = listener),
      })
      if (end === 'shutdown') electron.powerMonitor.emit('shutdown', {})
      else if (end === 'session-end') window().emit('query-session-end', {})
      else terminate?.()
      let isPrevented = false
      electron.app.emit('before-quit', { preventDefault: () => (isPrevented = true) })
      // On a Mac, preventing the quit cancels the log-out.
      expect(isPrevented).toBe(false)
      await until(() => electron.app.hasQuit, 'the end')
      expect(electron.dialogs).toEqual([])
      expect(closed).toEqual([undefined])
      expect(await working(desktop)).toEqual([sessionId])
    }
  })

  test('dismisses an open question on shutdown', async () => {
    const { electron } = await atWork()
    electron.keepsDialogs = true
    electron.app.quit()
    await until(() => electron.dialogs.length === 1, 'the question')
    electron.powerMonitor.emit('shutdown', {})
    await until(() => electron.app.hasQuit, 'the end')
    expect(electron.dialogs[0]?.isOpen).toBe(false)
  })

  test('with an engine that hangs delays a shutdown for less time than the system allows', async () => {
    const engine = memoryEngine({ version: '9.9.9' })
    const desktop = await atWork({ closeLimitMs: 60_000 }, engine)
    engine.close = () => new Promise(() => {})
    desktop.electron.powerMonitor.emit('shutdown', {})
    await until(() => desktop.electron.app.hasQuit, 'the end')
    expect(await desktop.log()).toContain('did not close within 2000 ms')
  })

  test('offers interrupted work once, resumes it on request, and does not offer work the user stopped', async () => {
    const engine = memoryEngine({ version: '9.9.9' })
    const interrupted = await begin(engine, 'Fix the bridge')
    engine.record(interrupted, {
      type: 'turn.finished',
      turnId: required(engine.sessions.header(interrupted).turnId, 'a turn'),
      stop: 'interrupted',
      steps: 0,
      durationMs: 0,
    })
    const desktop = await startOnDouble({ openEngine: async () => engine, file: { working: [interrupted, 'deleted'] } })
    const page = await shown(desktop)
    const view = () => page.evaluate('page.connection.client.desktop.view()')
    expect(await view()).toMatchObject({ interrupted: [{ sessionId: interrupted, title: 'Fix the bridge' }] })
    expect(await page.evaluate('page.connection.client.desktop.resumeInterrupted({ resume: true })')).toBe(1)
    expect(engine.sessions.list({})[0]).toMatchObject({ status: 'running' })
    expect(await view()).toMatchObject({ interrupted: [] })
    await holds(page, "page.commands.includes('desktop-changed')")
    expect(await working(desktop)).toEqual([interrupted])
    await engine.sessions.stop(interrupted)
    expect(await working(desktop)).toEqual([])
  })

  test('stops offering a session that the user has continued', async () => {
    const engine = memoryEngine({ version: '9.9.9' })
    const sessionId = await begin(engine)
    const turnId = required(engine.sessions.header(sessionId).turnId, 'a turn')
    engine.record(sessionId, { type: 'turn.finished', turnId, stop: 'interrupted', steps: 0, durationMs: 0 })
    const desktop = await startOnDouble({ openEngine: async () => engine, file: { working: [sessionId] } })
    const page = await shown(desktop)
    await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'continue' }])
    await holds(page, "page.commands.includes('desktop-changed')")
    expect(await page.evaluate('page.connection.client.desktop.view()')).toMatchObject({ interrupted: [] })
  })

  test('does not offer again what the user declined to resume', async () => {
    const engine = memoryEngine({ version: '9.9.9' })
    const sessionId = await begin(engine)
    engine.record(sessionId, {
      type: 'turn.finished',
      turnId: required(engine.sessions.header(sessionId).turnId, 'a turn'),
      stop: 'interrupted',
      steps: 0,
      durationMs: 0,
    })
    const desktop = await startOnDouble({ openEngine: async () => engine, file: { working: [sessionId] } })
    const page = await shown(desktop)
    // Still offered after another sudden end.
    expect(await working(desktop)).toEqual([sessionId])
    expect(await page.evaluate('page.connection.client.desktop.resumeInterrupted({ resume: false })')).toBe(0)
    expect(await working(desktop)).toEqual([])
    expect(engine.sessions.list({})[0]?.status).toBe('interrupted')
  })
})
