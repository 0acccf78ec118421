import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { luminance } from '../support/luminance'

const read = (path: string): string =>
  readFileSync(join(import.meta.dirname, '..', '..', 'src', 'renderer', path), 'utf8')

describe('colours', () => {
  const tokens = read('styles/tokens.css')
  const content = read('ui/content/content.css')
  const [light = '', dark = ''] = tokens.split("[data-theme='dark']")
  const ansi = [...content.matchAll(/--ansi-([\w-]+): oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)/g)]

  it.each([
    ['light', light],
    ['dark', dark],
  ])('every program color is readable on the terminal, %s', (_theme, css) => {
    const background = luminance(/--term: oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)/.exec(css)!.slice(1).map(Number))
    const contrast = (parts: string[]): number => (luminance(parts.map(Number)) + 0.05) / (background + 0.05)
    expect(ansi).toHaveLength(16)
    // Black is for backgrounds; as a text colour it is lifted by xterm's own minimum.
    const faint = ansi
      .filter(([, name, ...parts]) => contrast(parts) < (name === 'black' ? 3 : 4.5))
      .map(([, name]) => name)
    expect(faint).toEqual([])
  })
})
