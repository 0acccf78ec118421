import fc from 'fast-check'
import { expect, it } from 'vitest'
import { RowWindow, type Block } from './row-window'

interface Row {
  key: string
}

const rows = (count: number): Row[] => Array.from({ length: count }, (_, n) => ({ key: `${n}` }))
const blocks = (...counts: number[]): Block<Row>[] => counts.map((count, n) => ({ id: `f${n}`, rows: rows(count) }))
const make = (...counts: number[]): RowWindow<Row> => {
  const window = new RowWindow<Row>({ head: 30, of: () => 20 })
  window.setBlocks(blocks(...counts))
  return window
}

it('draws only the rows on screen', () => {
  const window = make(100, 100)
  expect(window.height).toBe(2 * (30 + 100 * 20))
  expect(window.parts(0, 100)).toEqual([{ index: 0, from: 0, to: 4, above: 0 }])
  expect(window.parts(1950, 2100)).toEqual([
    { index: 0, from: 96, to: 100, above: 1920 },
    { index: 1, from: 0, to: 3, above: 0 },
  ])
})

it('the drawn rows cover every offset, whatever their heights', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 20 }),
      fc.array(fc.tuple(fc.nat(), fc.nat(), fc.integer({ min: 5, max: 200 })), { maxLength: 20 }),
      fc.nat(),
      (counts, measured, place) => {
        const window = make(...counts)
        for (const [file, row, height] of measured) {
          const index = file % counts.length
          if (counts[index]! > 0) window.measure(`f${index}`, [[{ key: `${row % counts[index]!}` }, height]])
        }
        const top = place % window.height
        const parts = window.parts(top, top + 300)
        const starts = parts.map(({ index, from, above }) => window.topOf(index) + (from === 0 ? 0 : 30 + above))
        expect(starts[0]).toBeLessThanOrEqual(top)
        const last = parts.at(-1)!
        const end =
          last.to === counts[last.index]! ? window.topOf(last.index) + window.blockHeight(last.index) : Infinity
        expect(end).toBeGreaterThanOrEqual(Math.min(top + 300, window.height))
      },
    ),
  )
})

it('the rows on screen stay in place when rows above them change', () => {
  const window = make(10, 10)
  const anchor = window.anchorAt(30 + 10 * 20 + 30 + 45)!
  expect(anchor).toEqual({ id: 'f1', row: '2', offset: 5 })
  window.setBlocks(blocks(500, 10))
  expect(window.scrollTopFor(anchor)).toBe(30 + 500 * 20 + 30 + 45)
  window.measure('f0', [[{ key: '3' }, 120]])
  expect(window.scrollTopFor(anchor)).toBe(30 + 500 * 20 + 100 + 30 + 45)
})

it('an anchor whose row was removed falls back to the header of its file', () => {
  const window = make(10, 10)
  const anchor = window.anchorAt(30 + 10 * 20 + 30 + 195)!
  window.setBlocks(blocks(10, 2))
  expect(window.scrollTopFor(anchor)).toBe(230)
  window.setBlocks(blocks(10))
  expect(window.scrollTopFor(anchor)).toBeUndefined()
})
