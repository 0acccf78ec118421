import { describe, expect, it } from 'vitest'
import { CodedError, ERRORS } from '../../src/shared/errors'
import { createProvider } from '../../src/main/engine/model/adapter/adapter'
import type { Provider } from '../../src/main/engine/model/provider'
import { askFor, collect } from '../support/collect-chunks'
import type { ScriptStep } from '../support/model-script'
import { startModelServer } from '../support/model-server'
import { until } from '../support/until'
import { ALL_TYPES, playing, TEST_KEY, unstopped, WIRE_OF } from '../support/wire-cases'

const TOOL = {
  name: 'Read',
  description: 'Reads.',
  schema: { type: 'object', properties: { path: { type: 'string' } } },
}
const LONG = 'words and more words, '.repeat(40)

async function failureOf(provider: Provider): Promise<CodedError> {
  const error = await collect(provider.stream(askFor('hi', { tools: [TOOL] }), unstopped())).then(
    (answer) => expect.fail(`answered: ${answer.text}`),
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(CodedError)
  return error as CodedError
}

async function failing(type: (typeof ALL_TYPES)[number], step: ScriptStep): Promise<CodedError> {
  let error: CodedError | undefined
  await playing(type, [step], async (provider) => {
    error = await failureOf(provider)
  })
  return error!
}

describe.each(ALL_TYPES)('%s', (type) => {
  it('honors Retry-After of a 429', async () => {
    const error = await failing(type, {
      faults: {
        status: 429,
        headers: { 'retry-after': '7' },
        body: { error: { message: 'Slow down, please.', type: 'rate_limit_error' } },
      },
    })
    expect({ code: error.code, retryAfterMs: error.retryAfterMs }).toEqual({
      code: 'model.rate_limited',
      retryAfterMs: 7000,
    })
    expect(error.message).toContain('Slow down, please.')
  })

  it.each([
    [401, 'model.auth'],
    [403, 'model.auth'],
    [404, 'model.not_found'],
    [400, 'model.bad_request'],
    [402, 'model.quota'],
    [413, 'model.context_overflow'],
    [408, 'model.timeout'],
    [500, 'model.server'],
    [502, 'model.server'],
    [503, 'model.overloaded'],
    [529, 'model.overloaded'],
  ])('status %i is %s, with the provider’s message', async (status, code) => {
    const error = await failing(type, {
      faults: { status, body: { error: { message: 'In the words of the provider.', type: 'x' } } },
    })
    expect(error.code).toBe(code)
    expect(error.message).toBe(`In the words of the provider. (HTTP ${status})`)
  })

  it('a connection reset in mid-stream is retryable', async () => {
    const error = await failing(type, { text: LONG, faults: { resetAfterBytes: 1500 } })
    expect(error.code).toBe('model.connection')
    expect(ERRORS[error.code].retryable).toBe(true)
  })

  it('a reset before the answer starts is retryable', async () => {
    const error = await failing(type, { text: LONG, faults: { resetAfterBytes: 0 } })
    expect(error.code).toBe('model.connection')
  })

  it('a stream without its end marker is a failure wherever it ends, never an answer', async () => {
    const step: ScriptStep = { text: 'So.', toolCalls: [{ name: 'Read', input: { path: 'a/long/path.ts' } }] }
    expect((await failing(type, { ...step, faults: { truncate: true } })).code).toBe('model.incomplete')
    for (const truncate of [0, 1, 2, 3, 4, 5])
      expect((await failing(type, { text: LONG, faults: { truncate } })).code).toBe('model.incomplete')
  })

  it('an error object in mid-stream fails the answer, with its message', async () => {
    const error = await failing(type, {
      text: LONG,
      faults: { streamError: { message: 'Overloaded just now.', type: 'overloaded_error' } },
    })
    expect(error.code).toBe('model.overloaded')
    expect(error.message).toContain('Overloaded just now.')
  })

  it('an error object as the first event fails the answer too', async () => {
    const faults = {
      truncate: 0 as const,
      streamError: { message: 'Rate limit reached, try again in 20s', type: 'rate_limit_error' },
    }
    const error = await failing(type, { faults: { streamError: faults.streamError } })
    expect({ code: error.code, retryAfterMs: error.retryAfterMs }).toEqual({
      code: 'model.rate_limited',
      retryAfterMs: 20_000,
    })
  })

  it('a web page or a plain JSON answer reports what is wrong with the base URL', async () => {
    const page = await failing(type, {
      faults: { body: '<!doctype html><title>Router login</title>', headers: { 'content-type': 'text/html' } },
    })
    expect(page.code).toBe('model.bad_request')
    expect(page.message).toContain('web page')
    const json = await failing(type, { faults: { body: { hello: 'world' } } })
    expect(json.code).toBe('model.bad_request')
    const hidden = await failing(type, { faults: { body: { error: { message: 'Hidden rate limit', code: 429 } } } })
    expect(hidden.code).toBe('model.rate_limited')
  })

  it('broken JSON in the stream is a failure', async () => {
    const broken =
      WIRE_OF[type] === 'anthropic' ? 'event: message_start\ndata: {"type": "mess\n\n' : 'data: {"id": "x", "cho\n\n'
    const error = await failing(type, { faults: { body: broken, headers: { 'content-type': 'text/event-stream' } } })
    expect(error.code).toBe('model.incomplete')
  })

  it('never follows a redirect with the key', async () => {
    const other = await startModelServer({ script: [{ text: 'caught' }] })
    try {
      const error = await failing(type, { faults: { status: 307, headers: { location: `${other.url}/elsewhere` } } })
      expect(error.code).toBe('model.bad_request')
      expect(error.message).toContain(other.url)
      expect(other.requests).toHaveLength(0)
    } finally {
      await other.close()
    }
  })

  it('redacts the key in messages that repeat it', async () => {
    const error = await failing(type, {
      faults: { status: 401, body: { error: { message: `Incorrect API key provided: ${TEST_KEY}.` } } },
    })
    expect(error.message).not.toContain(TEST_KEY)
    expect(JSON.stringify(error.failure)).not.toContain(TEST_KEY)
    expect(String(error.stack)).not.toContain(TEST_KEY)
  })

  it('a refused connection is reported and retryable', async () => {
    const server = await startModelServer({ script: [] })
    await server.close()
    const provider = await createProvider({ type, baseUrl: server.baseUrl }, { key: TEST_KEY })
    const error = await failureOf(provider)
    expect(error.code).toBe('model.connection')
    expect(error.message).toContain('nothing listens there')
  })

  it('an abort while it streams ends the request immediately and closes the connection', async () => {
    await playing(type, [{ text: LONG, faults: { stallAfterBytes: 1500 } }], async (provider, server) => {
      const controller = new AbortController()
      const reading = collect(
        provider.stream(askFor('hi', { alive: () => setImmediate(() => controller.abort()) }), controller.signal),
      )
      await expect(reading).rejects.toThrow(/abort/i)
      await server.abandoned(0)
    })
  })

  it('an abort before the server answers ends the request immediately and closes the connection', async () => {
    await playing(type, [{ text: LONG, faults: { stallAfterBytes: 0 } }], async (provider, server) => {
      const controller = new AbortController()
      const reading = collect(provider.stream(askFor('hi'), controller.signal))
      await server.arrived(1)
      controller.abort()
      await expect(reading).rejects.toThrow(/abort/i)
      await server.abandoned(0)
    })
  })

  it('closes the connection when the reader stops early', async () => {
    await playing(type, [{ text: LONG, faults: { stallAfterBytes: 3000 } }], async (provider, server) => {
      for await (const chunk of provider.stream(askFor('hi'), unstopped())) if (chunk.type === 'text') break
      await server.abandoned(0)
      expect(server.requests[0]!.abandoned).toBe(true)
    })
  })

  it('finishes at the end marker even if the server keeps the connection open', async () => {
    if (WIRE_OF[type] !== 'anthropic') return
    const whole = await sizeOfAnswer(type)
    await playing(type, [{ text: 'Hello.', faults: { stallAfterBytes: whole } }], async (provider, server) => {
      const { text, reason } = await collect(provider.stream(askFor('hi'), unstopped()))
      expect({ text, reason }).toEqual({ text: 'Hello.', reason: 'stop' })
      await until(() => server.requests[0]!.abandoned, 'the idle connection to be dropped')
    })
  })

  it('an exhausted script is reported as an error', async () => {
    await playing(type, [], async (provider) => {
      expect((await failureOf(provider)).message).toContain('script has run out')
    })
  })
})

/** Bytes of a whole answer of `Hello.` as the server sends it. */
async function sizeOfAnswer(type: (typeof ALL_TYPES)[number]): Promise<number> {
  const server = await startModelServer({ script: [{ text: 'Hello.' }] })
  try {
    let bytes = 0
    const counting: typeof globalThis.fetch = async (input, init) => {
      const response = await fetch(input, init)
      const buffer = await response.arrayBuffer()
      bytes = buffer.byteLength
      return new Response(buffer, { status: response.status, headers: response.headers })
    }
    const provider = await createProvider({ type, baseUrl: server.baseUrl }, { key: TEST_KEY, fetch: counting })
    await collect(provider.stream(askFor('hi'), unstopped()))
    return bytes
  } finally {
    await server.close()
  }
}
