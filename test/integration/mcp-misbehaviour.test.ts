import { createServer, type AddressInfo } from 'node:net'
import { expect, it, vi } from 'vitest'
import { isAlive } from '../support/marked-pids'
import { mcpLab, stdioServer, type McpLab } from '../support/mcp-lab'
import type { ScriptedCall } from '../support/model-script'
import { limitNow } from '../support/machine-pace'

vi.setConfig({ testTimeout: 180_000 })

const bad = (tool: string, input: Record<string, unknown> = {}): ScriptedCall => ({ name: `mcp__bad__${tool}`, input })
/** Settings for a server whose calls have a short time limit. */
const mute = (tool: string, input: Record<string, unknown> = {}): ScriptedCall => ({
  name: `mcp__mute__${tool}`,
  input,
})
const good = (text: string): ScriptedCall => ({ name: 'mcp__good__echo', input: { text } })
const MB = 1024 * 1024

/** A port of this machine where nothing listens. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function viewOf(lab: McpLab, name: string) {
  return (await lab.engine.mcp.list()).servers.find((server) => server.name === name)!
}

it('a server that misbehaves in a call affects only that call; parallel calls succeed, and memory stays bounded', async () => {
  const lab = await mcpLab(({ starts }) => ({
    good: stdioServer([starts('good')]),
    bad: stdioServer([starts('bad')]),
    mute: stdioServer([], { toolTimeoutMs: 1500 }),
  }))
  const session = await lab.session()
  expect(await lab.calls(session, [good('first'), bad('echo', { text: 'well' })])).toEqual(['first', 'well'])
  const before = process.memoryUsage().rss
  const cases: [ScriptedCall, RegExp][] = [
    [bad('noise'), /^after the noise$/],
    [bad('flood', { n: 30_000 }), /^flooded$/],
    [bad('silent-progress', { n: 50_000 }), /^done$/],
    [bad('asks', { n: 5_000 }), /^asked$/],
    [bad('changes', { n: 20_000 }), /^changed$/],
    [bad('shouts', { n: 30_000 }), /^shouted$/],
    [bad('giant', { n: 3 }), /^g{5000,}\n\[The result is too long to show/],
    [bad('giant', { n: 20 }), /at most 16 MiB/],
    [mute('longline', { n: 300 }), /no answer/],
    [mute('hang'), /got no answer/],
    [bad('crash'), /went away while it worked[\s\S]*something broke at line 7/],
    [bad('echo', { text: 'again' }), /^again$/],
    [mute('deaf'), /got no answer/],
    [bad('nonsense'), /neither a result nor an error/],
    [bad('deep', { text: 'list' }), /neither a result nor an error/],
    [bad('deep', { text: 'structured' }), /nested too deeply/],
    [bad('deep', { text: 'content' }), /of the unknown kind/],
    [bad('deep', { text: 'error' }), /deep error/],
    [bad('deep', { text: 'extra' }), /^read$/],
    [bad('deep', { text: 'odd' }), /neither a result nor an error/],
    [bad('generic-error'), /answered generic-error with an error: .*the index is being built/],
    [bad('failing'), /^there is no such row$/],
    [bad('no-such-tool'), /There is no tool/],
  ]
  for (const [at, [call, expected]] of cases.entries()) {
    const [fine, result] = await lab.calls(session, [good(`beside ${at}`), call])
    expect(fine).toBe(`beside ${at}`)
    expect([call.name, result]).toEqual([call.name, expect.stringMatching(expected)])
  }
  // Garbage that was not collected yet is included.
  expect(process.memoryUsage().rss - before).toBeLessThan(500 * MB)
  expect(lab.started('good')).toHaveLength(1)
})

it('servers that fail to start, do not answer or list nonsense lose only their own tools, and delay the first turn briefly', async () => {
  const port = await freePort()
  const lab = await mcpLab(
    ({ starts }) => ({
      good: stdioServer([starts('good')]),
      hangs: stdioServer(['hang-start', starts('hangs')], { startupTimeoutMs: 3000 }),
      lists: stdioServer(['hang-list']),
      crashes: stdioServer(['crash-start']),
      missing: { command: 'no-such-program-anywhere' },
      nowhere: stdioServer([], { cwd: '/no/such/folder' }),
      refused: { url: `http://127.0.0.1:${port}/mcp` },
      circle: stdioServer(['pages=loop']),
      endless: stdioServer(['pages=endless']),
      broken: stdioServer(['pages=broken']),
      odd: stdioServer(['bad-tools']),
    }),
    { config: '[mcp]\nstart_wait_s = 12' },
  )
  const session = await lab.session()
  const before = performance.now()
  expect(await lab.calls(session, [good('fine'), { name: 'mcp__circle__echo', input: { text: 'too' } }])).toEqual([
    'fine',
    'too',
  ])
  expect(performance.now() - before).toBeLessThan(limitNow(30_000))
  await vi.waitFor(
    async () => {
      const states = Object.fromEntries(
        (await lab.engine.mcp.list()).servers.map(({ name, state, error }) => [
          name,
          `${state}: ${error?.message ?? ''}`,
        ]),
      )
      expect(states).toMatchObject({
        good: 'ready: ',
        hangs: 'failed: It did not start within 3 s.',
        crashes: expect.stringContaining('it exited with code 3'),
        missing: expect.stringContaining('no-such-program-anywhere was not found'),
        nowhere: expect.stringContaining('/no/such/folder, which is not a folder'),
        refused: expect.stringContaining('nothing listens there'),
      })
    },
    { timeout: 60_000, interval: 100 },
  )
  expect((await viewOf(lab, 'crashes')).error?.stderr).toContain('the configuration of this server is missing')
  const slow = { timeout: 60_000, interval: 100 }
  await expect.poll(async () => (await viewOf(lab, 'circle')).tools.map(({ name }) => name), slow).toContain('second')
  await expect.poll(async () => (await viewOf(lab, 'endless')).tools.length, slow).toBeGreaterThan(50)
  expect((await viewOf(lab, 'broken')).tools.map(({ name }) => name)).toContain('echo')
  const odd = (await viewOf(lab, 'odd')).tools
  expect(odd.filter(({ problem }) => problem !== undefined).map(({ name }) => name)).toEqual([
    'schema-is-string',
    'schema-is-array',
    'schema-is-huge',
    'odd field',
  ])
  const offered = (
    lab.requests().at(-1)!.body['tools'] as { function: { name: string; parameters: Record<string, unknown> } }[]
  ).map((tool) => tool.function)
  expect(offered.every(({ name }) => /^[A-Za-z0-9_-]{1,64}$/.test(name))).toBe(true)
  expect(new Set(offered.map(({ name }) => name)).size).toBe(offered.length)
  expect(offered.map(({ name }) => name)).toContain('mcp__odd__Read')
  expect(offered.find(({ name }) => name === 'mcp__odd__alternatives')!.parameters).toEqual({
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'array', items: {} } },
  })
})

it('a server that ignores every request to end, and its detached grandchild, have exited within 5 s of quitting', async () => {
  const lab = await mcpLab(({ starts }) => ({
    good: stdioServer([starts('good')]),
    bad: stdioServer([starts('bad'), 'ignore-term', 'ignore-end'], { toolTimeoutMs: 60_000 }),
    starting: stdioServer([starts('starting'), 'ignore-term', 'ignore-end', 'hang-start']),
  }))
  const session = await lab.session()
  const [pid, unmarked] = await lab.calls(session, [bad('grandchild'), bad('grandchild', { n: 2 }), good('x')])
  const pids = [
    ...lab.started('good'),
    ...lab.started('bad'),
    ...lab.started('starting'),
    Number(pid),
    Number(unmarked),
  ]
  expect(pids).toHaveLength(5)
  expect(pids.every(isAlive)).toBe(true)
  await lab.begin(session, [bad('hang')])
  await vi.waitFor(() => expect(lab.of(session, 'tool.started')).toHaveLength(4), { timeout: 60_000 })
  const before = performance.now()
  await lab.close()
  expect(performance.now() - before).toBeLessThan(limitNow(5_000))
  expect(pids.filter(isAlive)).toEqual([])
})

it('child processes end with a server that crashes, and it restarts automatically', async () => {
  const lab = await mcpLab(({ starts }) => ({ bad: stdioServer([starts('bad')]) }))
  const session = await lab.session()
  const [grandchild] = await lab.calls(session, [bad('grandchild')])
  process.kill(lab.started('bad')[0]!, 'SIGKILL')
  await vi.waitFor(() => expect(isAlive(Number(grandchild))).toBe(false), { timeout: 60_000 })
  await vi.waitFor(() => expect(lab.started('bad')).toHaveLength(2), { timeout: 60_000 })
  expect(await lab.calls(session, [bad('echo', { text: 'back' })])).toEqual(['back'])
})
