import { describe, expect, it } from 'vitest'
import { AnswerReader, checkedAnswer } from './answer-reader'

const VALID = '{"jsonrpc":"2.0","id":7,"result":{"content":[]}}'
const messageOf = (text: string): string => (JSON.parse(text) as { error: { message: string } }).error.message

describe('a JSON body', () => {
  it('that answers the request is passed on unchanged', () => {
    expect(checkedAnswer(VALID, 7)).toBe(VALID)
    const batch = `[{"jsonrpc":"2.0","method":"notifications/message"}, ${VALID}]`
    expect(checkedAnswer(batch, 7)).toBe(batch)
  })

  it('that the protocol library would drop because of a detail is passed on without it', () => {
    const odd = '{"id":7,"result":{"content":[],"_meta":"x"},"trace":1}'
    expect(JSON.parse(checkedAnswer(odd, 7))).toEqual({ jsonrpc: '2.0', id: 7, result: { content: [] } })
  })

  it.each([
    ['', 'it is empty'],
    ['{"jsonrpc":', 'it is not JSON'],
    ['null', 'it is no response'],
    ['[]', 'it is no response'],
    ['{"jsonrpc":"2.0","method":"notifications/x"}', 'it is no response'],
    [VALID.replace('7', '8'), 'to another request'],
    ['{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"bad JSON"}}', 'bad JSON'],
    ['{"jsonrpc":"2.0","id":7,"result":"x"}', 'neither a result nor an error'],
    ['{"jsonrpc":"2.0","id":7,"error":{"message":"x"}}', 'neither a result nor an error'],
  ])('that is not a valid response fails the request immediately: %s', (body, why) => {
    expect(JSON.parse(checkedAnswer(body, 7))).toMatchObject({ jsonrpc: '2.0', id: 7 })
    expect(messageOf(checkedAnswer(body, 7))).toContain(why)
  })
})

describe('a stream of events', () => {
  /** The events inserted for each chunk. An event ends only at the end of a chunk, if at all. */
  const read = (request: number | undefined, ...chunks: string[]) => {
    const reader = new AnswerReader(request)
    const put = chunks.map((chunk) => {
      const bytes = Buffer.from(chunk)
      return reader.take(bytes, /(?:\r\n\r\n|\n\n)$/.test(chunk) ? bytes.length : 0)
    })
    return { put, isPending: reader.isPending }
  }

  it('with the response is passed on unchanged', () => {
    expect(read(7, `data: ${VALID}\n\n`)).toEqual({ put: [undefined], isPending: false })
    expect(read(7, `event: message\r\ndata: ${VALID.slice(0, 9)}`, `${VALID.slice(9)}\r\n\r\n`)).toEqual({
      put: [undefined, undefined],
      isPending: false,
    })
  })

  it.each([
    ['{"jsonrpc":"2.0","id":7,"result":5}', 'neither a result nor an error: 5'],
    ['{"jsonrpc":"2.0","id":7,"result":{', 'it is not JSON'],
  ])('whose response is invalid fails the request immediately, even if it stays open: %s', (data, why) => {
    for (const request of [7, undefined]) {
      const [put] = read(request, `data: ${data}\n\n`).put
      expect(put).toMatch(/^data: .*\n\n$/)
      expect(messageOf(put!.slice('data: '.length))).toContain(why)
    }
  })

  it('stays pending after responses to other requests, events of another kind and broken messages of the server', () => {
    const others = [
      `data: ${VALID.replace('7', '8')}\n\n`,
      `event: other\ndata: ${VALID}\n\n`,
      'data: {"jsonrpc":"2.0","id":7,"method":"ping"\n\n',
      'data: {"jsonrpc":\n\n',
    ]
    expect(read(7, ...others)).toEqual({ put: others.map(() => undefined), isPending: true })
    expect(read(7, 'id: 1\ndata: \n\n').isPending).toBe(false)
  })
})
