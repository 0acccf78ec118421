import fc from 'fast-check'
import { expect, it } from 'vitest'
import { moveRange } from './review-comments'

interface Edit {
  kind: 'insert' | 'remove' | 'replace'
  at: number
  count: number
}

const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom('insert' as const, 'remove' as const, 'replace' as const),
  at: fc.nat(),
  count: fc.integer({ min: 1, max: 5 }),
})

/** A line with an identity that does not depend on its text. */
interface Tagged {
  tag: number
  text: string
}

const textOf = (lines: readonly Tagged[]): string => lines.map(({ text }) => `${text}\n`).join('')

function apply(lines: readonly Tagged[], { kind, at, count }: Edit, fresh: () => Tagged): Tagged[] {
  const place = lines.length === 0 ? 0 : at % (lines.length + (kind === 'insert' ? 1 : 0))
  const added = kind === 'remove' ? [] : Array.from({ length: count }, fresh)
  return lines.toSpliced(place, kind === 'insert' ? 0 : count, ...added)
}

it('comments stay on their lines through 100 random edits of the file, or report that the line was deleted', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 120 }),
      fc.array(edit, { minLength: 100, maxLength: 100 }),
      fc.nat(),
      async (size, edits, pick) => {
        let tags = 0
        const fresh = (): Tagged => ({ tag: (tags += 1), text: `line ${tags}` })
        let lines = Array.from({ length: size }, fresh)
        const { tag } = lines[pick % size]!
        let [snapshot, at] = [textOf(lines), (pick % size) + 1]
        for (const one of edits) {
          lines = apply(lines, one, fresh)
          const text = textOf(lines)
          const moved = await moveRange(snapshot, text, { line: at, endLine: at })
          const expected = lines.findIndex((line) => line.tag === tag)
          expect(moved.isGone).toBe(expected < 0)
          if (moved.isGone) continue
          expect([moved.line, moved.endLine]).toEqual([expected + 1, expected + 1])
          ;[snapshot, at] = [text, moved.line]
        }
      },
    ),
    { numRuns: 25 },
  )
})

it('in a file of many equal lines, a comment never moves to a line that reads differently', async () => {
  const words = ['}', '', '  return', 'end', 'x']
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 60 }),
      fc.array(edit, { minLength: 100, maxLength: 100 }),
      fc.nat(),
      async (start, edits, pick) => {
        let tags = 0
        const fresh = (): Tagged => ({ tag: (tags += 1), text: words[tags % words.length]! })
        let lines = start.map((text): Tagged => ({ tag: (tags += 1), text }))
        const { text: commented } = lines[pick % lines.length]!
        let [snapshot, at] = [textOf(lines), (pick % lines.length) + 1]
        for (const one of edits) {
          lines = apply(lines, one, fresh)
          const text = textOf(lines)
          const moved = await moveRange(snapshot, text, { line: at, endLine: at })
          if (moved.isGone) continue
          expect(lines[moved.line - 1]?.text).toBe(commented)
          ;[snapshot, at] = [text, moved.line]
        }
      },
    ),
    { numRuns: 25 },
  )
})

it('a range keeps its remaining lines', async () => {
  const before = 'a\nb\nc\nd\ne\n'
  expect(await moveRange(before, 'new\na\nb\nd\ne\n', { line: 2, endLine: 4 })).toEqual({
    line: 3,
    endLine: 4,
    isGone: false,
  })
  expect(await moveRange(before, 'a\ne\n', { line: 2, endLine: 4 })).toMatchObject({ isGone: true, line: 2 })
})

it('a change of line ends does not move comments', async () => {
  expect(await moveRange('a\nb\n', 'a\r\nb\r\n', { line: 2, endLine: 2 })).toEqual({
    line: 2,
    endLine: 2,
    isGone: false,
  })
})
