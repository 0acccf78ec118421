import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { AnyMessage } from '@agentclientprotocol/sdk'
import { boundedLines, stdioStream } from './json-rpc'
import { limitNow } from '../../../../../test/support/machine-pace'

function pipes() {
  const [input, output] = [new PassThrough(), new PassThrough()]
  let written = ''
  output.setEncoding('utf8').on('data', (text: string) => (written += text))
  return {
    input,
    output,
    written: () =>
      written
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as { id: unknown; error?: { code: number } }),
  }
}

describe('lines of a client', () => {
  it.each([1, 2, 3, 7, 100])(
    'are truncated when too long, and the next one is intact, in chunks of %i bytes',
    (size) => {
      const bounded = boundedLines(5)
      const text = Buffer.from('12345\n123456789\n\n1\n12345678')
      const pieces: Buffer[] = []
      for (let at = 0; at < text.length; at += size) pieces.push(bounded(text.subarray(at, at + size)))
      expect(Buffer.concat(pieces).toString()).toBe('12345\n12345\n\n1\n12345')
    },
  )

  it('that are too long get a parse error, and later lines still work', async () => {
    const { input, output, written } = pipes()
    const { readable } = stdioStream({ input, output, onInputEnd: async () => undefined, maxLineBytes: 200 })
    input.end(
      `{"jsonrpc":"2.0","method":"a"}\n{"jsonrpc":"2.0","method":"${'x'.repeat(100_000)}"}\n` +
        '{"jsonrpc":"2.0","method":"b"}\n',
    )
    const methods: unknown[] = []
    for await (const message of readable) methods.push('method' in message && message.method)
    expect(methods).toEqual(['a', 'b'])
    expect(written().map(({ error }) => error?.code)).toEqual([-32700])
  })
})

it('a message that is nested too deeply to be written is written without its deep values', async () => {
  const { input, output, written } = pipes()
  const { writable } = stdioStream({ input, output, onInputEnd: async () => undefined })
  const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000))
  const writer = writable.getWriter()
  await writer.write({ jsonrpc: '2.0', id: 1, error: { code: -32600, message: 'Invalid request', data: deep } })
  await writer.write({ jsonrpc: '2.0', method: 'session/update', params: { rawInput: deep, title: 'Read' } })
  await writer.write({ jsonrpc: '2.0', id: 2, result: {} })
  expect(written()).toMatchObject([
    { id: 1, error: { code: -32600, message: 'Invalid request' } },
    { params: { title: 'Read' } },
    { id: 2, result: {} },
  ])
})

it('input after the connection was closed is ignored', async () => {
  const { input, output } = pipes()
  const { readable } = stdioStream({ input, output, onInputEnd: async () => undefined })
  await readable.cancel()
  await expect.poll(() => input.destroyed).toBe(true)
  expect(() => input.emit('data', Buffer.from('{"jsonrpc":"2.0","method":"late"}\n'))).not.toThrow()
})

describe('the end of the input', () => {
  it('waits for running requests and the cleanup', async () => {
    const { input, output, written } = pipes()
    const order: string[] = []
    const { readable, writable } = stdioStream({
      input,
      output,
      async onInputEnd() {
        order.push('ending')
      },
    })
    const writer = writable.getWriter()
    input.end('{"jsonrpc":"2.0","id":7,"method":"slow"}\n{"jsonrpc":"2.0","id":8,"result":{}}\n')
    const reading = (async () => {
      const got: AnyMessage[] = []
      for await (const message of readable) got.push(message)
      order.push('closed')
      return got
    })()
    while (!order.includes('ending')) await new Promise((resolve) => setImmediate(resolve))
    await writer.write({ jsonrpc: '2.0', method: 'session/update', params: {} })
    expect(order).toEqual(['ending'])
    await writer.write({ jsonrpc: '2.0', id: 7, result: {} })
    expect(await reading).toHaveLength(2)
    expect(written().at(-1)?.id).toBe(7)
  })

  it('does not wait for responses to invalid requests', async () => {
    const { input, output } = pipes()
    const { readable } = stdioStream({ input, output, onInputEnd: async () => undefined })
    input.end('{"id":1,"method":"a"}\n{"jsonrpc":"2.0","id":2,"method":5}\n{"jsonrpc":"2.0","id":{},"method":"a"}\n')
    const startedAt = performance.now()
    for await (const message of readable) expect(message).toBeDefined()
    expect(performance.now() - startedAt).toBeLessThan(limitNow(1500))
  })
})
