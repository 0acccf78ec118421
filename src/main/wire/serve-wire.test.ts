import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { memoryEngine } from '../../../test/support/memory-engine'
import { until } from '../../../test/support/until'
import type { WireLine } from '../../shared/contract/stdio-wire'
import { createRouter } from '../api/server/router'
import { createLineWriter } from './json-lines'
import { wireMethods, createWireServer } from './serve-wire'

/** A pipe whose reader reads only on demand. */
class SlowPipe extends Writable {
  readonly lines: WireLine[] = []
  reads = true
  #next: (() => void) | undefined

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    const take = (): void => {
      this.lines.push(JSON.parse(chunk.toString()) as WireLine)
      done()
    }
    if (this.reads) take()
    else this.#next = take
  }

  readAgain(): void {
    this.reads = true
    this.#next?.()
  }
}

async function setup() {
  const engine = memoryEngine()
  const { sessionId } = await engine.sessions.create({ folder: '/p' })
  const pipe = new SlowPipe()
  const host = { kind: 'wire' as const, chooseFolder: async () => null, openExternal: async () => false }
  const logBug = (message: string, error: unknown): never => {
    throw new Error(message, { cause: error })
  }
  const server = createWireServer(wireMethods(createRouter({ engine, host, logBug })), createLineWriter(pipe))
  let n = 0
  const send = (line: object): Promise<void> => server.receive({ n: ++n, text: JSON.stringify(line) })
  return { engine, sessionId, pipe, send }
}

test('bounds memory for a reader that stops during 100 MB of events, and reports what it missed', async () => {
  const { engine, sessionId, pipe, send } = await setup()
  await send({ id: 1, method: 'push.session', input: { sessionId, since: 1 } })
  await until(() => pipe.lines.length > 0, 'the start')
  pipe.reads = false
  const text = 'x'.repeat(10_000)
  for (let n = 0; n < 100; n += 1) {
    engine.record(
      sessionId,
      ...Array.from({ length: 100 }, () => ({ type: 'prompt.removed' as const, promptId: text })),
    )
    await new Promise((resolve) => setImmediate(resolve))
  }
  await until(() => engine.listenerCount(sessionId) === 0, 'the subscription to give up')
  expect(pipe.writableLength).toBeLessThan(4 << 20)
  pipe.readAgain()
  await until(() => pipe.lines.some((line) => 'end' in line), 'the end')
  expect(pipe.lines.slice(-2)).toEqual([
    { id: 1, event: { type: 'lagged' } },
    { id: 1, end: true },
  ])
})

test('bounds pending responses for a reader that stops', async () => {
  const { engine, sessionId, pipe, send } = await setup()
  engine.record(
    sessionId,
    ...Array.from({ length: 100 }, () => ({ type: 'prompt.removed' as const, promptId: 'x'.repeat(10_000) })),
  )
  pipe.reads = false
  let taken = 0
  const client = (async () => {
    for (let id = 1; id <= 150; id += 1) {
      await send({ id, method: 'session.open', input: { sessionId } })
      taken += 1
    }
  })()
  await until(() => pipe.writableLength > 16 << 20, 'the pipe to fill')
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  expect(taken).toBeLessThan(60)
  pipe.readAgain()
  await client
  await until(() => pipe.lines.length === 150, 'every answer')
  expect(new Set(pipe.lines.map((line) => 'id' in line && line.id)).size).toBe(150)
})

test('accepts an id that has become free again', async () => {
  const { pipe, send } = await setup()
  for (let round = 0; round < 50; round += 1) {
    await send({ id: 'same', method: 'session.list' })
    await until(() => pipe.lines.length === round + 1, 'the answer')
  }
  expect(pipe.lines.every((line) => 'result' in line)).toBe(true)
})
