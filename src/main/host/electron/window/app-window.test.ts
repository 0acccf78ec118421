import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BACKGROUND_COLORS } from './app-window'

const TOKENS = readFileSync(join(import.meta.dirname, '../../../../renderer/styles/tokens.css'), 'utf8')

test("the window opens in the theme's background color, without a flash before the page has painted", () => {
  const papers = [...TOKENS.matchAll(/--paper: oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)/g)].map(([, ...numbers]) => {
    const [lightness = 0, chroma = 0, hue = 0] = numbers.map(Number)
    return hexOf(lightness, chroma, hue)
  })
  expect(papers).toEqual([BACKGROUND_COLORS.light, BACKGROUND_COLORS.dark])
})

/** OKLCH to sRGB, by the matrices of CSS Color 4. */
function hexOf(lightness: number, chroma: number, hue: number): string {
  const a = chroma * Math.cos((hue * Math.PI) / 180)
  const b = chroma * Math.sin((hue * Math.PI) / 180)
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
  const bytes = linear.map((part) =>
    Math.round(255 * (part <= 0.0031308 ? 12.92 * part : 1.055 * part ** (1 / 2.4) - 0.055)),
  )
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
