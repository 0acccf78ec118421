import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LineScan, TailSearch } from './line-scan'
import { lineEndings } from './text-file'

const LIMITS = { maxLines: 1_000, maxLineChars: 2_000, maxChars: 1_000_000 }

function linesOf(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

const texts = fc
  .array(fc.constantFrom('a', 'bc', '\n', '\r', '\r\n', '\u20ac', 'x'.repeat(9)), { maxLength: 40 })
  .map((parts) => parts.join(''))

describe('LineScan', () => {
  it('finds the same lines for any division of the file into chunks', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 8 }), (text, size, line) => {
        const scan = new LineScan({ ...LIMITS, start: { line } })
        // Chunks must not split characters, so the text is cut, not its bytes; the buffer is reused as real reads do.
        const buffer = Buffer.alloc(64)
        for (let at = 0; at < text.length; at += size)
          scan.push(buffer.subarray(0, buffer.write(text.slice(at, at + size))))
        scan.end()
        const lines = linesOf(text)
        expect(scan.kept.map(({ raw }) => raw)).toEqual(lines.slice(line - 1))
        expect(scan.lines).toBe(lines.length)
        expect(scan.endings).toBe(lineEndings(text))
        expect(scan.endsWithNewline).toBe(text.endsWith('\n'))
        expect(scan.firstLine).toBe(lines.length >= line ? line : undefined)
      }),
    )
  })

  it('finds the last lines from the end, with their numbers', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 8 }), (text, size, count) => {
        const bytes = Buffer.from(text)
        const search = new TailSearch(count)
        for (let end = bytes.length; end > 0 && search.start === undefined; end -= size) {
          search.push(bytes.subarray(Math.max(0, end - size), end), Math.max(0, end - size))
        }
        const scan = new LineScan({ ...LIMITS, start: { byte: search.start ?? 0 } })
        scan.push(bytes)
        scan.end()
        const lines = linesOf(text)
        expect(scan.kept.map(({ raw }) => raw)).toEqual(lines.slice(-count))
        expect(scan.firstLine).toBe(lines.length === 0 ? undefined : Math.max(1, lines.length - count + 1))
      }),
    )
  })

  it('keeps only the beginning of a huge line, so memory stays bounded', () => {
    const scan = new LineScan({ ...LIMITS, start: { line: 1 } })
    const chunk = Buffer.alloc(1024 * 1024, 'x')
    for (let round = 0; round < 64; round++) scan.push(chunk)
    scan.push(Buffer.from('\nnext'))
    scan.end()
    expect(scan.kept[0]).toMatchObject({ long: true })
    expect(scan.kept[0]!.raw.length).toBeLessThan(7_000)
    expect(scan.kept[1]).toEqual({ raw: 'next', long: false })
    expect(scan.lines).toBe(2)
  })

  it('stops keeping at its limits but counts on', () => {
    const scan = new LineScan({ start: { line: 2 }, maxLines: 2, maxLineChars: 10, maxChars: 100 })
    scan.push(Buffer.from('1\n2\n3\n4\n5\n'))
    scan.end()
    expect(scan.kept.map(({ raw }) => raw)).toEqual(['2', '3'])
    expect(scan.full).toBe(true)
    expect(scan.lines).toBe(5)
  })
})
