import '../test/support/ts-hooks.mjs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { findChromium, launchChromium, NO_CHROMIUM } from '../test/support/chromium.ts'
import { frameTime } from './support/frame-time.ts'
import { progress, round, runAlone, type Measurement } from './support/measurement.ts'
import { addProbe, framesDuring, memoryOf } from './support/page-probe.ts'

const TASKS = 200
const ENDED = 800
/** How long frames are measured in each phase. */
const STRETCH_MS = 10_000
/** Lines per second that each task prints. */
const LINES_PER_SECOND = 10
const FLOOD_CHUNK = 64 * 1024

/**
 * In Chromium on the web host, with in-memory tasks: the frames of the tasks page while 200 of them print continuously.
 */
export default async function dashboardFrames(): Promise<Measurement[]> {
  const executable = await findChromium()
  if (executable === null) throw new Error(NO_CHROMIUM)
  const { memoryEngine } = await import('../test/support/memory-engine.ts')
  const { startWebHost } = await import('../src/main/host/web/server/web-host.ts')
  const engine = memoryEngine()
  const { tasks } = engine
  const startedAt = Date.now()
  for (let n = 0; n < TASKS + ENDED; n += 1) {
    const runs = n < TASKS
    tasks.put({
      taskId: `bash-${n}`,
      command: `node worker.js --shard ${n} --of ${TASKS}`,
      folder: `/project-${n % 5}`,
      startedAt: startedAt - n * 1000,
      ...(!runs && { status: 'completed', exitCode: 0, endedAt: startedAt }),
    })
  }
  const host = await startWebHost({ engine, rendererDir: join(import.meta.dirname, '..', 'out', 'renderer') })
  const browser = await launchChromium(executable)
  // Each task prints ten lines per second and is reported once per second, as in the real engine.
  let printed = 0
  const printing = setInterval(() => {
    for (let n = 0; n < (TASKS * LINES_PER_SECOND) / 50; n += 1) {
      printed += 1
      tasks.print(
        `bash-${printed % TASKS}`,
        `[${printed}] batch ${printed} done in ${printed % 97} ms\n`,
        printed % LINES_PER_SECOND === 0,
      )
    }
  }, 20)
  const using = setInterval(() => tasks.use(usage()), 1000)
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await addProbe(page)
    await page.goto(host.url)
    await page.getByRole('button', { name: /^Tasks/ }).click()
    await page.locator('[data-task]').first().waitFor()
    await wait(2000)
    const watching = await framesDuring(page, () => wait(STRETCH_MS))
    progress('  looked at the list')
    const scrolling = await framesDuring(page, () => scroll(page))
    progress('  scrolled')
    await page.mouse.wheel(0, -1_000_000)
    await wait(1000)
    await page.locator('[data-task="bash-2"]').click()
    await page.locator('.xterm').first().waitFor()
    const open = await framesDuring(page, () => wait(STRETCH_MS))
    progress('  looked at a terminal')
    const shown = await page.locator('[data-task][data-selected]').getAttribute('data-task')
    const chunk = `${'0123456789abcdef '.repeat(5)}\n`.repeat(FLOOD_CHUNK / 86)
    const flooding = setInterval(() => tasks.print(shown ?? '', chunk, false), 20)
    const flooded = await framesDuring(page, () => wait(STRETCH_MS)).finally(() => clearInterval(flooding))
    progress('  looked at a flood')
    const cdp = await page.context().newCDPSession(page)
    const { heapMb, nodes } = await memoryOf(cdp)
    return [
      frameTime(`page of ${TASKS} tasks that print all the time`, watching, 0.95, 20),
      frameTime(`page of ${TASKS} tasks that print all the time`, watching, 0.5),
      frameTime('the same while it is scrolled', scrolling, 0.95, 20),
      frameTime('the same with an open terminal', open, 0.95, 20),
      frameTime('the same with a terminal that is flooded with 3 MB/s', flooded, 0.95, 34),
      {
        name: `heap of the page with ${TASKS + ENDED} tasks after the flood`,
        value: round(heapMb, 1),
        unit: 'MB',
        note: `${nodes} nodes`,
      },
    ]
  } finally {
    clearInterval(printing)
    clearInterval(using)
    await browser.close()
    await host.close()
  }
}

let seconds = 0

function usage() {
  seconds += 1
  return Array.from({ length: TASKS }, (_, n) => ({
    taskId: `bash-${n}`,
    cpu: (n * 7 + seconds * 13) % 100,
    memoryBytes: 50_000_000 + n * 100_000,
    processes: [{ pid: 1000 + n, parentPid: 1, command: 'node worker.js', cpu: 1, memoryBytes: 50_000_000 }],
    ports: n % 4 === 0 ? [{ port: 3000 + n, address: '127.0.0.1', pid: 1000 + n }] : [],
  }))
}

async function scroll(page: Page): Promise<void> {
  await page.mouse.move(700, 500)
  const end = Date.now() + STRETCH_MS
  for (let n = 0; Date.now() < end; n += 1) {
    await page.mouse.wheel(0, n % 100 < 50 ? 120 : -120)
    await wait(16)
  }
}

await runAlone(import.meta.main, dashboardFrames)
