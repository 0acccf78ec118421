import '../test/support/ts-hooks.mjs'
import { realpathSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { findChromium, launchChromium, NO_CHROMIUM } from '../test/support/chromium.ts'
import { serveApp, type ServedApp } from '../test/support/served-app.ts'
import { longAnswer } from './support/long-answer.ts'
import { findWords } from './support/find-words.ts'
import { frameTime } from './support/frame-time.ts'
import { median, progress, round, runAlone, type Measurement } from './support/measurement.ts'
import { startServer, type Answer } from './support/model-server.ts'
import { addProbe, memoryOf, paintedAfterClick, paintedAt, workDuring, type PageWork } from './support/page-probe.ts'
import { configure, makeScratch, type Scratch } from './support/scratch.ts'
import { EVENTS_PER_TURN, turn } from './support/turn-events.ts'

const EVENTS = 50_000
const MESSAGES = 10_000
const OPENINGS = 7
const CHARS = 200_000
const CHUNKS = 20_000
/** A megabyte per minute: more than ten times the speed of fast models. */
const PER_SECOND = 2000
/** Additional answers at full speed, to check that memory grows only by their size. */
const FURTHER = 3
const TIME_LIMIT_MS = 120_000

/**
 * In Chromium on the web host: opening a session of 50,000 events, and the frames while an answer streams into a
 * transcript of 10,000 messages.
 */
export default async function frames(): Promise<Measurement[]> {
  const executable = await findChromium()
  if (executable === null) throw new Error(NO_CHROMIUM)
  const scratch = makeScratch()
  const text = longAnswer(CHARS)
  const answers = (n: number): Answer => ({ text, chunks: CHUNKS, ...(n === 0 && { perSecond: PER_SECOND }) })
  const server = await startServer(answers)
  let app: ServedApp | undefined
  let browser: Browser | undefined
  try {
    configure(scratch.home, server.baseUrl)
    await fillStore(scratch)
    const { PATH = '', HOME = '' } = process.env
    app = await serveApp({ PATH, HOME, TRESTLE_KEY_STORE: 'file', TRESTLE_HOME: scratch.home })
    browser = await launchChromium(executable)
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    page.setDefaultTimeout(TIME_LIMIT_MS)
    await addProbe(page)
    await page.goto(app.url)
    return [...(await openings(page)), ...(await streaming(page))]
  } finally {
    await browser?.close()
    await app?.close()
    await server.close()
    scratch.remove()
  }
}

/** A session of many events, one of many messages, and one to switch from. */
async function fillStore({ home, project }: Scratch): Promise<void> {
  const { openStore } = await import('../src/main/engine/store/open/open-store.ts')
  const { store } = openStore({ home })
  const folder = realpathSync(project)
  const create = (sessionId: string): void => {
    store.create({ sessionId, folder, title: sessionId, mode: 'auto', addedFolders: [] })
    store.append(sessionId, [{ type: 'session.changed', title: sessionId, titleIsCustom: true }])
  }
  for (const sessionId of ['events', 'messages', 'other']) create(sessionId)
  for (let seq = 0; seq < EVENTS; seq += EVENTS_PER_TURN) {
    store.append(
      'events',
      turn(seq).filter(({ type }) => type !== 'session.changed'),
    )
  }
  while (store.header('events')!.seq < EVENTS)
    store.append('events', [{ type: 'session.changed', title: 'events', titleIsCustom: true }])
  for (let n = 0; n < MESSAGES / 2; n++) {
    const [turnId, stepId] = [`turn-${n}`, `step-${n}`]
    const model = 'bench/scripted'
    const said = longAnswer(300 + (n % 10) * 90)
    store.append('messages', [
      {
        type: 'turn.started',
        turnId,
        parts: [{ type: 'text', text: `Question ${n}: how does this part work, and why?` }],
        model,
      },
      { type: 'step.started', turnId, stepId, n: 1, model },
      { type: 'step.finished', turnId, stepId, parts: [{ type: 'text', text: said }], finish: 'stop', durationMs: 900 },
      { type: 'turn.finished', turnId, stop: 'end_turn', steps: 1, durationMs: 1000 },
    ])
  }
  store.close()
  progress(`  made sessions of ${EVENTS} events and ${MESSAGES} messages`)
}

async function openings(page: Page): Promise<Measurement[]> {
  const [clicks, starts]: number[][] = [[], []]
  for (let run = 0; run < OPENINGS; run++) {
    // A new page each time: a page caches the sessions it has shown.
    await open(page, 'other')
    await page.reload()
    await row(page, 'events').waitFor()
    await row(page, 'events').click()
    clicks!.push(await paintedAfterClick(page))
    await page.reload()
    starts!.push(await paintedAt(page))
  }
  const note = `median of ${OPENINGS}`
  return [
    {
      name: 'open a session of 50,000 events: click to first paint',
      value: round(median(clicks!), 1),
      unit: 'ms',
      limit: 150,
      note: `${note}; the first, in a new process, ${round(clicks![0]!)} ms`,
    },
    { name: 'load the whole page on that session: to first paint', value: round(median(starts!), 1), unit: 'ms', note },
  ]
}

async function streaming(page: Page): Promise<Measurement[]> {
  await page.reload()
  await open(page, 'messages')
  const found = await findWords(page, MESSAGES)
  await loadAll(page)
  const cdp = await page.context().newCDPSession(page)
  const before = await memoryOf(cdp)
  const paced = await workDuring(page, () => ask(page))
  const after = await memoryOf(cdp)
  const heaps: number[] = [after.heapMb]
  const fast: PageWork = { frames: [], longTasks: [] }
  for (let n = 0; n < FURTHER; n++) {
    const work = await workDuring(page, () => ask(page))
    fast.frames.push(...work.frames)
    fast.longTasks.push(...work.longTasks)
    heaps.push((await memoryOf(cdp)).heapMb)
  }
  const end = await memoryOf(cdp)
  const growth = (heaps.at(-1)! - heaps[0]!) / FURTHER
  return [
    found,
    frameTime('frame time while 20,000 chunks stream in 10 s', paced.frames, 0.95, 20),
    frameTime('frame time while 20,000 chunks stream in 10 s', paced.frames, 0.5),
    frameTime('frame time while 20,000 chunks stream as fast as they can', fast.frames, 0.95, 20),
    frameTime('frame time while 20,000 chunks stream as fast as they can', fast.frames, 0.5),
    longTasks('long tasks while 20,000 chunks stream in 10 s', paced),
    longTasks('long tasks while 20,000 chunks stream as fast as they can', fast),
    {
      name: 'heap of the page with 10,000 messages',
      value: round(before.heapMb, 1),
      unit: 'MB',
      note: `${before.nodes} nodes`,
    },
    {
      name: 'heap kept of each answer of 200 KB',
      value: round(growth),
      unit: 'MB',
      limit: 3,
      note: `${round(after.heapMb - before.heapMb)} of the first; ${end.nodes} nodes at the end`,
    },
  ]
}

/** Tasks of more than 50 ms on the page's main thread. */
function longTasks(name: string, { longTasks: tasks }: PageWork): Measurement {
  const note = `the longest ${round(Math.max(0, ...tasks), 0)} ms`
  return { name, value: tasks.length, unit: 'count', limit: 0, note }
}

const row = (page: Page, title: string) => page.locator(`[data-row="${title}"]`)

async function open(page: Page, sessionId: string): Promise<void> {
  await row(page, sessionId).click()
  await page.getByRole('heading', { level: 1, name: sessionId }).waitFor()
}

/** Scrolls up until the whole conversation is in the page, then back to the end. */
async function loadAll(page: Page): Promise<void> {
  const conversation = page.getByRole('region', { name: 'Conversation' })
  await conversation.focus()
  const first = page.getByText('Question 0:', { exact: false })
  const deadline = Date.now() + TIME_LIMIT_MS
  while ((await first.count()) === 0) {
    if (Date.now() > deadline) throw new Error('The beginning of the conversation does not come.')
    await page.keyboard.press('Home')
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
  }
  await page.getByRole('button', { name: /jump to the latest message/ }).click()
  await page.getByText(`Question ${MESSAGES / 2 - 1}:`, { exact: false }).waitFor()
}

/** Sends a prompt and waits for the end of the answer. */
async function ask(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Tell me everything.')
  await page.keyboard.press('Enter')
  // Polled rarely and cheaply: a role query during rendering would be measured as the page's work.
  await until(page, true)
  await until(page, false)
  await drawn(page)
}

/** Waits for the end of the answer on screen: text that arrives quickly is drawn over several frames. */
async function drawn(page: Page): Promise<void> {
  while (await page.evaluate<boolean>("document.querySelector('.md[data-streaming]') !== null")) await wait(100)
}

async function until(page: Page, working: boolean): Promise<void> {
  const deadline = Date.now() + TIME_LIMIT_MS
  while ((await page.evaluate<boolean>("document.querySelector('.waiting') !== null")) !== working) {
    if (Date.now() > deadline) throw new Error(working ? 'The turn does not begin.' : 'The turn does not end.')
    await wait(100)
  }
}

await runAlone(import.meta.main, frames)
