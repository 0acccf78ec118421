import { duplexPair } from 'node:stream'
import { onTestFinished, describe, expect, test } from 'vitest'
import { cpuMs } from '../../../test/support/cpu-time'
import { connectWire } from './wire-client'

/** A connection, and its other side: the lines it receives, and a function to answer them. */
function setUp() {
  const [mine, theirs] = duplexPair()
  const connection = connectWire(mine)
  onTestFinished(() => connection.close())
  const lines: { id: number; method?: string; input?: unknown; cancel?: true }[] = []
  theirs.setEncoding('utf8')
  let rest = ''
  theirs.on('data', (text: string) => {
    const all = (rest + text).split('\n')
    rest = all.pop()!
    lines.push(...all.map((line) => JSON.parse(line) as (typeof lines)[number]))
  })
  const answer = (...given: (object | string)[]): void => {
    for (const one of given) theirs.write(`${typeof one === 'string' ? one : JSON.stringify(one)}\n`)
  }
  return { ...connection, lines, answer, theirs, arrived: () => expect.poll(() => lines) }
}

const LOST = expect.objectContaining({ code: 'connection.lost' })

describe('a call over the wire', () => {
  test('gets its response, whatever the order of responses', async () => {
    const { call, arrived, answer } = setUp()
    const [one, two] = [call('session.get', { a: 1 }), call('session.list')]
    await arrived().toEqual([
      { id: 1, method: 'session.get', input: { a: 1 } },
      { id: 2, method: 'session.list' },
    ])
    answer({ id: 2, result: 'two' }, { id: 9, result: 'none' }, { id: null, error: {} }, { id: 1, result: 'one' })
    expect(await Promise.all([one, two])).toEqual(['one', 'two'])
  })

  test('is understood in chunks, even with characters split between them', async () => {
    const { call, arrived, theirs } = setUp()
    const wanted = call('x.y')
    await arrived().toHaveLength(1)
    for (const byte of Buffer.from(`${JSON.stringify({ id: 1, result: 'Größe 👋\n' })}\n`))
      theirs.write(Buffer.from([byte]))
    expect(await wanted).toBe('Größe 👋\n')
  })

  test('costs a long line that arrives in pieces no more than its length', async () => {
    const { call, arrived, theirs } = setUp()
    const wanted = call('x.y')
    await arrived().toHaveLength(1)
    const piece = 'x'.repeat(1 << 14)
    const begin = cpuMs()
    theirs.write('{"id":1,"result":"')
    for (let n = 0; n < 1500; n += 1) theirs.write(piece)
    theirs.write('"}\n')
    expect(await wanted).toHaveLength(1500 * piece.length)
    // Joining and searching all of it for each piece would process 18 GB of text.
    expect(cpuMs() - begin).toBeLessThan(2000)
  })

  test("fails with the engine's error, even if its code is unknown here", async () => {
    const { call, arrived, answer } = setUp()
    const [known, unknown, odd] = [call('a.b'), call('a.b'), call('a.b')]
    const fail = async (id: number, code: string): Promise<void> => {
      await arrived().toHaveLength(3)
      answer({ id, error: { code, message: 'No.' } })
    }
    await fail(1, 'session.not_found')
    await fail(2, 'new.code')
    await fail(3, 'constructor')
    await expect(known).rejects.toMatchObject({ code: 'session.not_found', message: 'No.' })
    await expect(unknown).rejects.toMatchObject({ code: 'internal' })
    await expect(odd).rejects.toMatchObject({ code: 'internal' })
  })

  test('is never sent if it was cancelled before it started', async () => {
    const { call, lines } = setUp()
    await expect(call('a.b', {}, AbortSignal.abort())).rejects.toMatchObject({ code: 'request.cancelled' })
    expect(lines).toEqual([])
  })

  test('cancels the request on the engine, once', async () => {
    const { call, arrived, answer } = setUp()
    const abort = new AbortController()
    const wanted = call('a.b', {}, abort.signal)
    abort.abort()
    await arrived().toEqual([
      { id: 1, method: 'a.b', input: {} },
      { id: 1, cancel: true },
    ])
    answer({ id: 1, error: { code: 'request.cancelled', message: 'x' } })
    await expect(wanted).rejects.toMatchObject({ code: 'request.cancelled' })
  })

  test('fails when the connection breaks, and so does every later one', async () => {
    const { call, arrived, theirs, closed, hello } = setUp()
    const wanted = call('a.b')
    await arrived().toHaveLength(1)
    theirs.destroy()
    await expect(wanted).rejects.toThrow(LOST)
    await closed
    await expect(hello).rejects.toThrow(LOST)
    await expect(call('a.b')).rejects.toThrow(LOST)
  })

  test.each(['no line', '{"id":1,', 'null', '7', '[]'])(
    'ends the connection, not the program, at %j',
    async (noise) => {
      const { call, arrived, answer, closed } = setUp()
      const wanted = call('a.b')
      await arrived().toHaveLength(1)
      answer(noise, { id: 1, result: 'late' })
      await expect(wanted).rejects.toThrow(LOST)
      await closed
    },
  )
})

describe('a subscription over the wire', () => {
  test('yields its pushes in order, and ends', async () => {
    const { call, arrived, answer } = setUp()
    const pushes = (await call('push.session', {})) as AsyncIterable<unknown>
    await arrived().toHaveLength(1)
    answer({ id: 1, event: 'a' }, { id: 1, event: 'b' }, { id: 1, end: true })
    const got: unknown[] = []
    for await (const push of pushes) got.push(push)
    expect(got).toEqual(['a', 'b'])
  })

  test('is cancelled when it is no longer read', async () => {
    const { call, arrived, answer } = setUp()
    const pushes = (await call('push.session', {})) as AsyncIterable<unknown>
    await arrived().toHaveLength(1)
    answer({ id: 1, event: 'a' })
    for await (const push of pushes) {
      expect(push).toBe('a')
      break
    }
    await arrived().toEqual([expect.anything(), { id: 1, cancel: true }])
  })

  test('ends with an error when it is read too slowly, instead of filling the memory', async () => {
    const { call, arrived, answer } = setUp()
    const pushes = (await call('push.session', {})) as AsyncIterator<unknown>
    await arrived().toHaveLength(1)
    answer(Array.from({ length: 20_002 }, () => '{"id":1,"event":1}').join('\n'))
    await arrived().toEqual([expect.anything(), { id: 1, cancel: true }])
    await expect(pushes.next()).rejects.toThrow(LOST)
    expect(await pushes.next()).toEqual({ done: true, value: undefined })
  })

  test('fails when the connection breaks', async () => {
    const { call, arrived, theirs } = setUp()
    const pushes = (await call('push.session', {})) as AsyncIterator<unknown>
    await arrived().toHaveLength(1)
    const next = pushes.next()
    theirs.destroy()
    await expect(next).rejects.toThrow(LOST)
  })
})
