import { expect, it } from 'vitest'
import { failureOfLong, readMessages } from './read-message'

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
])('takes %j for noise', (line) => {
  expect(readMessages(line)).toBeUndefined()
})

it('reads one message, several at once, and one behind a byte order mark', () => {
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
])('an answer that is none (%j) fails its request instead of leaving it to its time limit', (answer, said) => {
  const message = { jsonrpc: '2.0', id: 4, ...answer }
  expect(readMessages(JSON.stringify(message))).toEqual([
    { jsonrpc: '2.0', id: 4, error: { code: expect.any(Number), message: expect.stringContaining(said) } },
  ])
})

it('finds whose answer a line was that is too long, whichever end the number is at, and never takes a request for an answer', () => {
  const bytes = 20_000_000
  const long = (head: string, tail: string) => failureOfLong({ bytes, head, tail }, 16 * 1024 * 1024)
  expect(long('{"jsonrpc":"2.0","id":12,"result":{"content":[{', '}]}}')).toMatchObject({
    id: 12,
    error: { message: expect.stringContaining('19 MiB') },
  })
  expect(long('{"result":{"content":[{', '}]},"jsonrpc":"2.0","id":13}')).toMatchObject({ id: 13 })
  expect(long('{"jsonrpc":"2.0","id":14,"method":"sampling/createMessage"', '"}')).toBeUndefined()
  expect(long('{"result":{"id":15,', '}}')).toBeUndefined()
})
