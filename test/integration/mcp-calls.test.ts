import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import { isAlive } from '../support/marked-pids'
import { mcpLab, stdioServer } from '../support/mcp-lab'
import type { ScriptedCall } from '../support/model-script'
import { until } from '../support/until'

const call = (tool: string, input: Record<string, unknown> = {}): ScriptedCall => ({ name: `mcp__a__${tool}`, input })

it('a call that is stopped is canceled at the server, which keeps serving', async () => {
  const lab = await mcpLab(() => ({ a: stdioServer() }))
  const session = await lab.session()
  const progress = new Promise<void>((resolve) => {
    lab.engine.sessions.listen(session, (event) => event.type === 'tool.progress' && resolve())
  })
  await lab.begin(session, [call('slow', { n: 300 })])
  await progress
  await lab.engine.sessions.stop(session)
  await lab.ended(session, 1)
  const [cancelled] = await lab.calls(session, [call('cancelled')])
  expect(JSON.parse(cancelled!)).toEqual([expect.objectContaining({ requestId: expect.any(Number) })])
})

it('progress is shown while a call runs and restarts its time limit', async () => {
  const lab = await mcpLab(() => ({ a: stdioServer([], { toolTimeoutMs: 2500 }) }))
  const session = await lab.session()
  const shown: string[] = []
  lab.engine.sessions.listen(session, (event) => {
    if (event.type === 'tool.progress') shown.push(event.text)
  })
  const startedAt = performance.now()
  expect(await lab.calls(session, [call('slow', { n: 30 })])).toEqual(['after 30 steps'])
  const tookMs = performance.now() - startedAt
  expect(shown.join('')).toMatch(/^step 1 \(1\/30\)[^]*step 2\d \(2\d\/30\)/)
  // At most four times a second.
  expect(shown.length).toBeLessThan(tookMs / 250 + 3)
})

it('a tool added in the middle of a turn is announced before the next step, with its schema, and can be called; the tool list stays', async () => {
  const lab = await mcpLab(() => ({ a: stdioServer() }))
  const session = await lab.session()
  await lab.calls(session, [call('grow'), call('slow', { n: 20 })])
  const [first, last] = [lab.requests()[0]!.body, lab.requests().at(-1)!.body]
  expect(last['tools']).toEqual(first['tools'])
  expect(JSON.stringify(first)).not.toContain('mcp__a__extra1')
  expect(JSON.stringify((last['messages'] as unknown[]).at(-1))).toMatch(/Call them with call_tool:.*mcp__a__extra1/)
  expect(await lab.calls(session, [{ name: 'call_tool', input: { name: 'mcp__a__extra1' } }])).toEqual(['extra1'])
  expect(lab.of(session, 'tool.finished').at(-1)).toMatchObject({ name: 'mcp__a__extra1' })
})

it('images reach the model scaled, other bytes as a file, links are named and not followed, structured content is sent once', async () => {
  const lab = await mcpLab(() => ({ a: stdioServer() }))
  const session = await lab.session()
  const [image, links, structured] = await lab.calls(session, [call('image'), call('links'), call('structured')])
  const content = lab.of(session, 'tool.finished')[0]!.content
  expect(content.filter(({ type }) => type === 'media')).toMatchObject([{ mediaType: 'image/png' }])
  const kept = [.../kept in (\S+?)\]/g[Symbol.matchAll](image!)].map(([, path]) => path!)
  expect(readFileSync(kept[0]!, 'latin1')).toBe('RIFF')
  expect(readFileSync(kept[1]!, 'latin1')).toBe('no picture')
  expect(links).toContain('not fetched: passwords <file:///etc/passwd>')
  expect(links).toContain('the text of note 1')
  expect(links).not.toContain('root:')
  expect(structured).toBe('{"b":2,"a":[1]}')
  expect(lab.of(session, 'tool.finished').find(({ name }) => name.endsWith('links'))!.details).toMatchObject({
    kind: 'server',
    links: [{ uri: 'file:///etc/passwd', name: 'passwords', mediaType: 'text/plain' }],
  })
})

it("a server's claims about its tools grant nothing: read-only tools ask, and destructive ones ask even in Auto", async () => {
  const lab = await mcpLab(() => ({ a: stdioServer() }))
  const asking = await lab.session('ask')
  await lab.begin(asking, [call('look', { text: 'x' })])
  await until(() => lab.engine.sessions.header(asking).approvals.length === 1, 'the question')
  await lab.engine.sessions.stop(asking)
  await lab.ended(asking, 1)
  const auto = await lab.session('auto')
  await lab.begin(auto, [call('echo', { text: 'not asked' }), call('wipe', { text: 'x' })])
  await until(() => lab.engine.sessions.header(auto).approvals.length === 1, 'the question')
  expect(lab.engine.sessions.header(auto).approvals[0]).toMatchObject({
    reason: 'The server a says that wipe can destroy something.',
  })
  await lab.engine.sessions.stop(auto)
  await lab.ended(auto, 1)
})

it("the next app offers a server's cached tools without starting it, and starts it with the first call", async () => {
  const lab = await mcpLab(({ starts }) => ({ a: stdioServer([starts('a')]) }))
  await lab.calls(await lab.session(), [call('echo', { text: '1' })])
  await lab.engine.close('stop')
  expect(lab.started('a').filter(isAlive)).toEqual([])
  const next = await createEngine({ version: 'test', home: lab.scratch.home, interactive: true, watch: false })
  try {
    const { sessionId } = await next.sessions.create({ folder: lab.scratch.project, mode: 'auto' })
    const before = lab.requests().length
    await next.sessions.prompt(sessionId, [{ type: 'text', text: 'say something' }])
    await until(
      () => next.sessions.header(sessionId).turnId === undefined && lab.requests().length > before,
      'the turn to end',
    )
    const names = (lab.requests().at(-1)!.body['tools'] as { function: { name: string } }[]).map(
      (tool) => tool.function.name,
    )
    expect(names).toContain('mcp__a__echo')
    expect(lab.started('a')).toHaveLength(1)
  } finally {
    await next.close('stop')
  }
})

it('an idle server is stopped, immediately once its last session is closed', async () => {
  const lab = await mcpLab(({ starts }) => ({ a: stdioServer([starts('a')]) }), {
    config: '[mcp]\nidle_minutes = 0.01',
  })
  const session = await lab.session()
  await lab.calls(session, [call('echo', { text: '1' })])
  await until(() => lab.started('a').every((pid) => !isAlive(pid)), 'it to be stopped')
  expect((await lab.engine.mcp.list()).servers[0]).toMatchObject({ state: 'idle', sessions: 0 })
  expect(await lab.calls(session, [call('echo', { text: '2' })])).toEqual(['2'])
  // More than one if a call takes longer than the idle time on this machine.
  expect(lab.started('a').length).toBeGreaterThan(1)
})

it('a server is stopped immediately when the last session that uses it is deleted', async () => {
  const lab = await mcpLab(({ starts }) => ({ a: stdioServer([starts('a')]) }))
  const [one, two] = [await lab.session(), await lab.session()]
  for (const session of [one, two]) await lab.calls(session, [call('echo', { text: '1' })])
  expect((await lab.engine.mcp.list()).servers[0]).toMatchObject({ state: 'ready', sessions: 2 })
  await lab.engine.sessions.remove(one)
  expect(lab.started('a').filter(isAlive)).toHaveLength(1)
  await lab.engine.sessions.remove(two)
  await until(() => lab.started('a').every((pid) => !isAlive(pid)), 'it to be stopped')
})
