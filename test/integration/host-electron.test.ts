import { describe, expect, test } from 'vitest'
import { PORT_WANTED } from '../../src/shared/contract/page-host'
import { holds } from '../support/client-page'
import { chromium, HOST_LISTENERS, shown, startOnDouble } from '../support/desktop-fixture'
import { required } from '../support/required'
import { until } from '../support/until'

describe.skipIf(chromium === null)('the desktop host', () => {
  test('the page gets a port through the preload script, calls the engine through it, and shows the answer', async () => {
    const desktop = await startOnDouble()
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
    const desktop = await startOnDouble()
    const page = await shown(desktop)
    await until(() => desktop.engine.changeListenerCount === HOST_LISTENERS + 1, 'the subscription')
    await page.reload()
    await page.waitForSelector('h1')
    await until(
      () => desktop.engine.changeListenerCount === HOST_LISTENERS + 1,
      'the old subscription to end and the new one to begin',
    )
    expect(await page.textContent('h1')).toBe('Trestle 9.9.9 on electron')
  })

  test('the window is created with every guard enabled', async () => {
    const desktop = await startOnDouble()
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
    expect(desktop.electron.nativeTheme.themeSource).toBe('system')
    await shown(desktop)
  })

  test('the page runs under the content security policy: no inline script, no foreign frame, nothing of Electron or Node', async () => {
    const desktop = await startOnDouble()
    const page = await shown(desktop)
    const answer = await desktop.electron.handlers.get('trestle')?.(new Request('trestle://app/'))
    expect(answer?.headers.get('content-security-policy')).toContain("script-src 'self';")
    await page.evaluate(`
      const script = document.createElement('script')
      script.textContent = 'window.injected = true'
      document.head.append(script)
      const frame = document.createElement('iframe')
      frame.src = 'https://app/'
      document.body.append(frame)
    `)
    expect(
      await page.evaluate('[typeof injected, typeof require, typeof process, typeof ipcRenderer, typeof electron]'),
    ).toEqual(Array(5).fill('undefined'))
    expect(await page.evaluate('fetch("http://127.0.0.1:1/").then(() => "reached", () => "refused")')).toBe('refused')
    const wide = await desktop.electron.handlers.get('trestle')?.(new Request('trestle://other/'))
    expect(wide?.status).toBe(404)
    const outside = await desktop.electron.handlers.get('trestle')?.(
      new Request('trestle://app/..%2f..%2fpackage.json'),
    )
    expect(outside?.status).toBe(404)
  })

  test('only the top frame of our window on our origin gets a port', async () => {
    const desktop = await startOnDouble()
    const page = await shown(desktop)
    const contents = desktop.window().webContents
    const main = required(contents.mainFrame, 'a frame')
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

  test('the page can neither navigate nor open windows; allowed links open in the browser, others are blocked', async () => {
    const desktop = await startOnDouble()
    const page = await shown(desktop)
    const click = (href: string, target = '') =>
      page.evaluate(
        `(() => { const a = document.createElement('a'); a.href = ${JSON.stringify(href)}; ` +
          `a.target = '${target}'; document.body.append(a); a.click() })()`,
      )
    await click('https://example.org/docs')
    await until(() => desktop.electron.opened.length === 1, 'the link')
    await click('https://app/other.html')
    await click('https://app/index.html')
    expect(page.url()).toBe('https://app/')
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
    expect(desktop.electron.opened).toEqual([
      'https://example.org/docs',
      'https://example.org/new',
      'mailto:a@example.org',
    ])
    await page.evaluate('window.open("https://example.org/popup")')
    await until(() => desktop.electron.opened.length === 4, 'the popup to be turned into a link')
    await until(() => page.context().pages().length === 1, 'no second window')
    expect(
      await page.evaluate(
        'Promise.all(["https://example.org", "file:///etc/passwd", ' +
          '"x"].map((url) => page.connection.client.app.openExternal({ url })))',
      ),
    ).toEqual([true, false, false])
    for (const name of ['will-attach-webview', 'will-redirect'] as const) {
      let isPrevented = false
      contents.emit(name, { preventDefault: () => (isPrevented = true) })
      expect(isPrevented).toBe(true)
    }
  })

  test('every permission is denied except writing plain text to the clipboard from our own page, and external downloads are blocked', async () => {
    const desktop = await startOnDouble()
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
      expect(asked(permission)).toBe(false)
      expect(session.permissionCheck?.(contents, permission, 'trestle://app/')).toBe(false)
    }
    expect(asked('clipboard-sanitized-write')).toBe(true)
    expect(asked('clipboard-sanitized-write', contents, false)).toBe(false)
    expect(asked('clipboard-sanitized-write', { getURL: () => 'https://evil.example/' })).toBe(false)
    expect(session.permissionCheck?.(contents, 'clipboard-sanitized-write', 'trestle://app/')).toBe(true)
    expect(session.permissionCheck?.(contents, 'clipboard-sanitized-write', 'https://evil.example/')).toBe(false)
    expect(session.devicePermission?.()).toBe(false)
    expect(session.blocked?.urls).toEqual(
      expect.arrayContaining(['http://*/*', 'https://*/*', 'ws://*/*', 'wss://*/*', 'file:///*']),
    )
    const saved: string[] = []
    for (const url of [
      'https://example.org/a',
      'data:text/plain,a',
      'file:///etc/passwd',
      'blob:https://example.org/1',
      'trestle://app/index.html',
    ]) {
      let isPrevented = false
      session.emit('will-download', { preventDefault: () => (isPrevented = true) }, { getURL: () => url })
      if (!isPrevented) saved.push(url)
    }
    expect(saved).toEqual([])
  })
})
