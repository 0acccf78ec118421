import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import { CATALOGUE_SERVERS, catalogueTools } from '../support/catalogue-text'
import { mcpLab, type McpLab } from '../support/mcp-lab'
import type { RecordedRequest } from '../support/model-script'
import { nodeProgram } from '../support/node-program'
import { until } from '../support/until'

const [COMMAND, ...SERVER] = nodeProgram('./catalogue-server.ts')
const ON = '[tool_search]\nenabled = true\nmin_pct = 0\nmin_tokens = 0\n'

/** Servers that together offer forty tools each. */
function catalogue(servers: readonly string[], config = ON): Promise<McpLab> {
  return mcpLab(
    () => Object.fromEntries(servers.map((name) => [name, { command: COMMAND, args: [...SERVER, name] }])),
    { config: `${config}[mcp]\nstart_wait_s = 60\n` },
  )
}

const toolsOf = ({ body }: RecordedRequest): string[] =>
  (body['tools'] as { function: { name: string } }[]).map((tool) => tool.function.name)
const serverToolsOf = (request: RecordedRequest): string[] =>
  toolsOf(request).filter((name) => name.startsWith('mcp__'))
const text = (request: RecordedRequest): string => JSON.stringify(request.body)
const loadedIn = (lab: McpLab, session: string): string[] => lab.engine.sessions.header(session).loadedTools ?? []

it('with four hundred tools the first request has their names but no schemas; one that is found is described in the result, and works through call_tool', async () => {
  const lab = await catalogue(CATALOGUE_SERVERS)
  const session = await lab.session()
  const found = await lab.calls(session, [
    { name: 'tool_search', input: { query: 'open a bug report on GitHub', max_results: 3 } },
  ])
  expect(found[0]).toContain('mcp__github__create_issue (github::create_issue)')
  const [first, second] = lab.requests()
  expect(serverToolsOf(first!)).toEqual([])
  expect(toolsOf(first!)).toContain('tool_search')
  for (const server of CATALOGUE_SERVERS)
    for (const { name, description } of catalogueTools(server))
      expect(text(first!)).toContain(`${server}::${name}: ${JSON.stringify(description).slice(1, -1)}`)
  // Text that occurs only in schemas.
  expect(text(first!)).not.toContain('Usernames of the people to assign')
  expect(second!.body['tools']).toEqual(first!.body['tools'])
  expect(text(second!)).toContain('Usernames of the people to assign')
  const issue = { owner: 'a', repo: 'b', title: 'c' }
  const [done] = await lab.calls(session, [
    { name: 'call_tool', input: { name: 'mcp__github__create_issue', arguments: issue } },
  ])
  expect(done).toBe('github did create_issue with {"owner":"a","repo":"b","title":"c"}')
  const list = (request: RecordedRequest): string => /<deferred_tools>.*<\/deferred_tools>/.exec(text(request))![0]
  expect(list(lab.requests().at(-1)!)).toBe(list(first!))
  const { cost } = await lab.engine.sessions.tools(session)
  expect(cost).toMatchObject({ tools: 400, sent: 3, isSearching: true })
  const bytes = Buffer.byteLength(JSON.parse(`"${list(first!)}"`) as string)
  expect(bytes / cost!.bytesAll).toBeLessThan(0.3)
})

it('loaded tools stay loaded after a compaction and in the next app; another session starts without them', async () => {
  const lab = await catalogue(['github', 'slack'])
  const session = await lab.session()
  await lab.calls(session, [{ name: 'tool_search', input: { tool_id: 'slack::slack_post_message' } }])
  expect(loadedIn(lab, session)).toEqual(['slack::slack_post_message'])
  await lab.engine.sessions.compact(session)
  await lab.calls(session, [{ name: 'mcp__slack__slack_post_message', input: { channel_id: 'C1', text: 'hi' } }])
  expect(lab.of(session, 'compaction.finished')).toHaveLength(1)
  expect(lab.of(session, 'tool.finished').at(-1)).toMatchObject({ isError: false })
  const other = await lab.session()
  await lab.calls(other, [])
  expect(serverToolsOf(lab.requests().at(-1)!)).toEqual([])
  await lab.engine.close('stop')
  const next = await createEngine({ version: 'test', home: lab.scratch.home, interactive: true, watch: false })
  try {
    await next.sessions.prompt(session, [{ type: 'text', text: 'again' }])
    await until(
      () => next.sessions.header(session).turns === 3 && next.sessions.header(session).turnId === undefined,
      'the turn to end',
    )
  } finally {
    await next.close('stop')
  }
  expect(serverToolsOf(lab.requests().at(-1)!)).toEqual(['mcp__slack__slack_post_message'])
})

it('a fork keeps the tools its conversation has loaded', async () => {
  const lab = await catalogue(['slack'])
  const session = await lab.session()
  await lab.calls(session, [{ name: 'tool_search', input: { tool_id: 'slack::slack_add_reaction' } }])
  const fork = await lab.engine.sessions.fork(session)
  expect(loadedIn(lab, fork.sessionId)).toEqual(['slack::slack_add_reaction'])
})

it('a search needs no approval, but a tool it finds does', async () => {
  const lab = await catalogue(['slack'])
  const session = await lab.session('ask')
  await lab.calls(session, [{ name: 'tool_search', input: { tool_id: 'slack::slack_post_message' } }])
  expect(lab.of(session, 'approval.requested')).toEqual([])
  await lab.begin(session, [{ name: 'mcp__slack__slack_post_message', input: { channel_id: 'C1', text: 'hi' } }])
  await until(() => lab.engine.sessions.header(session).approvals.length === 1, 'the tool to be asked about')
  await lab.engine.sessions.stop(session)
})

it('without the setting every schema is sent, and the search is off', async () => {
  const lab = await catalogue(['slack'], '')
  const session = await lab.session()
  await lab.calls(session, [])
  const [first] = lab.requests()
  expect(serverToolsOf(first!)).toHaveLength(40)
  expect(toolsOf(first!)).not.toContain('tool_search')
  const { tools, cost } = await lab.engine.sessions.tools(session)
  expect(cost).toMatchObject({ tools: 40, sent: 40, isSearching: false, bytesAll: cost!.bytesSent })
  expect(tools.find(({ name }) => name === 'mcp__slack__slack_post_message')).toMatchObject({
    server: { name: 'slack', tool: 'slack_post_message' },
    state: 'active',
  })
  expect(tools.find(({ name }) => name === 'WebSearch')).toMatchObject({
    state: 'off',
    reason: 'No search provider is configured.',
  })
})

it('a tool disabled by its server is in the tool list, with the reason, and in no request', async () => {
  const slack = {
    command: COMMAND,
    args: [...SERVER, 'slack'],
    disabledTools: ['slack_post_message'],
  }
  const lab = await mcpLab(() => ({ slack }), { config: `${ON}[mcp]\nstart_wait_s = 60\n` })
  const session = await lab.session()
  await lab.calls(session, [{ name: 'tool_search', input: { query: 'post a message' } }])
  const { tools, cost } = await lab.engine.sessions.tools(session)
  expect(tools.filter(({ server, state }) => server && state === 'off')).toMatchObject([
    { name: 'mcp__slack__slack_post_message', reason: 'Switched off in the settings of its server.' },
  ])
  expect(cost).toMatchObject({ tools: 39 })
  for (const request of lab.requests()) expect(text(request)).not.toContain('slack_post_message')
})

it('the tool list and the context show what a request carries, with and without the search', async () => {
  const lab = await catalogue(['slack'])
  const session = await lab.session()
  await lab.calls(session, [{ name: 'tool_search', input: { tool_id: 'slack::slack_post_message' } }])
  const { tools, cost } = await lab.engine.sessions.tools(session)
  const states = (state: string): number => tools.filter((tool) => tool.server && tool.state === state).length
  expect([states('active'), states('deferred'), states('off')]).toEqual([1, 39, 0])
  expect(tools.find(({ name }) => name === 'tool_search')).toMatchObject({ state: 'active' })
  expect(cost!.bytesSent).toBeLessThan(cost!.bytesAll)
  const view = await lab.engine.sessions.context(session)
  expect(view.serverTools).toEqual(cost)
})

it('a subagent searches separately: the tools it loads are its own', async () => {
  const lab = await catalogue(['slack'])
  const session = await lab.session()
  writeFileSync(join(lab.scratch.project, 'note.txt'), 'x')
  await lab.calls(session, [{ name: 'tool_search', input: { tool_id: 'slack::slack_post_message' } }])
  await lab.calls(session, [{ name: 'Agent', input: { prompt: 'look', description: 'look', subagent_type: 'coder' } }])
  const requests = lab.requests().map((request) => text(request).includes('input_schema'))
  // The last request is the session's, with the loaded tool; the one before it is the subagent's.
  expect(requests.at(-1)).toBe(true)
  expect(requests.at(-2)).toBe(false)
})
