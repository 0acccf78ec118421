import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startWebHost } from '../../src/main/host/web/server/web-host'
import { findChromium, launchChromium, NO_CHROMIUM } from '../support/chromium'
import { buildClientPage, holds } from '../support/client-page'
import { memoryEngine } from '../support/memory-engine'

const chromium = await findChromium()
if (chromium === null) process.stderr.write(`The tests of the web host in a browser are skipped: ${NO_CHROMIUM}\n`)

let built = ''
let browser: Browser
const cleanups: (() => unknown)[] = []

beforeAll(async () => {
  if (chromium === null) return
  built = await mkdtemp(join(tmpdir(), 'trestle-web-page-'))
  await buildClientPage(built)
  browser = await launchChromium(chromium)
})

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

afterAll(async () => {
  await browser?.close()
  if (built !== '') await rm(built, { recursive: true })
})

async function start(port = 0, engine = memoryEngine({ version: '9.9.9' })) {
  const host = await startWebHost({ engine, rendererDir: join(built, 'renderer'), port })
  let isOpen = true
  const close = async (): Promise<void> => {
    if (isOpen) await host.close()
    isOpen = false
  }
  cleanups.push(close)
  return { ...host, engine, close }
}

/** A fresh tab, with everything in its requests and console. */
async function newTab(): Promise<{ page: Page; urls: string[]; referers: string[]; complaints: string[] }> {
  const context = await browser.newContext()
  cleanups.push(() => context.close())
  const page = await context.newPage()
  const urls: string[] = []
  const referers: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => {
    urls.push(request.url())
    referers.push(request.headers()['referer'] ?? '')
  })
  page.on('websocket', (socket) => urls.push(socket.url()))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  return { page, urls, referers, complaints }
}

const state = 'JSON.stringify(page.connection.state.get())'

describe.skipIf(chromium === null)('the web host in a browser', () => {
  test('the printed URL opens the app; the token leaves the address bar and is in no request, and a reload still works', async () => {
    const { url } = await start()
    const { page, urls, referers, complaints } = await newTab()
    await page.goto(url)
    await page.waitForSelector('h1')
    expect(await page.textContent('h1')).toBe('Trestle 9.9.9 on web')
    const token = new URL(url).hash.slice('#token='.length)
    expect(page.url()).toBe(new URL('/', url).href)
    await page.reload()
    await page.waitForSelector('h1')
    expect(urls.some((each) => each.startsWith('ws:'))).toBe(true)
    // Only the address that was typed in has it, and the part after # is not sent.
    expect(urls.filter((each) => each.includes(token) && !each.includes('#'))).toEqual([])
    expect(referers.join('')).toBe('')
    expect(complaints).toEqual([])
  })

  test('a page with an old token learns that its link has expired', async () => {
    const { url } = await start()
    const { page } = await newTab()
    await page.goto(url.replace(/#.*/, `#token=${'0'.repeat(64)}`))
    await holds(page, 'page.connection.state.get().failure !== undefined')
    expect(JSON.parse(String(await page.evaluate(state)))).toMatchObject({
      status: 'lost',
      failure: { code: 'connection.refused' },
    })
    const other = await newTab()
    await other.page.goto(new URL('/', url).href)
    await holds(other.page, 'page.connection.state.get().failure?.code === "connection.refused"')
  })

  test('a host that restarts with another token is noticed; session events are never shown twice', async () => {
    const first = await start()
    const { sessionId } = await first.engine.sessions.create({ folder: '/p' })
    const { page } = await newTab()
    await page.goto(first.url)
    await page.waitForSelector('h1')
    await page.evaluate(`page.follow(${JSON.stringify(sessionId)})`)
    await holds(page, 'page.seqs.length === 1')
    await first.close()
    await holds(page, 'page.connection.state.get().status === "lost"')
    await start(first.port, first.engine)
    await holds(page, 'page.connection.state.get().failure?.code === "connection.refused"')
    expect(await page.evaluate('page.seqs')).toEqual([1])
  })
})
