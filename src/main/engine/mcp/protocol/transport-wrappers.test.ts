import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { expect, it } from 'vitest'
import { guardRequests } from './transport-wrappers'

/** A transport whose responses are accepted when `take` is called; `got` contains what the protocol received. */
function slowTransport() {
  const got: JSONRPCMessage[] = []
  const takers: (() => void)[] = []
  const drops: string[] = []
  const transport: Transport = {
    start: async () => undefined,
    close: async () => undefined,
    send: () => new Promise((resolve) => takers.push(resolve)),
    onmessage: (message) => got.push(message),
  }
  guardRequests(transport, () => drops.push('dropped'))
  const ask = (id: number): void => transport.onmessage?.({ jsonrpc: '2.0', id, method: 'ping' })
  return { transport, got, drops, ask, take: () => takers.splice(0).forEach((taken) => taken()) }
}

it('limits a server that accepts no responses to a hundred requests, reports it once, and resumes when it accepts them', async () => {
  const { transport, got, drops, ask, take } = slowTransport()
  for (let id = 0; id < 5000; id++) ask(id)
  expect(got).toHaveLength(100)
  expect(drops).toHaveLength(1)
  const sent = Promise.all(
    got.map((message) => transport.send({ jsonrpc: '2.0', id: (message as { id: number }).id, result: {} })),
  )
  ask(6000)
  expect(got).toHaveLength(100)
  take()
  await sent
  ask(6001)
  expect(got).toHaveLength(101)
})

it('frees capacity for cancelled requests, and always passes responses and notifications', () => {
  const { transport, got, ask } = slowTransport()
  for (let id = 0; id < 200; id++) ask(id)
  transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } })
  transport.onmessage?.({ jsonrpc: '2.0', id: 1, result: {} })
  ask(500)
  ask(501)
  expect(got).toHaveLength(103)
  expect(got.at(-1)).toMatchObject({ id: 500 })
})
