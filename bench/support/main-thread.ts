import { readFileSync } from 'node:fs'
import type { Browser, CDPSession, Page } from 'playwright-core'

/** Measures the processor time of the page's main thread, in ms, so that other work on the machine does not count. */
export async function threadTime(cdp: CDPSession): Promise<() => Promise<number>> {
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const { metrics } = await cdp.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000
  }
}

interface TraceEvent {
  ph: string
  name: string
  pid: number
  tid: number
  ts: number
  /** Processor time of the thread, in microseconds. */
  tdur?: number
  args: { name?: string }
}

/** The processor time of the page's main thread for each frame that it draws while `job` runs, in ms. */
export async function frameWork(browser: Browser, page: Page, job: () => Promise<void>): Promise<number[]> {
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline'] })
  await job()
  const trace = JSON.parse((await browser.stopTracing()).toString('utf8')) as { traceEvents: TraceEvent[] }
  const threads = new Set(
    trace.traceEvents
      .filter(({ ph, name, args }) => ph === 'M' && name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  )
  const events = trace.traceEvents
    .filter(({ ph, pid, tid }) => ph === 'X' && threads.has(`${pid} ${tid}`))
    .toSorted((a, b) => a.ts - b.ts)
  const works: number[] = []
  let work = 0
  for (const { name, tdur = 0 } of events) {
    // A frame is committed within its task, so the time of the whole task counts for it.
    if (name === 'RunTask') work += tdur / 1000
    if (name !== 'Commit') continue
    works.push(work)
    work = 0
  }
  return works
}

/** The processor time that a process has used, in ms; the kernel counts in hundredths of a second. */
export function processTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
