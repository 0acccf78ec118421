import { describe, expect, test } from 'vitest'
import { holds } from '../support/client-page'
import { chromium, shown, startOnDouble, type StartedDesktop } from '../support/desktop-fixture'
import { required } from '../support/required'
import { until } from '../support/until'

/** A desktop whose window is open, with a session; another program is in front. */
async function inTheBack(options: Parameters<typeof startOnDouble>[0] = {}) {
  const desktop = await startOnDouble(options)
  const page = await shown(desktop)
  const { sessionId } = await desktop.engine.sessions.create({ folder: '/p' })
  desktop.window().blur()
  return { ...desktop, page, sessionId }
}

const latest = ({ electron }: Pick<StartedDesktop, 'electron'>) =>
  required(electron.notifications.at(-1), 'a notification')

describe.skipIf(chromium === null)('notifications of the desktop host', () => {
  test('appear once for simultaneous requests, without a sound, and update the badge; a click opens the session', async () => {
    const desktop = await inTheBack()
    const { electron, engine, page, sessionId } = desktop
    for (const id of ['a', 'b', 'c']) engine.ask(sessionId, id)
    await until(() => electron.notifications.length === 1, 'the notification')
    expect(latest(desktop)).toMatchObject({
      state: 'shown',
      options: { title: '3 requests pending', body: 'New session', silent: true },
    })
    expect(electron.app.badge).toBe(3)
    expect(desktop.window().isFlashing).toBe(true)
    latest(desktop).click()
    expect(desktop.window()).toMatchObject({ isFocused: true, isFlashing: false })
    await holds(
      page,
      `JSON.stringify(page.commands.at(-1)) === ${JSON.stringify(JSON.stringify({ open: 'session', sessionId }))}`,
    )
  })

  test('are withdrawn when answered elsewhere, and not shown while the window is focused', async () => {
    const desktop = await inTheBack()
    const { electron, engine, sessionId } = desktop
    engine.ask(sessionId, 'a')
    await until(() => electron.notifications.length === 1, 'the notification')
    expect(latest(desktop).options).toMatchObject({ title: 'New session needs you', body: 'Bash Run ls' })
    await engine.sessions.reply(sessionId, { approvalId: 'a', optionId: 'once' })
    await until(() => electron.app.badge === 0, 'the count')
    expect(latest(desktop).state).toBe('closed')
    desktop.window().focus()
    engine.ask(sessionId, 'b')
    await until(() => electron.app.badge === 1, 'the count')
    expect(electron.notifications).toHaveLength(1)
  })

  test('appear when a session finishes in the background, but not if it was stopped or they are turned off', async () => {
    const desktop = await inTheBack()
    const { electron, engine, sessionId } = desktop
    const turn = (turnId: string, stop: 'end_turn' | 'cancelled' | 'error'): void => {
      engine.record(sessionId, { type: 'turn.started', turnId, parts: [{ type: 'text', text: 'x' }], model: 'p/m' })
      engine.record(sessionId, { type: 'turn.finished', turnId, stop, steps: 1, durationMs: 1 })
    }
    turn('a', 'end_turn')
    await until(() => electron.notifications.length === 1, 'the notification')
    expect(latest(desktop).options).toMatchObject({ title: 'New session', body: 'It has finished.', silent: true })
    turn('b', 'cancelled')
    turn('c', 'error')
    await until(() => electron.notifications.length === 2, 'the second notification')
    expect(latest(desktop).options).toMatchObject({ body: 'It stopped with an error.' })
    await engine.settings.setNotifications({ finished: false })
    turn('d', 'end_turn')
    desktop.window().focus()
    await engine.settings.setNotifications({ finished: true })
    turn('e', 'end_turn')
    expect(electron.notifications).toHaveLength(2)
  })

  test('appear once for a program that waits for input in its terminal, until it continues', async () => {
    const desktop = await inTheBack()
    const { electron, engine, sessionId } = desktop
    const prompt = { text: 'Password:', since: 1 }
    engine.tasks.put({ taskId: 't', sessionId, command: 'sudo true', prompt })
    await until(() => electron.notifications.length === 1, 'the notification')
    expect(latest(desktop).options).toMatchObject({ title: 'A command needs you', body: 'Password: (sudo true)' })
    engine.tasks.put({ taskId: 't', prompt, lastLine: 'Password:' })
    const { prompt: _answered, ...task } = await engine.tasks.get('t')
    engine.changed({ kind: 'task', task })
    await until(() => latest(desktop).state === 'closed', 'the notification to go')
    expect(electron.app.badge).toBe(0)
    expect(electron.notifications).toHaveLength(1)
  })

  test('open the inbox when several sessions wait, in a new window when none is open', async () => {
    const desktop = await inTheBack({ platform: 'darwin' })
    const { electron, engine, sessionId } = desktop
    const other = await engine.sessions.create({ folder: '/q' })
    desktop.window().close()
    engine.ask(sessionId, 'a')
    engine.ask(other.sessionId, 'b')
    await until(() => electron.notifications.length === 1, 'the notification')
    expect(electron.app.bounces).toBe(1)
    latest(desktop).click()
    await until(() => electron.windows.length === 1, 'a window')
    const page = await shown(desktop)
    await holds(page, "page.commands.includes('open-inbox')")
  })

  test('mark the taskbar icon on Windows, where the app has no badge count', async () => {
    const { electron, engine, sessionId, window } = await inTheBack({ platform: 'win32' })
    engine.ask(sessionId, 'a')
    await until(() => window().overlay === '1 request pending', 'the mark')
    await engine.sessions.reply(sessionId, { approvalId: 'a', optionId: 'once' })
    await until(() => window().overlay === '', 'the mark to go')
    expect(electron.app.badge).toBe(0)
  })

  test('follow the settings: off, or with a sound; the badge is updated either way', async () => {
    const desktop = await inTheBack()
    const { electron, engine, sessionId } = desktop
    await engine.settings.setNotifications({ enabled: false, sound: true })
    engine.ask(sessionId, 'a')
    await until(() => electron.app.badge === 1, 'the count')
    expect(electron.notifications).toEqual([])
    await engine.settings.setNotifications({ enabled: true })
    engine.ask(sessionId, 'b')
    await until(() => electron.notifications.length === 1, 'the notification')
    expect(latest(desktop).options.silent).toBe(false)
  })

  test('are withdrawn when the app quits', async () => {
    const { electron, engine } = await inTheBack()
    const before = engine.changeListenerCount
    electron.app.quit()
    await until(() => electron.app.hasQuit, 'the end')
    expect(engine.changeListenerCount).toBeLessThan(before)
    expect(electron.app.listenerCount('browser-window-focus')).toBe(0)
  })
})
