import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import type { RecordedEvent } from '../../src/shared/events/event'
import type { ModelScript, RecordedRequest, ScriptStep, WireName } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { until } from '../support/until'

let scratch: Scratch
let server: ModelServer
let engine: Engine
let sessionId: string

const open = (): Promise<Engine> =>
  createEngine({
    version: '0',
    home: scratch.home,
    watch: false,
    interactive: true,
    log: (message) => expect.soft(message).toBe(''),
  })

async function start(wire: WireName, script: ModelScript, models = ''): Promise<void> {
  scratch = createScratch({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
  server = await startModelServer({ script })
  writeConfig(scratch.home, configFor(server.baseUrl, { wire }) + models)
  engine = await open()
  ;({ sessionId } = await engine.sessions.create({ folder: scratch.project, mode: 'auto' }))
}
afterEach(async () => {
  await engine.close()
  await server.close()
  scratch.remove()
})

const events = (): RecordedEvent[] => engine.sessions.since(sessionId, 0)
const ended = () => events().filter((event) => event.type === 'turn.finished')

/** Sends a prompt and waits for the end of the turn. */
async function turn(words: string, options?: Parameters<Engine['sessions']['prompt']>[2]) {
  const before = ended().length
  await engine.sessions.prompt(sessionId, [{ type: 'text', text: words }], options)
  await until(() => ended().length > before, 'the end of the turn')
  return ended().at(-1)!
}

const model = (id: string, name: string, more = ''): string =>
  `[models."${id}"]\nprovider = "local"\nmodel = "${name}"\n` +
  `context_window = 128000\ncapabilities = ["tools", "thinking"]\n${more}\n`
const thinkAndRead = (path: string): ScriptStep => ({
  thinking: `I look into ${path}.`,
  toolCalls: [{ name: 'Read', input: { path } }],
})
const answer: ScriptStep = { thinking: 'That is it.', text: 'Done.' }
/** As JSON, without cache marks, which move. */
const bodyOf = ({ body }: RecordedRequest): string => JSON.stringify(body).replaceAll(/,"cache_control":\{[^}]*\}/g, '')

/** How each provider refuses, and the signature of its answer with this number. */
const REFUSALS: { wire: WireName; mark: (n: number) => string; body: unknown }[] = [
  {
    wire: 'anthropic',
    mark: (n) => `"signed-${n}"`,
    body: {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message:
          'messages.1.content.0: Invalid `signature` in `thinking` block. ' +
          'The block is bound to a different conversation.',
      },
    },
  },
  {
    wire: 'responses',
    mark: (n) => `"sealed-${n}"`,
    body: {
      error: {
        message: 'The encrypted content for item rs_1 could not be verified.',
        type: 'invalid_request_error',
        code: 'invalid_encrypted_content',
      },
    },
  },
  {
    wire: 'gemini',
    mark: (n) => `"c2lnbmVkLS${n}"`,
    body: { error: { code: 400, message: 'Thought signature is not valid.', status: 'INVALID_ARGUMENT' } },
  },
]

describe.each(REFUSALS)('$wire: thinking that the provider rejects', ({ wire, mark, body }) => {
  it('is omitted in the same turn, in later turns and after a restart, and later thinking is sent back', async () => {
    /** From this request on, earlier thinking is rejected. */
    const rejectsAt = 4
    const isOld = (request: RecordedRequest): boolean =>
      Array.from({ length: rejectsAt }, (_, index) => mark(index + 1)).some((known) => bodyOf(request).includes(known))
    const steps: Record<number, ScriptStep> = {
      0: thinkAndRead('a.txt'),
      1: answer,
      2: thinkAndRead('a.txt'),
      3: thinkAndRead('b.txt'),
    }
    let rejected = 0
    await start(wire, (request, index) => {
      if (index < rejectsAt) return steps[index]
      if (isOld(request)) {
        rejected += 1
        return { faults: { status: 400, body } }
      }
      return index === rejectsAt + 1 ? thinkAndRead('a.txt') : answer
    })
    expect((await turn('first')).stop).toBe('end_turn')
    expect(await turn('second')).toMatchObject({ stop: 'end_turn', steps: 4 })
    expect(events().filter(({ type }) => type === 'step.retried')).toMatchObject([
      { delayMs: 0, failure: { code: 'model.bad_request', title: 'Earlier thinking was rejected' } },
    ])
    expect((await turn('third')).stop).toBe('end_turn')
    await engine.close()
    engine = await open()
    await engine.sessions.open(sessionId, 1)
    expect((await turn('fourth')).stop).toBe('end_turn')
    expect(rejected).toBe(1)
    // The thinking in the answer to the retried request is still there at the end.
    expect(bodyOf(server.requests.at(-1)!)).toContain(mark(rejectsAt + 2))
    const both = [server.requests.at(-2)!, server.requests.at(-1)!].map(bodyOf)
    const [shorter = '', longer = ''] = both.map((text) => text.slice(text.indexOf('first'), text.indexOf('third')))
    expect(longer).toBe(shorter)
  })

  it('is omitted from a compaction too, which is requested as text when thinking is rejected only then', async () => {
    /** Whether thinking from before this request is accepted. */
    let refusesBefore = 0
    await start(wire, (request, index) => {
      const old = Array.from({ length: refusesBefore }, (_, before) => mark(before + 1))
      if (old.some((known) => bodyOf(request).includes(known))) return { faults: { status: 400, body } }
      return index === 0 ? thinkAndRead('a.txt') : answer
    })
    const compact = async (): Promise<number> => {
      const before = server.requests.length
      expect(await engine.sessions.compact(sessionId)).toBe(true)
      return server.requests.length - before
    }
    expect((await turn('first')).stop).toBe('end_turn')
    // Within the conversation, it is refused because of its thinking.
    refusesBefore = server.requests.length
    expect(await compact()).toBe(2)
    expect((await turn('second')).stop).toBe('end_turn')
    refusesBefore = server.requests.length
    expect(await turn('third')).toMatchObject({ stop: 'end_turn' })
    // Thinking dropped in the previous turn is not sent, so the conversation itself is used.
    expect(await compact()).toBe(1)
    expect(bodyOf(server.requests.at(-1)!)).toContain('third')
    expect((await turn('fourth')).stop).toBe('end_turn')
    expect(events().filter(({ type }) => type === 'compaction.failed')).toEqual([])
  })

  it('is retried once: a provider that keeps rejecting it ends the turn, not the session', async () => {
    await start(wire, (_request, index) =>
      index === 0 ? thinkAndRead('a.txt') : index < 3 ? { faults: { status: 400, body } } : answer,
    )
    expect(await turn('first')).toMatchObject({ stop: 'error', failure: { code: 'model.bad_request' } })
    expect(server.requests).toHaveLength(3)
    expect((await turn('second')).stop).toBe('end_turn')
  })
})

it('thinking is sent back only to its own model, and again when that model is chosen again', async () => {
  await start('anthropic', () => answer, model('local/other', 'other'))
  await turn('first')
  await engine.sessions.change(sessionId, { model: 'local/other' })
  await turn('second')
  await engine.sessions.change(sessionId, { model: 'local/scripted' })
  await turn('third')
  const [, second = '', third = ''] = server.requests.map(bodyOf)
  expect(second).not.toContain('signed-1')
  expect(third).toContain('signed-1')
  expect(third).not.toContain('signed-2')
})

describe('effort', () => {
  const efforts = (): unknown[] => server.requests.map(({ body }) => body['reasoning_effort'])

  it('the most specific applies: turn, session, model; without a choice no effort is sent', async () => {
    await start('chat', () => answer, model('local/gpt', 'gpt-5.4') + model('local/low', 'gpt-5.4', 'effort = "low"'))
    await engine.sessions.change(sessionId, { model: 'local/gpt' })
    await turn('vendor')
    await engine.sessions.change(sessionId, { model: 'local/low' })
    await turn('model')
    const { effort } = await engine.sessions.change(sessionId, { effort: 'high' })
    expect(effort).toBe('high')
    await turn('session')
    await turn('turn', { effort: 'xhigh' })
    expect(engine.sessions.header(sessionId)).toMatchObject({ effort: 'high' })
    expect(engine.sessions.header(sessionId)).not.toHaveProperty('turnEffort')
    await turn('session')
    await engine.sessions.change(sessionId, { effort: 'default' })
    expect(engine.sessions.header(sessionId)).not.toHaveProperty('effort')
    await turn('model')
    expect(efforts()).toEqual([undefined, 'low', 'high', 'xhigh', 'high', 'low'])
  })

  it('a queued prompt keeps the effort it was sent with', async () => {
    await start(
      'chat',
      (_request, index) => (index === 0 ? { ...answer, faults: { delayMs: 100 } } : answer),
      model('local/gpt', 'gpt-5.4'),
    )
    await engine.sessions.change(sessionId, { model: 'local/gpt' })
    await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'one' }])
    expect(await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'two' }], { effort: 'low' })).toMatchObject({
      queued: true,
    })
    await until(() => ended().length === 2, 'both turns')
    expect(efforts()).toEqual([undefined, 'low'])
  })

  it("a subagent uses the effort in its spec, else its parent's", async () => {
    const agent = (type: string): ScriptStep => ({
      toolCalls: [{ name: 'Agent', input: { description: 'look', prompt: `be ${type}`, subagent_type: type } }],
    })
    await start(
      'chat',
      (request, index) => {
        if (index === 0) return agent('quick')
        if (bodyOf(request).includes('"content":"be ')) return answer
        return index === 2 ? agent('explore') : answer
      },
      model('local/gpt', 'gpt-5.4'),
    )
    mkdirSync(join(scratch.home, 'agents'))
    writeFileSync(join(scratch.home, 'agents', 'quick.yaml'), 'description: quick\nextend: explore\neffort: low\n')
    await engine.sessions.change(sessionId, { model: 'local/gpt', effort: 'high' })
    expect(await turn('go')).toMatchObject({ stop: 'end_turn' })
    expect(efforts()).toEqual(['high', 'low', 'high', 'high', 'high'])
  })

  it('a model offers the levels it has, and no levels when it has none', async () => {
    await start('chat', [], model('local/gpt', 'gpt-5.4', 'effort = "max"'))
    const view = engine.settings.view().models
    expect(view.find(({ id }) => id === 'local/gpt')).toMatchObject({
      efforts: ['none', 'low', 'medium', 'high', 'xhigh'],
      usualEffort: 'xhigh',
    })
    expect(view.find(({ id }) => id === 'local/scripted')).toMatchObject({ efforts: [] })
  })
})
