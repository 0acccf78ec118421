import { describe, expect, it, onTestFinished } from 'vitest'
import type { Approval } from '../../src/shared/model/approval/approval'
import { mcpLab, type McpLab } from '../support/mcp-lab'
import { person } from '../support/mcp-person'
import { statelessHttp, type StatelessHttp } from '../support/mcp-stateless-http'
import type { ScriptedCall } from '../support/model-script'
import { nodeProgram } from '../support/node-program'
import { until } from '../support/until'

const [COMMAND, ...STDIO] = nodeProgram('./mcp-stateless-stdio.ts')
const call = (tool: string, text = ''): ScriptedCall => ({ name: `mcp__a__${tool}`, input: { text } })
const viewOf = async (lab: McpLab) =>
  (await lab.engine.mcp.list(lab.scratch.project)).servers.find(({ name }) => name === 'a')!
const toolNames = async (lab: McpLab): Promise<string[]> => (await viewOf(lab)).tools.map(({ name }) => name)
const logOf = async (lab: McpLab): Promise<string> =>
  (await lab.engine.mcp.logs((await viewOf(lab)).serverId)).map(({ text }) => text).join('\n')

/** Fills in each form with the id of the call that it was shown for, and takes the first choice of everything else. */
const accepting = ({ preview, options, callId }: Approval): { optionId: string; values?: Record<string, string> } => ({
  optionId: options[0]!.optionId,
  ...(preview?.kind === 'form' && { values: Object.fromEntries(preview.fields.map(({ key }) => [key, callId])) }),
})

interface Fixture {
  lab: McpLab
  session: string
  /** Its address over HTTP. */
  http?: StatelessHttp
}

async function fixture(transport: 'stdio' | 'http', config = ''): Promise<Fixture> {
  const http = transport === 'http' ? await statelessHttp() : undefined
  const definition = http ? { url: http.url } : { command: COMMAND, args: STDIO }
  const lab = await mcpLab(() => ({ a: definition }), { config })
  return { lab, session: await lab.session(), ...(http && { http }) }
}

describe.each(['stdio', 'http'] as const)('a server of 2026-07-28 over %s', (transport) => {
  it('works without initialize, and bad tools and unknown fields do no harm', async () => {
    const { lab, session, http } = await fixture(transport)
    expect(await lab.calls(session, [call('echo', 'hello')])).toEqual(['hello'])
    expect(await viewOf(lab)).toMatchObject({
      state: 'ready',
      serverInfo: { name: 'stateless test', version: '2.0', protocolVersion: '2026-07-28' },
      prompts: 1,
      resources: 1,
    })
    expect(await toolNames(lab)).toContain('echo')
    const [asked] = await lab.calls(session, [call('asked')])
    const methods = JSON.parse(asked!) as string[]
    expect(methods[0]).toBe('server/discover')
    for (const removed of ['initialize', 'notifications/initialized', 'ping', 'logging/setLevel'])
      expect(methods).not.toContain(removed)
    await lab.close()
    // No session, no stream by GET, no DELETE at the end; each request with its headers.
    expect(http?.faults ?? []).toEqual([])
  })

  it('gets everything it requests before it answers: forms in sequence and in parallel, folders, or the same call again', async () => {
    const { lab, session } = await fixture(transport)
    const asked = person(lab, session, accepting)
    const tools = ['asks-form', 'asks-twice', 'asks-both', 'asks-roots', 'asks-later']
    const results = await lab.calls(
      session,
      tools.map((tool) => call(tool)),
    )
    const ids = lab.of(session, 'tool.started').map(({ callId }) => callId)
    const filledIn = (index: number) => ({ action: 'accept', content: { dish: ids[index] } })
    // Many calls at the same time, with each form shown for its own call.
    expect(results.slice(0, 3).map((result) => JSON.parse(result) as unknown)).toEqual([
      { order: filledIn(0) },
      { order0: filledIn(1), order1: filledIn(1) },
      { a: filledIn(2), b: filledIn(2) },
    ])
    expect(results[3]).toContain('file://')
    expect(results[4]).toBe('{}')
    expect(asked.filter(({ asks }) => asks === 'form')).toHaveLength(5)
  })

  it.each(['decline', 'cancel'])('is told that the user chose %s', async (optionId) => {
    const { lab, session } = await fixture(transport)
    person(lab, session, (asked) => (asked.asks ? { optionId } : accepting(asked)))
    const results = await lab.calls(session, [call('asks-form'), call('asks-page')])
    expect(results.map((result) => JSON.parse(result) as unknown)).toEqual([
      { order: { action: optionId } },
      { pay: { action: optionId } },
    ])
  })

  it('has its page opened, and the call continues when the user is done there', async () => {
    const { lab, session } = await fixture(transport)
    const asked = person(lab, session, accepting)
    expect(await lab.calls(session, [call('asks-page')])).toEqual(['{"pay":{"action":"accept"}}'])
    expect(asked.map(({ preview }) => preview)).toMatchObject([
      { kind: 'link', url: 'https://pay.example/7' },
      { kind: 'link', opened: true },
    ])
  })

  it('may use the model when that is enabled; otherwise the call says so', async () => {
    const on = await fixture(transport, '[mcp]\nsampling = true')
    person(on.lab, on.session, accepting)
    const [answered] = await on.lab.calls(on.session, [call('asks-model')])
    expect(JSON.parse(answered!)).toMatchObject({
      thought: { role: 'assistant', content: { type: 'text', text: 'well' } },
    })
    const off = await fixture(transport)
    const [refused] = await off.lab.calls(off.session, [call('asks-model')])
    expect(refused).toMatch(
      /was not carried out: The server asked for the use of the model, which is disabled\. Continue without it/,
    )
  })

  it('loses only the call when it asks for something unknown, asks forever, or answers with an invalid kind', async () => {
    const { lab, session } = await fixture(transport)
    const results = await lab.calls(session, [
      call('asks-oddly'),
      call('asks-for-ever'),
      call('odd-type'),
      call('no-type'),
      call('echo', 'fine'),
    ])
    expect(results).toEqual([
      expect.stringMatching(
        /was not carried out: The server asked for something that Trestle does not know: no\/such\. Continue without it/,
      ),
      expect.stringMatching(/asked for something 20 times and did not answer/),
      expect.stringMatching(/answered odd-type with an error: .*riddle/),
      'without a type',
      'fine',
    ])
  })

  it('shows its progress and its log messages', async () => {
    const { lab, session } = await fixture(transport)
    const progress: string[] = []
    onTestFinished(
      lab.engine.sessions.listen(session, (event) => event.type === 'tool.progress' && progress.push(event.text)),
    )
    expect(await lab.calls(session, [call('progress'), call('logs')])).toEqual(['progressed', 'logged'])
    expect(progress.join('')).toContain('half way')
    expect(await logOf(lab)).toContain('a log line')
  })

  it('is notified when a call is stopped, and keeps serving', async () => {
    const { lab, session, http } = await fixture(transport)
    await lab.calls(session, [call('echo', 'first')])
    await lab.begin(session, [call('hang')])
    await until(() => lab.of(session, 'tool.started').length === 2, 'the call to begin')
    await expect.poll(async () => (http ? http.server.seen.length : 1)).toBeGreaterThan(0)
    if (http)
      await until(() => http.server.seen.some(({ params }) => params?.['name'] === 'hang'), 'the call at the server')
    await lab.engine.sessions.stop(session)
    await lab.ended(session, 2)
    // Over HTTP by closing the request, otherwise by a notification.
    if (http) await until(() => http.closed.includes('tools/call'), 'the request to be closed')
    const [cancelled, fine] = await lab.calls(session, [call('cancelled'), call('echo', 'fine')])
    const notified = (JSON.parse(cancelled!) as unknown[]).length
    expect({ notified, fine }).toEqual({ notified: http ? 0 : 1, fine: 'fine' })
  })

  it('announces changed tools on its stream, and the agent can call them', async () => {
    const { lab, session } = await fixture(transport)
    expect(await lab.calls(session, [call('grow')])).toEqual(['grown'])
    await expect.poll(() => toolNames(lab)).toContain('extra1')
    expect(await lab.calls(session, [call('extra1', 'new')])).toEqual(['new'])
  })

  it('is not asked for tasks of the older revision', async () => {
    const { lab, session } = await fixture(transport)
    expect(await lab.calls(session, [call('needs-task', 'at once')])).toEqual(['at once'])
  })
})

describe('a server of 2026-07-28 over HTTP', () => {
  it('gets call values as headers if its tools require it, encoded if necessary', async () => {
    const { lab, session, http } = await fixture('http')
    await lab.calls(session, [call('echo')])
    const plain = await lab.calls(session, [call('routed', 'eu-west')])
    const other = await lab.calls(session, [call('routed', ' Zürich ')])
    expect([...plain, ...other]).toEqual([
      '"eu-west"',
      JSON.stringify(`=?base64?${Buffer.from(' Zürich ').toString('base64')}?=`),
    ])
    expect(http!.faults).toEqual([])
  })

  it('has its tools listed again and the call retried when it asks for a different header', async () => {
    const { lab, session } = await fixture('http')
    expect(await lab.calls(session, [call('moved')])).toEqual(['found'])
    expect(await lab.calls(session, [call('move')])).toEqual(['moved'])
    expect(await lab.calls(session, [call('moved', 'x')])).toEqual(['found'])
  })

  it('has a tool with an impossible header shown with its problem, and not offered', async () => {
    const { lab, session } = await fixture('http')
    await lab.calls(session, [call('echo')])
    const { tools } = await viewOf(lab)
    expect(tools.find(({ name }) => name === 'badly-routed')?.problem).toMatch(
      /asks for a header that cannot be sent: Text is not for a string/,
    )
    expect((await lab.calls(session, [call('badly-routed')]))[0]).toMatch(/There is no tool/)
  })

  it('is subscribed again when its stream of changes ends, and changes in between are found', async () => {
    const { lab, session, http } = await fixture('http')
    await lab.calls(session, [call('echo')])
    const listens = (): number => http!.server.seen.filter(({ method }) => method === 'subscriptions/listen').length
    await until(() => listens() === 1, 'the stream')
    http!.endStreams()
    expect(await lab.calls(session, [call('grow')])).toEqual(['grown'])
    await until(() => listens() === 2, 'the second stream')
    await expect.poll(() => toolNames(lab)).toContain('extra1')
  })

  it('works without announcing changes: its tools are listed again once older than their stated lifetime', async () => {
    const http = await statelessHttp({ refusesListen: true, ttlMs: 1 })
    const lab = await mcpLab(() => ({ a: { url: http.url } }))
    const session = await lab.session()
    await lab.calls(session, [call('grow')])
    await expect
      .poll(
        async () => {
          await lab.calls(session, [call('echo')])
          return toolNames(lab)
        },
        { timeout: 180_000 },
      )
      .toContain('extra1')
    expect(await logOf(lab)).toContain('It does not report changes: no subscriptions here')
  })

  it('announces a change of a mentioned resource, and the agent is told with the next message', async () => {
    const { lab, session, http } = await fixture('http')
    await lab.engine.sessions.prompt(session, [{ type: 'text', text: 'Read @a:note://1' }])
    await lab.ended(session, 1)
    expect(JSON.stringify(lab.requests().at(-1)?.body)).toContain('what the note says')
    const watched = (): unknown =>
      http!.server.seen.findLast(({ method }) => method === 'subscriptions/listen')?.params?.['notifications']
    await expect.poll(watched).toMatchObject({ resourceSubscriptions: ['note://1'], toolsListChanged: true })
    http!.server.change('notifications/resources/updated', { uri: 'note://1' })
    let turns = 1
    await expect
      .poll(
        async () => {
          await lab.engine.sessions.prompt(session, [{ type: 'text', text: 'anything new?' }])
          await lab.ended(session, (turns += 1))
          return JSON.stringify(lab.requests().at(-1)?.body)
        },
        { timeout: 180_000 },
      )
      .toContain('<resource-changed')
  })

  it('gets the names of requested prompts and resources as headers', async () => {
    const { lab, session, http } = await fixture('http')
    await lab.engine.sessions.prompt(session, [{ type: 'text', text: '/mcp:a:greet' }])
    await lab.ended(session, 1)
    expect(JSON.stringify(lab.requests().at(-1)?.body)).toContain('Greet them.')
    expect(http!.faults).toEqual([])
  })
})
