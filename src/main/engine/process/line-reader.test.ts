import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cpuMs } from '../../../../test/support/cpu-time'
import { LineReader } from './line-reader'

test('gives the lines of a text, wherever it is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r') })), (pieces) => {
      const lines: string[] = []
      const reader = new LineReader((line) => lines.push(line))
      for (const piece of pieces) reader.add(piece)
      expect([...lines, reader.takeRest()]).toEqual(pieces.join('').split('\n'))
      expect(reader.takeRest()).toBe('')
    }),
  )
})

test('costs a line of many pieces no more than its length', () => {
  const piece = 'x'.repeat(1 << 12)
  const timeOf = (count: number): number => {
    const begin = cpuMs()
    let length = 0
    const reader = new LineReader((line) => (length = line.length))
    for (let n = 0; n < count; n += 1) reader.add(piece)
    reader.add('\n')
    expect(length).toBe(count * piece.length)
    return cpuMs() - begin
  }
  timeOf(1000)
  // Joined and searched again for each piece, it is 32 GB of text, which takes seconds.
  expect(timeOf(4000)).toBeLessThan(1500)
})
