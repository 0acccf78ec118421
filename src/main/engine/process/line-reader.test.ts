import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cpuMs } from '../../../../test/support/cpu-time'
import { LineReader } from './line-reader'

test('returns the same lines, wherever the text is split', () => {
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

test('the cost of a line grows with its length, not with the number of pieces', () => {
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
  // Joining and searching the text again for each piece would process 32 GB, which takes seconds.
  expect(timeOf(4000)).toBeLessThan(1500)
})
