import '../test/support/ts-hooks.mjs'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { findChromium, launchChromium, NO_CHROMIUM } from '../test/support/chromium.ts'
import { serveApp } from '../test/support/served-app.ts'
import { median, progress, round, runAlone, type Measurement } from './support/measurement.ts'
import { configure, makeScratch, type Scratch } from './support/scratch.ts'

const SESSIONS = 3000
const PROJECTS = 20
const RUNS = 7
const LIST_LIMIT_MS = 500

interface Start {
  /** First contentful paint, in ms since the navigation began. */
  painted: number
  /** The list is painted and the page is responsive: a task posted after that has run. */
  usable: number
  /** Bytes received by then. */
  bytes: number
}

/** Kept as text because the project's Node code has no DOM types. */
const UNTIL_USABLE = `new Promise((resolve) => {
  const look = () => {
    if (document.querySelector('[role=tree] [role=treeitem][aria-level="2"]') === null) return void requestAnimationFrame(look)
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve({
        usable: performance.now(),
        painted: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? performance.now(),
        bytes: performance.getEntriesByType('resource').reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
      })
    }
    requestAnimationFrame(() => port2.postMessage(0))
  }
  look()
})`

/**
 * In Chromium on the web host: load time of the page with 3,000 sessions listed, with a cold and a warm browser cache.
 */
export default async function startPage(): Promise<Measurement[]> {
  const executable = await findChromium()
  if (executable === null) throw new Error(NO_CHROMIUM)
  const scratch = makeScratch()
  configure(scratch.home, 'http://127.0.0.1:9/v1')
  await fillStore(scratch)
  const { PATH = '', HOME = '' } = process.env
  const app = await serveApp({ PATH, HOME, TRESTLE_KEY_STORE: 'file', TRESTLE_HOME: scratch.home })
  const browser = await launchChromium(executable)
  try {
    const cold: Start[] = []
    const warm: Start[] = []
    for (let run = 0; run < RUNS; run++) {
      const [first, again] = await twoStarts(browser, app.url)
      cold.push(first)
      warm.push(again)
      progress(
        `  start ${run + 1} of ${RUNS}: list usable after ${round(first.usable, 0)} and ${round(again.usable, 0)} ms`,
      )
    }
    const of = (starts: readonly Start[], what: keyof Start): number =>
      round(median(starts.map((start) => start[what])), 0)
    return [
      { name: `first contentful paint, ${SESSIONS} sessions, empty cache`, value: of(cold, 'painted'), unit: 'ms' },
      {
        name: `list of ${SESSIONS} sessions usable, empty cache`,
        value: of(cold, 'usable'),
        unit: 'ms',
        limit: LIST_LIMIT_MS,
      },
      { name: 'first contentful paint, from the cache', value: of(warm, 'painted'), unit: 'ms' },
      { name: 'list usable, from the cache', value: of(warm, 'usable'), unit: 'ms', limit: LIST_LIMIT_MS },
      {
        name: 'fetched until then, compressed',
        value: of(cold, 'bytes'),
        unit: 'bytes',
        note: 'scripts, styles and fonts',
      },
    ]
  } finally {
    await browser.close()
    await app.close()
    scratch.remove()
  }
}

async function twoStarts(browser: Browser, url: string): Promise<[Start, Start]> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  try {
    const starts: Start[] = []
    for (let n = 0; n < 2; n++) {
      const page = await context.newPage()
      await page.goto(url, { waitUntil: 'commit' })
      starts.push(await page.evaluate<Start>(UNTIL_USABLE))
      // The next visit finds only what is cached when this one ends.
      await page.waitForLoadState('load')
      await page.close()
    }
    const [first, again] = starts
    if (!first || !again) throw new Error('The page did not open.')
    return [first, again]
  } finally {
    await context.close()
  }
}

async function fillStore({ home, folder }: Scratch): Promise<void> {
  const { openStore } = await import('../src/main/engine/store/open/open-store.ts')
  const { store } = openStore({ home })
  for (let n = 0; n < SESSIONS; n++) {
    const project = join(folder, 'code', `project-${n % PROJECTS}`)
    if (n < PROJECTS) mkdirSync(project, { recursive: true })
    const sessionId = `session-${n}`
    store.create({ sessionId, folder: project, title: `Session ${n}`, mode: 'ask', addedFolders: [] })
    store.append(sessionId, [
      { type: 'session.changed', title: `Fix what number ${n} says about the totals`, titleIsCustom: true },
    ])
    store.release(sessionId)
  }
  store.close()
}

await runAlone(import.meta.main, startPage)
