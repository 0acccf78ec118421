import { cpus, loadavg } from 'node:os'
import type { Page } from '@playwright/test'
import { limitNow } from '../test/support/machine-pace'
import { expect, test } from './app'
import { sendPrompt, startSession, transcriptText } from './steps'

const FILES = 500
/** On a busy machine the limits are wider, so that only gross slowness fails. */
const slack = (): number => (loadavg()[0]! > cpus().length * 1.5 ? 12 : limitNow(1))
const LINES = 120

/** Every second line is changed: 60,000 lines removed and added in all. */
const source = (file: number): string =>
  Array.from({ length: LINES }, (_, n) =>
    n % 2 === 0
      ? `export function step${file}x${n}(input: number): number { return input + ${n} /* before */ }`
      : `// Line ${n} of file ${file} stays as it is.`,
  ).join('\n')

test.use({
  config: { more: 'default_permission_mode = "auto"' },
  files: Object.fromEntries(
    Array.from({ length: FILES }, (_, n) => [`src/part${n % 20}/file${n}.ts`, `${source(n)}\n`]),
  ),
  model: {
    script: [
      {
        toolCalls: [{ name: 'Bash', input: { command: "find src -name '*.ts' -exec sed -i 's/before/after/' {} +" } }],
      },
      { text: 'All changed.' },
    ],
  },
})

/** The times between frames of an idle page, or of a review that scrolls. */
async function frames(page: Page, scrolls: boolean): Promise<number[]> {
  return page.evaluate(`new Promise((resolve) => {
    const scroller = document.querySelector('.review-scroll')
    const times = []
    let last = performance.now()
    const frame = (now) => {
      times.push(now - last)
      last = now
      if (${scrolls}) scroller.scrollTop += 120
      if (times.length < 240) requestAnimationFrame(frame)
      else resolve(times.slice(10))
    }
    requestAnimationFrame(frame)
  })`)
}

const p95 = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0

test.setTimeout(400_000)

test('a review of 500 files and 60,000 lines opens quickly and scrolls smoothly', async ({ app }) => {
  const { page } = app
  await page.setViewportSize({ width: 1720, height: 980 })
  await startSession(app)
  await sendPrompt(page, 'change all')
  await expect(transcriptText(page, 'All changed.')).toBeVisible({ timeout: 60_000 })
  await page.getByRole('tab', { name: /Changes/ }).click()
  const button = page.getByRole('tabpanel', { name: /Changes/ }).getByRole('button', { name: 'Review', exact: true })
  const open = async (): Promise<number> => {
    await expect(button).toBeVisible()
    return page.evaluate(`new Promise((resolve) => {
      const start = performance.now()
      const look = () => {
        if (document.querySelectorAll('.review-line').length < 20) requestAnimationFrame(look)
        else requestAnimationFrame(() => resolve(performance.now() - start))
      }
      ;[...document.querySelectorAll('[role=tabpanel] button')].find((one) => one.textContent === 'Review').click()
      look()
    })`)
  }
  const paints: number[] = []
  for (let n = 0; n < 3; n += 1) {
    paints.push(await open())
    if (n < 2) await page.getByRole('button', { name: 'Close Review' }).click()
  }
  const review = page.getByRole('region', { name: 'Review', exact: true })
  await expect(review.getByText('500 files')).toBeVisible()
  // The remaining diffs load page by page.
  await expect(review.getByText('+30,000')).toBeVisible({ timeout: 200_000 })
  await expect.poll(() => page.locator('.review-line').count()).toBeLessThan(300)
  const idle = p95(await frames(page, false))
  const scrolling = p95(await frames(page, true))
  const best = Math.min(...paints)
  process.stdout.write(
    `review of 500 files: first paint ${paints.map(Math.round).join(', ')} ms; ` +
      `frames p95 ${scrolling.toFixed(1)} ms while scrolling, ${idle.toFixed(1)} ms at rest\n`,
  )
  expect(best).toBeLessThan(500 * slack())
  expect(scrolling).toBeLessThan(Math.max(20, idle * 1.5) * slack())
})
