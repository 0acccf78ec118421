import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const TOKENS = readFileSync(join(import.meta.dirname, '../../src/renderer/styles/tokens.css'), 'utf8')

/** The lightness of a colour in the light and the dark theme. */
function lightness(name: string): number[] {
  return [...TOKENS.matchAll(new RegExp(`--${name}: oklch\\(([\\d.]+)`, 'g'))].map(([, value]) => Number(value))
}

it("the user's bubble stands out from the page in both themes, and is not darker than the page in the dark one", () => {
  const [light = 0, dark = 0] = lightness('bubble')
  const [lightPaper = 0, darkPaper = 0] = lightness('paper')
  expect(light).toBeLessThan(lightPaper - 0.02)
  expect(dark).toBeGreaterThan(darkPaper + 0.02)
})
