import type { Page } from 'playwright-core'
import { median, round, type Measurement } from './measurement.ts'

/** Rare, frequent, in one message, in no message, and a single letter. */
const WORDS = ['atomically', 'the', 'Question 4321:', 'nothing like it', 'e']
const RUNS = 3

/** Runs in the page: how long from the key press until the number of matches is painted. */
const PROBE = `
window.findProbe = (() => {
  let pressed = 0
  const status = () => document.querySelector('[role="search"][aria-label="Session"] [role="status"]')?.textContent ?? ''
  addEventListener('keydown', (event) => { pressed = event.timeStamp }, { capture: true })
  return () => new Promise((resolve) => {
    const look = () => {
      if (status() === '') return void requestAnimationFrame(look)
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => { port1.close(); resolve(performance.now() - pressed) }
      port2.postMessage(0)
    }
    look()
  })
})()
`

/**
 * Searching for words in the conversation, most of which is not loaded: from the last key press to the number of
 * matches.
 */
export async function findWords(page: Page, messages: number): Promise<Measurement> {
  await page.evaluate(PROBE)
  await page.keyboard.press('Control+f')
  const field = page.getByRole('textbox', { name: 'Find in this session' })
  await field.focus()
  const times: number[] = []
  for (let run = 0; run < RUNS; run++) {
    for (const word of WORDS) {
      await field.fill(word.slice(0, -1))
      if (word.length > 1) await page.evaluate('findProbe()')
      await page.keyboard.press(word.at(-1)!)
      times.push(await page.evaluate<number>('findProbe()'))
    }
  }
  await field.press('Escape')
  return {
    name: `find in ${messages.toLocaleString('en-US')} messages: key to results`,
    value: round(median(times), 1),
    unit: 'ms',
    limit: 100,
    note: `median of ${times.length}; the longest ${round(Math.max(...times), 1)} ms`,
  }
}
