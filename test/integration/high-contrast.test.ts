import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { luminance } from '../support/luminance'

const read = (name: string): string =>
  readFileSync(join(import.meta.dirname, '..', '..', 'src', 'renderer', 'styles', name), 'utf8')

type Color = readonly [lightness: number, chroma: number, hue: number]

/** The colors that a rule sets, by token. */
function colorsOf(css: string, selector: string): Map<string, Color> {
  const block = css.split(`\n${selector} {`)[1]?.split('}')[0] ?? ''
  const found = [...block.matchAll(/--([\w-]+): oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)/g)]
  return new Map(found.map(([, name = '', l, c, h]) => [name, [Number(l), Number(c), Number(h)]]))
}

const tokens = `\n${read('tokens.css')}`
const chosen = `\n${read('appearance.css')}`
const HIGH = ":root[data-contrast='high']"
const DARK = "[data-theme='dark']"
const VIOLET = "[data-accent='violet']"
/** In order of precedence. */
const light = [colorsOf(tokens, ':root'), colorsOf(chosen, HIGH)]
const dark = [
  colorsOf(tokens, ':root'),
  colorsOf(tokens, DARK),
  colorsOf(chosen, HIGH),
  colorsOf(chosen, `:root${DARK}[data-contrast='high']`),
]
const violet = [...light, colorsOf(chosen, `:root${VIOLET}`), colorsOf(chosen, HIGH), colorsOf(chosen, HIGH + VIOLET)]
const darkViolet = [
  ...dark,
  colorsOf(chosen, `:root${VIOLET}`),
  colorsOf(chosen, `:root${DARK}${VIOLET}`),
  colorsOf(chosen, `:root${DARK}[data-contrast='high']`),
  colorsOf(chosen, `:root${DARK}[data-contrast='high']${VIOLET}`),
]

/** Foreground and background pairs. */
const ON_PAGE = ['ink', 'ink-2', 'ink-3', 'wait-ink', 'run-ink', 'done-ink', 'fail-ink', 'add-ink', 'del-ink']
const PAGES = ['paper', 'panel', 'raised', 'sunken']
const ON_OWN = ['wait', 'run', 'done', 'fail'].map((name) => [`${name}-ink`, `${name}-bg`] as const)
const PAIRS = [
  ...ON_PAGE.flatMap((text) => PAGES.map((page) => [text, page] as const)),
  ...ON_OWN,
  ['ink', 'bubble'],
  ['ink-2', 'bubble'],
  ['ink', 'add'],
  ['ink', 'del'],
  ['add-ink', 'add'],
  ['del-ink', 'del'],
  ['term-ink', 'term'],
  ['on-accent', 'accent'],
] as const

describe.each([
  ['light', light],
  ['dark', dark],
  ['light and violet', violet],
  ['dark and violet', darkViolet],
])('high contrast, %s', (_theme, layers) => {
  // Without an accent color, buttons use the page's colors inverted.
  const plain = new Map(layers.flatMap((layer) => [...layer]))
  const colors = new Map([['accent', plain.get('ink')!], ['on-accent', plain.get('paper')!], ...plain])

  it('has text contrast of at least 7:1 on every background', () => {
    const low = PAIRS.map(([text, page]) => ({
      pair: `${text} on ${page}`,
      ratio: ratioOf(colors, text, page),
    })).filter(({ ratio }) => !(ratio >= 7))
    expect(low).toEqual([])
  })

  it('has lines and a focus ring with a contrast of at least 3:1', () => {
    const low = ['line', 'line-strong', 'focus']
      .flatMap((line) =>
        ['paper', 'panel', 'raised'].map((page) => ({ line, page, ratio: ratioOf(colors, line, page) })),
      )
      .filter(({ ratio }) => !(ratio >= 3))
    expect(low).toEqual([])
  })
})

function ratioOf(colors: ReadonlyMap<string, Color>, text: string, page: string): number {
  const [one, other] = [colors.get(text), colors.get(page)]
  if (!one || !other) throw new Error(`No color ${text} or ${page}.`)
  const [high, low] = [luminance([...one]), luminance([...other])].toSorted((a, b) => b - a) as [number, number]
  return (high + 0.05) / (low + 0.05)
}
