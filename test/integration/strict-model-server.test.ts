import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import { isRecorded, type RecordedEvent } from '../../src/shared/events/event'
import type { ScriptStep, WireName } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { RUNS_ALL } from '../support/sampled'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { lastWords, strictModel, type StrictModel, type StrictOptions } from '../support/strict-model'

let scratch: Scratch
let server: ModelServer
let engine: Engine

afterEach(async () => {
  await engine.close()
  await server.close()
  scratch.remove()
})

const FILES = 12
/** Code, Chinese and base64 in rotation; 4 to 9 kB each. */
function fileText(n: number): string {
  const code = `export const value${n} = compute(${n}, 'as usual') // one of many lines\n`.repeat(70)
  const chinese = `第${n}节：上下文窗口的大小以词元计算，不同的文字每个词元的字节数不同。\n`.repeat(50)
  const bytes = Uint8Array.from({ length: 4500 }, (_, index) => (index * 97 + (index >> 3) * n) % 256)
  const base64 = `data${n}: ${Buffer.from(bytes).toString('base64')}\n`
  return [code, chinese, base64, `${code.slice(0, 2000)}${chinese.slice(0, 700)}${base64.slice(0, 2500)}`][n % 4]!
}

/** The record of one session. */
interface Played {
  strict: StrictModel
  sessionId: string
  events: RecordedEvent[]
  /** Tokens of the first request after each trim. */
  afterTrims(): number[]
  /** Sends a prompt and waits for the end of its turn. */
  prompt(words: string): Promise<RecordedEvent>
  /** Simulates the end of the process for the session, and starts another. */
  restart(): Promise<void>
}

/** An engine with a strict server. A prompt `Read NAME` is answered with a call, everything else with a sentence. */
async function begin({
  configured,
  thinking = '',
  ...options
}: StrictOptions & {
  configured?: number
  model?: string
  /** Its thinking before each answer, in addition to a few words. */ thinking?: string
}): Promise<Played> {
  // A sandboxed command may create an empty one in a folder without it, which would change the instructions.
  scratch = createScratch({ '.git/HEAD': 'ref: refs/heads/main\n' })
  for (let n = 0; n < FILES; n += 1) writeFileSync(join(scratch.project, `file-${n}.txt`), fileText(n))
  const strict = strictModel(options)
  let wanted: string | undefined
  server = await startModelServer({
    script: (request, index) => {
      // A summary may be requested before the step for the prompt.
      const isSummary = /\b(?:memory|summary)\b/i.test(lastWords(request.body) ?? '')
      const name = isSummary ? undefined : wanted
      const step: ScriptStep =
        name === undefined ? { text: 'It is noted.' } : { toolCalls: [{ name: 'Read', input: { path: name } }] }
      const played = strict.play(request, index, {
        ...step,
        ...(!isSummary && { thinking: `Thinking of ${name ?? 'the end'}. ${thinking}` }),
      })
      if (name !== undefined && !played.faults) wanted = undefined
      return played
    },
  })
  const config = configFor(server.baseUrl, { wire: options.wire })
  writeConfig(
    scratch.home,
    config
      .replace('context_window = 128000', `context_window = ${configured ?? options.window}`)
      .replace('model = "scripted"', `model = "${options.model ?? 'scripted'}"`),
  )
  const start = (): Promise<Engine> =>
    createEngine({ version: '0', home: scratch.home, watch: false, interactive: true, log: () => {} })
  engine = await start()
  const { sessionId } = await engine.sessions.create({ folder: scratch.project, mode: 'auto' })
  const events: RecordedEvent[] = []
  const trims: number[] = []
  let ended: ((event: RecordedEvent) => void) | undefined
  const listen = (): void => {
    engine.sessions.listen(sessionId, (event) => {
      if (!isRecorded(event)) return
      events.push(event)
      if (event.type === 'context.trimmed') trims.push(strict.requests.length)
      if (event.type === 'turn.finished') ended?.(event)
    })
  }
  listen()
  return {
    strict,
    sessionId,
    events,
    afterTrims: () => trims.map((index) => strict.requests[index]!.tokens),
    async prompt(words) {
      wanted = /^Read (\S+)/.exec(words)?.[1]
      const { promise, resolve } = Promise.withResolvers<RecordedEvent>()
      ended = resolve
      await engine.sessions.prompt(sessionId, [{ type: 'text', text: words }])
      return promise
    },
    async restart() {
      await engine.close()
      engine = await start()
      await engine.sessions.open(sessionId, 1)
      listen()
    },
  }
}

const WINDOW = 48_000

/** As in the latest Anthropic models, which the engine recognizes by name. */
const BINDS = { model: 'claude-sonnet-5-5', bindsThinking: true } as const

/** The full number of turns, and a number that is enough for trims before and after the restart. */
const [MANY, ENOUGH] = [200, RUNS_ALL ? 200 : 80]

type ManyTurns = [
  turns: number,
  wire: WireName,
  bytesPerToken: number,
  what: string,
  more: { model?: string; bindsThinking?: boolean; dropsBlocks?: boolean },
]
const OF_RESPONSES: ManyTurns = [ENOUGH, 'responses', 3.4, '', {}]
const OF_GEMINI: ManyTurns = [ENOUGH, 'gemini', 2.5, '', {}]

// Wires with one measure, or the test would take minutes. Those that only TRESTLE_TESTS=all runs here are in the next
// test.
describe.each<ManyTurns>([
  [ENOUGH, 'chat', 2.5, '', {}],
  ...(RUNS_ALL ? [OF_RESPONSES, OF_GEMINI] : []),
  [ENOUGH, 'anthropic', 4.5, ', and binds thinking', BINDS],
  [ENOUGH, 'anthropic', 3, ', binds thinking, and drops it where that is asked for', { ...BINDS, dropsBlocks: true }],
])(
  '%d turns over the %s wire with a server that counts %d bytes to a token%s',
  (turns, wire, bytesPerToken, _what, more) => {
    it(
      'has no rejected request, across trims and a restart, and every trim leaves at least 60 percent of the window',
      { timeout: 240_000 },
      async () => {
        const played = await begin({ wire, bytesPerToken, window: WINDOW, ...more })
        let trimsBefore = 0
        for (let turn = 0; turn < turns; turn += 1) {
          if (turn === turns / 2) {
            trimsBefore = played.afterTrims().length
            await played.restart()
          }
          expect(await played.prompt(`Read file-${turn % FILES}.txt`)).toMatchObject({ stop: 'end_turn' })
        }
        const { requests } = played.strict
        expect(requests.filter(({ rejected }) => rejected)).toEqual([])
        expect(requests.length).toBeGreaterThanOrEqual(2 * turns)
        expect(trimsBefore).toBeGreaterThan(0)
        expect(played.afterTrims().length).toBeGreaterThan(Math.max(5 * (turns / MANY), trimsBefore))
        expect(Math.min(...played.afterTrims())).toBeGreaterThanOrEqual(WINDOW * 0.6)
        // Not much of the window is left unused either.
        expect(Math.max(...requests.map(({ tokens }) => tokens))).toBeGreaterThan(WINDOW * 0.82)
        // After a trim, requests only grow: nothing else makes one shorter.
        const shorter = requests.filter(({ tokens }, index) => index > 0 && tokens < requests[index - 1]!.tokens * 0.95)
        expect(shorter.map(({ tokens }) => tokens)).toEqual(played.afterTrims())
        // Thinking since the latest trim is sent back: all but the first request after a trim have the thinking of the
        // previous answer.
        const carrying = server.requests.filter(({ body }, index) =>
          JSON.stringify(body).includes(`"signature":"signed-${index}"`),
        ).length
        expect(carrying > requests.length * 0.9).toBe(more.bindsThinking === true)
      },
    )
  },
)

describe.each<WireName>(RUNS_ALL ? ['chat', 'responses', 'anthropic', 'gemini'] : ['responses', 'gemini'])(
  'a window smaller than configured, over the %s wire',
  (wire) => {
    it(
      'is learned from one rejection: the same turn continues, no later request is rejected, and nothing is truncated',
      { timeout: 180_000 },
      async () => {
        const played = await begin({ wire, bytesPerToken: 3, window: 60_000, configured: 200_000 })
        for (let turn = 0; turn < 60; turn += 1) {
          expect(await played.prompt(`Read file-${turn % FILES}.txt`)).toMatchObject({ stop: 'end_turn' })
        }
        expect(played.strict.requests.filter(({ rejected }) => rejected)).toHaveLength(1)
        expect(played.events.filter(({ type }) => type === 'compaction.started')).toEqual([])
        // This vendor does not report its limit, so a little less than the refused size is assumed.
        expect(Math.min(...played.afterTrims())).toBeGreaterThanOrEqual(60_000 * (wire === 'responses' ? 0.57 : 0.6))
      },
    )
  },
)

it('a model that thinks more than it reads, and loses thinking behind a trim, always has at least 60 percent of the window in use after one', async () => {
  const thinking = 'I wonder whether this is what was asked for. '.repeat(60)
  const played = await begin({ wire: 'anthropic', bytesPerToken: 3, window: WINDOW, thinking, ...BINDS })
  for (let turn = 0; turn < 60; turn += 1) {
    expect(await played.prompt(`Read file-${turn % FILES}.txt`)).toMatchObject({ stop: 'end_turn' })
  }
  expect(played.strict.requests.filter(({ rejected }) => rejected)).toEqual([])
  expect(played.afterTrims().length).toBeGreaterThan(2)
  expect(Math.min(...played.afterTrims())).toBeGreaterThanOrEqual(WINDOW * 0.6)
})

it('a model that unexpectedly requires its thinking rejects once after each trim: the same turn continues, and so do later ones', async () => {
  const played = await begin({
    wire: 'anthropic',
    bytesPerToken: 3,
    window: 32_000,
    bindsThinking: true,
    model: 'claude-opus-4-8',
  })
  for (let turn = 0; turn < 40; turn += 1) {
    if (turn === 20) await played.restart()
    expect(await played.prompt(`Read file-${turn % FILES}.txt`)).toMatchObject({ stop: 'end_turn' })
  }
  const rejected = played.strict.requests.flatMap((request, index) =>
    request.rejected ? [{ index, why: request.rejected }] : [],
  )
  expect(rejected.length).toBeGreaterThan(1)
  expect(rejected.every(({ why }) => why === 'thinking')).toBe(true)
  // Each is the first request after a trim, and the next one is accepted.
  expect(rejected).toHaveLength(played.afterTrims().length)
  expect(rejected.every(({ index }) => !played.strict.requests[index + 1]!.rejected)).toBe(true)
  // Later thinking is sent back again: all but the first two requests after a trim have the thinking of the previous
  // answer.
  const carrying = server.requests.filter(({ body }, index) =>
    JSON.stringify(body).includes(`"signature":"signed-${index}"`),
  )
  expect(carrying.length).toBeGreaterThan(played.strict.requests.length * 0.8)
})

it('a trim applies to later turns, after a restart and in a fork, byte for byte; restoring to before it undoes it', async () => {
  const played = await begin({ wire: 'chat', bytesPerToken: 3, window: 30_000 })
  const messages = (): string[] =>
    (server.requests.at(-1)!.body['messages'] as object[]).map((message) => JSON.stringify(message))
  /** The latest request starts with the previous one. */
  const goesOn = async (words: string): Promise<void> => {
    const before = messages()
    await played.prompt(words)
    expect(messages().slice(0, before.length)).toEqual(before)
  }
  let turns = 0
  while (played.afterTrims().length === 0) await played.prompt(`Read file-${turns++ % FILES}.txt`)
  const trim = played.events.find(({ type }) => type === 'context.trimmed')!
  expect(messages().join('')).toContain('left out to save space')
  await goesOn('What is in it?')
  await played.restart()
  await goesOn('And now?')
  const before = messages()
  const [last] = played.events.filter(({ type }) => type === 'turn.finished').slice(-1)
  const fork = await engine.sessions.fork(played.sessionId, last!.seq)
  const forked = new Promise<void>((resolve) => {
    engine.sessions.listen(fork.sessionId, (event) => event.type === 'turn.finished' && resolve())
  })
  await engine.sessions.prompt(fork.sessionId, [{ type: 'text', text: 'In the fork?' }])
  await forked
  // Starting at the first message; the instructions before it may name another session.
  expect(messages().slice(1, before.length)).toEqual(before.slice(1))
  const prompts = played.events.filter(({ type, seq }) => type === 'turn.started' && seq < trim.seq)
  await engine.checkpoints.restore(played.sessionId, { to: prompts.at(-1)!.seq - 1, files: false, conversation: true })
  await played.prompt('Once more?')
  expect(messages().join('')).not.toContain('left out to save space')
})
