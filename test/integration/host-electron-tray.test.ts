import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { holds } from '../support/client-page'
import { chromium, shown, startOnDouble, type StartedDesktop } from '../support/desktop-fixture'
import { memoryEngine } from '../support/memory-engine'
import { required } from '../support/required'
import { until } from '../support/until'

const tray = ({ electron }: Pick<StartedDesktop, 'electron'>) => required(electron.trays.at(-1), 'a tray')
const labels = (desktop: Pick<StartedDesktop, 'electron'>) => tray(desktop).menu.map(({ label, type }) => label ?? type)

async function started(options: Parameters<typeof startOnDouble>[0] = {}) {
  const desktop = await startOnDouble(options)
  const page = await shown(desktop)
  const { sessionId } = await desktop.engine.sessions.create({ folder: '/p' })
  await desktop.engine.sessions.change(sessionId, { title: 'Fix & paint' })
  return { ...desktop, page, sessionId }
}

describe.skipIf(chromium === null)('system integration of the desktop app', () => {
  test('the tray shows what runs and what is pending, and opens it', async () => {
    const desktop = await started()
    const { electron, engine, page, sessionId } = desktop
    expect(tray(desktop).tooltip).toBe('Trestle')
    expect(labels(desktop)).toEqual(['New Session', 'Quick Prompt…', 'Show Trestle', 'separator', 'Quit Trestle'])
    await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
    expect(tray(desktop).tooltip).toBe('Trestle: 1 running')
    expect(labels(desktop).slice(0, 2)).toEqual(['Running', 'Fix && paint'])
    engine.ask(sessionId, 'a')
    expect(tray(desktop).tooltip).toBe('Trestle: 1 pending')
    expect(labels(desktop)[0]).toBe('Pending')
    electron.clickMenu('Fix && paint', tray(desktop).menu)
    await holds(
      page,
      `JSON.stringify(page.commands.at(-1)) === ${JSON.stringify(JSON.stringify({ open: 'session', sessionId }))}`,
    )
  })

  test('the tray icon follows the settings, and disappears when the app quits', async () => {
    const desktop = await started({ platform: 'darwin' })
    await desktop.engine.sessions.prompt(desktop.sessionId, [{ type: 'text', text: 'go' }])
    desktop.engine.ask(desktop.sessionId, 'a')
    expect(tray(desktop).title).toBe('1')
    await desktop.engine.settings.setDesktop({ tray: false })
    expect(tray(desktop).isGone).toBe(true)
    await desktop.engine.settings.setDesktop({ tray: true })
    expect(desktop.electron.trays).toHaveLength(2)
    expect(tray(desktop).tooltip).toBe('Trestle: 1 pending')
    desktop.electron.clickMenu('Quit Trestle', tray(desktop).menu)
    await until(() => desktop.electron.app.hasQuit, 'the end')
    expect(tray(desktop).isGone).toBe(true)
  })

  test('a request is answered from its notification: allowed once or rejected', async () => {
    const { electron, engine, sessionId, window } = await started()
    window().blur()
    const preview = { kind: 'command' as const, command: 'Run ls', cwd: '/p' }
    for (const [id, button, outcome] of [
      ['a', 'Allow once', 'allow_once'],
      ['b', 'Reject', 'reject_once'],
    ] as const) {
      engine.ask(sessionId, id, { preview })
      await until(() => electron.notifications.at(-1)?.state === 'shown', 'the notification')
      const notification = required(electron.notifications.at(-1), 'a notification')
      expect(notification.options.actions?.map(({ text }) => text)).toEqual(['Allow once', 'Reject'])
      notification.press(button)
      await until(() => electron.app.badge === 0, 'the answer')
      expect(engine.sessions.since(sessionId, 0).at(-1)).toMatchObject({ type: 'approval.resolved', outcome })
    }
    expect(window().isFocused).toBe(false)
  })

  test('dangerous requests, and several at once, cannot be allowed from a notification', async () => {
    const { electron, engine, sessionId, window } = await started()
    window().blur()
    const preview = { kind: 'command' as const, command: 'Run ls', cwd: '/p' }
    engine.ask(sessionId, 'a', { preview, reasons: [{ text: 'It deletes files.', danger: true }] })
    await until(() => electron.notifications.length === 1, 'the notification')
    expect(electron.notifications[0]?.options.actions?.map(({ text }) => text)).toEqual(['Reject'])
    engine.ask(sessionId, 'b', { preview })
    await until(() => electron.notifications.length === 2, 'the notification')
    expect(electron.notifications[1]?.options.actions).toBeUndefined()
  })

  test('a notification that is answered too late opens the session instead', async () => {
    const { electron, engine, sessionId, window, log } = await started()
    window().blur()
    engine.ask(sessionId, 'a', { preview: { kind: 'command', command: 'Run ls', cwd: '/p' } })
    await until(() => electron.notifications.length === 1, 'the notification')
    await engine.sessions.reply(sessionId, { approvalId: 'a', optionId: 'no' })
    electron.notifications[0]?.press('Allow once')
    await until(() => window().isFocused, 'the window')
    expect(await log()).toContain('could not be answered from its notification')
  })

  test('the computer is kept awake while a turn runs, unless the user turned that off', async () => {
    const { electron, engine, sessionId } = await started()
    expect(electron.awake.size).toBe(0)
    await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
    expect(electron.awake.size).toBe(1)
    await engine.settings.setDesktop({ keepAwake: false })
    expect(electron.awake.size).toBe(0)
    await engine.settings.setDesktop({ keepAwake: true })
    // The computer can sleep while a turn waits for the user.
    engine.ask(sessionId, 'a')
    expect(electron.awake.size).toBe(0)
    await engine.sessions.reply(sessionId, { approvalId: 'a', optionId: 'once' })
    expect(electron.awake.size).toBe(1)
    await engine.sessions.stop(sessionId)
    expect(electron.awake.size).toBe(0)
  })

  test('after sleep, broken connections are closed; after a long sleep also those in use', async () => {
    const dropped: unknown[] = []
    const { electron } = await started({ dropConnections: (how) => dropped.push(how) })
    electron.powerMonitor.emit('suspend')
    electron.powerMonitor.emit('resume')
    expect(dropped).toEqual([{ inUse: false }])
  })

  test('the quick prompt shortcut opens a small window that starts a session and then closes', async () => {
    const { electron, engine, page } = await started()
    await engine.settings.setDesktop({ quickPrompt: 'Ctrl+Shift+Space' })
    electron.shortcuts.get('Ctrl+Shift+Space')?.()
    await until(() => electron.windows[1]?.isShown === true, 'the quick prompt')
    const quick = required(electron.windows[1], 'a window')
    expect(quick.options).toMatchObject({
      width: 640,
      frame: false,
      alwaysOnTop: true,
      webPreferences: { sandbox: true, contextIsolation: true },
    })
    expect(quick.webContents.getURL()).toBe('trestle://app/quick')
    await quick.webContents.page.waitForSelector('h1')
    await quick.webContents.page
      .evaluate('page.connection.client.desktop.openWindow({ path: "/s/abc" })')
      .catch(() => undefined)
    await until(() => electron.windows.length === 1, 'the quick prompt to close')
    await holds(page, `JSON.stringify(page.commands.at(-1)) === '{"open":"session","sessionId":"abc"}'`)
    electron.shortcuts.get('Ctrl+Shift+Space')?.()
    await until(() => electron.windows[1]?.isShown === true, 'the quick prompt')
    // The user switches to another window.
    electron.windows[1]?.emit('blur')
    expect(electron.windows).toHaveLength(1)
    await engine.settings.setDesktop({ quickPrompt: '' })
    expect(electron.shortcuts.size).toBe(0)
  })

  test('a shortcut that another app uses is reported where it is set', async () => {
    const engine = memoryEngine({ version: '9.9.9' })
    await engine.settings.setDesktop({ quickPrompt: 'Ctrl+Alt+T' })
    const { page, log } = await started({
      openEngine: async () => engine,
      double: { takenShortcuts: ['Ctrl+Alt+T'] },
    }).then((desktop) => ({
      ...desktop,
    }))
    expect(await page.evaluate('page.connection.client.desktop.view()')).toMatchObject({
      quickPromptProblem: expect.stringContaining('already used'),
    })
    expect(await log()).toContain('Ctrl+Alt+T was refused')
  })

  test('Trestle starts at login only while the setting is on', async () => {
    const linux = await started({ argv: ['/electron', '/app/index.js'] })
    const entry = join(linux.home, 'config', 'autostart', 'trestle.desktop')
    await linux.engine.settings.setDesktop({ startAtLogin: true })
    expect(await readFile(entry, 'utf8')).toMatch(/^Exec=\S+ \/app\/index\.js --hidden$/m)
    await linux.engine.settings.setDesktop({ startAtLogin: false })
    await expect(readFile(entry)).rejects.toThrow('ENOENT')
    const mac = await started({ platform: 'darwin' })
    await mac.engine.settings.setDesktop({ startAtLogin: true })
    expect(mac.electron.app.loginItem).toMatchObject({ openAtLogin: true, args: expect.arrayContaining(['--hidden']) })
  })
})
