import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FrameLocator, Page } from '@playwright/test'
import { SOCKET_PATH } from '../src/shared/contract/page-host'
import { expect, test } from './app'
import { findings } from './assistive'
import { pictures, sendPrompt, startSession, transcriptText } from './steps'

const PAGE = `<!doctype html><html lang="en"><head><title>Shop</title></head><body><main><h1>Shop</h1>
<button id="buy" onclick="console.error('no cart', { id: 7 }); throw new Error('boom')">Buy now</button>
<p>Width <output id="width"></output></p><a href="/more">More</a></main>
<script>const show = () => { width.value = innerWidth }; show(); addEventListener('resize', show)
try { document.title += parent.document.title } catch { document.body.dataset.isolated = 'yes' }</script></body></html>`

/** Tries to reach what a previewed page must not reach, and records the results. */
const HOSTILE = `<!doctype html><html lang="en"><head><title>Hostile</title></head><body><script>
const found = { cluster: String(originAgentCluster) }
const attempt = async (name, work) => { try { found[name] = String(await work()) } catch { found[name] = 'refused' } }
const workbench = location.ancestorOrigins[0]
const run = async () => {
  await attempt('parent', () => parent.document.title)
  await attempt('top', () => { top.location = 'about:blank'; return 'left' })
  await attempt('worker', async () => { await navigator.serviceWorker.register('/sw.js'); return 'installed' })
  await attempt('page', async () => (await fetch(workbench + '/')).text())
  await attempt('socket', () => new Promise((resolve, reject) => {
    const socket = new WebSocket(workbench.replace('http', 'ws') + '${SOCKET_PATH}')
    socket.onopen = () => resolve('open')
    socket.onerror = reject
  }))
  document.body.dataset.found = JSON.stringify(found)
}
run()
</script></body></html>`

let server: Server
let port: number

test.beforeEach(async () => {
  server = createServer((request, response) => {
    const type = request.url === '/sw.js' ? 'text/javascript' : 'text/html'
    response.writeHead(200, { 'content-type': type, 'x-frame-options': 'DENY' })
    const pages: Record<string, string> = {
      '/more': '<!doctype html><title>More</title><h1>More of it</h1>',
      '/hostile': HOSTILE,
    }
    response.end(pages[request.url ?? ''] ?? PAGE)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})

test.afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const frameOf = (page: Page): FrameLocator => page.frameLocator(`iframe[title="Preview of http://localhost:${port}"]`)

test('a page of a local server beside the conversation: isolated, resized, and shown to the agent', async ({ app }) => {
  const { page } = app
  await startSession(app)
  await sendPrompt(page, 'hello')
  await expect(transcriptText(page, 'Hello.')).toBeVisible()
  await page.getByRole('button', { name: 'Panes', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Preview', exact: true }).click()
  const address = page.getByRole('textbox', { name: 'Address' })
  await address.fill(`localhost:${port}`)
  await address.press('Enter')
  const frame = frameOf(page)
  await expect(frame.getByRole('heading', { name: 'Shop' })).toBeVisible()
  await expect(frame.locator('body')).toHaveAttribute('data-isolated', 'yes')
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect(await findings(page)).toEqual([])
  }
  await pictures(app, 'preview')
  await page.getByRole('combobox', { name: 'Width of the page' }).selectOption('390 px')
  await expect(frame.locator('#width')).toHaveText('390')

  await frame.getByRole('button', { name: 'Buy now' }).click()
  const problems = page.getByRole('button', { name: 'Send 2 console messages to the agent' })
  await problems.press('Enter')
  const message = page.getByRole('textbox', { name: 'Message', exact: true })
  await expect(message).toHaveValue(
    /The console of http:\/\/localhost:\d+\/ shows:[^]*no cart \{"id":7\}[^]*Error: boom/,
  )

  await message.fill('')
  await page.getByRole('button', { name: 'Pick an element to send to the agent' }).press('Enter')
  await frame.getByRole('button', { name: 'Buy now' }).click()
  await expect(message).toHaveValue(/This element of[^]*selector: #buy\ntext: Buy now\n/)
  await expect(page.getByRole('button', { name: /^Send 0 console messages/ })).toBeDisabled()

  await message.fill('')
  await page.getByRole('button', { name: 'Send the page content to the agent' }).press('Enter')
  await expect(message).toHaveValue(/This is on the page[^]*<h1>\n\s+Shop[^]*Buy now/)

  await message.fill('')
  // The user of a headless browser cannot share a tab: a canvas replaces the shared tab.
  await page.evaluate(`(() => {
    const asked = (window.__asked = [])
    window.CropTarget = { fromElement: async (element) => ({ title: element.title }) }
    const canvas = Object.assign(document.createElement('canvas'), { width: 320, height: 200 })
    let isShared = false
    navigator.mediaDevices.getDisplayMedia = async (wishes) => {
      asked.push(wishes.preferCurrentTab)
      if (!isShared) {
        isShared = true
        throw new DOMException('no', 'NotAllowedError')
      }
      canvas.getContext('2d').fillRect(0, 0, 320, 200)
      const stream = canvas.captureStream(10)
      const draw = setInterval(() => canvas.getContext('2d').fillRect(0, 0, 320, 200), 50)
      const [track] = stream.getVideoTracks()
      const stop = track.stop.bind(track)
      track.cropTo = async (target) => void asked.push(target.title)
      track.stop = () => {
        clearInterval(draw)
        asked.push('stopped')
        stop()
      }
      return stream
    }
  })()`)
  const screenshot = page.getByRole('button', { name: 'Send a screenshot to the agent' })
  await screenshot.press('Enter')
  await expect(page.getByText('No screenshot was taken: this tab was not shared.').first()).toBeVisible()
  await screenshot.press('Enter')
  await expect(page.getByRole('img', { name: 'screenshot.png' })).toBeVisible()
  await expect(message).toHaveValue(`This is how http://localhost:${port}/ looks.`)
  await expect
    .poll(() => page.evaluate('window.__asked'))
    .toEqual([true, true, `Preview of http://localhost:${port}`, 'stopped'])

  await frame.getByRole('link', { name: 'More' }).click()
  await expect(address).toHaveValue(`http://localhost:${port}/more`)
  await page.getByRole('button', { name: 'Back', exact: true }).press('Enter')
  await expect(frame.getByRole('heading', { name: 'Shop' })).toBeVisible()
  await address.fill('http://example.com/')
  await address.press('Enter')
  await expect(page.getByText('example.com is not this machine').first()).toBeVisible()
})

test('a hostile page reaches neither the workbench nor what comes after it at its port', async ({ app }) => {
  const { page } = app
  await startSession(app)
  await page.getByRole('button', { name: 'Panes', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Preview', exact: true }).click()
  const address = page.getByRole('textbox', { name: 'Address' })
  await address.fill(`localhost:${port}/hostile`)
  await address.press('Enter')
  const refused = 'refused'
  await expect(frameOf(page).locator('body')).toHaveAttribute(
    'data-found',
    JSON.stringify({
      cluster: 'true',
      parent: refused,
      top: refused,
      worker: refused,
      page: refused,
      socket: refused,
    }),
  )
})
