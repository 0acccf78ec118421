import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { BACKGROUND_COLORS } from '../../src/main/host/electron/window/app-window'
import { holds } from '../support/client-page'
import { chromium, shown, startOnDouble, type StartedDesktop } from '../support/desktop-fixture'
import type { DoubleWindow } from '../support/electron-double-window'
import { memoryEngine } from '../support/memory-engine'
import { required } from '../support/required'
import { until } from '../support/until'

const commandsOf = async (window: DoubleWindow) =>
  JSON.parse(String(await window.webContents.page.evaluate('JSON.stringify(page.commands)')))
const roles = (desktop: StartedDesktop, label: string) =>
  required(
    desktop.electron.menu.find((item) => item.label === label || item.role === label),
    label,
  ).submenu?.map((item) => item.role ?? item.label ?? item.type)

/** Saves a text through a link, like the page. */
const SAVE = `(() => {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob(['the output']))
  link.download = 'bash-1.log'
  document.body.append(link)
  link.click()
})()`

describe.skipIf(chromium === null)('windows of the desktop app', () => {
  test('a window opens with the start page before the engine is open, and then serves the app', async () => {
    const engine = memoryEngine({ version: '9.9.9' })
    let open: (() => void) | undefined
    const desktop = await startOnDouble({
      wait: false,
      openEngine: () => new Promise((resolve) => (open = () => resolve(engine))),
    })
    await until(() => desktop.electron.windows[0]?.isShown === true && open !== undefined, 'the window')
    expect(desktop.window()).toMatchObject({ wasPainted: true })
    expect(await desktop.window().webContents.page.locator('h1').count()).toBe(0)
    open?.()
    await desktop.window().webContents.page.getByRole('heading', { name: 'Trestle 9.9.9 on electron' }).waitFor()
  })

  test('a page that never paints still gets its window', async () => {
    const desktop = await startOnDouble({ double: { neverPaints: true }, showLimitMs: 30 })
    expect(desktop.window()).toMatchObject({ isShown: true, wasPainted: false })
  })

  test('a maximized window is shown only after its page has painted', async () => {
    const desktop = await startOnDouble({
      state: { windows: [{ x: 0, y: 0, width: 900, height: 700, maximized: true }] },
    })
    expect(desktop.window()).toMatchObject({ isMaximizedNow: true, wasPainted: true })
  })

  test("the page's theme applies to menus, dialogs and the next start", async () => {
    const desktop = await startOnDouble()
    const page = await shown(desktop)
    desktop.electron.nativeTheme.shouldUseDarkColors = true
    expect(await page.evaluate('page.connection.client.desktop.setTheme({ theme: "dark" })')).toBe(true)
    expect(desktop.electron.nativeTheme.themeSource).toBe('dark')
    desktop.electron.nativeTheme.emit('updated')
    expect(desktop.window().backgroundColor).toBe(BACKGROUND_COLORS.dark)
    const file = JSON.parse(await readFile(join(desktop.home, 'desktop.json'), 'utf8'))
    const next = await startOnDouble({ file })
    expect(next.electron.nativeTheme.themeSource).toBe('dark')
  })

  test('no key typed into a shell closes the window or the app on Windows and Linux', async () => {
    const desktop = await startOnDouble()
    await shown(desktop)
    const all = desktop.electron.menu.flatMap((item) => [item, ...(item.submenu ?? [])])
    expect(all.filter(({ role }) => role === 'close' || role === 'windowMenu' || role === 'fileMenu')).toEqual([])
    expect(all.flatMap(({ accelerator }) => accelerator ?? [])).not.toContain('CmdOrCtrl+W')
    expect(all.find(({ label }) => label === 'Close Window')?.accelerator).toBe('Ctrl+Shift+W')
    const mac = await startOnDouble({ platform: 'darwin' })
    await shown(mac)
    expect(
      mac.electron.menu.flatMap((item) => item.submenu ?? []).find(({ label }) => label === 'Close Window')
        ?.accelerator,
    ).toBe('Cmd+W')
  })

  test('the menus have the usual items: open, recent, find, zoom without Shift, help', async () => {
    const desktop = await startOnDouble({ platform: 'darwin' })
    const page = await shown(desktop)
    expect(roles(desktop, 'File')).toEqual([
      'New Session',
      'New Window',
      'separator',
      'Open Project…',
      'Open Recent',
      'separator',
      'Close Window',
    ])
    expect(roles(desktop, 'editMenu')).toContain('Find…')
    expect(roles(desktop, 'help')).toEqual(['Keyboard Shortcuts', 'Show Log'])
    const zoom = desktop.electron.menu.flatMap((item) => item.submenu ?? []).filter(({ role }) => role === 'zoomIn')
    expect(zoom.map(({ accelerator, visible }) => [accelerator, visible])).toEqual([
      [undefined, undefined],
      ['CmdOrCtrl+=', false],
    ])
    desktop.electron.clickMenu('Find…')
    desktop.electron.clickMenu('Keyboard Shortcuts')
    await holds(page, 'page.commands.length === 2')
    expect(await commandsOf(desktop.window())).toEqual(['find', 'show-shortcuts'])
    desktop.electron.clickMenu('Show Log')
    expect(desktop.electron.revealed).toEqual([join(desktop.home, 'logs', 'trestle.log')])
  })

  test('Alt does not open the menu bar, which is shown only when the user chose so', async () => {
    const desktop = await startOnDouble()
    await shown(desktop)
    expect(desktop.window().options).not.toHaveProperty('autoHideMenuBar')
    expect(desktop.window().isMenuBarVisible).toBe(false)
    await desktop.engine.settings.setDesktop({ menuBar: true })
    await until(() => desktop.window().isMenuBarVisible, 'the menu bar')
  })

  test('a project opened from the menu is added to the recent projects', async () => {
    const desktop = await startOnDouble({ platform: 'darwin' })
    const page = await shown(desktop)
    await desktop.engine.sessions.create({ folder: '/work/latest' })
    const { sessionId } = await desktop.engine.sessions.create({ folder: '/work/other' })
    await desktop.engine.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
    desktop.electron.folderDialog = { canceled: false, filePaths: ['/work/chosen'] }
    desktop.electron.clickMenu('Open Project…')
    await holds(page, 'page.commands.length === 1')
    expect(await commandsOf(desktop.window())).toEqual([{ open: 'folder', folder: '/work/chosen' }])
    expect(desktop.electron.openDialogOptions.defaultPath).toBe('/work')
    expect(desktop.electron.app.recentDocuments).toEqual(['/work/chosen'])
    expect(desktop.electron.app.dockMenu.map(({ label, type }) => label ?? type)).toEqual(
      expect.arrayContaining(['New Session', 'separator', '/work/other', '/work/latest']),
    )
    desktop.electron.clickMenu('/work/other')
    await holds(page, 'page.commands.length === 2')
    desktop.electron.clickMenu('Clear Menu')
    expect(desktop.electron.app.dockMenu.map(({ label }) => label)).not.toContain('/work/other')
  })

  test('on Windows the jump list has the recent projects and a new session', async () => {
    const engine = memoryEngine({ version: '9.9.9' })
    await engine.sessions.create({ folder: '/work/one' })
    const { electron } = await startOnDouble({
      platform: 'win32',
      double: { isPackaged: true },
      openEngine: async () => engine,
    })
    expect(electron.app.jumpList.map(({ items }) => items?.map(({ title, args }) => [title, args]))).toEqual([
      [['one', '"/work/one"']],
      [['New Session', '--new-session']],
    ])
  })

  test('generated files are saved through the system dialog, and the page is told when it is done', async () => {
    const desktop = await startOnDouble()
    const page = await shown(desktop)
    desktop.electron.saveTo = join(desktop.home, 'saved.log')
    await page.evaluate(SAVE)
    await holds(page, 'page.commands.length === 1')
    expect(desktop.electron.saveDialogs).toMatchObject([{ defaultPath: '/home/user/downloads/bash-1.log' }])
    expect(await readFile(desktop.electron.saveTo, 'utf8')).toBe('the output')
    expect(await commandsOf(desktop.window())).toEqual([{ tell: `Saved ${desktop.electron.saveTo}`, tone: 'info' }])
  })

  test('a file that cannot be saved is reported; a canceled dialog is not', async () => {
    const desktop = await startOnDouble()
    const page = await shown(desktop)
    await page.evaluate(SAVE)
    await until(() => desktop.electron.saveDialogs.length === 1, 'the dialog')
    // A folder already has that path.
    desktop.electron.saveTo = join(desktop.home, 'taken')
    await mkdir(join(desktop.electron.saveTo, 'full'), { recursive: true })
    await page.evaluate(SAVE)
    await holds(page, 'page.commands.length === 1')
    expect(await commandsOf(desktop.window())).toEqual([
      { tell: expect.stringMatching(/taken couldn't be saved/), tone: 'warning' },
    ])
    expect(await desktop.log()).toContain('a file could not be saved (interrupted)')
  })

  test('a right click offers the available actions and spelling suggestions', async () => {
    const desktop = await startOnDouble({ platform: 'darwin' })
    await shown(desktop)
    const { webContents } = desktop.window()
    expect(desktop.window().options['webPreferences']).toMatchObject({ spellcheck: true })
    const editFlags = { canUndo: true, canRedo: false, canCut: true, canCopy: true, canPaste: true, canSelectAll: true }
    const where = {
      x: 1,
      y: 2,
      linkURL: '',
      mediaType: 'none',
      selectionText: '',
      misspelledWord: '',
      dictionarySuggestions: [],
      editFlags,
    }
    webContents.emit(
      'context-menu',
      {},
      { ...where, isEditable: true, misspelledWord: 'teh', dictionarySuggestions: ['the'] },
    )
    const [menu = []] = desktop.electron.popups
    expect(menu.map(({ label, role }) => label ?? role)).toEqual(
      expect.arrayContaining(['the', 'Add to Dictionary', 'cut', 'paste']),
    )
    desktop.electron.clickMenu('the', menu)
    desktop.electron.clickMenu('Add to Dictionary', menu)
    expect(webContents).toMatchObject({ replaced: ['the'], learned: ['teh'] })
    webContents.emit('context-menu', {}, { ...where, isEditable: false, linkURL: 'https://example.org/a' })
    desktop.electron.clickMenu('Copy Link', desktop.electron.popups[1])
    desktop.electron.clickMenu('Open Link', desktop.electron.popups[1])
    expect(desktop.electron).toMatchObject({ copied: ['https://example.org/a'], opened: ['https://example.org/a'] })
    webContents.emit('context-menu', {}, { ...where, isEditable: false })
    expect(desktop.electron.popups).toHaveLength(2)
  })

  test('several windows reopen in place with what they showed; menus act on the focused one', async () => {
    const state = {
      windows: [
        { x: 10, y: 30, width: 900, height: 700, maximized: false, path: '/s/one' },
        { x: 100, y: 60, width: 800, height: 600, maximized: false, path: '/settings/mcp' },
      ],
    }
    const desktop = await startOnDouble({ state })
    await until(
      () => desktop.electron.windows.length === 2 && desktop.electron.windows.every(({ isShown }) => isShown),
      'both windows',
    )
    const [one, other] = desktop.electron.windows
    expect([one, other].map((window) => window?.webContents.getURL())).toEqual([
      'trestle://app/s/one',
      'trestle://app/settings/mcp',
    ])
    for (const window of desktop.electron.windows) await window.webContents.page.waitForSelector('h1')
    required(one, 'a window').focus()
    desktop.electron.clickMenu('Settings…')
    await holds(required(one, 'a window').webContents.page, 'page.commands.length === 1')
    expect(await commandsOf(required(other, 'a window'))).toEqual([])
    desktop.electron.app.quit()
    await until(() => desktop.electron.app.hasQuit, 'the end')
    const kept = JSON.parse(await readFile(join(desktop.home, 'window.json'), 'utf8'))
    expect(kept.windows.map(({ path }: { path: string }) => path).toSorted()).toEqual(['/s/one', '/settings/mcp'])
  })

  test('each window has its own page: closing one leaves the other and the app, and New Window opens another', async () => {
    const desktop = await startOnDouble()
    await shown(desktop)
    desktop.electron.clickMenu('New Window')
    await until(() => desktop.electron.windows[1]?.isShown === true, 'the second window')
    const second = required(desktop.electron.windows[1], 'a window')
    await second.webContents.page.waitForSelector('h1')
    expect(second.options).toMatchObject({ width: 1280, height: 840, x: 32, y: 32 })
    desktop.window().close()
    expect(desktop.electron.app.hasQuit).toBe(false)
    expect(await second.webContents.page.evaluate('page.connection.client.app.info().then(({ host }) => host)')).toBe(
      'electron',
    )
  })

  test('when each project has its own window, opening one focuses that window or creates it', async () => {
    const desktop = await startOnDouble()
    await shown(desktop)
    const { sessionId } = await desktop.engine.sessions.create({ folder: '/work/one' })
    await desktop.engine.settings.setDesktop({ windowPerProject: true })
    const { page } = desktop.window().webContents
    await page.evaluate(`history.pushState(null, '', '/s/${sessionId}')`)
    desktop.electron.app.emit('second-instance', {}, [], '', { args: [desktop.home], workingFolder: '/' })
    await until(() => desktop.electron.windows.length === 2, 'the second window')
    await until(() => desktop.electron.windows[1]?.isShown === true, 'the second window')
    expect(required(desktop.electron.windows[1], 'a window').webContents.getURL()).toContain(
      `folder=${encodeURIComponent(desktop.home)}`,
    )
    desktop.electron.app.emit('second-instance', {}, [], '', { args: [desktop.home], workingFolder: '/' })
    expect(desktop.electron.windows).toHaveLength(2)
    expect(desktop.electron.windows[1]?.isFocused).toBe(true)
  })

  test('the page learns the paths of dropped files only through one function, and nothing else of Electron', async () => {
    const desktop = await startOnDouble()
    const page = await shown(desktop)
    expect(await page.evaluate('Object.keys(trestleDesktop)')).toEqual(['pathOf'])
    await page.evaluate("window.__droppedPaths = { 'a.ts': '/p/a.ts' }")
    expect(await page.evaluate("trestleDesktop.pathOf(new File([''], 'a.ts'))")).toBe('/p/a.ts')
  })
})

describe.skipIf(chromium === null)('a second launch and a link', () => {
  test('a second launch during startup is not lost', async () => {
    const engine = memoryEngine({ version: '9.9.9' })
    let open: (() => void) | undefined
    const desktop = await startOnDouble({
      wait: false,
      openEngine: () => new Promise((resolve) => (open = () => resolve(engine))),
    })
    desktop.electron.app.emit('second-instance', {}, [], '', {
      args: ['trestle-app://session/abc'],
      workingFolder: '/',
    })
    await until(() => open !== undefined, 'the engine to be asked for')
    open?.()
    await shown(desktop)
    await holds(desktop.window().webContents.page, 'page.commands.length === 1')
    expect(await commandsOf(desktop.window())).toEqual([{ open: 'session', sessionId: 'abc' }])
  })

  test('arguments of a second launch are what the user typed, not what Chromium makes of them', async () => {
    const first = await startOnDouble({ argv: ['/electron', '/app/index.js', 'trestle-app://settings/mcp'] })
    await shown(first)
    expect(first.electron.app.lockData).toEqual({ args: ['trestle-app://settings/mcp'], workingFolder: process.cwd() })
    await holds(first.window().webContents.page, 'page.commands.length === 1')
    first.electron.app.emit('second-instance', {}, ['/electron', '--flag', '/etc'], '/etc', {
      args: ['.'],
      workingFolder: first.home,
    })
    await holds(first.window().webContents.page, 'page.commands.length === 2')
    expect(await commandsOf(first.window())).toEqual([
      { open: 'settings', section: 'mcp' },
      { open: 'folder', folder: first.home },
    ])
  })

  test('a system link opens its target, in a new window if needed, and has no other effect', async () => {
    const desktop = await startOnDouble({
      platform: 'darwin',
      double: { isPackaged: true },
      argv: ['/Applications/Trestle'],
    })
    await shown(desktop)
    expect(desktop.electron.app.protocolClient).toBe('trestle-app')
    desktop.window().close()
    let isPrevented = false
    desktop.electron.app.emit(
      'open-url',
      { preventDefault: () => (isPrevented = true) },
      'trestle-app://task/bash-00000001',
    )
    expect(isPrevented).toBe(true)
    const page = await shown(desktop)
    await holds(page, 'page.commands.length === 1')
    desktop.electron.app.emit('open-url', { preventDefault: () => {} }, 'trestle-app://run/rm?x=/')
    desktop.electron.app.emit('open-url', { preventDefault: () => {} }, 'trestle-app://inbox')
    await holds(page, 'page.commands.length === 2')
    expect(await commandsOf(desktop.window())).toEqual([{ open: 'task', taskId: 'bash-00000001' }, 'open-inbox'])
    expect(desktop.engine.sessions.list({})).toEqual([])
  })

  test('opening a session that a window already shows focuses that window', async () => {
    const state = {
      windows: ['one', 'two'].map((id) => ({
        x: 10,
        y: 30,
        width: 900,
        height: 700,
        maximized: false,
        path: `/s/${id}`,
      })),
    }
    const desktop = await startOnDouble({ state })
    await until(() => desktop.electron.windows.every(({ isShown }) => isShown), 'both windows')
    for (const id of ['one', 'two']) {
      desktop.electron.app.emit('second-instance', {}, [], '', {
        args: [`trestle-app://session/${id}`],
        workingFolder: '/',
      })
      expect(desktop.electron.windows.find(({ isFocused }) => isFocused)?.webContents.getURL()).toBe(
        `trestle://app/s/${id}`,
      )
    }
  })

  test('starting at login opens no window until one is needed', async () => {
    const desktop = await startOnDouble({ argv: ['/electron', '/app/index.js', '--hidden'] })
    expect(desktop.electron.windows).toEqual([])
    expect(desktop.electron.trays).toHaveLength(1)
    desktop.electron.app.emit('second-instance', {}, [], '', { args: [], workingFolder: '/' })
    await shown(desktop)
  })
})
