import { expect, it } from 'vitest'
import { LineSplitter, type LongLine } from './line-splitter'

function split(chunks: readonly (string | Buffer)[], maxBytes = 1000) {
  const lines: string[] = []
  const long: LongLine[] = []
  const splitter = new LineSplitter(
    maxBytes,
    (line) => lines.push(line),
    (line) => long.push(line),
  )
  for (const chunk of chunks) splitter.push(Buffer.from(chunk))
  return { splitter, lines, long }
}

it('cuts lines wherever the pieces end, within a character too', () => {
  const bytes = Buffer.from('{"a":"ü€😀"}\r\n\nnext\n')
  for (let size = 1; size <= bytes.length; size++) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size))
    expect(split(pieces).lines).toEqual(['{"a":"ü€😀"}', '', 'next'])
  }
})

it('holds no more than is allowed of a line without an end, and takes the next one as it is', () => {
  const { lines, long } = split([
    '{"jsonrpc":"2.0","id":7,"x":"',
    ...Array.from({ length: 50 }, () => 'y'.repeat(100)),
    '","id":7}\nnext\n',
  ])
  expect(lines).toEqual(['next'])
  expect(long).toMatchObject([{ bytes: 5038 }])
  expect(long[0]!.head).toMatch(/^\{"jsonrpc":"2.0","id":7,"x":"yyy/)
  expect(long[0]!.head.length).toBeLessThanOrEqual(256)
  expect(long[0]!.tail).toMatch(/yyy","id":7\}$/)
  expect(long[0]!.tail.length).toBeLessThanOrEqual(256)
})

it('tells of what stands after the last line break only at the end', () => {
  const { splitter, lines } = split(['one\ntwo'])
  expect(lines).toEqual(['one'])
  splitter.end()
  splitter.end()
  expect(lines).toEqual(['one', 'two'])
})

it('makes bytes that are no text into characters that say so', () => {
  expect(split([Buffer.from([0xff, 0x41, 0xc3, 0x0a])]).lines).toEqual(['\ufffdA\ufffd'])
})
