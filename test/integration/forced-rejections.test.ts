import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import type { RecordedEvent } from '../../src/shared/events/event'
import type { RecordedRequest, ScriptStep, WireName } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { until } from '../support/until'

/** How each vendor rejects earlier thinking, and how to recognize thinking in a request. */
const VENDORS: Record<Exclude<WireName, 'chat'>, { body: object; thinking: RegExp }> = {
  anthropic: {
    body: {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'messages.1.content.0: `thinking` block is bound to a different conversation.',
      },
    },
    thinking: /"signature"/,
  },
  responses: {
    body: {
      error: {
        message: 'The encrypted content could not be verified.',
        type: 'invalid_request_error',
        code: 'invalid_encrypted_content',
      },
    },
    thinking: /"encrypted_content"/,
  },
  gemini: {
    body: { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'Thought signature is not valid.' } },
    thinking: /"thoughtSignature":"c2lnbmVk/,
  },
}

let scratch: Scratch
let server: ModelServer
let engine: Engine
let sessionId: string
/** The model's answers to accepted requests. */
let steps: ScriptStep[]
let rejects: (request: RecordedRequest, text: string) => boolean
let accepted: string[]

async function start(): Promise<void> {
  engine = await createEngine({ version: 'test', home: scratch.home, watch: false, interactive: true, log: () => {} })
}

async function begin(wire: Exclude<WireName, 'chat'>): Promise<void> {
  scratch = createScratch({ 'a.txt': 'one\n' })
  server = await startModelServer({
    script: (request) => {
      const text = JSON.stringify(request.body)
      if (rejects(request, text)) return { faults: { status: 400, body: VENDORS[wire].body } }
      accepted.push(text)
      return { thinking: 'Hm.', ...(steps.shift() ?? { text: 'Well.' }) }
    },
  })
  writeConfig(scratch.home, configFor(server.baseUrl, { wire }))
  await start()
  ;({ sessionId } = await engine.sessions.create({ folder: scratch.project, mode: 'auto' }))
}

beforeEach(() => {
  steps = []
  accepted = []
  rejects = () => false
})
afterEach(async () => {
  await engine.close('stop')
  await server.close()
  scratch.remove()
})

async function turn(...answers: ScriptStep[]): Promise<Extract<RecordedEvent, { type: 'turn.finished' }>> {
  steps = answers
  const ends = () => engine.sessions.since(sessionId, 0).filter((event) => event.type === 'turn.finished')
  const before = ends().length
  await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
  await until(() => ends().length > before, 'the turn to end', 60_000)
  return ends().at(-1)!
}

const READ: ScriptStep = { toolCalls: [{ name: 'Read', input: { path: 'a.txt' } }] }

describe.each(['anthropic', 'responses', 'gemini'] as const)('thinking that is rejected over the %s wire', (wire) => {
  const { thinking } = VENDORS[wire]

  it('in step after step ends neither the turn, nor later turns, nor a compaction', { timeout: 180_000 }, async () => {
    await begin(wire)
    let rejected = 0
    rejects = (_request, text) => thinking.test(text) && ++rejected > 0
    expect(await turn(READ, READ, READ)).toMatchObject({ stop: 'end_turn', steps: 4 })
    // The first step has no earlier thinking; each other one is sent again without it.
    expect({ rejected, accepted: accepted.length }).toEqual({ rejected: 3, accepted: 4 })
    expect(await turn(READ)).toMatchObject({ stop: 'end_turn', steps: 2 })
    await engine.close('stop')
    await start()
    await engine.sessions.open(sessionId, 1)
    expect(await turn(READ)).toMatchObject({ stop: 'end_turn', steps: 2 })
    steps = [{ text: 'We read a file.' }]
    expect(await engine.sessions.compact(sessionId)).toBe(true)
    expect(await turn()).toMatchObject({ stop: 'end_turn' })
  })

  it(
    'twice in a row, even when the request had no more thinking, ends only that turn',
    { timeout: 180_000 },
    async () => {
      await begin(wire)
      expect(await turn(READ)).toMatchObject({ stop: 'end_turn' })
      let left = 2
      rejects = () => left-- > 0
      expect(await turn()).toMatchObject({ stop: 'error', failure: { code: 'model.bad_request' } })
      expect(left).toBe(0)
      rejects = () => false
      expect(await turn(READ)).toMatchObject({ stop: 'end_turn', steps: 2 })
      // Rejected thinking is not sent again; later thinking is.
      expect(accepted.at(-2)).not.toMatch(thinking)
      expect(accepted.at(-1)).toMatch(thinking)
    },
  )
})
