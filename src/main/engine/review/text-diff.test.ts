import { expect, it } from 'vitest'
import fc from 'fast-check'
import { hunksOf, linesOf, textDifference } from './text-diff'

const numbered = (count: number): string => Array.from({ length: count }, (_, n) => `line ${n + 1}\n`).join('')

it('nearby changes share a hunk with 3 lines of context', async () => {
  const before = numbered(40)
  const after = before.replace('line 5\n', 'five\n').replace('line 10\n', 'ten\n').replace('line 30\n', '')
  const hunks = hunksOf(await textDifference(before, after))
  expect(hunks.map(({ old, new: fresh, changes }) => [old, fresh, changes.length])).toEqual([
    [2, 2, 2],
    [27, 27, 1],
  ])
  expect(hunks[1]?.lines).toEqual([' line 27', ' line 28', ' line 29', '-line 30', ' line 31', ' line 32', ' line 33'])
})

it('a missing newline at the end of the file is marked on the side that lacks it', async () => {
  const [hunk] = hunksOf(await textDifference('a\nb', 'a\nb\n'))
  expect(hunk?.lines).toEqual([' a', '-b', '\\No newline at the end of the file', '+b'])
})

it('changing only the line ends is not a change of lines', async () => {
  const { runs, ignoresEnds } = await textDifference('a\nb\n', 'a\r\nb\r\n')
  expect([runs, ignoresEnds]).toEqual([[], true])
  expect((await textDifference('a\nb\n', 'a\r\nc\r\n')).runs).toHaveLength(1)
})

it('identical changes in a file have different ids', async () => {
  const { runs } = await textDifference('x\nkeep\nx\n', 'y\nkeep\ny\n')
  expect(new Set(runs.map(({ id }) => id)).size).toBe(2)
})

it('hidden characters are escaped, and very long lines are truncated', async () => {
  const [hunk] = hunksOf(await textDifference('a\n', `b\u202e\n${'x'.repeat(5000)}\n`))
  expect(hunk?.lines[1]).toBe('+b\\u{202e}')
  expect(hunk?.lines[2]).toMatch(/^\+x{2000}⋯ 3,000 characters ⋯$/)
})

it('the old text with every run replaced is the new text', async () => {
  const text = fc
    .array(fc.constantFrom('a\n', 'b\n', 'c\r\n', '}\n', '\n'), { maxLength: 40 })
    .map((all) => all.join(''))
  await fc.assert(
    fc.asyncProperty(text, text, async (before, after) => {
      const { runs, ignoresEnds } = await textDifference(before, after)
      if (ignoresEnds) return
      const lines = linesOf(before)
      for (const run of runs.toReversed()) lines.splice(run.oldAt, run.old.length, ...run.new)
      expect(lines.join('')).toBe(after)
    }),
  )
})

it('two large texts without a common line are shown as replaced, in bounded time', async () => {
  const lines = (word: string): string => Array.from({ length: 30_000 }, (_, n) => `${word} ${n}\n`).join('')
  const { runs, isCoarse } = await textDifference(lines('old'), lines('new'))
  expect([runs.length, isCoarse]).toEqual([1, true])
})

it('a few changes of a very large text are found line by line', async () => {
  const before = numbered(60_000)
  const after = before.replace('line 5\n', 'five\n').replace('line 40000\n', '').replace('line 59000\n', 'x\ny\n')
  const { runs, isCoarse } = await textDifference(before, after)
  expect(isCoarse).toBe(false)
  expect(runs.map(({ oldAt, old, new: fresh }) => [oldAt + 1, old.length, fresh.length])).toEqual([
    [5, 1, 1],
    [40_000, 1, 0],
    [59_000, 1, 2],
  ])
})
