import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import type { RecordedEvent, SessionEvent } from '../../src/shared/model/event'
import { isRecorded } from '../../src/shared/model/event'
import { stdioServer } from '../support/mcp-lab'
import type { RecordedRequest, ScriptedCall, ScriptStep, WireName } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { brokenAt, piecesOf } from '../support/request-pieces'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { until } from '../support/until'

vi.setConfig({ testTimeout: 180_000 })

/** After one of these, and after nothing else, a request may begin differently from the one before. */
const BREAKS: ReadonlySet<RecordedEvent['type']> = new Set(['compaction.finished'])
const MAX_STEPS = 14
/** At least so many tools are in each request. */
const TOOLS = 20
const CONFIG = `[tool_search]\nenabled = true\nmin_pct = 0\nmin_tokens = 0\n[mcp]\nstart_wait_s = 60\n[models."local/other"]\nprovider = "local"\nmodel = "other"\ncontext_window = 128000\ncapabilities = ["tools", "image_in", "thinking"]\n`

/** What a model answers, or does before it answers. */
type Turn = ScriptStep | (() => ScriptStep)

class Replay {
  readonly scratch: Scratch
  readonly requests: { request: RecordedRequest; before: RecordedEvent[] }[] = []
  #engine!: Engine
  #model!: ModelServer
  #events: RecordedEvent[] = []
  #steps: Turn[] = []
  #session = ''

  constructor() {
    this.scratch = createScratch({ 'a.txt': 'one\n', 'b.txt': 'two\n' })
  }

  async begin(wire: WireName): Promise<void> {
    this.#model = await startModelServer({
      script: (request) => {
        this.requests.push({ request, before: this.#events })
        this.#events = []
        const step = this.#steps.shift() ?? { text: 'Well.' }
        return { thinking: 'Hm.', ...(typeof step === 'function' ? step() : step) }
      },
    })
    const config = configFor(this.#model.baseUrl, { wire, more: CONFIG, loop: `max_steps = ${MAX_STEPS}` })
    // A second model behind the same provider stands behind the provider's table.
    writeConfig(this.scratch.home, config)
    this.write('mcp.json', JSON.stringify({ mcpServers: { a: stdioServer() } }), this.scratch.home)
    await this.#open()
    this.#session = (await this.#engine.sessions.create({ folder: this.scratch.project, mode: 'auto' })).sessionId
    this.#listen()
  }

  async #open(): Promise<void> {
    this.#engine = await createEngine({ version: 'test', home: this.scratch.home, interactive: true, watch: false })
  }

  #listen(): void {
    this.#engine.sessions.listen(this.#session, (event: SessionEvent) => {
      if (isRecorded(event)) this.#events.push(event)
    })
  }

  get engine(): Engine {
    return this.#engine
  }

  get session(): string {
    return this.#session
  }

  /** A turn in which the model answers so, and then with text. */
  async turn(...steps: Turn[]): Promise<void> {
    this.#steps = [...steps]
    const { turns } = this.#engine.sessions.header(this.#session)
    await this.#engine.sessions.prompt(this.#session, [{ type: 'text', text: `prompt ${turns + 1}` }])
    await until(
      () => this.#engine.sessions.header(this.#session).turns > turns && this.#engine.sessions.header(this.#session).turnId === undefined,
      `turn ${turns + 1} to end`,
      60_000,
    )
    const { failure } = this.of('turn.finished').at(-1)!
    if (failure) throw new Error(failure.message)
  }

  of<Type extends RecordedEvent['type']>(type: Type): Extract<RecordedEvent, { type: Type }>[] {
    return this.#engine.sessions
      .since(this.#session, 0)
      .filter((event): event is Extract<RecordedEvent, { type: Type }> => event.type === type)
  }

  write(path: string, text: string, under = this.scratch.project): void {
    mkdirSync(dirname(join(under, path)), { recursive: true })
    writeFileSync(join(under, path), text)
  }

  async restart(): Promise<void> {
    await this.#engine.close('stop')
    await this.#open()
    await this.#engine.sessions.open(this.#session, 1)
    this.#listen()
  }

  async end(): Promise<void> {
    await this.#engine.close('stop')
    await this.#model.close()
    this.scratch.remove()
  }

  /** Whether the latest request says this. */
  tells(words: string): boolean {
    return JSON.stringify(this.requests.at(-1)!.request.body).includes(words)
  }
}

const read = (path: string): ScriptStep => ({ toolCalls: [{ name: 'Read', input: { path } }] })
const calls = (...toolCalls: ScriptedCall[]): ScriptStep => ({ toolCalls })
const onServer = (tool: string, input: Record<string, unknown> = {}): ScriptedCall => ({
  name: 'call_tool',
  input: { name: `mcp__a__${tool}`, arguments: input },
})

let replay: Replay | undefined
afterEach(async () => {
  vi.useRealTimers()
  await replay?.end()
  replay = undefined
})

describe.each<WireName>(['chat', 'responses', 'anthropic', 'gemini'])('every request over the %s wire', (wire) => {
  it('begins with the whole of the one before, whatever happens in between, except after a compaction', async () => {
    const run = (replay = new Replay())
    await run.begin(wire)
    const { scratch } = run

    await run.turn(...Array.from({ length: 10 }, (_, n) => read(n % 2 ? 'a.txt' : 'b.txt')))
    // AGENTS.md appears, changes, and goes.
    run.write('AGENTS.md', 'Use tabs.\n')
    await run.turn(read('a.txt'))
    expect(run.tells('Use tabs.')).toBe(true)
    run.write('AGENTS.md', 'Use spaces.\n')
    await run.turn(read('a.txt'))
    expect(run.tells('Use spaces.')).toBe(true)
    rmSync(join(scratch.project, 'AGENTS.md'))
    await run.turn()
    expect(run.tells('do not hold any more')).toBe(true)
    // A skill, and a type of agents.
    run.write('skills/brewing/SKILL.md', '---\nname: brewing\ndescription: Brews tea\n---\nBoil water.\n', scratch.home)
    await run.turn(read('b.txt'))
    expect(run.tells('brewing: Brews tea')).toBe(true)
    run.write('agents/taster.yaml', 'name: taster\ndescription: Tastes tea\nsystem_prompt: Taste it.\n', scratch.home)
    await run.turn(read('b.txt'))
    expect(run.tells('taster: Tastes tea')).toBe(true)
    // The date.
    vi.setSystemTime(Date.now() + 24 * 3_600_000)
    await run.turn(read('a.txt'))
    expect(run.tells('The date has changed.')).toBe(true)
    vi.useRealTimers()
    // Tools are loaded, called, and a server changes its list in the midst of a turn.
    await run.turn(
      calls({ name: 'tool_search', input: { tool_id: 'a::grow' } }, { name: 'tool_search', input: { tool_id: 'a::slow' } }),
      calls(onServer('grow'), onServer('slow', { n: 10 })),
      calls({ name: 'tool_search', input: { tool_id: 'a::extra1' } }),
      calls(onServer('extra1')),
    )
    expect(run.tells('a::extra1')).toBe(true)
    expect(run.of('tool.finished').slice(-1)).toMatchObject([{ name: 'mcp__a__extra1', isError: false }])
    // Plan mode on and off.
    await run.engine.plans.enter(run.session)
    await run.turn(read('a.txt'))
    await run.engine.plans.leave(run.session)
    await run.turn(read('a.txt'))
    // Another model, and back.
    await run.engine.sessions.change(run.session, { model: 'local/other' })
    await run.turn(read('a.txt'), read('b.txt'))
    expect(run.requests.at(-1)!.request.body['model'] ?? 'other').toBe('other')
    await run.engine.sessions.change(run.session, { model: 'local/scripted' })
    await run.turn(read('a.txt'))
    // Steering.
    await run.turn(() => {
      void run.engine.sessions.steer(run.session, { parts: [{ type: 'text', text: 'mind the kettle' }] })
      return read('a.txt')
    }, read('b.txt'))
    expect(run.tells('mind the kettle')).toBe(true)
    // A restart.
    await run.restart()
    await run.turn(read('a.txt'))
    // Both closing messages.
    await run.turn(...Array.from({ length: MAX_STEPS }, (_, n) => read(n % 2 ? `${n}.txt` : 'b.txt')))
    expect(run.of('turn.finished').at(-1)).toMatchObject({ stop: 'max_turn_requests' })
    expect(run.tells('has used all of its')).toBe(true)
    await run.turn(...Array.from({ length: 12 }, () => read('a.txt')))
    expect(run.tells('You keep making the same call')).toBe(true)
    // A compaction, and on from it.
    const beforeCompaction = run.requests.length
    expect(await run.engine.sessions.compact(run.session)).toBe(true)
    expect(run.requests).toHaveLength(beforeCompaction + 1)
    await run.turn(read('a.txt'), read('b.txt'))
    await run.restart()
    run.write('AGENTS.md', 'Use tabs again.\n')
    await run.turn(read('a.txt'))

    expect(run.requests.length).toBeGreaterThan(50)
    for (const { request } of run.requests) expect(piecesOf(request).length).toBeGreaterThan(TOOLS)
    const breaks = run.requests.slice(1).flatMap(({ request, before }, index) => {
      const at = brokenAt(piecesOf(run.requests[index]!.request), piecesOf(request))
      return at === undefined ? [] : [{ at: `request ${index + 2}, ${at}`, isAllowed: before.some(({ type }) => BREAKS.has(type)) }]
    })
    expect(breaks.filter(({ isAllowed }) => !isAllowed)).toEqual([])
    // Where it may break it has: so it would be seen elsewhere.
    expect(breaks).toHaveLength(1)
    expect(run.of('compaction.finished')).toHaveLength(1)
    expect(run.of('prefix.frozen')).toHaveLength(2)
  })
})
