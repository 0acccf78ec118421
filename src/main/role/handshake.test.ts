import { createServer, connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder'
import { greetClient, greetEngine } from './handshake'

const KEY = 'k'.repeat(64)
const engine = { key: KEY, version: '1.2.3', pid: 7 }

/** Both ends of a connection, and all data that passed. */
async function pair(): Promise<{ client: Socket; server: Socket; seen: () => string }> {
  const path = join(await tempFolder(), 'socket')
  const listener = createServer({ allowHalfOpen: true })
  listener.listen(path)
  await once(listener, 'listening')
  const accepted = once(listener, 'connection') as Promise<[Socket]>
  const client = connect(path)
  const [server] = await accepted
  let seen = ''
  for (const socket of [client, server]) {
    socket.on('error', () => {})
    const push = socket.push.bind(socket)
    socket.push = (chunk: Buffer | null, encoding) => {
      seen += chunk?.toString() ?? ''
      return push(chunk, encoding)
    }
  }
  onTestFinished(() => {
    client.destroy()
    server.destroy()
    listener.close()
  })
  return { client, server, seen: () => seen }
}

test('both sides prove that they have the key, and neither sends it', async () => {
  const { client, server, seen } = await pair()
  const [greeting, isClient] = await Promise.all([
    greetEngine(client, { key: KEY, version: '9.9.9' }),
    greetClient(server, engine),
  ])
  expect(greeting).toEqual({ protocol: 1, version: '1.2.3', pid: 7 })
  expect(isClient).toBe(true)
  expect(seen()).not.toContain(KEY)
})

test('a client refuses an engine that does not have the key', async () => {
  const { client, server } = await pair()
  const served = greetClient(server, { ...engine, key: 'x'.repeat(64) }).catch((error: unknown) => error)
  await expect(greetEngine(client, { key: KEY, version: '1' })).rejects.toMatchObject({ code: 'engine.foreign' })
  client.destroy()
  await served
})

test('an engine does not accept a client without the key, or one that repeats an earlier answer', async () => {
  const first = await pair()
  const lines: string[] = []
  first.server.on('data', (chunk) => lines.push(...chunk.toString().split('\n').filter(Boolean)))
  await Promise.all([greetEngine(first.client, { key: KEY, version: '1' }), greetClient(first.server, engine)])
  for (const proof of [JSON.parse(lines[1]!) as object, { proof: 'f'.repeat(64) }, {}, 'no']) {
    const { client, server } = await pair()
    const accepted = greetClient(server, engine)
    client.write(`${lines[0]}\n`)
    await once(client, 'data')
    client.write(`${JSON.stringify(proof)}\n`)
    expect(await accepted).toBe(false)
  }
})

test('other protocols, long lines and silence end the connection without harm', async () => {
  for (const said of ['GET / HTTP/1.1\r\n\r\n', '{}\n', '[]\n', 'x'.repeat(10_000), '']) {
    const { client, server } = await pair()
    const accepted = greetClient(server, engine).catch(() => false)
    client.end(said)
    expect(await accepted).toBe(false)
  }
})

test('an older and a newer client are told which side to update', async () => {
  for (const [protocol, advice] of [
    [2, 'restart it with "trestle engine restart --when-idle"'],
    [0, 'This program is older: update it'],
  ] as const) {
    const { client, server } = await pair()
    const served = greetClient(server, engine)
    const error = await greetEngine(client, { key: KEY, version: '9.0.0', protocol }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'engine.version' })
    expect(String(error)).toContain('The engine of this home is Trestle 1.2.3, and this is Trestle 9.0.0.')
    expect(String(error)).toContain(advice)
    expect(await served).toBe(false)
  }
})

test('lines that directly follow the last answer are not lost', async () => {
  const { client, server } = await pair()
  const accepted = greetClient(server, engine)
  await greetEngine(client, { key: KEY, version: '1' })
  client.write('after\n')
  expect(await accepted).toBe(true)
  server.resume()
  const [chunk] = (await once(server, 'data')) as [Buffer]
  expect(chunk.toString()).toBe('after\n')
})
