import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import { applyHeader, emptyHeader } from '../../src/shared/events/fold-header'
import type { EventBody, RecordedEvent } from '../../src/shared/events/event'
import { TranscriptDraft } from '../../src/shared/events/transcript-fold'
import type { RecordedRequest, ScriptStep } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { required } from '../support/required'
import { brokenAt, piecesOf } from '../support/request-pieces'
import { runCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { until } from '../support/until'

let scratch: Scratch
let server: ModelServer
let engine: Engine | undefined
afterEach(async () => {
  await engine?.close('stop')
  engine = undefined
  await server.close()
  scratch.remove()
})

const OVERLOADED: ScriptStep = {
  faults: { status: 529, body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } },
}
const SECOND = '[models."local/second"]\nprovider = "local"\nmodel = "second"\ncontext_window = 128000\n'

/** The answers of two models on one server: `scripted`, the default, and `second`. */
async function setup(
  answers: Record<string, (request: RecordedRequest) => ScriptStep>,
  top = '',
  more = '',
): Promise<void> {
  scratch = createScratch({ 'a.txt': 'alpha\n' })
  server = await startModelServer({ script: (request) => answers[String(request.body['model'])]?.(request) })
  writeConfig(scratch.home, `${configFor(server.baseUrl, { more: top, loop: 'retry_max_ms = 50' })}\n${SECOND}${more}`)
}

async function begin(prompt = 'hello'): Promise<string> {
  engine ??= await createEngine({ version: 'test', home: scratch.home, interactive: true, watch: false })
  const { sessionId } = await engine.sessions.create({ folder: scratch.project, mode: 'auto' })
  await say(sessionId, prompt)
  return sessionId
}

async function say(sessionId: string, text: string): Promise<void> {
  const before = ofType(sessionId, 'turn.finished').length
  await required(engine, 'an engine').sessions.prompt(sessionId, [{ type: 'text', text }])
  await until(() => ofType(sessionId, 'turn.finished').length > before, 'the turn to end')
}

const log = (sessionId: string): RecordedEvent[] => required(engine, 'an engine').sessions.since(sessionId, 0)
const ofType = <Type extends EventBody['type']>(sessionId: string, type: Type) =>
  log(sessionId).filter((event): event is Extract<RecordedEvent, { type: Type }> => event.type === type)
const header = (sessionId: string) => required(engine, 'an engine').sessions.header(sessionId)
const requestsTo = (model: string): RecordedRequest[] => server.requests.filter(({ body }) => body['model'] === model)
const isTitle = ({ body }: RecordedRequest): boolean => JSON.stringify(body).includes('You name conversations')
const transcript = (sessionId: string) => {
  const draft = new TranscriptDraft([])
  for (const event of log(sessionId)) draft.recorded(event)
  return draft.items
}

it('continues with the fallback model when its own is overloaded, says so, and uses its own again in the next turn', async () => {
  let isBusy = true
  await setup(
    { scripted: () => (isBusy ? OVERLOADED : { text: 'Back again.' }), second: () => ({ text: 'I stand in.' }) },
    'fallback_model = "local/second"',
  )
  const id = await begin()
  expect(ofType(id, 'turn.finished')).toMatchObject([{ stop: 'end_turn', steps: 1 }])
  expect(requestsTo('scripted')).toHaveLength(3)
  expect(requestsTo('second')).toHaveLength(1)
  expect(ofType(id, 'model.fell_back')).toMatchObject([
    { from: 'local/scripted', to: 'local/second', failure: { code: 'model.overloaded' } },
  ])
  expect(ofType(id, 'step.started').at(-1)).toMatchObject({ model: 'local/second' })
  expect(transcript(id)).toContainEqual(
    expect.objectContaining({
      kind: 'notice',
      toPerson: true,
      text: expect.stringContaining('local/second continues this turn'),
    }),
  )
  isBusy = false
  await say(id, 'and now?')
  expect(ofType(id, 'step.finished').at(-1)).toMatchObject({ parts: [{ type: 'text', text: 'Back again.' }] })
  expect(header(id).model).toBe('local/scripted')
  // The fallback model's answer is part of the conversation.
  expect(JSON.stringify(requestsTo('scripted').at(-1)?.body)).toContain('I stand in.')
  expect(log(id).reduce(applyHeader, emptyHeader(id))).toEqual(header(id))
})

it("keeps the turn's work when the model becomes overloaded halfway", async () => {
  await setup(
    {
      scripted: (request) =>
        JSON.stringify(request.body).includes('alpha')
          ? OVERLOADED
          : { toolCalls: [{ name: 'Read', input: { path: 'a.txt' } }] },
      second: () => ({ text: 'The file says alpha.' }),
    },
    'fallback_model = "local/second"',
  )
  const id = await begin('read it')
  expect(ofType(id, 'tool.finished')).toHaveLength(1)
  expect(JSON.stringify(requestsTo('second')[0]?.body)).toContain('alpha')
  expect(ofType(id, 'turn.finished')).toMatchObject([{ stop: 'end_turn', steps: 2 }])
})

it('compacts with the model that took over', async () => {
  const tooLong: ScriptStep = {
    faults: {
      status: 400,
      body: { error: { message: 'Too long.', type: 'invalid_request_error', code: 'context_length_exceeded' } },
    },
  }
  const asksForSummary = ({ body }: RecordedRequest): boolean =>
    JSON.stringify(body).includes('You write the memory of an agent')
  let isTooLong = true
  await setup(
    {
      scripted: (request) =>
        JSON.stringify(request.body).includes('alpha')
          ? OVERLOADED
          : { toolCalls: [{ name: 'Read', input: { path: 'a.txt' } }] },
      second: (request) => {
        if (asksForSummary(request)) return { text: 'The user asked to read a.txt.' }
        if (!isTooLong) return { text: 'The file says alpha.' }
        isTooLong = false
        return tooLong
      },
    },
    'fallback_model = "local/second"',
  )
  const id = await begin('read it')
  expect(ofType(id, 'turn.finished')).toMatchObject([{ stop: 'end_turn' }])
  expect(requestsTo('second').filter(asksForSummary)).toHaveLength(1)
  expect(requestsTo('scripted').filter(asksForSummary)).toEqual([])
})

it('keeps within the window of the model that took over, and learns nothing from it about the first one', async () => {
  const WINDOW = 24_000
  const bytesOf = ({ body }: RecordedRequest): number => JSON.stringify(body).length
  let reads = 0
  await setup(
    {
      scripted: () => (reads === 0 ? OVERLOADED : { text: 'Back again.' }),
      second: (request) => {
        const input = Math.ceil(bytesOf(request) / 3.5)
        reads += 1
        return {
          ...(reads <= 9 ? { toolCalls: [{ name: 'Read', input: { path: `${reads}.txt` } }] } : { text: 'All read.' }),
          usage: { input, output: 20 },
        }
      },
    },
    'fallback_model = "local/third"',
    `[models."local/third"]\nprovider = "local"\nmodel = "second"\ncontext_window = ${WINDOW}\n`,
  )
  for (let n = 1; n < 10; n += 1)
    writeFileSync(join(scratch.project, `${n}.txt`), `a line of the file ${n}, like any other\n`.repeat(200))
  const id = await begin('read them')
  expect(ofType(id, 'turn.finished')).toMatchObject([{ stop: 'end_turn' }])
  expect(requestsTo('second').length).toBeGreaterThanOrEqual(10)
  expect(Math.max(...requestsTo('second').map(bytesOf)) / 3.5).toBeLessThan(WINDOW)
  expect(ofType(id, 'context.trimmed').length).toBeGreaterThan(0)
  await say(id, 'and now?')
  expect(header(id).learnedWindow).toBeUndefined()
})

it('starts every request with the previous one, even when the model had started to answer', async () => {
  const faults = { streamError: { message: 'Overloaded', type: 'overloaded_error' } }
  let isBusy = true
  await setup(
    {
      scripted: () =>
        isBusy ? { text: 'I start with the login page and continue.', faults } : { text: 'Back again.' },
      second: (request) =>
        JSON.stringify(request.body).includes('alpha')
          ? { text: 'I stand in.' }
          : { toolCalls: [{ name: 'Read', input: { path: 'a.txt' } }] },
    },
    'fallback_model = "local/second"',
  )
  const id = await begin()
  expect(ofType(id, 'step.finished')).toContainEqual(
    expect.objectContaining({ partial: true, parts: [{ type: 'text', text: expect.stringContaining('I start') }] }),
  )
  expect(ofType(id, 'model.fell_back')).toHaveLength(1)
  isBusy = false
  await say(id, 'and now?')
  const [took, next] = server.requests.slice(-2).map((request) => piecesOf(request))
  expect(
    brokenAt(required(took, 'the request to the second model'), required(next, 'the next request')),
  ).toBeUndefined()
})

it('ends the turn when both are overloaded, and for any other failure', async () => {
  await setup({ scripted: () => OVERLOADED, second: () => OVERLOADED }, 'fallback_model = "local/second"')
  const id = await begin()
  expect(ofType(id, 'turn.finished')).toMatchObject([{ stop: 'error' }])
  expect(ofType(id, 'model.fell_back')).toHaveLength(1)
  expect(requestsTo('second').length).toBeGreaterThan(1)
})

it('does not fall back when the API key is rejected', async () => {
  await setup(
    {
      scripted: () => ({ faults: { status: 401, body: { error: { message: 'no' } } } }),
      second: () => ({ text: 'never' }),
    },
    'fallback_model = "local/second"',
  )
  const id = await begin()
  expect(ofType(id, 'turn.finished')).toMatchObject([{ stop: 'error' }])
  expect(header(id).lastFailure?.code).toBe('model.auth')
  expect(requestsTo('second')).toEqual([])
})

it('has the small model title a session, records the cost, and never replaces a title set by the user', async () => {
  await setup(
    {
      scripted: () => ({ text: 'Done.' }),
      second: () => ({ text: '"Fixing the login page"', usage: { input: 40, output: 6 } }),
    },
    'small_model = "local/second"',
  )
  const id = await begin('please fix the login page, it shows nothing')
  await until(() => ofType(id, 'title.made').length > 0, 'the title')
  expect(header(id).title).toBe('Fixing the login page')
  expect(header(id).spent.input).toBeGreaterThanOrEqual(40)
  expect(requestsTo('second').every(isTitle)).toBe(true)
  await required(engine, 'an engine').sessions.change(id, { title: 'Mine' })
  await say(id, 'continue')
  expect(header(id).title).toBe('Mine')
  expect(ofType(id, 'title.made')).toHaveLength(1)
})

it('titles a session with its own model when the small one fails, and reports nothing', async () => {
  await setup(
    {
      scripted: (request) => (isTitle(request) ? { text: 'Its own title' } : { text: 'Done.' }),
      second: () => ({ faults: { status: 404, body: { error: { message: 'no such model' } } } }),
    },
    'small_model = "local/second"',
  )
  const id = await begin('do something')
  await until(() => ofType(id, 'title.made').length > 0, 'the title')
  expect(header(id).title).toBe('Its own title')
  expect(ofType(id, 'turn.finished')).toMatchObject([{ stop: 'end_turn' }])
})

it('titles a session with the model of [titles]', async () => {
  const script = {
    scripted: () => ({ text: 'Done.' }),
    second: () => ({ text: 'Named by the second' }),
  }
  await setup(script, '[titles]\nmodel = "local/second"')
  const id = await begin('please fix the login page')
  await until(() => ofType(id, 'title.made').length > 0, 'the title')
  expect(header(id).title).toBe('Named by the second')
})

it('makes no title request when titles are off', async () => {
  await setup(
    { scripted: () => ({ text: 'Done.' }), second: () => ({ text: 'never' }) },
    'small_model = "local/second"\n[titles]\nenabled = false',
  )
  const id = await begin('a plain prompt')
  expect(header(id).title).toBe('a plain prompt')
  expect(server.requests).toHaveLength(1)
})

it('makes no title request without a small model', async () => {
  await setup({ scripted: () => ({ text: 'Done.' }), second: () => ({ text: 'never' }) })
  const id = await begin('a plain prompt')
  expect(header(id).title).toBe('a plain prompt')
  expect(server.requests).toHaveLength(1)
})

const explores = (request: RecordedRequest): ScriptStep => {
  const body = JSON.stringify(request.body)
  if (body.includes('You find things out and change nothing')) return { text: 'Found by the session’s own model.' }
  if (isTitle(request)) return { text: 'Exploring' }
  return body.includes('Found by')
    ? { text: 'Thanks.' }
    : { toolCalls: [{ name: 'Agent', input: { subagent_type: 'explore', description: 'look', prompt: 'find it' } }] }
}

it('runs the explore agent with the small model', async () => {
  await setup(
    { scripted: explores, second: () => ({ text: 'Found by the small model.' }) },
    'small_model = "local/second"',
  )
  const id = await begin('look around')
  expect(requestsTo('second').some((request) => !isTitle(request))).toBe(true)
  expect(JSON.stringify(ofType(id, 'tool.finished'))).toContain('Found by the small model.')
})

it("runs the explore agent with the session's own model when the small one fails", async () => {
  await setup(
    {
      scripted: explores,
      second: () => ({ faults: { status: 401, body: { error: { message: 'not with this key' } } } }),
    },
    'small_model = "local/second"',
  )
  const id = await begin('look around')
  expect(JSON.stringify(ofType(id, 'tool.finished'))).toContain('Found by the session')
  expect(ofType(id, 'turn.finished')).toMatchObject([{ stop: 'end_turn' }])
})

it('prints what a turn cost, with the cache savings', async () => {
  await setup(
    {
      scripted: () => ({ text: 'Hello.', usage: { input: 100_000, output: 1000, cached: 80_000 } }),
      second: () => ({ text: 'never' }),
    },
    '',
    '[models."local/scripted".prices]\ninput = 4\noutput = 20\ncache_read = 0.4\n',
  )
  const { stdout } = await runCli(['print', 'hello', '--cwd', scratch.project, '--output-format', 'json'], {
    home: scratch.home,
  })
  const { usage } = JSON.parse(stdout) as { usage: { cost: number } }
  // 20,000 at $4, 80,000 at $0.40 and 1,000 at $20 a million.
  expect(usage.cost).toBeCloseTo(0.08 + 0.032 + 0.02, 4)
})

it('lists the models with known details, guesses marked, and those that a provider offers', async () => {
  await setup(
    {},
    '',
    '[providers.claude]\ntype = "anthropic"\n[models."claude/o"]\nprovider = "claude"\n' +
      'model = "claude-opus-5-5"\n[models."local/x"]\nprovider = "local"\nmodel = "x"\n',
  )
  await server.close()
  server = await startModelServer({ script: [], models: ['one', 'two'], port: server.port })
  const { stdout } = await runCli(['models'], { home: scratch.home })
  expect(stdout).toMatch(/claude\/o +1000000 +images, PDFs +yes +yes +the table/)
  expect(stdout).toMatch(/local\/x +128000 +no +yes +a guess/)
  expect(stdout).toContain('Nothing is known about a model marked as a guess')
  const offered = await runCli(['models', 'local', '--json'], { home: scratch.home })
  expect(JSON.parse(offered.stdout)).toMatchObject([{ id: 'local/one', knownFrom: 'guess' }, { id: 'local/two' }])
  expect((await runCli(['models', 'missing'], { home: scratch.home })).code).toBe(2)
})
