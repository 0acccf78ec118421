import { afterEach, describe, expect, it, vi } from 'vitest'
import type { WireName } from '../support/model-script'
import { stdioServer } from '../support/mcp-lab'
import { calls, onServer, PrefixReplay, read } from '../support/prefix-replay'
import { sampled } from '../support/sampled'
import { brokenAt, piecesOf } from '../support/request-pieces'
import { until } from '../support/until'

vi.setConfig({ testTimeout: 240_000 })

/** The other two are in request-prefix.test.ts. */
const WIRES = sampled<WireName>(['responses', 'chat', 'gemini', 'anthropic'], 2)
const MODELS: Record<WireName, readonly [string, string]> = {
  chat: ['gpt-5.4', 'kimi-k2.6'],
  responses: ['o3', 'gpt-5.5'],
  anthropic: ['claude-opus-4-8', 'claude-sonnet-5-5'],
  gemini: ['gemini-3.1-pro', 'gemini-3-flash'],
}

let replay: PrefixReplay | undefined
afterEach(async () => {
  vi.useRealTimers()
  await replay?.end()
  replay = undefined
})

const big = Object.fromEntries(
  Array.from({ length: 18 }, (_, n) => [
    `big/${n}.txt`,
    `a line of the large file ${n}, like every other\n`.repeat(150),
  ]),
)

describe.each(WIRES)('over the %s wire', (wire) => {
  it('many changes between two requests leave their common prefix unchanged', async () => {
    const run = (replay = new PrefixReplay(
      { wire, window: 128_000, models: MODELS[wire] },
      { 'sub/AGENTS.md': 'Use tabs in sub.\n', 'sub/x.txt': 'x\n', ...big },
    ))
    await run.begin()
    const { engine, session } = run
    await run.turn(read('a.txt'))
    // Everything at once, between two turns.
    run.write('AGENTS.md', 'Use tabs.\n')
    run.write(
      'skills/brewing/SKILL.md',
      '---\nname: brewing\ndescription: Brews tea\n---\nBoil water.\n',
      run.scratch.home,
    )
    run.write(
      'agents/taster.yaml',
      'name: taster\ndescription: Tastes tea\nsystem_prompt: Taste it.\n',
      run.scratch.home,
    )
    vi.setSystemTime(Date.now() + 24 * 3_600_000)
    await engine.sessions.change(session, { mode: 'ask', effort: 'high' })
    await run.turn(read('sub/x.txt'))
    vi.useRealTimers()
    expect(run.breaks()).toEqual({ allowed: [], others: [], thinking: [] })
    // Mode changes back and forth between two steps of a turn, while the user also steers.
    await run.turn(
      () => {
        void engine.sessions.change(session, { mode: 'auto' })
        void engine.sessions.change(session, { mode: 'ask' })
        void engine.sessions.steer(session, { parts: [{ type: 'text', text: 'hurry' }] })
        return calls({ name: 'Read', input: { path: 'a.txt' } }, { name: 'Read', input: { path: 'sub/x.txt' } })
      },
      () => {
        void engine.sessions.change(session, { mode: 'auto' })
        run.write('AGENTS.md', 'Use spaces.\n')
        return read('b.txt')
      },
    )
    expect(run.breaks()).toEqual({ allowed: [], others: [], thinking: [] })
    // Steering while a tool runs, with tools loaded.
    const turns = await run.prompt(
      calls({ name: 'tool_search', input: { tool_id: 'a::slow' } }),
      calls(onServer('slow', { n: 1 }), { name: 'Read', input: { path: 'a.txt' } }),
      read('b.txt'),
    )
    await until(() => run.of('tool.started').some(({ name }) => name === 'mcp__a__slow'), 'the call')
    await engine.sessions.steer(session, { parts: [{ type: 'text', text: 'while you wait' }] })
    await engine.sessions.change(session, { effort: 'low' })
    await run.ended(turns)
    expect(run.tells('while you wait')).toBe(true)
    expect(run.breaks()).toEqual({ allowed: [], others: [], thinking: [] })
    // Servers come and go over restarts; the session continues in another process.
    const servers = (names: Record<string, readonly string[]>): void =>
      run.write(
        'mcp.json',
        JSON.stringify({ mcpServers: Object.fromEntries(Object.entries(names).map(([n, f]) => [n, stdioServer(f)])) }),
        run.scratch.home,
      )
    servers({ a: ['instructions=Greet.'], second: ['instructions=Be kind.'] })
    await run.restart()
    await run.turn(
      calls({ name: 'tool_search', input: { tool_id: 'second::echo' } }),
      calls({ name: 'call_tool', input: { name: 'mcp__second__echo', arguments: { text: 'hi' } } }),
    )
    expect(run.of('tool.finished').at(-1)).toMatchObject({ name: 'mcp__second__echo', isError: false })
    servers({ second: [] })
    await run.restart()
    await run.turn(calls(onServer('slow', { n: 1 })), read('a.txt'))
    servers({})
    await run.restart({ interactive: false })
    await run.turn(read('a.txt'))
    servers({ a: [] })
    await run.restart()
    await run.turn(calls(onServer('slow', { n: 1 })))
    expect(run.breaks()).toEqual({ allowed: [], others: [], thinking: [] })
    // Undo of two messages: the next request starts with everything sent before them.
    const before = run.requests.length
    await run.turn(read('b.txt'))
    run.write('AGENTS.md', 'Use four spaces.\n')
    await run.turn(read('a.txt'))
    const points = await run.engine.checkpoints.points(session)
    await run.engine.checkpoints.restore(session, { to: points.at(-2)!.seq - 1, files: false, conversation: true })
    await run.turn(read('a.txt'))
    expect(run.tells('Use four spaces.')).toBe(true)
    const undone = run.requests[run.requests.length - 2]!.request
    expect(brokenAt(piecesOf(run.requests[before - 1]!.request), piecesOf(undone))).toBeUndefined()
    // A fork starts like its original conversation.
    const header = await run.engine.sessions.fork(session)
    const last = run.requests.at(-1)!.request
    const done = new Promise<void>((resolve) =>
      run.engine.sessions.listen(header.sessionId, (event) => event.type === 'turn.finished' && resolve()),
    )
    await run.engine.sessions.prompt(header.sessionId, [{ type: 'text', text: 'in the fork' }])
    await done
    expect(brokenAt(piecesOf(last), piecesOf(run.requests.at(-1)!.request))).toBeUndefined()
    expect(run.refused).toBe(0)
  })

  it('a restart right after a trim, and tools loaded before a compaction, invalidate nothing else', async () => {
    const run = (replay = new PrefixReplay({ wire, window: 40_000, models: MODELS[wire] }, big))
    await run.begin()
    const { session } = run
    await run.turn(
      calls({ name: 'tool_search', input: { tool_id: 'a::echo' } }),
      calls(onServer('echo', { text: 'x' })),
    )
    let n = 0
    while (run.of('context.trimmed').length === 0) await run.turn(read(`big/${n++ % 18}.txt`))
    await run.restart()
    await run.turn(read('a.txt'))
    await run.restart({ interactive: false })
    await run.turn(read('b.txt'), calls(onServer('echo', { text: 'y' })))
    expect(run.of('tool.finished').at(-1)).toMatchObject({ name: 'mcp__a__echo', isError: false })
    await run.restart()
    const at = run.requests.length
    expect(await run.engine.sessions.compact(session)).toBe(true)
    expect(run.requests).toHaveLength(at + 1)
    await run.turn(calls(onServer('echo', { text: 'z' })), read('a.txt'))
    expect(run.of('tool.finished').at(-2)).toMatchObject({ name: 'mcp__a__echo', isError: false })
    await run.restart()
    await run.turn(read('a.txt'))
    while (run.of('context.trimmed').length === 1) await run.turn(read(`big/${n++ % 18}.txt`), read('a.txt'))
    const breaks = run.breaks()
    expect(breaks.others).toEqual([])
    expect(breaks.allowed).toHaveLength(3)
    expect(run.refused).toBe(0)
  })
})
