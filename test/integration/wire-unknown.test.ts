import { describe, expect, it } from 'vitest'
import { createProvider } from '../../src/main/engine/model/adapter/adapter'
import { askFor, collect } from '../support/collect-chunks'
import { eventsOfStep } from '../support/model-events'
import type { ScriptStep, WireName } from '../support/model-script'
import { UNKNOWN } from '../support/unknown-events'
import { ALL_TYPES, unstopped, WIRE_OF } from '../support/wire-cases'

const TOOL = {
  name: 'Read',
  description: 'Reads.',
  schema: { type: 'object', properties: { path: { type: 'string' } } },
}
const STEP: ScriptStep = {
  thinking: 'Let me see.',
  text: 'The answer, in a few pieces.',
  toolCalls: [{ name: 'Read', input: { path: 'a/path/that/takes/pieces.ts' } }],
  usage: { input: 20, output: 7 },
}

async function answerOf(type: (typeof ALL_TYPES)[number], events: readonly string[], size = Number.POSITIVE_INFINITY) {
  const bytes = new TextEncoder().encode(events.join(''))
  let at = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.subarray(at, at + size))
      at += size
    },
  })
  const fetch = () => Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }))
  const provider = await createProvider({ type }, { key: 'test-key', fetch })
  const { text, thinking, calls, reason, usage } = await collect(
    provider.stream(askFor('hi', { tools: [TOOL] }), unstopped()),
  )
  return { text, thinking, calls: calls.map(({ name, input }) => ({ name, input })), reason, usage }
}

function recorded(wire: WireName): { events: string[]; whole: string[] } {
  const { events, end } = eventsOfStep(wire, STEP, { n: 1, model: 'scripted' })
  return { events, whole: [...events, ...end] }
}

describe.each(ALL_TYPES)('%s', (type) => {
  const wire = WIRE_OF[type]
  const unknown = UNKNOWN[wire]
  const { whole } = recorded(wire)

  it('is tested with at least thirty different unknown values', () => {
    expect(new Set(unknown.map(({ name }) => name)).size).toBeGreaterThanOrEqual(30)
  })

  it.each(unknown)('ignores $name', async ({ events, change }) => {
    const expected = await answerOf(type, whole)
    expect(expected).toMatchObject({ text: STEP.text, thinking: STEP.thinking, reason: 'tool_calls' })
    expect(expected.calls).toEqual([{ name: 'Read', input: JSON.stringify(STEP.toolCalls![0]!.input) }])
    for (const changed of change ? [whole.map((event) => change(event))] : []) {
      expect(changed, 'the change has to change something').not.toEqual(whole)
      const answer = await answerOf(type, changed)
      expect({ ...answer, usage: expected.usage }).toEqual(expected)
    }
    for (const at of events ? whole.keys() : []) {
      expect(
        await answerOf(type, [...whole.slice(0, at), ...(events ?? []), ...whole.slice(at)]),
        `before event ${at}`,
      ).toEqual(expected)
    }
  })

  it('counts only whole numbers of tokens from zero up', async () => {
    const { usage } = await answerOf(type, whole)
    expect(usage).toMatchObject({ input: 20, output: 7 })
    for (const odd of [-20, 20.5, 1e300]) {
      const events = whole.map((event) => event.replaceAll(/("[a-zA-Z_]*": ?)(?:20|7|27)(?=[,}])/g, `$1${odd}`))
      expect(events).not.toEqual(whole)
      const { text, usage: counted = {} } = await answerOf(type, events)
      expect(text).toBe(STEP.text)
      for (const tokens of Object.values(counted)) expect(tokens).toSatisfy((n) => Number.isSafeInteger(n) && n >= 0)
    }
  })

  it('ignores all of them in one answer, however its bytes are split', async () => {
    const expected = await answerOf(type, whole)
    const all = unknown.flatMap(({ events }) => events ?? [])
    const filled = [...all, ...whole.flatMap((event, at) => (at < whole.length - 1 ? [event, ...all] : [event]))]
    expect(await answerOf(type, filled)).toEqual(expected)
    expect(await answerOf(type, filled, 7)).toEqual(expected)
    expect(
      await answerOf(
        type,
        filled.map((event) => event.replaceAll('\n', '\r\n')),
        1021,
      ),
    ).toEqual(expected)
  })

  it('still fails when the end is missing, however much unknown data replaces it', async () => {
    const { events } = recorded(wire)
    const all = unknown.flatMap((one) => one.events ?? [])
    await expect(answerOf(type, [...events, ...all])).rejects.toMatchObject({ code: 'model.incomplete' })
  })
})
