import { once } from 'node:events'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { failureFrom } from '../../src/renderer/client/failure-from'
import type { TrestleClient } from '../../src/shared/contract'
import type { RecordedEvent } from '../../src/shared/events/event'
import type { ModelScript, RecordedRequest, ScriptStep, WireName } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { rejection } from '../support/required'
import { runCli, startCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { startWebProcess, type WebProcess } from '../support/web-process'

let scratch: Scratch
let server: ModelServer

beforeEach(() => {
  scratch = createScratch({ 'notes.md': '# Notes\n' })
})
afterEach(async () => {
  await server.close()
  scratch.remove()
})

async function play(
  script: ModelScript,
  { window = 32_000, wire = 'chat', loop = '' }: { window?: number; wire?: WireName; loop?: string } = {},
): Promise<void> {
  server = await startModelServer({ script })
  const config = configFor(server.baseUrl, { wire, loop: `retry_max_ms = 50\n${loop}` })
  writeConfig(scratch.home, config.replace('context_window = 128000', `context_window = ${window}`))
}

const print = (...args: string[]) =>
  runCli(['print', ...args, '--cwd', scratch.project, '--permission-mode', 'auto'], { home: scratch.home })
const eventsOf = (stdout: string): RecordedEvent[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
const bytes = ({ body }: RecordedRequest): number => Buffer.byteLength(JSON.stringify(body))
/** Whether the scripted model is asked for a summary, in the conversation itself or of its text. */
const asksForSummary = ({ body }: RecordedRequest): boolean =>
  JSON.stringify(body).includes('You write the memory of an agent')
const reading = (name: string): ScriptStep => ({ toolCalls: [{ name: 'Read', input: { path: name } }] })

describe('500 steps in a window of 32k tokens', () => {
  it(
    'are compacted in time, without overflow and without compacting again and again',
    { timeout: 240_000 },
    async () => {
      for (let n = 0; n < 20; n += 1)
        writeFileSync(join(scratch.project, `file-${n}.txt`), `file ${n}\n${'some words of it\n'.repeat(400)}`)
      let step = 0
      await play(
        (request) => {
          if (asksForSummary(request)) return { text: `Reading the files in turn; ${step} were read.` }
          step += 1
          // Every other step has a long answer: results can be trimmed, but answers cannot.
          if (step > 500) return { text: 'All of it is read.' }
          return {
            ...reading(`file-${step % 20}.txt`),
            text: `Step ${step}. ${step % 2 ? 'I have looked at this file and will open the next. '.repeat(15) : ''}`,
          }
        },
        { loop: 'max_steps = 600' },
      )
      const run = await print('read everything, and mind the word heliotrope', '--output-format', 'stream-json')
      expect(run.code).toBe(0)
      const events = eventsOf(run.stdout)
      expect(events.at(-1)).toMatchObject({ answer: 'All of it is read.', stop: 'end_turn', steps: 501 })
      // 32k tokens are about 128,000 bytes of English; the summary is requested when the conversation is fullest, with
      // the JSON of a hundred messages.
      const [summaries, steps] = [
        server.requests.filter(asksForSummary),
        server.requests.filter((request) => !asksForSummary(request)),
      ]
      expect(Math.max(...steps.map(bytes))).toBeLessThan(128_000)
      expect(Math.max(...summaries.map(bytes))).toBeLessThan(136_000)
      const compactions = events.filter((event) => event.type === 'compaction.finished')
      expect(compactions.length).toBeGreaterThan(0)
      let since = 1000
      for (const { type } of events) {
        if (type === 'step.started') since += 1
        if (type !== 'compaction.started') continue
        expect(since).toBeGreaterThanOrEqual(20)
        since = 0
      }
      expect(JSON.stringify(server.requests.at(-1)!.body)).toContain('heliotrope')
      expect(JSON.stringify(server.requests.at(-1)!.body)).toContain('Reading the files in turn')
      expect(run.stderr).toContain('the conversation was compacted from about')
    },
  )
})

const OVERFLOWS: Record<WireName, ScriptStep['faults']> = {
  chat: {
    status: 400,
    body: {
      error: {
        message: "This model's maximum context length is 8192 tokens.",
        type: 'invalid_request_error',
        code: 'context_length_exceeded',
      },
    },
  },
  responses: {
    status: 400,
    body: {
      error: {
        message: 'Your input exceeds the context window of this model.',
        type: 'invalid_request_error',
        code: 'context_length_exceeded',
      },
    },
  },
  anthropic: {
    status: 400,
    body: {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
    },
  },
  gemini: {
    status: 400,
    body: {
      error: {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: 'The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).',
      },
    },
  },
}

describe.each<WireName>(['chat', 'responses', 'anthropic', 'gemini'])(
  'a provider that finds the request too long, over the %s wire',
  (wire) => {
    it('compacts and retries, and the turn succeeds', async () => {
      await play(
        [reading('notes.md'), { faults: OVERFLOWS[wire]! }, { text: 'THE SUMMARY' }, { text: 'done after all' }],
        {
          wire,
          window: 200_000,
        },
      )
      const run = await print('read the notes')
      expect(run).toMatchObject({ code: 0, stdout: 'done after all\n' })
      expect(server.requests).toHaveLength(4)
      const last = JSON.stringify(server.requests[3]!.body)
      expect(last).toContain('THE SUMMARY')
      expect(last).toContain('read the notes')
      expect(last).toContain('- notes.md')
      expect(asksForSummary(server.requests[2]!)).toBe(true)
      const { tools } = server.requests[2]!.body as { tools?: unknown[] }
      expect(tools ?? []).toEqual([])
    })

    it('ends with a clear error when compacting does not help', async () => {
      await play(
        (request, index) =>
          index === 0 ? reading('notes.md') : asksForSummary(request) ? { text: 'S' } : { faults: OVERFLOWS[wire]! },
        {
          wire,
          window: 200_000,
        },
      )
      const run = await print('read the notes')
      expect(run.code).toBe(1)
      expect(run.stderr).toMatch(/Compacting does not free enough space|too long for this model/)
      expect(server.requests.length).toBeLessThan(12)
    })
  },
)

describe('a compaction', () => {
  /** The provider reports that the window is nearly full. */
  const full: ScriptStep = { ...reading('notes.md'), usage: { input: 30_000, output: 100 } }

  it('is retried like any step, in the same turn', async () => {
    await play([
      full,
      { faults: { status: 503, body: { error: { message: 'busy' } } } },
      { faults: { truncate: true }, text: 'half' },
      { text: 'SUMMARY' },
      { text: 'fine' },
    ])
    expect(await print('go')).toMatchObject({ code: 0, stdout: 'fine\n' })
  })

  it('that fails permanently loses nothing: the turn says so, and the next one has the whole conversation', async () => {
    let broken = true
    await play(
      (request, index) => {
        if (index === 0) return full
        if (asksForSummary(request))
          return broken ? { faults: { status: 500, body: { error: { message: 'no' } } } } : { text: 'SUMMARY' }
        return { text: 'fine' }
      },
      { loop: 'max_attempts = 2' },
    )
    const run = await print('the word is heliotrope')
    expect(run.code).toBe(1)
    expect(run.stderr).toContain('could not be compacted')
    expect(run.stderr).toContain('Nothing is lost')
    broken = false
    expect(await print('continue', '--continue')).toMatchObject({ code: 0, stdout: 'fine\n' })
    expect(JSON.stringify(server.requests.at(-1)!.body)).toContain('heliotrope')
  })

  it('runs hooks before it starts', async () => {
    await play([full, { text: 'SUMMARY' }, { text: 'fine' }])
    const hook = '\n[[hooks]]\nevent = "PreCompact"\ncommand = "cat > told.json"\n'
    appendFileSync(join(scratch.home, 'config.toml'), hook)
    expect(await print('go')).toMatchObject({ code: 0, stdout: 'fine\n' })
    const told: unknown = JSON.parse(readFileSync(join(scratch.project, 'told.json'), 'utf8'))
    expect(told).toMatchObject({ hook_event_name: 'PreCompact', reason: 'window', tokens: expect.any(Number) })
  })

  it('interrupted by a kill of the app leaves the conversation unchanged', async () => {
    let stall = true
    await play((request, index) => {
      if (index === 0) return full
      if (asksForSummary(request))
        return stall
          ? { text: 'The summary that must not be sent', faults: { stallAfterBytes: 300 } }
          : { text: 'SUMMARY' }
      return { text: 'fine' }
    })
    const child = startCli(['print', 'the word is heliotrope', '--cwd', scratch.project, '--permission-mode', 'auto'], {
      home: scratch.home,
    })
    child.stdin.end()
    const ended = once(child, 'close')
    await server.arrived(2)
    child.kill('SIGKILL')
    await ended
    stall = false
    const run = await print('continue', '--continue', '--output-format', 'stream-json')
    expect(run.code).toBe(0)
    const told = JSON.stringify(server.requests.at(-1)!.body)
    expect(told).toContain('heliotrope')
    expect(told).not.toContain('must not be sent')
    expect(readFileSync(join(scratch.project, 'notes.md'), 'utf8')).toBe('# Notes\n')
  })
})

describe('a manual compaction', () => {
  let host: WebProcess | undefined
  afterEach(async () => {
    await host?.kill()
    host = undefined
  })
  const parts = (text: string) => [{ type: 'text' as const, text }]
  const connect = async (): Promise<TrestleClient> => {
    host = await startWebProcess(scratch.home)
    return host.connect().client
  }
  async function say(client: TrestleClient, sessionId: string, words: string): Promise<void> {
    await client.session.prompt({ sessionId, parts: parts(words) })
    await expect
      .poll(async () => (await client.session.open({ sessionId })).header.turnId, { timeout: 60_000, interval: 10 })
      .toBeUndefined()
  }
  const lastBody = (): string => JSON.stringify(server.requests.at(-1)!.body)

  it(
    'waits for the turn, keeps what the instructions ask for, survives a restart, and can be undone',
    { timeout: 180_000 },
    async () => {
      await play(
        (request) => (asksForSummary(request) ? { text: 'THE SUMMARY' } : { text: `answer ${server.requests.length}` }),
        {
          window: 128_000,
        },
      )
      const client = await connect()
      const { sessionId } = await client.session.create({ folder: scratch.project })
      expect(failureFrom(await rejection(client.session.compact({ sessionId })))).toMatchObject({
        code: 'compaction.not_needed',
      })
      await say(client, sessionId, 'the word is heliotrope')
      const before = await client.session.context({ sessionId })
      expect(before.used).toBe(Object.values(before.parts).reduce((sum, tokens) => sum + tokens, 0))
      expect(await client.session.compact({ sessionId, instruction: 'keep the API decisions' })).toEqual({
        compacted: true,
      })
      expect(lastBody()).toContain('keep the API decisions')
      await host!.kill()

      const again = await connect()
      await say(again, sessionId, 'continue')
      expect(lastBody()).toContain('THE SUMMARY')
      expect(lastBody()).toContain('heliotrope')
      expect(lastBody()).not.toContain('answer 1')
      const { compacted } = (await again.session.open({ sessionId })).header
      await again.session.undoCompaction({ sessionId, compactionId: compacted!.compactionId })
      await say(again, sessionId, 'and now')
      expect(lastBody()).not.toContain('THE SUMMARY')
      expect(lastBody()).toContain('answer 1')
      expect(lastBody()).toContain('continue')
      const gone = again.session.undoCompaction({ sessionId, compactionId: compacted!.compactionId })
      expect(failureFrom(await rejection(gone))).toMatchObject({ code: 'compaction.gone' })
    },
  )

  it('builds on the previous one, and undoing it restores that one', { timeout: 180_000 }, async () => {
    let summaries = 0
    await play((request) => (asksForSummary(request) ? { text: `SUMMARY ${(summaries += 1)}` } : { text: 'fine' }), {
      window: 128_000,
    })
    const client = await connect()
    const { sessionId } = await client.session.create({ folder: scratch.project })
    await say(client, sessionId, 'one')
    await client.session.compact({ sessionId })
    await say(client, sessionId, 'two')
    await client.session.compact({ sessionId })
    expect(lastBody()).toContain('SUMMARY 1')
    const { compacted } = (await client.session.open({ sessionId })).header
    await client.session.undoCompaction({ sessionId, compactionId: compacted!.compactionId })
    await say(client, sessionId, 'three')
    expect(lastBody()).toContain('SUMMARY 1')
    expect(lastBody()).not.toContain('SUMMARY 2')
    expect(lastBody()).toContain('two')
  })

  it(
    'can be stopped, holds prompts back meanwhile, and is discarded when the app dies during it',
    { timeout: 180_000 },
    async () => {
      let stall = true
      await play(
        (request) => {
          if (!asksForSummary(request)) return { text: 'fine' }
          return stall
            ? { text: 'this summary must not be sent', faults: { stallAfterBytes: 300 } }
            : { text: 'SUMMARY' }
        },
        { window: 128_000 },
      )
      const client = await connect()
      const { sessionId } = await client.session.create({ folder: scratch.project })
      await say(client, sessionId, 'the word is heliotrope')
      const compacting = client.session.compact({ sessionId })
      await server.arrived(2)
      expect(await client.session.prompt({ sessionId, parts: parts('meanwhile') })).toMatchObject({ queued: true })
      expect(failureFrom(await rejection(client.session.compact({ sessionId })))).toMatchObject({
        code: 'session.busy',
      })
      await client.session.stop({ sessionId })
      expect(await compacting).toEqual({ compacted: false })
      expect((await client.session.open({ sessionId })).header).not.toHaveProperty('compacted')

      void client.session.compact({ sessionId }).catch(() => undefined)
      await server.arrived(3)
      await host!.kill()
      stall = false
      const again = await connect()
      const { header, events } = await again.session.open({ sessionId })
      expect(header).not.toHaveProperty('compacting')
      expect(header.queue).toHaveLength(1)
      expect(events.at(-1)).toMatchObject({ type: 'compaction.failed', why: 'interrupted' })
      await say(again, sessionId, 'continue')
      expect(lastBody()).toContain('heliotrope')
      expect(lastBody()).not.toContain('must not be sent')
    },
  )
})
