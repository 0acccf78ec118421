import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findings } from '../../e2e/assistive'
import type { SessionEvent } from '../../src/shared/events/event'
import { chromium, startOnDouble } from '../support/desktop-fixture'
import { memoryEngine } from '../support/memory-engine'
import { builtRenderer } from '../support/built-renderer'
import { required } from '../support/required'
import { tempFolder } from '../support/temp-folder'
import { until } from '../support/until'

let filesHome = ''

beforeAll(async () => {
  if (chromium === null) return
  filesHome = await mkdtemp(join(tmpdir(), 'trestle-files-'))
})

afterAll(async () => {
  if (filesHome !== '') await rm(filesHome, { recursive: true })
})

/** The real interface in the desktop app, with a session in `/work/bridge`. */
async function opened(options: Parameters<typeof startOnDouble>[0] = {}, engine = memoryEngine({ version: '9.9.9' })) {
  const desktop = await startOnDouble({ rendererDir: builtRenderer(), openEngine: async () => engine, ...options })
  await until(() => desktop.electron.windows[0]?.isShown === true && desktop.window().webContents.hasPage, 'the window')
  const { page } = desktop.window().webContents
  page.setDefaultTimeout(90_000)
  await page.getByRole('button', { name: 'Settings' }).first().waitFor()
  return { ...desktop, engine, page }
}

async function session(
  engine: ReturnType<typeof memoryEngine>,
  text: string,
  folder = '/work/bridge',
): Promise<string> {
  const { sessionId } = await engine.sessions.create({ folder })
  await engine.sessions.change(sessionId, { title: text })
  engine.record(sessionId, {
    type: 'turn.started',
    turnId: `t-${sessionId}`,
    parts: [{ type: 'text', text }],
    model: 'test/model',
  } as SessionEvent as never)
  return sessionId
}

/** Drops a file or folder of that path, as a file manager does. */
async function drop(page: Page, selector: string, name: string, path: string, isFolder = false): Promise<void> {
  await page.evaluate(
    `(() => {
      window.__droppedPaths = { ...window.__droppedPaths, [${JSON.stringify(name)}]: ${JSON.stringify(path)} }
      const data = new DataTransfer()
      data.items.add(new File(['x'], ${JSON.stringify(name)}))
      if (${isFolder}) DataTransferItem.prototype.webkitGetAsEntry = () => ({ isDirectory: true })
      for (const type of ['dragover', 'drop'])
        document.querySelector(${JSON.stringify(selector)}).dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }))
    })()`,
  )
}

describe.skipIf(chromium === null)('the page in the desktop app', { timeout: 240_000 }, () => {
  test('every setting of the desktop app is on its page, and changes there apply', async () => {
    const { page, engine, electron } = await opened({ double: { takenShortcuts: ['Ctrl+Alt+T'] } })
    electron.clickMenu('Settings…')
    await page.getByRole('tab', { name: 'Desktop' }).click()
    await page.getByRole('switch', { name: 'Keep running when the last window is closed' }).click()
    await page.getByRole('switch', { name: 'Keep the computer awake while a session is working' }).click()
    await page.getByRole('switch', { name: 'Open each project in its own window' }).click()
    await page.getByRole('switch', { name: 'Show the menu bar' }).click()
    await expect
      .poll(() => engine.settings.view().desktop)
      .toMatchObject({ closeToTray: true, keepAwake: false, windowPerProject: true, menuBar: true })
    const shortcut = page.getByRole('textbox', { name: 'Shortcut' })
    await shortcut.fill('T')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Use one or more modifier keys').waitFor()
    await shortcut.fill('Ctrl+Alt+T')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Ctrl+Alt+T is already used by another app').waitFor()
    await page.getByRole('switch', { name: 'Graphics acceleration' }).click()
    await page.getByRole('switch', { name: 'Graphics acceleration', checked: false }).waitFor()
    expect(await findings(page)).toEqual([])
  })

  test('an interrupted session is offered above the page, and resumed by its button', async () => {
    const engine = memoryEngine({ version: '9.9.9' })
    const id = await session(engine, 'Fix the bridge')
    engine.record(id, { type: 'turn.finished', turnId: `t-${id}`, stop: 'interrupted', steps: 0, durationMs: 0 })
    const { page } = await opened({ file: { working: [id] } }, engine)
    await page.getByText('“Fix the bridge” was interrupted when Trestle last closed.').waitFor()
    expect(await findings(page)).toEqual([])
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('was interrupted when Trestle last closed').waitFor({ state: 'detached' })
    expect(engine.sessions.list({})[0]?.status).toBe('running')
  })

  test('a dropped file of the project is mentioned by its path, another is attached, a folder opens as a project', async () => {
    const engine = memoryEngine({ version: '9.9.9', home: filesHome })
    const id = await session(engine, 'Fix the bridge')
    const { page, electron } = await opened({}, engine)
    electron.app.emit('second-instance', {}, [], '', { args: [`trestle-app://session/${id}`], workingFolder: '/' })
    const message = page.getByRole('textbox', { name: 'Message', exact: true })
    await message.waitFor()
    await message.fill('look at')
    await message.press('End')
    await drop(page, '.composer-box', 'plan.ts', '/work/bridge/src/plan.ts')
    expect(await message.inputValue()).toBe('look at @src/plan.ts ')
    await drop(page, '.composer-box', 'my notes.txt', '/home/me/my notes.txt')
    const attachments = page.getByRole('list', { name: 'Attachments' })
    await attachments.getByText('my notes.txt').waitFor()
    expect(await attachments.getByRole('listitem').count()).toBe(1)
    expect(await message.inputValue()).toBe('look at @src/plan.ts ')
    await drop(page, 'body', 'tower', '/work/tower', true)
    await page.getByRole('heading', { name: 'New session' }).first().waitFor()
    await expect.poll(() => page.url()).toContain(encodeURIComponent('/work/tower'))
  })

  test('Find searches only the messages of the session on screen', async () => {
    const engine = memoryEngine({ version: '9.9.9' })
    const id = await session(engine, 'heron')
    await session(engine, 'heron elsewhere')
    const asked: unknown[] = []
    const { find } = engine.conversations
    engine.conversations.find = (sessionId, query) => {
      asked.push(sessionId)
      return find(sessionId, query)
    }
    const { page, electron } = await opened({}, engine)
    electron.app.emit('second-instance', {}, [], '', { args: [`trestle-app://session/${id}`], workingFolder: '/' })
    await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor()
    electron.clickMenu('Find…')
    const field = page.getByRole('textbox', { name: 'Find in this session' })
    await field.fill('heron')
    await page.getByText('1 place', { exact: true }).waitFor()
    expect(asked.at(-1)).toBe(id)
    await field.press('Enter')
    await page.getByText('1 of 1').waitFor()
    await field.fill('albatross')
    await page.getByText('No results').waitFor()
    expect(await findings(page)).toEqual([])
    await field.press('Escape')
    await field.waitFor({ state: 'detached' })
  })

  test('a task log is saved through the system dialog, and the page says where', async () => {
    const engine = memoryEngine({ version: '9.9.9' })
    engine.tasks.put({ taskId: 'bash-00000001', command: 'npm run dev', status: 'running', background: true })
    engine.tasks.print('bash-00000001', 'listening on 3000\n')
    const { page, electron, home } = await opened({}, engine)
    electron.saveTo = join(home, 'dev.log')
    electron.app.emit('second-instance', {}, [], '', { args: ['trestle-app://task/bash-00000001'], workingFolder: '/' })
    await page.getByRole('button', { name: /^More/ }).first().click()
    await page.getByRole('menuitem', { name: /Download/ }).click()
    await page.getByText(`Saved ${electron.saveTo}`).waitFor()
    expect(await readFile(electron.saveTo, 'utf8')).toContain('listening on 3000')
  })

  test('the quick prompt starts a session with its text, and shows it in the main window', async () => {
    const engine = memoryEngine({ version: '9.9.9' })
    // A missing one would not be offered.
    const folder = await tempFolder()
    await session(engine, 'Fix the bridge', folder)
    await engine.settings.setDesktop({ quickPrompt: 'Ctrl+Shift+Space' })
    const { electron, page } = await opened({}, engine)
    electron.shortcuts.get('Ctrl+Shift+Space')?.()
    await until(() => electron.windows[1]?.isShown === true, 'the quick prompt')
    const quick = required(electron.windows[1], 'a window').webContents.page
    await quick.setViewportSize({ width: 640, height: 232 })
    await quick.getByRole('combobox', { name: 'Project' }).waitFor()
    await quick.getByRole('textbox', { name: 'Message' }).fill('Paint the tower')
    expect(await findings(quick)).toEqual([])
    await quick.getByRole('textbox', { name: 'Message' }).press('Enter')
    await page.getByText('Paint the tower').first().waitFor()
    await until(() => electron.windows.length === 1, 'the quick prompt to close')
    expect(engine.sessions.list({ folder })).toHaveLength(2)
  })

  test('while the engine opens slowly, the page says that it is starting, not that the connection was lost', async () => {
    const engine = memoryEngine({ version: '9.9.9' })
    let open: (() => void) | undefined
    const openEngine = () => new Promise<typeof engine>((resolve) => (open = () => resolve(engine)))
    const { electron } = await startOnDouble({ rendererDir: builtRenderer(), wait: false, openEngine })
    await until(() => electron.windows[0]?.isShown === true && open !== undefined, 'the window')
    const { page } = required(electron.windows[0], 'a window').webContents
    await page.getByText('Starting…').waitFor()
    expect(await page.getByText('Disconnected').count()).toBe(0)
    open?.()
    await page.getByText('Starting…').waitFor({ state: 'detached' })
  })

  test('an engine failure replaces the page and gives it back, without leaving a trace in it', async () => {
    const { page } = await opened()
    process.listeners('uncaughtException').at(-1)?.(new Error('broken'), 'uncaughtException')
    await page.getByRole('heading', { name: 'Something went wrong in Trestle' }).waitFor()
    await page.getByRole('button', { name: 'Continue without restarting' }).click()
    await page.getByRole('button', { name: 'Settings' }).first().waitFor()
    expect(await page.getByText('Something went wrong').count()).toBe(0)
  })

  test('the theme chosen on the page is the theme of the app', async () => {
    const { page, electron } = await opened()
    electron.clickMenu('Settings…')
    await page.getByRole('tab', { name: 'Appearance' }).click()
    await page.getByRole('radio', { name: /^Dark/ }).click()
    await expect.poll(() => electron.nativeTheme.themeSource).toBe('dark')
  })
})
