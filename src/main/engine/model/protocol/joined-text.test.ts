import { expect, it } from 'vitest'
import { modelFetch } from '../model-fetch'
import { chatProtocol } from './chat'

/** What the package is given of an answer that arrives in these pieces, as the events of each piece. */
async function eventsGiven(pieces: readonly string[]): Promise<unknown[]> {
  const wire = await chatProtocol({ baseUrl: 'http://127.0.0.1/v1', key: 'key' }, 'plain')
  const fetch = modelFetch({
    fetch: async () =>
      new Response(
        new ReadableStream({
          start(controller) {
            for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
            controller.close()
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      ),
    headers: {},
    secrets: [],
    hooks: new WeakMap(),
    readable: () => wire.readable(),
    joined: wire.joined,
  })
  const text = await (await fetch('http://127.0.0.1/v1')).text()
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => (data === '[DONE]' ? data : JSON.parse(data!)))
}

const line = (delta: object, more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'a', choices: [{ index: 0, delta, ...more }] })}\n\n`

it('pieces of text that arrive together are given on as one, in order', async () => {
  const arrived = [line({ role: 'assistant', content: '' }), line({ content: 'one ' }), line({ content: 'two ' })]
  expect(await eventsGiven([arrived.join(''), line({ content: 'three' }), 'data: [DONE]\n\n'])).toEqual([
    { id: 'a', choices: [{ delta: { role: 'assistant', content: '' } }] },
    { id: 'a', choices: [{ delta: { content: 'one two ' } }] },
    { id: 'a', choices: [{ delta: { content: 'three' } }] },
    '[DONE]',
  ])
})

it('thinking, text, calls and the end stay apart', async () => {
  const call = { tool_calls: [{ index: 0, id: 'c', function: { name: 'Read', arguments: '{}' } }] }
  const arrived = [
    line({ reasoning: 'a' }),
    line({ reasoning: 'b' }),
    line({ content: 'c' }),
    line(call),
    line({ content: 'd' }),
    line({ content: 'e' }, { finish_reason: 'stop' }),
  ]
  expect(await eventsGiven([arrived.join('')])).toEqual([
    { id: 'a', choices: [{ delta: { reasoning: 'ab' } }] },
    { id: 'a', choices: [{ delta: { content: 'c' } }] },
    { id: 'a', choices: [{ delta: call }] },
    { id: 'a', choices: [{ delta: { content: 'd' } }] },
    { id: 'a', choices: [{ delta: { content: 'e' }, finish_reason: 'stop' }] },
  ])
})
