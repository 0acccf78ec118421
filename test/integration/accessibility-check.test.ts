import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findings } from '../../e2e/assistive'
import { findChromium, launchChromium } from '../support/chromium'

const chromium = await findChromium()

/** A page whose text restarts its fade-in again and again and never finishes. */
const page = (color: string): string => `<!doctype html>
<html lang="en"><title>Fades</title>
<style>
  p { color: ${color}; background: #fff }
  .fading { animation: fade-in 600ms linear }
  @keyframes fade-in { from, 99% { opacity: 0.3 } }
</style>
<main><h1>Fades</h1><p id="words" class="fading">At once</p></main>
<script>
  setInterval(() => {
    words.className = ''
    words.offsetWidth
    words.className = 'fading'
  }, 300)
</script></html>`

describe.skipIf(chromium === null)('the accessibility check of the stories', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium(chromium!)
  })
  afterAll(() => browser.close())

  test('ignores fades that start while it runs', async () => {
    const shown = await browser.newPage()
    await shown.setContent(page('#000'))
    expect(await findings(shown)).toEqual([])
    await shown.close()
  })

  test('finds text with too little contrast after it has faded in, and leaves the fades to the page', async () => {
    const shown = await browser.newPage()
    await shown.setContent(page('#bbb'))
    expect(await findings(shown)).toEqual(['color-contrast: #words'])
    const duration = (): Promise<unknown> => shown.evaluate('getComputedStyle(words).animationDuration')
    await expect.poll(duration).toBe('0.6s')
    await shown.close()
  })
})
