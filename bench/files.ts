import '../test/support/ts-hooks.mjs'
import { setTimeout as wait } from 'node:timers/promises'
import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { findChromium, launchChromium, NO_CHROMIUM } from '../test/support/chromium.ts'
import { serveApp, type ServedApp } from '../test/support/served-app.ts'
import { makeLog, makeManyFiles, MANY_FILES } from '../test/support/many-files.ts'
import { median, progress, round, runAlone, type Measurement } from './support/measurement.ts'
import { startServer } from './support/model-server.ts'
import { memoryOf } from './support/page-probe.ts'
import { configure, makeScratch } from './support/scratch.ts'

const LOG_BYTES = 100_000_000
const OPENINGS = 5
/** The text typed into the filter, key by key. */
const FILTERS = ['component-7', 'part-3 of-12', 'zzz', 'area-9/module-1']
const TIME_LIMIT_MS = 120_000

/** Runs in the page: how long until an element is painted, from an event that the page detects itself. */
const PROBE = `
window.until = (find) => new Promise((resolve, reject) => {
  const start = performance.now()
  const look = () => {
    if (performance.now() - start > ${TIME_LIMIT_MS}) return void reject(new Error('It does not come: ' + find))
    if (!find()) return void requestAnimationFrame(look)
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => { port1.close(); resolve(performance.now()) }
    port2.postMessage(0)
  }
  look()
})
window.began = 0
for (const type of ['keydown', 'click']) addEventListener(type, (event) => { window.began = event.timeStamp }, { capture: true })
`

/** The file tree and its filter in a project of 128,000 files, and a log of 100 MB in the viewer, in Chromium. */
export default async function files(): Promise<Measurement[]> {
  const executable = await findChromium()
  if (executable === null) throw new Error(NO_CHROMIUM)
  const scratch = makeScratch()
  const server = await startServer(() => ({ text: 'well' }))
  let app: ServedApp | undefined
  let browser: Browser | undefined
  try {
    configure(scratch.home, server.baseUrl)
    const folder = realpathSync(scratch.project)
    makeManyFiles(folder)
    const lines = makeLog(join(folder, 'big.log'), LOG_BYTES)
    const { openStore } = await import('../src/main/engine/store/open/open-store.ts')
    const { store } = openStore({ home: scratch.home })
    store.create({ sessionId: 'many', folder, title: 'many', mode: 'auto', addedFolders: [] })
    store.append('many', [{ type: 'session.changed', title: 'many', titleIsCustom: true }])
    store.close()
    progress(`  made ${MANY_FILES} files and a log of ${lines} lines`)
    const { PATH = '', HOME = '' } = process.env
    app = await serveApp({ PATH, HOME, TRESTLE_KEY_STORE: 'file', TRESTLE_HOME: scratch.home })
    browser = await launchChromium(executable)
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    page.setDefaultTimeout(TIME_LIMIT_MS)
    await page.addInitScript({ content: PROBE })
    await page.goto(app.url)
    await page.locator('[data-row="many"]').click()
    await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor()
    return [
      ...(await tree(page)),
      ...(await firstKey(page)),
      ...(await log(page, app.pid, lines)),
      ...(await filter(page)),
    ]
  } finally {
    await browser?.close()
    await app?.close()
    await server.close()
    scratch.remove()
  }
}

async function tree(page: Page): Promise<Measurement[]> {
  await page.keyboard.press('Control+Shift+E')
  const shown = await since(page, `() => document.querySelector('[role="treeitem"][data-path$="packages"]')`)
  await page.locator('[role="treeitem"][data-path$="packages"]').click()
  const opened = await since(page, `() => document.querySelector('[role="treeitem"][data-path$="area-15"]')`)
  return [
    { name: 'file tree of 128,000 files: shortcut to first rows', value: round(shown, 1), unit: 'ms', limit: 1000 },
    { name: 'file tree of 128,000 files: opening a folder', value: round(opened, 1), unit: 'ms', limit: 300 },
  ]
}

/**
 * Waits for the list of files, which is created when the tree is opened, so that later measurements exclude that work.
 */
async function firstKey(page: Page): Promise<Measurement[]> {
  const field = page.getByRole('combobox', { name: 'Filter files' })
  await field.focus()
  await page.keyboard.type('x')
  const first = await since(page, `() => document.querySelector('[data-query="x"]')`)
  await field.fill('')
  return [{ name: 'filter 128,000 files: the first key', value: round(first, 1), unit: 'ms', limit: 50 }]
}

async function filter(page: Page): Promise<Measurement[]> {
  await page.getByRole('tab', { name: 'Files' }).click()
  const field = page.getByRole('combobox', { name: 'Filter files' })
  await field.focus()
  const times: number[] = []
  for (const words of FILTERS) {
    await field.fill('')
    for (let length = 1; length <= words.length; length++) {
      await page.keyboard.press(words[length - 1] === ' ' ? 'Space' : (words[length - 1] ?? ''))
      const query = JSON.stringify(words.slice(0, length))
      times.push(await since(page, `() => document.querySelector('[data-query]')?.dataset.query === ${query}`))
    }
  }
  await field.fill('')
  const sorted = times.toSorted((a, b) => a - b)
  return [
    {
      name: 'filter 128,000 files: key to results',
      value: round(median(times), 1),
      unit: 'ms',
      limit: 50,
      note: `median of ${times.length}; 95 of 100 within ${round(sorted[Math.floor(sorted.length * 0.95)] ?? 0, 1)} ms`,
    },
  ]
}

async function log(page: Page, pid: number, lines: number): Promise<Measurement[]> {
  const cdp = await page.context().newCDPSession(page)
  const row = page.locator('[role="treeitem"][data-path$="big.log"]')
  const first = `() => document.querySelector('.file-line code')?.textContent.includes('request 1 ')`
  const times: number[] = []
  // The code of the viewer is loaded with the first file.
  await page.locator('[role="treeitem"][data-path$="README.md"]').first().click()
  await page.getByRole('region', { name: /^File / }).waitFor()
  await page.getByRole('button', { name: 'Close README.md' }).click()
  // The filter lists the files again if no key was pressed for a while.
  await settled(pid)
  const [engineBefore, pageBefore] = [residentMb(pid), (await memoryOf(cdp)).heapMb]
  for (let run = 0; run < OPENINGS; run++) {
    if (run > 0) await page.getByRole('button', { name: 'Close big.log' }).click()
    await row.click()
    times.push(await since(page, first))
  }
  const list = page.getByRole('group', { name: 'Lines of big.log' })
  await list.focus()
  await page.keyboard.press('End')
  const end = await since(
    page,
    `() => [...document.querySelectorAll('.file-line')].some((line) => line.textContent.includes('the end'))`,
  )
  await page.keyboard.press('Control+F')
  await page.keyboard.type('needle')
  const found = await since(
    page,
    `() => /^\\d+ (?:of|match)/.test(document.querySelector('.file-find-count')?.textContent ?? '')`,
  )
  const [engineAfter, pageAfter] = [residentMb(pid), (await memoryOf(cdp)).heapMb]
  return [
    {
      name: 'log of 100 MB: click to first lines',
      value: round(median(times), 1),
      unit: 'ms',
      limit: 300,
      note: `median of ${OPENINGS}; the first ${round(times[0] ?? 0, 1)} ms; ${lines} lines`,
    },
    { name: 'log of 100 MB: to its last line', value: round(end, 1), unit: 'ms', limit: 500 },
    { name: 'log of 100 MB: finding a word in all of it', value: round(found, 1), unit: 'ms' },
    { name: 'log of 100 MB: memory of the engine', value: round(engineAfter - engineBefore, 1), unit: 'MB', limit: 60 },
    { name: 'log of 100 MB: heap of the page', value: round(pageAfter - pageBefore, 1), unit: 'MB', limit: 15 },
  ]
}

/** How long from the latest key or click until the element was painted, in ms. */
function since(page: Page, find: string): Promise<number> {
  return page.evaluate<number>(`until(${find}).then((at) => at - began)`)
}

/** Resolves when the memory of a process has been stable for two seconds, or after 20. */
async function settled(pid: number): Promise<void> {
  let [before, since] = [residentMb(pid), performance.now()]
  const end = since + 20_000
  while (performance.now() - since < 2000 && performance.now() < end) {
    await wait(100)
    const now = residentMb(pid)
    if (Math.abs(now - before) > 1) [before, since] = [now, performance.now()]
  }
}

function residentMb(pid: number): number {
  const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kb) / 1024
}

await runAlone(import.meta.main, files)
