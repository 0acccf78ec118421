import { describe, expect, it } from 'vitest'
import { parseCounts, parseMatches, parsePaths } from './parse-output'

const read = (text: string | Buffer) =>
  parseMatches(Buffer.from(text)).map((file) => ({
    path: file.path,
    matches: file.matches,
    note: file.note,
    lines: [...file.read()].map(({ line, isMatch, text }) => `${line}${isMatch ? ':' : '-'}${text}`),
  }))

describe('parse ripgrep output', () => {
  it('omits an incomplete record, and keeps everything before it', () => {
    expect(parsePaths(Buffer.from('a\0b\nc\0half'))).toEqual(['a', 'b\nc'])
    expect(parseCounts(Buffer.from('a\x003\nb\x0012'))).toEqual([{ path: 'a', count: 3 }])
    expect(read('a\x001:x\na\x002:half of a li')).toEqual([{ path: 'a', matches: 1, note: undefined, lines: ['1:x'] }])
    expect(parsePaths(Buffer.alloc(0))).toEqual([])
  })

  it('distinguishes matches from context by the character after the number, not by the text of the line', () => {
    expect(read('a\x009-8:x\na\x0010:9-y\n')[0]).toMatchObject({ matches: 1, lines: ['9-8:x', '10:9-y'] })
  })

  it('separates a remark about a binary file from the name after it', () => {
    const note = 'binary file matches (found "\\0" byte around offset 4)'
    expect(read(`x: y: ${note}\nb\x001:x\nc: ${note}\n`)).toEqual([
      { path: 'x: y', matches: 1, note, lines: [] },
      { path: 'b', matches: 1, note: undefined, lines: ['1:x'] },
      { path: 'c', matches: 1, note, lines: [] },
    ])
  })

  it('reads where a cut line was cut', () => {
    const [file] = parseMatches(Buffer.from('a\x007;201/500:match\na\x008,1/90:around\na\x009:x\n'))
    expect(file?.matches).toBe(2)
    expect([...file!.read()]).toEqual([
      { line: 7, isMatch: true, text: 'match', cut: { first: 201, total: 500 } },
      { line: 8, isMatch: false, text: 'around', cut: { first: 1, total: 90 } },
      { line: 9, isMatch: true, text: 'x' },
    ])
  })

  it('does not fail on names and lines that are not UTF-8', () => {
    expect(read(Buffer.from([0xff, 0, 0x31, 0x3a, 0xfe, 0x0a]))).toEqual([
      { path: '\ufffd', matches: 1, note: undefined, lines: ['1:\ufffd'] },
    ])
  })

  it('parses 10 MiB of one-letter lines without an object for each', () => {
    const output = Buffer.from('a\x001:x\n'.repeat(1_400_000))
    const before = process.memoryUsage().heapUsed
    const [file] = parseMatches(output)
    expect(file?.lines).toBe(1_400_000)
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(200_000_000)
  })
})
