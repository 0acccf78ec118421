import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readLines, type ReadLine } from './json-lines'

async function* piecesOf(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0
  for (const cut of cuts.map((n) => n % (bytes.length + 1)).toSorted((a, b) => a - b)) {
    yield bytes.subarray(at, cut)
    at = cut
  }
  yield bytes.subarray(at)
}

async function read(bytes: Uint8Array, cuts: readonly number[] = [], most = 1000): Promise<ReadLine[]> {
  const lines: ReadLine[] = []
  for await (const line of readLines(piecesOf(bytes, cuts), most)) lines.push(line)
  return lines
}

test('keeps lines intact across chunk boundaries, even in the middle of a character', async () => {
  const line = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((text) => text.trim() !== '' && !text.includes('\n') && text.isWellFormed())
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 20 }),
      fc.array(fc.nat(), { maxLength: 20 }),
      fc.boolean(),
      async (lines, cuts, ends) => {
        const text = lines.join('\n') + (ends ? '\n' : '')
        const got = await read(new TextEncoder().encode(text), cuts, 100_000)
        // A byte order mark is not part of a line.
        expect(got.map((one) => ('text' in one ? one.text : one))).toEqual(
          lines.map((one) => one.replace(/^\ufeff/, '')),
        )
      },
    ),
  )
})

test('keeps the lines before and after one that is too long or not UTF-8', async () => {
  const bytes = Buffer.concat([
    Buffer.from('one\n'),
    Buffer.alloc(5000, 'x'),
    Buffer.from('\n'),
    Buffer.from([0xff, 0xfe, 0x0a]),
    Buffer.from('two'),
  ])
  expect(await read(bytes, [3, 500, 1500, 4000])).toEqual([
    { n: 1, text: 'one' },
    { n: 2, problem: expect.stringMatching(/longer than 1000 bytes/) },
    { n: 3, problem: expect.stringMatching(/not UTF-8/) },
    { n: 4, text: 'two' },
  ])
})
