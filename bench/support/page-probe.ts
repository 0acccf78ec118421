/** Measurements inside the page, and Chromium's metrics for it. */
import type { CDPSession, Page } from 'playwright-core'

/** Runs in the page; kept as text because the project's Node code has no DOM types. */
const PROBE = `
window.probe = (() => {
  const shown = () => document.querySelector('.transcript .row') !== null
  // Begins in a frame's callback, before its layout and paint; a message posted there is delivered when that frame is done.
  const painted = () => new Promise((resolve, reject) => {
    const look = () => {
      if (performance.now() > 60_000) return void reject(new Error('No transcript is shown.'))
      if (!shown()) return void requestAnimationFrame(look)
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => { port1.close(); resolve(performance.now()) }
      port2.postMessage(0)
    }
    look()
  })
  let frames = [], running = false, clicked = 0, tasks = []
  const noteTasks = (list) => tasks.push(...list.map(({ duration }) => duration))
  const observer = new PerformanceObserver((list) => noteTasks(list.getEntries()))
  observer.observe({ type: 'longtask' })
  addEventListener('click', (event) => { clicked = event.timeStamp }, { capture: true })
  return {
    painted,
    sinceClick: async () => (await painted()) - clicked,
    start() {
      observer.takeRecords()
      frames = []
      tasks = []
      running = true
      const frame = (at) => {
        frames.push(at)
        if (running) requestAnimationFrame(frame)
      }
      requestAnimationFrame(frame)
    },
    stop() {
      running = false
      noteTasks(observer.takeRecords())
      return { frames: frames.slice(1).map((at, index) => at - frames[index]), longTasks: tasks }
    },
  }
})()
`

/** Adds the probe to every document that the page opens from now on. */
export async function addProbe(page: Page): Promise<void> {
  await page.addInitScript({ content: PROBE })
}

/** How long from the start of the document until the first row of a transcript was painted, in ms. */
export function paintedAt(page: Page): Promise<number> {
  return page.evaluate<number>('probe.painted()')
}

/** How long from the latest click until the first row was painted, in ms. */
export function paintedAfterClick(page: Page): Promise<number> {
  return page.evaluate<number>('probe.sinceClick()')
}

/** What the page did while a job ran, in ms. */
export interface PageWork {
  /** The times between drawn frames. */
  frames: number[]
  /** Tasks that blocked its main thread for more than 50 ms. */
  longTasks: number[]
}

export async function workDuring(page: Page, job: () => Promise<void>): Promise<PageWork> {
  await page.evaluate('probe.start()')
  await job()
  return page.evaluate<PageWork>('probe.stop()')
}

/** The times between frames drawn while `job` runs, in ms. */
export async function framesDuring(page: Page, job: () => Promise<void>): Promise<number[]> {
  return (await workDuring(page, job)).frames
}

export interface PageMemory {
  /** JavaScript heap in use after garbage collection, in bytes. */
  heapMb: number
  /** Nodes of the document, including detached ones. */
  nodes: number
}

export async function memoryOf(cdp: CDPSession): Promise<PageMemory> {
  // Twice, because what the first run finalizes (weak references, detached nodes) is freed only by the second one.
  await cdp.send('HeapProfiler.collectGarbage')
  await cdp.send('HeapProfiler.collectGarbage')
  const { usedSize } = await cdp.send('Runtime.getHeapUsage')
  const { nodes } = await cdp.send('Memory.getDOMCounters')
  return { heapMb: usedSize / 2 ** 20, nodes }
}
