import '../test/support/ts-hooks.mjs'
import { realpathSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { RecordedEvent } from '../src/shared/events/event.ts'
import { findChromium, launchChromium, NO_CHROMIUM } from '../test/support/chromium.ts'
import { agentCall, call, familyScript, type Part } from '../test/support/family-script.ts'
import { startModelServer } from '../test/support/model-server.ts'
import { serveApp } from '../test/support/served-app.ts'
import { longAnswer } from './support/long-answer.ts'
import { frameTime } from './support/frame-time.ts'
import { progress, runAlone, type Measurement } from './support/measurement.ts'
import { addProbe, framesDuring } from './support/page-probe.ts'
import { configure, makeScratch, sourceFile } from './support/scratch.ts'

/** A few more than can run at the same time, so that some are queued. */
const AGENTS = 60
const AT_ONCE = 50
/** How long frames are measured in each phase. */
const STRETCH_MS = 10_000
const PATIENCE_MS = 240_000

/**
 * In Chromium on the web host of the built program: the frames while 50 subagents work in the background, and their
 * outcome.
 */
export default async function subagentsFrames(): Promise<Measurement[]> {
  const executable = await findChromium()
  if (executable === null) throw new Error(NO_CHROMIUM)
  const scratch = makeScratch()
  let looking = true
  const job = (n: number): Part =>
    Array.from({ length: 400 }, (_, step) => () => {
      const text = `${n}.${step} ${longAnswer(400)}`
      const toolCalls = [call('Read', { path: sourceFile((n + step) % 60) })]
      // About 20 chunks per second from each of them.
      return looking ? { text, toolCalls, faults: { eventDelayMs: 50 } } : { text: `job ${n} is done` }
    })
  const parts: Record<string, Part> = {
    go: [
      { toolCalls: Array.from({ length: AGENTS }, (_, n) => agentCall(`job${n} works`, { run_in_background: true })) },
      ...Array.from({ length: AGENTS + 10 }, () => ({ text: 'Noted.' })),
    ],
  }
  for (let n = 0; n < AGENTS; n += 1) parts[`job${n}`] = job(n)
  const server = await startModelServer({ script: familyScript(parts) })
  configure(scratch.home, server.baseUrl)
  await appendFile(join(scratch.home, 'config.toml'), `[agents]\nmax_running = ${AT_ONCE}\n`)
  await createSession(scratch.home, scratch.project)
  const { PATH = '', HOME = '' } = process.env
  const app = await serveApp({ PATH, HOME, TRESTLE_KEY_STORE: 'file', TRESTLE_HOME: scratch.home })
  const browser = await launchChromium(executable)
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    page.setDefaultTimeout(PATIENCE_MS)
    await addProbe(page)
    await page.goto(app.url)
    await page.locator('[data-row="work"]').click()
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill('go')
    await page.keyboard.press('Enter')
    await page.getByText('Noted.').first().waitFor()
    await wait(3000)
    const conversation = await framesDuring(page, () => wait(STRETCH_MS))
    progress('  looked at the conversation')
    await page.mouse.move(600, 400)
    const scrolled = await framesDuring(page, () => scroll(page))
    progress('  scrolled it')
    await page
      .getByRole('button', { name: /^Tasks/ })
      .first()
      .click()
    await page.locator('[data-task]').first().waitFor()
    await wait(1000)
    const dashboard = await framesDuring(page, () => wait(STRETCH_MS))
    progress('  looked at the page of tasks')
    await page.locator('[data-task]').first().click()
    await page.getByText('Messages you send here reach it at its next step.').waitFor()
    const opened = await framesDuring(page, () => wait(STRETCH_MS))
    progress('  looked into one')
    looking = false
    await ended(scratch.home)
    await app.close()
    const { news, most } = await outcome(scratch.home)
    const about = `${AT_ONCE} subagents at once`
    return [
      frameTime(`conversation with ${about}`, conversation, 0.95, 20),
      frameTime(`conversation with ${about}`, conversation, 0.5),
      frameTime('the same while it is scrolled', scrolled, 0.95, 20),
      frameTime(`page of tasks with ${about}`, dashboard, 0.95, 20),
      frameTime('the transcript of one of them', opened, 0.95, 20),
      { name: 'subagents that worked at once', value: most, unit: 'count', limit: AT_ONCE },
      {
        name: `of ${AGENTS} ends, not told exactly once`,
        value: AGENTS - [...news.values()].filter((count) => count === 1).length,
        unit: 'count',
        limit: 0,
      },
    ]
  } finally {
    await browser.close()
    await app.close()
    await server.close()
    scratch.remove()
  }
}

async function createSession(home: string, project: string): Promise<void> {
  const { openStore } = await import('../src/main/engine/store/open/open-store.ts')
  const { store } = openStore({ home })
  store.create({ sessionId: 'work', folder: realpathSync(project), title: 'work', mode: 'auto', addedFolders: [] })
  store.close()
}

/** Waits until all of them have ended and the agent has been notified. */
async function ended(home: string): Promise<void> {
  const { openStore } = await import('../src/main/engine/store/open/open-store.ts')
  const { store } = openStore({ home })
  const deadline = Date.now() + PATIENCE_MS
  const isOver = (): boolean => {
    const header = store.header('work')
    return header?.turnId === undefined && header?.news.length === 0
  }
  while (!isOver()) {
    if (Date.now() > deadline)
      throw new Error(`Subagents did not end: ${store.header('work')?.news.length} notifications are pending`)
    await wait(100)
  }
  store.close()
}

/** How often each end was reported to the agent, and how many subagents ran at the same time. */
async function outcome(home: string): Promise<{ news: Map<string, number>; most: number }> {
  const { openStore } = await import('../src/main/engine/store/open/open-store.ts')
  const { store } = openStore({ home })
  const news = new Map<string, number>()
  for (const event of store.ofTypes('work', ['turn.started', 'turn.steered']))
    for (const { taskId } of event.news ?? []) news.set(taskId, (news.get(taskId) ?? 0) + 1)
  const moments = store.agents({ rootId: 'work', limit: AGENTS * 2 }).flatMap(({ sessionId }) => {
    const at = (type: RecordedEvent['type']): number => store.ofTypes(sessionId, [type])[0]?.at ?? Number.NaN
    return [
      [at('turn.started'), 1],
      [at('turn.finished'), -1],
    ] as const
  })
  let [now, most] = [0, 0]
  // A subagent that ends frees its slot for one that starts in the same millisecond.
  for (const [, change] of moments.toSorted(([a, one], [b, other]) => a - b || one - other))
    most = Math.max(most, (now += change))
  store.close()
  return { news, most }
}

async function scroll(page: Page): Promise<void> {
  const end = Date.now() + STRETCH_MS
  for (let n = 0; Date.now() < end; n += 1) {
    await page.mouse.wheel(0, n % 60 < 30 ? -120 : 120)
    await wait(16)
  }
}

await runAlone(import.meta.main, subagentsFrames)
