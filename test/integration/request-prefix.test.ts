import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { WireName } from '../support/model-script'
import { calls, onServer, PrefixReplay, read } from '../support/prefix-replay'
import { piecesOf } from '../support/request-pieces'
import { sampled } from '../support/sampled'

vi.setConfig({ testTimeout: 180_000 })

const MAX_STEPS = 14
/** Minimum number of tools in each request. */
const TOOLS = 20
const WINDOW = 40_000

/** The other two are in request-prefix-mixes.test.ts. */
const WIRES = sampled<WireName>(['chat', 'responses', 'anthropic', 'gemini'], 2)

let replay: PrefixReplay | undefined
afterEach(async () => {
  vi.useRealTimers()
  await replay?.end()
  replay = undefined
})

describe.each(WIRES)('every request over the %s wire', (wire) => {
  it('starts with the whole previous one, whatever happens in between, except after a recorded trim and a compaction', async () => {
    const big = Array.from({ length: 18 }, (_, n) => [
      `big/${n}.txt`,
      `a line of the large file ${n}, like every other\n`.repeat(150),
    ])
    const run = (replay = new PrefixReplay({ wire, window: WINDOW, maxSteps: MAX_STEPS }, Object.fromEntries(big)))
    await run.begin()
    const { scratch } = run

    await run.turn(...Array.from({ length: 10 }, (_, n) => read(n % 2 ? 'a.txt' : 'b.txt')))
    // AGENTS.md appears, changes, and disappears.
    run.write('AGENTS.md', 'Use tabs.\n')
    await run.turn(read('a.txt'))
    expect(run.tells('Use tabs.')).toBe(true)
    run.write('AGENTS.md', 'Use spaces.\n')
    await run.turn(read('a.txt'))
    expect(run.tells('Use spaces.')).toBe(true)
    rmSync(join(scratch.project, 'AGENTS.md'))
    await run.turn()
    expect(run.tells('what it said no longer applies')).toBe(true)
    // A skill and an agent type.
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
    // Tools are loaded and called, and a server changes its list in the middle of a turn.
    await run.turn(
      calls(
        { name: 'tool_search', input: { tool_id: 'a::grow' } },
        { name: 'tool_search', input: { tool_id: 'a::slow' } },
      ),
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
    // Reads enough that the oldest results are dropped.
    for (const first of [0, 6, 12]) await run.turn(...Array.from({ length: 6 }, (_, n) => read(`big/${first + n}.txt`)))
    expect(run.of('context.trimmed').length).toBeGreaterThan(0)
    expect(run.tells('left out to save space')).toBe(true)
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
    // A compaction and the turns after it.
    const beforeCompaction = run.requests.length
    expect(await run.engine.sessions.compact(run.session)).toBe(true)
    expect(run.requests).toHaveLength(beforeCompaction + 1)
    await run.turn(read('a.txt'), read('b.txt'))
    await run.restart()
    run.write('AGENTS.md', 'Use tabs again.\n')
    await run.turn(read('a.txt'))

    expect(run.requests.length).toBeGreaterThan(50)
    for (const { request } of run.requests) expect(piecesOf(request).length).toBeGreaterThan(TOOLS)
    const breaks = run.breaks()
    expect(breaks.others).toEqual([])
    // The prefix has changed where it may, which proves that this test detects changes.
    expect(breaks.allowed).toHaveLength(run.of('context.trimmed').length + 1)
    expect(breaks.thinking).toHaveLength(2)
    expect(run.refused).toBe(0)
    expect(run.of('compaction.finished')).toHaveLength(1)
    expect(run.of('prefix.frozen')).toHaveLength(2)
  })
})
