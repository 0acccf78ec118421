import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { build } from 'vite'
import type { DesktopOptions } from '../../src/main/host/electron/start-desktop'
import { startDesktop } from '../../src/main/host/electron/start-desktop'
import { CodedError } from '../../src/shared/model/errors'
import { PORT_WANTED } from '../../src/shared/contract/port-wire'
import { findChromium, launchChromium, NO_CHROMIUM } from '../support/chromium'
import type { DoubleOptions } from '../support/electron-double'
import { ElectronDouble } from '../support/electron-double'
import { memoryEngine } from '../support/memory-engine'
import { until } from '../support/until'

const chromium = await findChromium()
if (chromium === null) console.warn(`host-electron is skipped: ${NO_CHROMIUM}`)

const root = join(import.meta.dirname, '..', '..')
const PAGE = `
import { connectPage } from '${root}/src/renderer/client/page-connection'
import { subscribeApp } from '${root}/src/renderer/client/subscribe-app'
import { subscribeSession } from '${root}/src/renderer/client/subscribe-session'
const connection = connectPage()
window.page = { connection, seqs: [], commands: [], follow: (id) => subscribeSession(connection.client, id, 0, (push) => {
  if (push.type === 'events') for (const event of push.events) window.page.seqs.push(event.seq)
}) }
subscribeApp(connection.client, (push) => { if (push.type === 'command') window.page.commands.push(push.command) })
const info = await connection.client.app.info()
document.body.innerHTML = '<h1>Trestle ' + info.version + ' on ' + info.host + '</h1><p id="notices">' + info.notices.join(' ') + '</p>'
`

let built = ''
let browser: Browser
const cleanups: (() => unknown)[] = []

/** A small page on the real client code, and the real preload script, built as the product builds them. */
beforeAll(async () => {
  if (chromium === null) return
  built = await mkdtemp(join(tmpdir(), 'trestle-desktop-'))
  await mkdir(join(built, 'src'))
  await writeFile(
    join(built, 'src', 'index.html'),
    '<!doctype html><title>Trestle</title><body></body><script type="module" src="./main.ts"></script>',
  )
  await writeFile(join(built, 'src', 'main.ts'), PAGE)
  await build({
    configFile: false,
    logLevel: 'error',
    root: join(built, 'src'),
    build: { outDir: join(built, 'renderer'), emptyOutDir: true, target: 'chrome140' },
  })
  await build({
    configFile: false,
    logLevel: 'error',
    root,
    build: {
      outDir: join(built, 'preload'),
      emptyOutDir: true,
      lib: { entry: join(root, 'src/preload/index.ts'), formats: ['cjs'], fileName: () => 'index.cjs' },
      rolldownOptions: { external: ['electron'] },
    },
  })
  browser = await launchChromium(chromium)
}, 60_000)

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

afterAll(async () => {
  await browser?.close()
  if (built !== '') await rm(built, { recursive: true })
})

async function start(options: Partial<DesktopOptions> & { double?: Partial<DoubleOptions>; state?: unknown } = {}) {
  const home = await mkdtemp(join(tmpdir(), 'trestle-home-'))
  if (options.state !== undefined) await writeFile(join(home, 'window.json'), JSON.stringify(options.state))
  const electron = new ElectronDouble({ browser, ...options.double })
  const engine = memoryEngine({ home, version: '9.9.9' })
  const listeners = {
    uncaughtException: process.listeners('uncaughtException'),
    unhandledRejection: process.listeners('unhandledRejection'),
  }
  cleanups.push(async () => {
    await electron.close()
    for (const name of ['uncaughtException', 'unhandledRejection'] as const) {
      for (const listener of process.listeners(name as 'uncaughtException'))
        if (!(listeners[name] as unknown[]).includes(listener)) process.off(name, listener)
    }
    await rm(home, { recursive: true })
  })
  await startDesktop({
    electron: electron.module,
    resolveHome: () => home,
    rendererDir: join(built, 'renderer'),
    preload: join(built, 'preload', 'index.cjs'),
    openEngine: async () => engine,
    platform: 'linux',
    ...options,
  })
  const log = async () => (existsSync(join(home, 'logs', 'desktop.log')) ? readFile(join(home, 'logs', 'desktop.log'), 'utf8') : '')
  return { electron, engine, home, log, window: () => electron.windows[0] ?? expect.unreachable('there is no window') }
}

/** The window's page, once it shows what the engine said. */
async function shown({ electron }: { electron: ElectronDouble }): Promise<Page> {
  await until(() => electron.windows[0]?.isShown === true, 'the window')
  const page = electron.windows[0]?.webContents.page ?? expect.unreachable('there is no page')
  await page.waitForSelector('h1')
  return page
}

/** Waits until an expression holds in the page. Not `waitForFunction`: it needs eval, which the page's policy forbids. */
async function holds(page: Page, expression: string): Promise<void> {
  const end = Date.now() + 10_000
  for (;;) {
    // Between two documents there is nothing to ask.
    if ((await page.evaluate(expression).catch(() => false)) === true) return
    if (Date.now() > end) throw new Error(`waited in vain for: ${expression}`)
  }
}

describe.skipIf(chromium === null)('the desktop host', () => {
  test('the page gets a port through the preload script, calls the engine through it, and shows the answer', async () => {
    const desktop = await start()
    const page = await shown(desktop)
    expect(await page.textContent('h1')).toBe('Trestle 9.9.9 on electron')
    const { sessionId } = await desktop.engine.sessions.create({ folder: '/p' })
    await page.evaluate(`page.follow(${JSON.stringify(sessionId)})`)
    await until(() => desktop.engine.listenerCount(sessionId) === 1, 'the subscription')
    for (let n = 0; n < 500; n += 1) desktop.engine.record(sessionId, { type: 'prompt.removed', promptId: `${n}` })
    await holds(page, 'page.seqs.length === 501')
    expect(await page.evaluate('page.seqs.every((seq, index) => seq === index + 1)')).toBe(true)
    expect(await page.evaluate('page.connection.client.app.chooseFolder()')).toEqual({ path: '/chosen/folder' })
  })

  test('a reload gets a new port and leaves nothing of the old page in the engine', async () => {
    const desktop = await start()
    const page = await shown(desktop)
    await until(() => desktop.engine.changeListenerCount === 1, 'the subscription')
    await page.reload()
    await page.waitForSelector('h1')
    await until(() => desktop.engine.changeListenerCount === 1, 'the old subscription to end and the new one to begin')
  })

  test('the window is created with every guard up', async () => {
    const desktop = await start()
    expect(desktop.window().options['webPreferences']).toMatchObject({
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      preload: expect.stringMatching(/index\.cjs$/),
    })
    expect(desktop.electron.app.isSandboxed).toBe(true)
    expect(desktop.electron.schemes).toEqual([
      { scheme: 'trestle', privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
    ])
    expect(desktop.electron.themeSource).toBe('system')
    await shown(desktop)
  })

  test('the page runs under the content security policy: no inline script, no foreign frame, nothing of Electron or Node', async () => {
    const desktop = await start()
    const page = await shown(desktop)
    const answer = await desktop.electron.handlers.get('trestle')?.(new Request('trestle://app/'))
    expect(answer?.headers.get('content-security-policy')).toContain("script-src 'self';")
    await page.evaluate(`
      const script = document.createElement('script')
      script.textContent = 'window.injected = true'
      document.head.append(script)
      const frame = document.createElement('iframe')
      frame.src = 'http://app/'
      document.body.append(frame)
    `)
    expect(await page.evaluate('[typeof injected, typeof require, typeof process, typeof ipcRenderer, typeof electron]')).toEqual(
      Array(5).fill('undefined'),
    )
    expect(await page.evaluate('fetch("http://127.0.0.1:1/").then(() => "reached", () => "refused")')).toBe('refused')
    const wide = await desktop.electron.handlers.get('trestle')?.(new Request('trestle://other/'))
    expect(wide?.status).toBe(404)
    const outside = await desktop.electron.handlers.get('trestle')?.(new Request('trestle://app/..%2f..%2fpackage.json'))
    expect(outside?.status).toBe(404)
  })

  test('only the top frame of our window on our origin gets a port', async () => {
    const desktop = await start()
    const page = await shown(desktop)
    const contents = desktop.window().webContents
    const main = contents.mainFrame ?? expect.unreachable('there is no frame')
    const granted: string[] = []
    const frame = (change: object) =>
      Object.defineProperties(
        {},
        {
          ...Object.getOwnPropertyDescriptors(main),
          ...Object.getOwnPropertyDescriptors({ postMessage: (channel: string) => granted.push(channel), ...change }),
        },
      )
    for (const event of [
      { sender: contents, senderFrame: null },
      { sender: contents, senderFrame: frame({}) },
      { sender: contents, senderFrame: frame({ parent: main }) },
      { sender: contents, senderFrame: frame({ origin: 'https://evil.example' }) },
      { sender: { mainFrame: main }, senderFrame: main },
    ]) {
      desktop.electron.ipcMain.emit(PORT_WANTED, { ...event, ports: [] })
    }
    expect(granted).toEqual([])
    expect((await desktop.log()).match(/a port was refused/g)).toHaveLength(5)
    // The page's own port still works.
    expect(await page.evaluate('page.connection.client.app.info().then(({ host }) => host)')).toBe('electron')
  })

  test('the page can neither navigate nor open windows; allowed links go to the browser, others nowhere', async () => {
    const desktop = await start()
    const page = await shown(desktop)
    const click = (href: string, target = '') =>
      page.evaluate(
        `(() => { const a = document.createElement('a'); a.href = ${JSON.stringify(href)}; a.target = '${target}'; document.body.append(a); a.click() })()`,
      )
    await click('https://example.org/docs')
    await until(() => desktop.electron.opened.length === 1, 'the link')
    await click('http://app/other.html')
    await click('http://app/index.html')
    expect(page.url()).toBe('http://app/')
    const contents = desktop.window().webContents
    for (const url of [
      'https://example.org/new',
      'mailto:a@example.org',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'smb://host/share',
      'trestle://app/',
      'nonsense',
    ]) {
      expect(contents.openWindow(url)).toEqual({ action: 'deny' })
    }
    expect(desktop.electron.opened).toEqual(['https://example.org/docs', 'https://example.org/new', 'mailto:a@example.org'])
    await page.evaluate('window.open("https://example.org/popup")')
    await until(() => desktop.electron.opened.length === 4, 'the popup to be turned into a link')
    await until(() => page.context().pages().length === 1, 'no second window')
    expect(
      await page.evaluate(
        'Promise.all(["https://example.org", "file:///etc/passwd", "x"].map((url) => page.connection.client.app.openExternal({ url })))',
      ),
    ).toEqual([true, false, false])
    for (const name of ['will-attach-webview', 'will-redirect'] as const) {
      let isPrevented = false
      contents.emit(name, { preventDefault: () => (isPrevented = true) })
      expect(isPrevented, name).toBe(true)
    }
  })

  test('every permission is denied but writing plain text to the clipboard from our own page', async () => {
    const desktop = await start()
    await shown(desktop)
    const { session } = desktop.electron
    const contents = desktop.window().webContents
    const asked = (permission: string, from: object = contents, isMainFrame = true) => {
      let granted: boolean | undefined
      session.permissionRequest?.(from, permission, (answer) => (granted = answer), { isMainFrame })
      return granted
    }
    for (const permission of [
      'media',
      'geolocation',
      'notifications',
      'openExternal',
      'fullscreen',
      'clipboard-read',
      'fileSystem',
      'unknown',
    ]) {
      expect(asked(permission), permission).toBe(false)
      expect(session.permissionCheck?.(contents, permission, 'trestle://app/'), permission).toBe(false)
    }
    expect(asked('clipboard-sanitized-write')).toBe(true)
    expect(asked('clipboard-sanitized-write', contents, false)).toBe(false)
    expect(asked('clipboard-sanitized-write', { getURL: () => 'https://evil.example/' })).toBe(false)
    expect(session.permissionCheck?.(contents, 'clipboard-sanitized-write', 'trestle://app/')).toBe(true)
    expect(session.permissionCheck?.(contents, 'clipboard-sanitized-write', 'https://evil.example/')).toBe(false)
    expect(session.devicePermission?.()).toBe(false)
    expect(session.blocked?.urls).toEqual(expect.arrayContaining(['http://*/*', 'https://*/*', 'ws://*/*', 'wss://*/*', 'file:///*']))
    let isPrevented = false
    session.emit('will-download', { preventDefault: () => (isPrevented = true) })
    expect(isPrevented).toBe(true)
  })

  test('a second instance leaves at once; the first one shows its window', async () => {
    const second = await start({
      double: { isFirstInstance: false },
      openEngine: () => expect.unreachable('the engine must not be opened twice'),
    })
    expect(second.electron).toMatchObject({ windows: [], app: { hasQuit: true } })
    const first = await start()
    await shown(first)
    const window = first.window()
    Object.assign(window, { isShown: false, isFocused: false, isMinimizedNow: true })
    first.electron.app.emit('second-instance')
    expect(window).toMatchObject({ isShown: true, isFocused: true, isMinimizedNow: false })
    expect(first.electron.app.paths.get('userData')).toBe(join(first.home, 'electron'))
  })

  test('the window comes back where it was, but never where nobody can reach it', async () => {
    const kept = await start({ state: { x: 100, y: 80, width: 900, height: 700, maximized: true } })
    expect(kept.window().options).toMatchObject({ x: 100, y: 80, width: 900, height: 700 })
    expect(kept.window().isMaximizedNow).toBe(true)
    await shown(kept)
    kept.window().bounds = { x: 1, y: 2, width: 800, height: 600 }
    kept.window().close()
    expect(JSON.parse(await readFile(join(kept.home, 'window.json'), 'utf8'))).toEqual({
      x: 1,
      y: 2,
      width: 800,
      height: 600,
      maximized: true,
    })
    for (const state of [
      { x: 5000, y: 80, width: 900, height: 700, maximized: false },
      { x: 100, y: -50, width: 900, height: 700, maximized: false },
      { x: -850, y: 80, width: 900, height: 700, maximized: false },
    ]) {
      const moved = await start({ state })
      expect(moved.window().options).toMatchObject({ width: 900, height: 700 })
      expect(moved.window().options).not.toHaveProperty('x')
    }
    const huge = await start({ state: { x: 0, y: 0, width: 9000, height: 1, maximized: false } })
    expect(huge.window().options).toMatchObject({ x: 0, y: 0, width: 1920, height: 420 })
    const damaged = await start({ state: 'nonsense' })
    expect(damaged.window().options).toMatchObject({ width: 1280, height: 840 })
  })

  test('a page that crashes is brought back with a notice; one that keeps crashing is asked about', async () => {
    const desktop = await start()
    const page = await shown(desktop)
    const contents = desktop.window().webContents
    contents.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 5 })
    await until(() => contents.reloads === 1, 'the reload')
    await holds(page, 'document.querySelector("#notices")?.textContent.includes("(crashed)")')
    for (let n = 0; n < 3; n += 1) contents.emit('render-process-gone', {}, { reason: 'oom', exitCode: 5 })
    expect(contents.reloads).toBe(3)
    expect(desktop.electron.questions).toEqual([expect.stringContaining('4 times')])
    expect(await desktop.log()).toContain('crashed (5)')
  })

  test('menu commands reach the page', async () => {
    const desktop = await start()
    const page = await shown(desktop)
    await until(() => desktop.engine.changeListenerCount === 1, 'the subscription')
    desktop.electron.clickMenu('New Session')
    desktop.electron.clickMenu('Settings…')
    await holds(page, 'page.commands.length === 2')
    expect(await page.evaluate('page.commands')).toEqual(['new-session', 'open-settings'])
  })

  test('quitting waits for the engine, but not for ever', async () => {
    const polite = await start()
    await shown(polite)
    polite.electron.app.quit()
    polite.electron.app.quit()
    expect(polite.electron.app.hasQuit).toBe(false)
    await until(() => polite.electron.app.hasQuit, 'the end')
    expect(polite.engine.isClosed).toBe(true)
    const hanging = memoryEngine()
    hanging.close = () => new Promise(() => {})
    const stuck = await start({ openEngine: async () => hanging, closeLimitMs: 50 })
    stuck.electron.app.quit()
    await until(() => stuck.electron.app.hasQuit, 'the end without the engine')
    expect(await stuck.log()).toContain('did not close within 50 ms')
  })

  test('closing the last window quits, except on a Mac, where the app stays and opens another', async () => {
    const linux = await start()
    await shown(linux)
    linux.window().close()
    await until(() => linux.electron.app.hasQuit, 'the end')
    const mac = await start({ platform: 'darwin' })
    await shown(mac)
    mac.window().close()
    expect(mac.electron.windows).toEqual([])
    mac.electron.app.emit('activate')
    await shown(mac)
    expect(mac.electron.app.hasQuit).toBe(false)
  })

  test('an engine or a home that cannot be opened is said in a box, with what to do', async () => {
    const failed = await start({ openEngine: () => Promise.reject(new CodedError('store.too_new', 'It has version 9.')) })
    expect(failed.electron).toMatchObject({
      windows: [],
      app: { exitCode: 1 },
      errorBoxes: [expect.stringMatching(/newer Trestle: It has version 9\.\n\nUpdate/)],
    })
    const homeless = await start({
      resolveHome() {
        throw new Error('no home')
      },
    })
    expect(homeless.electron).toMatchObject({ app: { exitCode: 1 }, errorBoxes: ['Trestle cannot start: no home'] })
  })
})
