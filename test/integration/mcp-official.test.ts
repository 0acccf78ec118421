import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Approval } from '../../src/shared/model/approval/approval'
import type { LiveEvent } from '../../src/shared/events/event'
import { mcpLab, type McpLab } from '../support/mcp-lab'
import { person } from '../support/mcp-person'
import { nodeProgram } from '../support/node-program'
import { RUNS_ALL } from '../support/sampled'
import { until } from '../support/until'
import { limitNow } from '../support/machine-pace'

const require = createRequire(import.meta.url)
const EVERYTHING = require.resolve('@modelcontextprotocol/server-everything/dist/index.js')
const FILESYSTEM = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js')
const MEMORY = require.resolve('@modelcontextprotocol/server-memory/dist/index.js')
const SAMPLING = '[mcp]\nsampling = true'

type Transport = 'stdio' | 'http' | 'sse'

/** The configuration of the everything server for a transport; for HTTP transports, starts it first. */
async function everything(transport: Transport): Promise<Record<string, unknown>> {
  const [command, ...args] = nodeProgram(EVERYTHING)
  if (transport === 'stdio') return { command, args: [...args, 'stdio'] }
  const port = await freePort()
  const child = spawn(command, [...args, transport === 'sse' ? 'sse' : 'streamableHttp'], {
    env: { PATH: process.env['PATH'], PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => ended(child))
  for await (const line of createInterface({ input: child.stderr })) if (/(listening|running) on port/.test(line)) break
  child.stderr.resume()
  return { type: transport, url: `http://127.0.0.1:${port}/${transport === 'sse' ? 'sse' : 'mcp'}` }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** Takes the first option of each request; in a form, the first choice if one is required. */
function accepting({ preview, options }: Approval): { optionId: string; values?: Record<string, string | boolean> } {
  const { optionId } = options[0]!
  if (preview?.kind !== 'form') return { optionId }
  const known: Record<string, string | boolean> = { name: 'Ann', check: true }
  const values = preview.fields.flatMap((field): [string, string | boolean][] => {
    const value = known[field.key] ?? (field.required && field.kind === 'choice' ? field.options[0]?.value : undefined)
    return value === undefined ? [] : [[field.key, value]]
  })
  return { optionId, values: Object.fromEntries(values) }
}

/** The tools of a server once it lists all of them: some are listed only when it knows its client. */
async function tools(lab: McpLab, server: string, least: string): Promise<string[]> {
  let names: string[] = []
  const look = async (): Promise<boolean> => {
    const found = (await lab.engine.mcp.list(lab.scratch.project)).servers.find(({ name }) => name === server)
    names = found?.tools.map(({ name }) => name) ?? []
    return names.includes(least)
  }
  await expect.poll(look, { timeout: 60_000, interval: 20 }).toBe(true)
  return names.toSorted()
}

const HELLO = 'data:text/plain;base64,aGVsbG8='
/** Every tool of the everything server, with its input and expected result. */
const CALLS: Record<string, [input: Record<string, unknown>, result: RegExp]> = {
  echo: [{ message: 'hello' }, /^Echo: hello$/],
  'get-annotated-message': [{ messageType: 'success', includeImage: true }, /Operation completed successfully/],
  'get-env': [{}, /"PATH"/],
  'get-resource-links': [{ count: 2 }, /Link to a resource, not fetched: .*<demo:\/\/resource\/dynamic\/\w+\/1>/],
  'get-resource-reference': [
    { resourceType: 'Text', resourceId: 3 },
    /\[Resource demo:\/\/resource\/dynamic\/text\/3\]\nResource 3: /,
  ],
  'get-roots-list': [{}, /project/],
  'get-structured-content': [
    { location: 'Chicago' },
    /^\{"temperature":36,"conditions":"Light rain \/ drizzle","humidity":82\}$/,
  ],
  'get-sum': [{ a: 2, b: 40 }, /The sum of 2 and 40 is 42/],
  'get-tiny-image': [{}, /image/i],
  'gzip-file-as-resource': [
    { name: 'hello.gz', data: HELLO, outputType: 'resource' },
    /application\/gzip, \d+ bytes, kept in .*hello\.gz/,
  ],
  'simulate-research-query': [{ topic: 'tides', ambiguous: true }, /Research Report: tides \(.*\)[^]*Clarification/],
  'toggle-simulated-logging': [{}, /Started simulated/],
  'toggle-subscriber-updates': [{}, /Started simulated resource updated/],
  'trigger-elicitation-request': [{}, /- Name: Ann\n- Agreed to terms: true/],
  'trigger-long-running-operation': [{ duration: 0.4, steps: 4 }, /completed\. Duration: 0\.4 seconds, Steps: 4/],
  'trigger-sampling-request': [{ prompt: 'How do you do?', maxTokens: 50 }, /"text": "well"/],
  'trigger-url-elicitation': [{ url: 'https://example.com/sign-in' }, /User completed the URL elicitation flow/],
}

describe.each(['stdio', 'http', 'sse'] as const)('the official everything server over %s', (transport) => {
  // The last one differs only in the transport of messages, which the next test covers.
  const isTried = transport !== 'sse' || RUNS_ALL
  it.runIf(isTried)('works completely: its tools run, its questions are asked, and its images arrive', async () => {
    process.env['ANTHROPIC_API_KEY'] = 'sk-must-not-be-seen'
    onTestFinished(() => void delete process.env['ANTHROPIC_API_KEY'])
    const definition = await everything(transport)
    const lab = await mcpLab(() => ({ everything: definition }), { config: SAMPLING })
    const session = await lab.session()
    const asked = person(lab, session, accepting)
    const progress: string[] = []
    onTestFinished(lab.engine.sessions.listen(session, (event) => isProgress(event) && progress.push(event.text)))
    await lab.calls(session, [{ name: 'mcp__everything__echo', input: { message: 'first' } }])
    expect(await tools(lab, 'everything', 'trigger-url-elicitation')).toEqual(Object.keys(CALLS).toSorted())
    const entries = Object.entries(CALLS)
    const results = await lab.calls(
      session,
      entries.map(([name, [input]]) => ({ name: `mcp__everything__${name}`, input })),
    )
    for (const [index, [name, [, expected]]] of entries.entries()) expect.soft(results[index], name).toMatch(expected)
    // The long operation reported each step, and the task its stages.
    expect(progress.join('')).toMatch(/1\/4/)
    expect(progress.join('')).toMatch(/Gathering sources/)
    expect(asked.flatMap(({ asks }) => asks ?? []).toSorted()).toEqual(['form', 'form', 'link', 'sampling', 'sampling'])
    expect(lab.of(session, 'sampling.finished')).toMatchObject([{ server: 'everything', model: 'local/scripted' }])
    // The model got the image as an image.
    const images = lab
      .of(session, 'tool.finished')
      .filter(({ content }) => content.some(({ type }) => type === 'media'))
    expect(images.map(({ name }) => name).toSorted()).toEqual([
      'mcp__everything__get-annotated-message',
      'mcp__everything__get-tiny-image',
    ])
    expect(JSON.stringify(lab.model.requests.at(-1)?.body)).toContain('data:image/')
    const environment = results[entries.findIndex(([name]) => name === 'get-env')]!
    // An HTTP server was started by the test, and has no keys.
    expect(environment).not.toMatch(/sk-must-not-be-seen|test-key-of-the-config/)
  })

  it('stops 30 s of work when the user stops it, shows progress meanwhile, and keeps working afterwards', async () => {
    const definition = await everything(transport)
    const lab = await mcpLab(() => ({ everything: definition }))
    const session = await lab.session()
    const progress: string[] = []
    onTestFinished(lab.engine.sessions.listen(session, (event) => isProgress(event) && progress.push(event.text)))
    await lab.begin(session, [
      { name: 'mcp__everything__trigger-long-running-operation', input: { duration: 30, steps: 300 } },
    ])
    await until(() => progress.length > 0, 'progress')
    const stoppedAt = Date.now()
    await lab.engine.sessions.stop(session)
    // Far below the 30 s of the work.
    expect(Date.now() - stoppedAt).toBeLessThan(limitNow(15_000))
    expect(lab.of(session, 'tool.finished')).toMatchObject([
      { isError: true, content: [{ text: expect.stringMatching(/^Stopped/) }] },
    ])
    expect(await lab.calls(session, [{ name: 'mcp__everything__echo', input: { message: 'still here' } }])).toEqual([
      'Echo: still here',
    ])
  })
})

it.each(['decline', 'cancel'])('the everything server does not take %s of its form for an answer', async (optionId) => {
  const definition = await everything('stdio')
  const lab = await mcpLab(() => ({ everything: definition }))
  const session = await lab.session()
  person(lab, session, (asked) => (asked.asks ? { optionId } : accepting(asked)))
  await lab.calls(session, [{ name: 'mcp__everything__echo', input: { message: '1' } }])
  const offered = await tools(lab, 'everything', 'trigger-elicitation-request')
  // Sampling is off: the server does not even offer it.
  expect(offered).not.toContain('trigger-sampling-request')
  const [result] = await lab.calls(session, [{ name: 'mcp__everything__trigger-elicitation-request', input: {} }])
  expect(result).toContain(`"action": "${optionId}"`)
  expect(lab.of(session, 'approval.resolved')).toContainEqual(
    expect.objectContaining({ outcome: 'reject_once', chosen: optionId }),
  )
})

it('a call that first needs a page opened waits until the user is done there, and runs once', async () => {
  const definition = await everything('stdio')
  const lab = await mcpLab(() => ({ everything: definition }))
  const session = await lab.session()
  const asked = person(lab, session, accepting)
  await lab.calls(session, [{ name: 'mcp__everything__echo', input: { message: '1' } }])
  await tools(lab, 'everything', 'trigger-url-elicitation')
  const input = { url: 'https://example.com/pay', errorPath: true }
  const [result] = await lab.calls(session, [{ name: 'mcp__everything__trigger-url-elicitation', input }])
  expect(result).toContain('User completed the URL elicitation flow')
  const pages = asked.flatMap(({ preview }) =>
    preview?.kind === 'link' ? [[new URL(preview.url).host, preview.opened ?? false]] : [],
  )
  expect(pages).toEqual([
    ['modelcontextprotocol.io', false],
    ['modelcontextprotocol.io', true],
    ['example.com', false],
  ])
})

it("the official filesystem server reads, writes and lists the session's folder", async () => {
  const lab = await mcpLab(() => ({ files: { command: process.execPath, args: [FILESYSTEM] } }), {
    files: { 'a.txt': 'one\ntwo\n' },
  })
  const session = await lab.session()
  // The user is asked about every call of a destructive tool.
  person(lab, session, accepting)
  const at = (name: string): string => join(lab.scratch.project, name)
  writeFileSync(
    at('dot.png'),
    Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
  )
  // The server can access only the folders that it received as roots.
  const calls: [name: string, input: Record<string, unknown>, result: RegExp][] = [
    ['list_allowed_directories', {}, /project/],
    ['read_file', { path: at('a.txt') }, /^one\ntwo\n$/],
    ['read_text_file', { path: at('a.txt'), head: 1 }, /^one$/],
    ['read_media_file', { path: at('dot.png') }, /^(?!.*rror)/s],
    ['read_multiple_files', { paths: [at('a.txt')] }, /a\.txt:\none/],
    ['write_file', { path: at('b.txt'), content: 'three' }, /Successfully wrote/],
    ['edit_file', { path: at('b.txt'), edits: [{ oldText: 'three', newText: 'four' }] }, /\+four/],
    ['create_directory', { path: at('sub') }, /Successfully created/],
    ['list_directory', { path: lab.scratch.project }, /\[FILE\] a\.txt/],
    ['list_directory_with_sizes', { path: lab.scratch.project }, /Total: /],
    ['directory_tree', { path: lab.scratch.project }, /"name": "a\.txt"/],
    ['move_file', { source: at('b.txt'), destination: at('sub/b.txt') }, /Successfully moved/],
    ['search_files', { path: lab.scratch.project, pattern: '**/*.txt' }, /sub\/b\.txt/],
    ['get_file_info', { path: at('a.txt') }, /size: 8/],
  ]
  await lab.calls(session, [{ name: 'mcp__files__list_allowed_directories', input: {} }])
  expect(await tools(lab, 'files', 'read_file')).toEqual(calls.map(([name]) => name).toSorted())
  for (const [name, input, expected] of calls) {
    const [result] = await lab.calls(session, [{ name: `mcp__files__${name}`, input }])
    expect.soft(result, name).toMatch(expected)
  }
  const media = lab.of(session, 'tool.finished').find(({ name }) => name === 'mcp__files__read_media_file')
  expect(media?.content.some(({ type }) => type === 'media')).toBe(true)
})

it('a server is notified when a session of another folder starts or stops using it', async () => {
  const lab = await mcpLab(() => ({ files: { command: process.execPath, args: [FILESYSTEM] } }), {
    files: { 'one/a': '', 'two/b': '' },
  })
  const open = async (folder: string): Promise<string> =>
    (await lab.engine.sessions.create({ folder: join(lab.scratch.project, folder), mode: 'auto' })).sessionId
  const [one, two] = [await open('one'), await open('two')]
  const allowed = async (session: string): Promise<string> =>
    (await lab.calls(session, [{ name: 'mcp__files__list_allowed_directories', input: {} }]))[0] ?? ''
  await expect.poll(() => allowed(one)).toMatch(/project\/one$/)
  await expect.poll(() => allowed(two)).toMatch(/project\/one\n.*project\/two$/)
  await lab.engine.sessions.remove(one)
  await expect.poll(() => allowed(two)).not.toMatch(/project\/one/)
})

it('the official memory server stores and returns entries correctly', async () => {
  const lab = await mcpLab(({ starts }) => ({
    memory: {
      command: process.execPath,
      args: [MEMORY],
      env: { MEMORY_FILE_PATH: `${starts('memory').slice('starts='.length)}.jsonl` },
    },
  }))
  const session = await lab.session()
  // The user is asked about every call of a destructive tool.
  person(lab, session, accepting)
  const entities = ['Ann', 'Bob'].map((name) => ({ name, entityType: 'person', observations: ['likes tea'] }))
  const relation = { from: 'Ann', to: 'Bob', relationType: 'knows' }
  const calls: [name: string, input: Record<string, unknown>, result: RegExp][] = [
    ['create_entities', { entities }, /Ann[^]*Bob/],
    ['create_relations', { relations: [relation] }, /knows/],
    ['add_observations', { observations: [{ entityName: 'Ann', contents: ['likes rain'] }] }, /likes rain/],
    ['read_graph', {}, /likes rain[^]*knows/],
    ['search_nodes', { query: 'rain' }, /Ann/],
    ['open_nodes', { names: ['Bob'] }, /Bob/],
    ['delete_observations', { deletions: [{ entityName: 'Ann', observations: ['likes rain'] }] }, /deleted/],
    ['delete_relations', { relations: [relation] }, /deleted/],
    ['delete_entities', { entityNames: ['Ann'] }, /deleted/],
  ]
  await lab.calls(session, [{ name: 'mcp__memory__read_graph', input: {} }])
  expect(await tools(lab, 'memory', 'read_graph')).toEqual(calls.map(([name]) => name).toSorted())
  for (const [name, input, expected] of calls) {
    const [result] = await lab.calls(session, [{ name: `mcp__memory__${name}`, input }])
    expect.soft(result, name).toMatch(expected)
  }
  const [left] = await lab.calls(session, [{ name: 'mcp__memory__read_graph', input: {} }])
  expect(left).not.toMatch(/Ann|knows/)
  expect(left).toMatch(/Bob/)
})

function isProgress(event: { type: string }): event is Extract<LiveEvent, { type: 'tool.progress' }> {
  return event.type === 'tool.progress'
}
