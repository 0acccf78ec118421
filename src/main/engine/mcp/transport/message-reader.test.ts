import { expect, it } from 'vitest'
import { LineSplitter, type LongLine, responseForLongLine, readMessages } from './message-reader'

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

it('splits lines no matter where chunks end, even within a character', () => {
  const bytes = Buffer.from('{"a":"ü€😀"}\r\n\nnext\n')
  for (let size = 1; size <= bytes.length; size++) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
      bytes.subarray(n * size, (n + 1) * size),
    )
    expect(split(pieces).lines).toEqual(['{"a":"ü€😀"}', '', 'next'])
  }
})

it('keeps an endless line only up to the limit, and reads the next one unchanged', () => {
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

it('returns text after the last line break only at the end', () => {
  const { splitter, lines } = split(['one\ntwo'])
  expect(lines).toEqual(['one'])
  splitter.end()
  splitter.end()
  expect(lines).toEqual(['one', 'two'])
})

it('turns invalid bytes into replacement characters', () => {
  expect(split([Buffer.from([0xff, 0x41, 0xc3, 0x0a])]).lines).toEqual(['\ufffdA\ufffd'])
})

it.each([
  ['Listening on port 3000'],
  [''],
  ['{"jsonrpc":"2.0"'],
  ['{"jsonrpc":"1.0","id":1}'],
  ['{"jsonrpc":"2.0"}'],
  ['[]'],
  ['[1, null]'],
  ['null'],
  ['{"jsonrpc":"2.0","id":null,"method":7}'],
])('ignores %j as noise', (line) => {
  expect(readMessages(line)).toBeUndefined()
})

it('reads one message, a batch, and one after a byte order mark', () => {
  const message = { jsonrpc: '2.0', id: 1, result: {} }
  expect(readMessages(JSON.stringify(message))).toEqual([message])
  expect(readMessages(JSON.stringify([message, 7, message]))).toEqual([message, message])
  expect(readMessages(`\ufeff ${JSON.stringify(message)}`)).toEqual([message])
})

it.each([
  [{ result: null }, 'null'],
  [{ result: 'done' }, 'done'],
  [{ error: 'it broke' }, 'it broke'],
  [{ error: { code: 'E1', message: 'x' } }, 'E1'],
  [{}, 'empty'],
])('fails the request of an invalid response (%j) before the timeout', (answer, said) => {
  const message = { jsonrpc: '2.0', id: 4, ...answer }
  expect(readMessages(JSON.stringify(message))).toEqual([
    { jsonrpc: '2.0', id: 4, error: { code: expect.any(Number), message: expect.stringContaining(said) } },
  ])
})

it('finds the id of an overlong response at either end, and never mistakes a request for a response', () => {
  const bytes = 20_000_000
  const long = (head: string, tail: string) => responseForLongLine({ bytes, head, tail }, 16 * 1024 * 1024)
  expect(long('{"jsonrpc":"2.0","id":12,"result":{"content":[{', '}]}}')).toMatchObject({
    id: 12,
    error: { message: expect.stringContaining('19 MiB') },
  })
  expect(long('{"result":{"content":[{', '}]},"jsonrpc":"2.0","id":13}')).toMatchObject({ id: 13 })
  expect(long('{"jsonrpc":"2.0","id":14,"method":"sampling/createMessage"', '"}')).toBeUndefined()
  expect(long('{"result":{"id":15,', '}}')).toBeUndefined()
})
