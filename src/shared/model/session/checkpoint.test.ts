import fc from 'fast-check'
import { expect, it } from 'vitest'
import { visibleRanges, type Cut } from './checkpoint'

it('hides what a restore removed, and shows it again after a redo', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constant('say' as const), fc.nat(60)), { maxLength: 60 }), (moves) => {
      // The simple method: keep what is visible after every event.
      const visibleAfter: number[][] = [[], [1]]
      const cuts: Cut[] = []
      for (const move of moves) {
        const seq = visibleAfter.length
        if (move === 'say') {
          visibleAfter.push([...visibleAfter[seq - 1]!, seq])
          continue
        }
        const to = 1 + (move % (seq - 1))
        cuts.push({ seq, to })
        visibleAfter.push([...visibleAfter[to]!, seq])
      }
      const end = visibleAfter.length - 1
      const found = visibleRanges(cuts, end)
        .toReversed()
        .flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, n) => from + n))
      expect(found).toEqual(visibleAfter[end])
    }),
  )
})

it('computes what was visible earlier', () => {
  const cuts = [
    { seq: 5, to: 2 },
    { seq: 8, to: 4 },
  ]
  expect(visibleRanges(cuts, 7)).toEqual([
    { from: 5, to: 7 },
    { from: 1, to: 2 },
  ])
  expect(visibleRanges(cuts, 9)).toEqual([
    { from: 8, to: 9 },
    { from: 1, to: 4 },
  ])
})
