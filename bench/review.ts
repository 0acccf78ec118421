import '../test/support/ts-hooks.mjs'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { findChromium, launchChromium, NO_CHROMIUM } from '../test/support/chromium.ts'
import { serveApp } from '../test/support/served-app.ts'
import { frameTime } from './support/frame-time.ts'
import { frameWork, processTime, threadTime } from './support/main-thread.ts'
import { median, progress, round, runAlone, type Measurement } from './support/measurement.ts'
import { startServer, type Answer } from './support/model-server.ts'
import { configure, makeScratch, put } from './support/scratch.ts'

const FILES = 500
/** Every second line is changed: 60,000 lines removed and added in total. */
const LINES = 120
const OPENINGS = 7
const FRAMES = 400
const PATIENCE_MS = 300_000

/** In Chromium on the web host: a review of 500 changed files and 60,000 changed lines, opened and scrolled. */
export default async function review(): Promise<Measurement[]> {
  const executable = await findChromium()
  if (executable === null) throw new Error(NO_CHROMIUM)
  const scratch = makeScratch()
  const command = "find changed -name '*.ts' -exec sed -i 's/before/after/' {} +"
  const answers: Answer[] = [{ calls: [{ name: 'Bash', input: { command } }] }, { text: 'All changed.' }]
  const server = await startServer((n) => answers[n])
  for (let n = 0; n < FILES; n += 1) put(join(scratch.project, `changed/part${n % 20}/file${n}.ts`), `${sourceOf(n)}\n`)
  configure(scratch.home, server.baseUrl)
  await createSession(scratch.home, scratch.project)
  const { PATH = '', HOME = '' } = process.env
  const app = await serveApp({ PATH, HOME, TRESTLE_KEY_STORE: 'file', TRESTLE_HOME: scratch.home })
  const browser = await launchChromium(executable)
  try {
    const page = await browser.newPage({ viewport: { width: 1720, height: 980 } })
    page.setDefaultTimeout(PATIENCE_MS)
    await page.goto(app.url)
    await page.locator('[data-row="changed"]').click()
    const box = page.getByRole('textbox', { name: 'Message', exact: true })
    await box.fill('change all')
    await box.press('Enter')
    await page.getByText('All changed.').first().waitFor()
    await page.getByRole('tab', { name: /Changes/ }).click()
    await page
      .getByRole('tabpanel', { name: /Changes/ })
      .getByRole('button', { name: 'Review', exact: true })
      .waitFor()
    progress(`  changed ${FILES} files`)
    const cdp = await page.context().newCDPSession(page)
    const time = await threadTime(cdp)
    const [paints, works, engines]: [number[], number[], number[]] = [[], [], []]
    for (let n = 0; n < OPENINGS; n += 1) {
      await until(page, 'document.querySelector(".review") === null')
      const [workBefore, engineBefore] = [await time(), processTime(app.pid)]
      paints.push(await page.evaluate<number>(OPEN))
      works.push((await time()) - workBefore)
      engines.push(processTime(app.pid) - engineBefore)
      await until(page, ALL_LOADED)
      if (n < OPENINGS - 1) await page.evaluate('document.querySelector("[aria-label=\'Close Review\']").click()')
    }
    const frames = await page.evaluate<number[]>(SCROLL)
    await page.evaluate('document.querySelector(".review-scroll").scrollTop = 0')
    // Traced separately, because tracing takes time.
    const scrolled = await frameWork(browser, page, () => page.evaluate(SCROLL))
    return [
      {
        name: 'review of 500 files and 60,000 lines: click to first lines',
        value: round(median(paints)),
        unit: 'ms',
        limit: 500,
        note: `median of ${OPENINGS}; the first ${round(paints[0]!)} ms, the best ${round(Math.min(...paints))} ms`,
      },
      {
        name: 'processor time until then: main thread of the page',
        value: round(median(works)),
        unit: 'ms',
        limit: 150,
        note: `the first ${round(works[0]!)} ms`,
      },
      {
        name: 'processor time until then: engine',
        value: round(median(engines)),
        unit: 'ms',
        limit: 200,
        note: `the first ${round(engines[0]!)} ms`,
      },
      frameTime('scrolling it', frames, 0.95, 20),
      frameTime('scrolling it', frames, 0.5),
      frameTime('scrolling it, processor time of the main thread for each frame', scrolled, 0.95, 20),
      frameTime('scrolling it, processor time of the main thread for each frame', scrolled, 0.5, 10),
    ]
  } finally {
    await browser.close()
    await app.close()
    await server.close()
    scratch.remove()
  }
}

/** Polls with a cheap query: a query by role would be measured as the page's work. */
async function until(page: Page, condition: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  while (!(await page.evaluate<boolean>(condition))) {
    if (Date.now() > deadline) throw new Error(`It does not come: ${condition}`)
    await wait(50)
  }
}

const sourceOf = (file: number): string =>
  Array.from({ length: LINES }, (_, n) =>
    n % 2 === 0
      ? `export function step${file}x${n}(input: number): number { return input + ${n} /* before */ }`
      : `// Line ${n} of file ${file} stays as it is.`,
  ).join('\n')

async function createSession(home: string, project: string): Promise<void> {
  const { openStore } = await import('../src/main/engine/store/open/open-store.ts')
  const { store } = openStore({ home })
  store.create({
    sessionId: 'changed',
    folder: realpathSync(project),
    title: 'changed',
    mode: 'auto',
    addedFolders: [],
  })
  store.append('changed', [{ type: 'session.changed', title: 'changed', titleIsCustom: true }])
  store.close()
}

/** From the click until the first screen of lines was painted, in ms. */
const OPEN = `new Promise((resolve) => {
  const button = [...document.querySelectorAll('[role=tabpanel] button')].find((one) => one.textContent === 'Review')
  const start = performance.now()
  const look = () => {
    if (document.querySelectorAll('.review-line').length < 20) return void requestAnimationFrame(look)
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => { port1.close(); resolve(performance.now() - start) }
    port2.postMessage(0)
  }
  button.click()
  look()
})`

const ADDED = ((FILES * LINES) / 2).toLocaleString('en-US')
const ALL_LOADED = `document.querySelector('.review').textContent.includes('+${ADDED}')`

/** A steady scroll: the times between its frames, in ms. */
const SCROLL = `new Promise((resolve) => {
  const scroller = document.querySelector('.review-scroll')
  const times = []
  let last = performance.now()
  const frame = (now) => {
    times.push(now - last)
    last = now
    scroller.scrollTop += 120
    if (times.length < ${FRAMES}) requestAnimationFrame(frame)
    else resolve(times.slice(10))
  }
  requestAnimationFrame(frame)
})`

await runAlone(import.meta.main, review)
