import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Locator, Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findings } from '../../e2e/assistive'
import { builtRenderer } from '../support/built-renderer'
import { chromium, startOnDouble } from '../support/desktop-fixture'
import { memoryEngine } from '../support/memory-engine'
import { required } from '../support/required'
import { until } from '../support/until'

const PAGE = `<!doctype html><html lang="en"><head><title>Shop</title></head><body><h1>Shop</h1>
<button id="buy" onclick="console.error('no cart'); throw new Error('boom')">Buy now</button>
<p>Width <output id="width"></output></p><a id="away" href="http://example.com/">Away</a>
<button id="popup" onclick="window.open('http://example.com/popup')">Popup</button><a id="more" href="/more">More</a>
<script>const show = () => { width.value = innerWidth }; show(); addEventListener('resize', show)
document.body.dataset.bridge = String('trestleDesktop' in window)</script></body></html>`

let server: Server
let port = 0

beforeEach(async () => {
  server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(request.url === '/more' ? '<!doctype html><title>More</title><h1>More of it</h1>' : PAGE)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})

afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

/** The interface in the desktop app with a session on screen and a preview of the server next to it. */
async function withPreview() {
  const engine = memoryEngine({ version: '9.9.9' })
  const { sessionId } = await engine.sessions.create({ folder: '/work/bridge' })
  const desktop = await startOnDouble({ rendererDir: builtRenderer(), openEngine: async () => engine })
  await until(() => desktop.electron.windows[0]?.isShown === true && desktop.window().webContents.hasPage, 'the window')
  const window = desktop.window()
  const { page } = window.webContents
  page.setDefaultTimeout(60_000)
  // Space for the conversation next to the preview.
  await page.setViewportSize({ width: 1680, height: 1000 })
  await page.getByRole('button', { name: 'Settings' }).first().waitFor()
  desktop.electron.app.emit('second-instance', {}, [], '', {
    args: [`trestle-app://session/${sessionId}`],
    workingFolder: '/',
  })
  // A menu that is opened before the session is on screen closes when the session appears.
  await expect.poll(() => page.url()).toContain(sessionId)
  await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Panes', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Preview', exact: true }).click()
  await open(page, `localhost:${port}`)
  await until(() => window.views[0]?.webContents.getTitle() === 'Shop', 'the page of the server')
  const view = required(window.views[0], 'a view')
  return { ...desktop, window, page, view, message: page.getByRole('textbox', { name: 'Message', exact: true }) }
}

async function open(page: Page, address: string): Promise<void> {
  const field = page.getByRole('textbox', { name: 'Address' })
  await field.fill(address)
  await field.press('Enter')
}

/** Waits until a message contains this text; fails with the message. */
async function quoted(message: Locator, pattern: RegExp): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!pattern.test(await message.inputValue()) && Date.now() < deadline)
    await message.page().evaluate('new Promise((resolve) => requestAnimationFrame(resolve))')
  expect(await message.inputValue()).toMatch(pattern)
}

describe.skipIf(chromium === null)('the preview of the desktop app', { timeout: 240_000 }, () => {
  test('shows a local server in a view with nothing of Trestle, where its pane is', async () => {
    const { view, window, page, electron } = await withPreview()
    expect(view.options.webPreferences).toMatchObject({ sandbox: true, contextIsolation: true, nodeIntegration: false })
    expect(view.options.webPreferences['preload']).toBeUndefined()
    const [name, session] = required([...electron.partitions].at(-1), 'a session of its own')
    expect(name).not.toMatch(/^persist:/)
    expect(session).not.toBe(electron.session)
    let granted: boolean | undefined
    session.permissionRequest?.({}, 'geolocation', (answer) => (granted = answer), {})
    expect(granted).toBe(false)
    expect(session.permissionCheck?.({}, 'clipboard-read', 'http://localhost')).toBe(false)
    expect(session.devicePermission?.()).toBe(false)
    expect(session.blocked).toEqual({ urls: ['file:///*'] })
    expect(await view.webContents.page.locator('body').getAttribute('data-bridge')).toBe('false')

    const area = page.getByRole('button', { name: /^Preview of http:/ })
    const box = required(await area.boundingBox(), 'the pane')
    await until(() => view.isVisible && view.bounds.width === Math.round(box.width), 'the view at its place')
    expect(view.bounds).toEqual({
      x: Math.round(box.x),
      y: Math.round(box.y),
      width: Math.round(box.width),
      height: Math.round(box.height),
    })
    expect(await findings(page)).toEqual([])
    await page.getByRole('combobox', { name: 'Width of the page' }).selectOption('1024 px')
    await expect.poll(() => view.webContents.page.locator('#width').textContent()).toBe('1024')
    expect(view.webContents.zoom).toBeLessThan(1)
    await area.press('Enter')
    await until(() => view.webContents.focused === 1, 'the keyboard in the page')
    view.webContents.emit('before-input-event', { preventDefault: () => {} }, { type: 'keyDown', key: 'F6' })
    await until(() => window.webContents.focused === 1, 'the keyboard back')

    await page.getByRole('button', { name: 'Panes', exact: true }).click()
    await until(() => !view.isVisible, 'the view away from the menu')
    await page.keyboard.press('Escape')
    await until(() => view.isVisible, 'the view again')
    await page
      .getByRole('button', { name: /^Close Preview/ })
      .first()
      .click()
    await until(() => window.views.length === 0, 'the view closed')
    expect(view.webContents.isDestroyed()).toBe(true)
  })

  test('keeps the page on its server and refuses windows', async () => {
    const { view, page, electron } = await withPreview()
    const shop = view.webContents.page
    await shop.locator('#away').click()
    await page.getByText('The page wanted to open http://example.com/.').first().waitFor()
    expect(new URL(shop.url()).port).toBe(String(port))
    await shop.locator('#popup').click()
    await page.getByText('The page wanted to open http://example.com/popup').first().waitFor()
    let isPrevented = false
    view.webContents.emit('will-redirect', {
      url: 'http://example.com/',
      isMainFrame: true,
      preventDefault: () => (isPrevented = true),
    })
    expect(isPrevented).toBe(true)
    expect(electron.opened).toEqual([])
    await shop.locator('#more').click()
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Address' }).inputValue())
      .toBe(`http://localhost:${port}/more`)
    await page.getByRole('button', { name: 'Back', exact: true }).click()
    await shop.getByRole('heading', { name: 'Shop' }).waitFor()
  })

  test('puts errors, a clicked element, the text and a screenshot into the message', async () => {
    const { view, page, message } = await withPreview()
    const shop = view.webContents.page
    await shop.locator('#buy').click()
    await page.getByRole('button', { name: 'Send 2 console messages to the agent' }).click()
    await quoted(message, /^The console of(?=[^]*no cart)(?=[^]*Error: boom)/)
    await message.fill('')
    await page.getByRole('button', { name: 'Pick an element to send to the agent' }).click()
    await until(() => view.webContents.focused > 0, 'the page waiting for a click')
    await shop.locator('#buy').hover()
    await shop.locator('html > div').waitFor({ state: 'attached' })
    await shop.locator('#buy').click()
    await quoted(message, /This element of[^]*selector: #buy\ntext: Buy now\n/)
    await message.fill('')
    await page.getByRole('button', { name: 'Send the page content to the agent' }).click()
    await quoted(message, /This is on the page[^]*<h1>\n\s+Shop/)
    await message.fill('')
    await page.getByRole('button', { name: 'Send a screenshot to the agent' }).click()
    await page.getByRole('img', { name: 'screenshot.png' }).waitFor()
    expect(await message.inputValue()).toContain('This is how http://localhost:')
  })

  test('says that nothing answers, and shows the page after a reload', async () => {
    const { page, window } = await withPreview()
    const gone = createServer()
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve))
    const free = (gone.address() as AddressInfo).port
    await new Promise((resolve) => gone.close(resolve))
    await open(page, `localhost:${free}`)
    await page.getByText(`Nothing answers at http://localhost:${free}.`).waitFor()
    await until(() => window.views.every(({ isVisible }) => !isVisible), 'no view over the message')
    await open(page, 'http://example.com/')
    await page.getByText('example.com is not this machine').first().waitFor()
    expect(window.views.filter(({ isVisible }) => isVisible)).toEqual([])
  })
})
