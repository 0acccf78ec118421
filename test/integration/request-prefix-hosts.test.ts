import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { startWebHost } from '../../src/main/host/web/server/web-host'
import { connect } from '../../src/renderer/client/connect'
import { webSocketTransport } from '../../src/renderer/client/transports'
import type { RecordedRequest, WireName } from '../support/model-script'
import { nodeSockets } from '../support/node-socket'
import { calls, PrefixReplay, read } from '../support/prefix-replay'
import { required } from '../support/required'
import { brokenAt, piecesOf } from '../support/request-pieces'
import { until } from '../support/until'

const WIRES: WireName[] = ['chat', 'responses', 'anthropic', 'gemini']
const WINDOW = 60_000

let replay: PrefixReplay | undefined
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
  await replay?.end()
  replay = undefined
})

describe.each(WIRES)('every request over the %s wire', (wire) => {
  it('starts with the whole previous one when a page prompts, steers, plans and changes the session', async () => {
    const run = (replay = new PrefixReplay({ wire, window: WINDOW }))
    await run.begin()
    const rendererDir = join(run.scratch.home, 'page')
    mkdirSync(rendererDir)
    writeFileSync(join(rendererDir, 'index.html'), '<!doctype html>')
    const host = await startWebHost({ engine: run.engine, rendererDir })
    cleanups.push(() => host.close())
    const { origin, hash } = new URL(host.url)
    const connection = connect(
      webSocketTransport(nodeSockets().open, `${origin.replace('http', 'ws')}/socket`, hash.slice('#token='.length)),
    )
    cleanups.push(() => connection.close())
    const { client } = connection
    const sessionId = run.session
    run.send = (text) => client.session.prompt({ sessionId, parts: [{ type: 'text', text }] })

    await run.turn(read('a.txt'), read('b.txt'), read('a.txt'))
    for (const mode of ['ask', 'accept-edits', 'auto'] as const) {
      await client.session.change({ sessionId, mode })
      await run.turn(read('b.txt'))
    }
    await client.plan.enter({ sessionId })
    await run.turn(read('a.txt'))
    await client.plan.leave({ sessionId })
    await run.turn(read('b.txt'))
    run.send = (text) => client.session.prompt({ sessionId, parts: [{ type: 'text', text }], effort: 'high' })
    await run.turn(read('a.txt'))
    run.send = (text) => client.session.prompt({ sessionId, parts: [{ type: 'text', text }] })
    await client.session.change({ sessionId, model: 'local/other' })
    await run.turn(read('a.txt'))
    await client.session.change({ sessionId, model: 'local/scripted' })
    run.write('AGENTS.md', 'Use tabs.\n')
    await run.turn(async () => {
      await client.session.steer({ sessionId, parts: [{ type: 'text', text: 'mind the kettle' }] })
      return read('a.txt')
    }, read('b.txt'))
    expect(run.tells('mind the kettle')).toBe(true)
    const done = run.of('turn.finished').length
    await run.prompt(async () => {
      await client.session.prompt({ sessionId, parts: [{ type: 'text', text: 'and this next' }] })
      return read('a.txt')
    })
    await until(() => run.of('turn.finished').length === done + 2, 'the queued prompt to be done', 60_000)
    expect(run.tells('and this next')).toBe(true)
    await client.session.compact({ sessionId })
    await run.turn(read('b.txt'))

    expect(run.requests.length).toBeGreaterThan(25)
    expect(run.tells('Use tabs.')).toBe(true)
    const breaks = run.breaks()
    expect(breaks.others).toEqual([])
    expect(breaks.allowed).toHaveLength(1)
    expect(run.refused).toBe(0)
  })

  it("of a subagent starts with that subagent's whole previous one, and so do those of its parent", async () => {
    const run = (replay = new PrefixReplay({ wire, window: WINDOW }))
    await run.begin()
    const task = (prompt: string, of: object = { subagent_type: 'coder' }) =>
      calls({ name: 'Agent', input: { prompt, description: 'A part', ...of } })
    await run.turn(read('a.txt'))
    run.write('AGENTS.md', 'Use tabs.\n')
    // One after the other: the agent waits for its subagent.
    await run.turn(
      task('FIRST PART of the work'),
      read('a.txt'),
      () => {
        run.write('AGENTS.md', 'Use spaces.\n')
        return read('b.txt')
      },
      read('a.txt'),
      { text: 'The first part is done.' },
      read('b.txt'),
    )
    const [agentId] = run.of('subagent.started').map((event) => event.agentId)
    await run.turn(task('Continue with the FIRST PART', { resume: agentId }), read('b.txt'), read('a.txt'), {
      text: 'Done again.',
    })
    await run.turn(task('SECOND PART of the work'), read('a.txt'), read('b.txt'), { text: 'Done, too.' })
    await run.restart()
    await run.turn(task('Once more the FIRST PART', { resume: agentId }), read('b.txt'), { text: 'Done a third time.' })

    const families = Map.groupBy(run.requests, ({ request }) => whose(request))
    expect([...families].map(([who, requests]) => [who, requests.length])).toEqual([
      ['agent', 11],
      ['FIRST PART', 9],
      ['SECOND PART', 3],
    ])
    const breaks = [...families].flatMap(([who, requests]) =>
      requests.flatMap(({ request }, index) => {
        const last = requests[index - 1]
        const at = last && brokenAt(piecesOf(last.request), piecesOf(request))
        return at === undefined ? [] : [`request ${index + 1} of ${who}: ${at}`]
      }),
    )
    expect(breaks).toEqual([])
    expect(run.refused).toBe(0)
  })
})

/** By the first thing that was said in the conversation. */
function whose({ body }: RecordedRequest): string {
  const messages = (body['messages'] ?? body['input'] ?? body['contents']) as { role?: string }[]
  const first = JSON.stringify(
    required(
      messages.find(({ role }) => role === 'user'),
      'a first message',
    ),
  )
  return ['FIRST PART', 'SECOND PART'].find((part) => first.includes(part)) ?? 'agent'
}
