import { describe, expect, it } from 'vitest'
import {
  EventSourceParserStream,
  LightReadableStream,
  LightTextDecoderStream,
  LightTransformStream,
} from './light-streams'

type Reading = { done: boolean; value: unknown }

/** The web's own classes and ours, as the packages use them. */
const CLASSES = [
  { name: 'the web’s streams', Readable: ReadableStream, Transform: TransformStream, Decoder: TextDecoderStream },
  {
    name: 'light streams',
    Readable: LightReadableStream as unknown as typeof ReadableStream,
    Transform: LightTransformStream as unknown as typeof TransformStream,
    Decoder: LightTextDecoderStream as unknown as typeof TextDecoderStream,
  },
]

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

async function allOf(stream: { getReader(): { read(): Promise<Reading> } }): Promise<unknown[]> {
  const reader = stream.getReader()
  const all: unknown[] = []
  for (let next = await reader.read(); !next.done; next = await reader.read()) all.push(next.value)
  return all
}

describe.each(CLASSES)('$name', ({ Readable, Transform, Decoder }) => {
  const pulled = (chunks: readonly unknown[], events: string[] = []): ReadableStream => {
    const left = [...chunks]
    return new Readable({
      pull(controller) {
        const next = left.shift()
        if (next === undefined) return controller.close()
        if (next instanceof Error) return controller.error(next)
        controller.enqueue(next)
      },
      cancel: (reason) => void events.push(`canceled: ${String(reason)}`),
    })
  }

  it('pass every chunk through all transforms in order, whether they are asynchronous or not', async () => {
    const doubled = new Transform<number, number>({
      start: (controller) => controller.enqueue(0),
      async transform(chunk, controller) {
        await Promise.resolve()
        controller.enqueue(chunk)
        controller.enqueue(chunk * 10)
      },
      flush: (controller) => controller.enqueue(99),
    })
    const large = new Transform<number, string>({
      transform: (chunk, controller) => void (chunk > 1 && controller.enqueue(`<${chunk}>`)),
    })
    expect(await allOf(pulled([1, 2, 3]).pipeThrough(doubled).pipeThrough(large))).toEqual([
      '<10>',
      '<2>',
      '<20>',
      '<3>',
      '<30>',
      '<99>',
    ])
  })

  it('decode characters that are split between chunks', async () => {
    const all = bytes('Grüße 🌲')
    for (let cut = 1; cut < all.length; cut++) {
      const texts = await allOf(pulled([all.subarray(0, cut), all.subarray(cut)]).pipeThrough(new Decoder()))
      expect(texts.join('')).toBe('Grüße 🌲')
    }
  })

  it('deliver the chunks before an error, and then the error', async () => {
    const reader = pulled(['a', new Error('broken')])
      .pipeThrough(new Transform({ transform: (chunk, controller) => controller.enqueue(chunk) }))
      .getReader()
    expect(await reader.read()).toEqual({ done: false, value: 'a' })
    await expect(reader.read()).rejects.toThrow('broken')
    await expect(reader.read()).rejects.toThrow('broken')
  })

  it('fail, and cancel their source, when a transform throws', async () => {
    const events: string[] = []
    const failing = new Transform({
      transform() {
        throw new Error('not readable')
      },
    })
    const reader = pulled(['a', 'b'], events).pipeThrough(failing).getReader()
    await expect(reader.read()).rejects.toThrow('not readable')
    await expect.poll(() => events).toHaveLength(1)
  })

  it('cancel their source once, through all transforms', async () => {
    const events: string[] = []
    const same = () => new Transform({ transform: (chunk, controller) => controller.enqueue(chunk) })
    const chunks = 'abcdefghijkl'.split('')
    const reader = pulled(chunks, events).pipeThrough(same()).pipeThrough(same()).getReader()
    expect(await reader.read()).toEqual({ done: false, value: 'a' })
    await reader.cancel('enough')
    await reader.cancel('once more')
    expect(await reader.read()).toEqual({ done: true, value: undefined })
    await expect.poll(() => events).toHaveLength(1)
  })

  it('answer pending reads in order', async () => {
    let controller!: ReadableStreamDefaultController
    const reader = new Readable({ start: (given) => void (controller = given) }).getReader()
    const reads = [reader.read(), reader.read(), reader.read()]
    controller.enqueue(1)
    controller.enqueue(2)
    controller.close()
    expect((await Promise.all(reads)).map(({ value }) => value)).toEqual([1, 2, undefined])
  })

  it('give both branches of a tee every chunk and the end', async () => {
    const [one, other] = pulled(['a', 'b', 'c']).tee()
    expect(await one.getReader().read()).toEqual({ done: false, value: 'a' })
    expect(await allOf(other)).toEqual(['a', 'b', 'c'])
  })

  it('cancel the source of a tee when both branches are canceled', async () => {
    const events: string[] = []
    const [one, other] = pulled(['a', 'b', 'c'], events).tee()
    void one.cancel('first')
    expect(await other.getReader().read()).toEqual({ done: false, value: 'a' })
    expect(events).toEqual([])
  })
})

it('a light stream is canceled when both of its branches are, and an error reaches both', async () => {
  const events: string[] = []
  const source = new LightReadableStream({ cancel: (reason) => void events.push(String(reason)) })
  const [one, other] = source.tee()
  await one.cancel('first')
  expect(events).toEqual([])
  await other.cancel('second')
  expect(events).toEqual(['second'])
  const broken = new LightReadableStream({
    pull: () => {
      throw new Error('broken')
    },
  }).tee()
  for (const branch of broken) await expect(branch.read()).rejects.toThrow('broken')
})

it('a light stream does not read ahead', async () => {
  let asked = 0
  const source = new LightReadableStream<number>({ pull: (controller) => controller.enqueue((asked += 1)) })
  const reader = source
    .pipeThrough(new LightTransformStream<number, number>({ transform: (n, to) => to.enqueue(n) }))
    .getReader()
  expect(asked).toBe(0)
  await reader.read()
  await reader.read()
  expect(asked).toBe(2)
})

describe('the events of a stream', () => {
  const TEXT = [
    ': a comment\r\n\r\n',
    'event: first\r\ndata: {"a":1}\r\n\r\n',
    'data:no space\n\n',
    'data: two\ndata\ndata:  lines\nid: 7\n\n',
    'event: without data\n\n',
    'retry: 10\rdata: old line ends\r\r',
    'data: [DONE]\n\n',
    'data: never finished',
  ].join('')
  const EVENTS = [
    { event: 'first', data: '{"a":1}' },
    { data: 'no space' },
    { data: 'two\n\n lines' },
    { data: 'old line ends' },
    { data: '[DONE]' },
  ]
  const eventsOf = (pieces: readonly string[]): Promise<unknown[]> => {
    const left = [...pieces]
    return allOf(
      new LightReadableStream<string>({
        pull: (controller) => (left.length > 0 ? controller.enqueue(left.shift()!) : controller.close()),
      }).pipeThrough(new EventSourceParserStream()),
    )
  }

  it('are parsed according to the format, wherever the text is split', async () => {
    expect(await eventsOf([TEXT])).toEqual(EVENTS)
    for (let cut = 1; cut < TEXT.length; cut++)
      expect(await eventsOf([TEXT.slice(0, cut), TEXT.slice(cut)])).toEqual(EVENTS)
    expect(await eventsOf(TEXT.split(''))).toEqual(EVENTS)
  })
})
