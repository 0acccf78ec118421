import '../test/support/ts-hooks.mjs'
import { realpathSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { findChromium, launchChromium, NO_CHROMIUM } from '../test/support/chromium.ts'
import { serveApp } from '../test/support/served-app.ts'
import { frameTime } from './support/frame-time.ts'
import { longAnswer } from './support/long-answer.ts'
import { frameWork, processTime } from './support/main-thread.ts'
import { round, runAlone, type Measurement } from './support/measurement.ts'
import { startServer } from './support/model-server.ts'
import { addProbe, framesDuring } from './support/page-probe.ts'
import { configure, makeScratch } from './support/scratch.ts'

const SESSIONS = ['one', 'two', 'three', 'four']
const CHARS = 200_000
const CHUNKS = 20_000
/** A fast model: about 1,000 characters per second. */
const PER_SECOND = 100
const STRETCH_MS = 10_000
const PATIENCE_MS = 120_000

/** In Chromium on the web host: the frames while four sessions stream in four panes. */
export default async function panesFrames(): Promise<Measurement[]> {
  const executable = await findChromium()
  if (executable === null) throw new Error(NO_CHROMIUM)
  const scratch = makeScratch()
  const server = await startServer(() => ({ text: longAnswer(CHARS), chunks: CHUNKS, perSecond: PER_SECOND }))
  configure(scratch.home, server.baseUrl)
  await createSessions(scratch.home, scratch.project)
  const { PATH = '', HOME = '' } = process.env
  const app = await serveApp({ PATH, HOME, TRESTLE_KEY_STORE: 'file', TRESTLE_HOME: scratch.home })
  const browser = await launchChromium(executable)
  try {
    const page = await browser.newPage({ viewport: { width: 1920, height: 1080 } })
    page.setDefaultTimeout(PATIENCE_MS)
    await addProbe(page)
    await page.goto(app.url)
    await page.locator('[data-row="one"]').click()
    for (const name of SESSIONS.slice(1)) await showBeside(page, name)
    const boxes = page.getByRole('textbox', { name: 'Message', exact: true })
    for (let n = 0; n < SESSIONS.length; n += 1) {
      await boxes.nth(n).fill('go')
      await boxes.nth(n).press('Enter')
    }
    await wait(2000)
    const engineBefore = processTime(app.pid)
    const frames = await framesDuring(page, () => wait(STRETCH_MS))
    const engine = processTime(app.pid) - engineBefore
    // Traced separately, because tracing takes time.
    const works = await frameWork(browser, page, () => wait(STRETCH_MS))
    const streaming = await page.locator('[data-pane="session"] .transcript .row').count()
    if (streaming < SESSIONS.length) throw new Error(`${streaming} of ${SESSIONS.length} panes show an answer.`)
    return [
      frameTime('four sessions that stream in four panes', frames, 0.95, 20),
      frameTime('four sessions that stream in four panes', frames, 0.5),
      frameTime('the same, processor time of the main thread for each frame', works, 0.95, 20),
      frameTime('the same, processor time of the main thread for each frame', works, 0.5, 10),
      {
        name: 'the same, processor time of the engine',
        value: round((engine / STRETCH_MS) * 100),
        unit: '%',
        limit: 25,
      },
    ]
  } finally {
    await browser.close()
    await app.close()
    await server.close()
    scratch.remove()
  }
}

async function createSessions(home: string, project: string): Promise<void> {
  const { openStore } = await import('../src/main/engine/store/open/open-store.ts')
  const { store } = openStore({ home })
  for (const sessionId of SESSIONS) {
    store.create({ sessionId, folder: realpathSync(project), title: sessionId, mode: 'auto', addedFolders: [] })
    store.append(sessionId, [{ type: 'session.changed', title: sessionId, titleIsCustom: true }])
  }
  store.close()
}

async function showBeside(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Panes', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Another session…' }).click()
  await page.getByRole('combobox', { name: 'Sessions' }).fill(name)
  await page.keyboard.press('Enter')
  await page.locator(`[data-pane-key="session ${name}"] textarea`).waitFor()
}

await runAlone(import.meta.main, panesFrames)
