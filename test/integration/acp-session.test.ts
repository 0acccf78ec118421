import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { acpEditor, EDITOR_CAPABILITIES, type AcpEditor } from '../support/acp-editor'
import { acpRun, choosing, openSession, say, type AcpRun, type AcpRunOptions } from '../support/acp-run'
import { processesWith } from '../support/app-with-agent'
import { schemaProblems } from '../support/acp-schema'
import type { ScriptStep } from '../support/model-script'
import { until } from '../support/until'

let run: AcpRun | undefined
let editor: AcpEditor | undefined

afterEach(async () => {
  await run?.close()
  await editor?.close()
  run = editor = undefined
})

async function start(options: AcpRunOptions): Promise<AcpRun> {
  run = await acpRun(options)
  return run
}

const READ: ScriptStep = {
  toolCalls: [{ name: 'Read', input: { path: 'notes.md' } }],
  usage: { input: 100, output: 10 },
}
const edit = (to: string, from = 'two'): ScriptStep => ({
  toolCalls: [{ name: 'Edit', input: { path: 'notes.md', old_string: from, new_string: to } }],
})

it('offers model setup in a terminal only to editors that can run their agent in one', async () => {
  const { client } = await start({ script: [] })
  const asked = (clientCapabilities: object) => client.request('initialize', { protocolVersion: 1, clientCapabilities })
  expect(await asked({ auth: { terminal: true } })).toMatchObject({
    authMethods: [{ type: 'terminal', id: 'setup', name: 'Set up a model', args: ['--setup'] }],
  })
  expect(await asked({})).toMatchObject({ authMethods: [] })
  expect(schemaProblems(client)).toEqual([])
})

describe('a recorded conversation with an editor', () => {
  it('matches the protocol schema, even for approvals, refusals, stops and malformed input', async () => {
    editor = acpEditor()
    const kinds = ['allow_once', 'allow_always', 'reject_once']
    const { client, scratch, server } = await start({
      script: [
        { thinking: 'Let me look.', text: 'I look first.', ...READ },
        edit('three'),
        { toolCalls: [{ name: 'Bash', input: { command: 'touch made && echo "made it" && false' } }] },
        { toolCalls: [{ name: 'Write', input: { path: 'new/file.txt', content: 'hello\n' } }] },
        {
          toolCalls: [
            {
              name: 'TodoList',
              input: {
                todos: [
                  { title: 'Look', status: 'done' },
                  { title: 'Change', status: 'in_progress' },
                ],
              },
            },
            { name: 'NoSuchTool', input: {} },
            { name: 'Read', input: '{"path": broken' },
          ],
        },
        { text: 'All is done.', usage: { input: 200, output: 20 } },
        { text: 'In the other session.' },
        { toolCalls: [{ name: 'Bash', input: { command: 'echo started; sleep 60' } }] },
        { text: 'And on it goes.' },
      ],
      answers: {
        ...editor.answers,
        'session/request_permission': (params) => choosing(kinds.shift() ?? 'allow_once')(params),
      },
    })
    const sessionId = await openSession(run!, EDITOR_CAPABILITIES)

    client.raw('this is no JSON')
    client.raw('[{"jsonrpc":"2.0","id":500,"method":"initialize"}]')
    client.raw('42')
    client.raw('{"id":501,"method":"initialize"}')
    client.raw('{"jsonrpc":"2.0","id":502,"result":{}}')
    client.raw(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":7}}`)
    client.raw(`\xff\xfe${'x'.repeat(70_000)}`)
    await expect(client.request('session/fork', { sessionId })).rejects.toMatchObject({ code: -32601 })
    await expect(client.request('authenticate', { methodId: 'x' })).rejects.toMatchObject({ code: -32601 })
    await expect(client.request('session/prompt', { sessionId })).rejects.toMatchObject({ code: -32602 })
    await expect(say(client, 'session-nowhere', 'go')).rejects.toMatchObject({ code: -32002 })
    await expect(client.request('session/set_mode', { sessionId, modeId: 'fast' })).rejects.toMatchObject({
      code: -32602,
    })
    await expect(
      client.request('session/set_config_option', { sessionId, configId: 'model', value: 'no/such' }),
    ).rejects.toMatchObject({
      code: -32602,
    })
    await expect(client.request('session/new', { cwd: 'relative', mcpServers: [] })).rejects.toMatchObject({
      code: -32602,
    })
    await expect(
      client.request('session/new', { cwd: join(scratch.project, 'nowhere'), mcpServers: [] }),
    ).rejects.toMatchObject({
      code: -32602,
    })

    expect(await say(client, sessionId, 'Do it')).toEqual({ stopReason: 'end_turn' })
    expect(readFileSync(join(scratch.project, 'notes.md'), 'utf8')).toBe('# Notes\n\none\nthree\n')
    expect(existsSync(join(scratch.project, 'made'))).toBe(true)
    expect(existsSync(join(scratch.project, 'new'))).toBe(false)

    const { sessionId: other } = await client.request('session/new', { cwd: scratch.project, mcpServers: [] })
    expect(await say(client, other, 'And here?')).toEqual({ stopReason: 'end_turn' })
    expect(
      client
        .updates(other, 'agent_message_chunk')
        .map(({ content }) => content.text)
        .join(''),
    ).toBe('In the other session.')

    const stopped = say(client, sessionId, 'Take your time')
    await client.until(
      ({ params }) =>
        params?.['update']?.content?.[0]?.type === 'terminal' && params['update'].toolCallId.startsWith('call_8'),
    )
    client.notify('session/cancel', { sessionId })
    expect(await stopped).toEqual({ stopReason: 'cancelled' })
    expect(await say(client, sessionId, 'Continue')).toEqual({ stopReason: 'end_turn' })
    await client.request('session/set_mode', { sessionId, modeId: 'plan' })
    await client.request('session/set_config_option', { sessionId, configId: 'mode', value: 'auto' })
    await client.request('session/list', {})
    await client.request('session/close', { sessionId: other })
    await client.request('session/load', { sessionId, cwd: scratch.project, mcpServers: [] })
    await client.request('session/resume', { sessionId: other, cwd: scratch.project })
    await client.request('session/delete', { sessionId: other })
    expect(await client.end()).toBe(0)

    expect(schemaProblems(client)).toEqual([])
    expect(client.messages.filter(({ error, id }) => error && id === null)).toHaveLength(5)
    expect(server.requests).toHaveLength(9)
    const permissions = client.messages.filter(({ method }) => method === 'session/request_permission')
    expect(permissions.map(({ params }) => params!['toolCall'].title)).toEqual([
      'Edit: notes.md',
      'Bash: touch made && echo "made it" && false',
      'Write: new/file.txt',
    ])
    expect(permissions[0]!.params!['toolCall'].content).toContainEqual({
      type: 'diff',
      path: join(scratch.project, 'notes.md'),
      oldText: '# Notes\n\none\ntwo\n',
      newText: '# Notes\n\none\nthree\n',
    })
    expect(
      permissions[1]!.params!['options'].filter((option: { kind: string }) => option.kind === 'allow_always').length,
    ).toBeGreaterThanOrEqual(2)
  })
})

describe('what a client sees of a call', () => {
  it('is a title that grows while the arguments stream in, then the location, and each status in order', async () => {
    const [started, named] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { client, scratch } = await start({
      script: [
        {
          toolCalls: [{ name: 'Write', input: { path: 'src/deep/answer.txt', content: 'x'.repeat(400) } }],
          // The first event opens the call; the others add 12 characters of its arguments each.
          faults: {
            holds: [
              { events: 2, until: started.promise },
              { events: 12, until: named.promise },
            ],
          },
        },
        { text: 'ok' },
      ],
      answers: { 'session/request_permission': choosing('allow_once') },
    })
    const sessionId = await openSession(run!)
    const said = say(client, sessionId, 'write')
    await client.until(({ params }) => params?.['update']?.toolCallId === 'call_1_0')
    started.resolve()
    await client.until(({ params }) => params?.['update']?.title === 'Write: src/deep/answer.txt')
    named.resolve()
    await said
    const updates = client.updates(sessionId).filter(({ toolCallId }) => toolCallId === 'call_1_0')
    expect(updates[0]).toMatchObject({
      sessionUpdate: 'tool_call',
      title: 'Write',
      status: 'pending',
      kind: 'edit',
      name: 'Write',
    })
    const titles = updates.map(({ title }) => title).filter(Boolean)
    expect(titles).toContain('Write: src/deep/answer.txt')
    const titled = updates.findIndex(({ title }) => title === 'Write: src/deep/answer.txt')
    const written = updates.findIndex(({ rawInput }) => rawInput !== undefined)
    expect(titled).toBeLessThan(written)
    expect(updates[written].locations).toEqual([{ path: join(scratch.project, 'src/deep/answer.txt') }])
    expect(updates.at(-1)).toMatchObject({
      status: 'completed',
      content: [{ type: 'diff', oldText: null, newText: 'x'.repeat(400) }],
    })
  })

  it('is the output of a command while it runs when the client offers no terminal', async () => {
    const { client } = await start({
      script: [
        {
          toolCalls: [
            { name: 'Bash', input: { command: 'echo first; until [ -e go ]; do sleep 0.05; done; echo last' } },
          ],
        },
        { text: 'ok' },
      ],
      answers: { 'session/request_permission': choosing('allow_once') },
    })
    const sessionId = await openSession(run!)
    const done = say(client, sessionId, 'run')
    await client.until(
      ({ params }) =>
        params?.['update']?.status === 'in_progress' &&
        JSON.stringify(params['update'].content ?? '').includes('first'),
    )
    writeFileSync(join(run!.scratch.project, 'go'), '')
    await done
    const last = client.updates(sessionId, 'tool_call_update').at(-1)
    expect(last).toMatchObject({ status: 'completed', rawOutput: { exitCode: 0 } })
    expect(last.content[0].content.text).toBe('```\nfirst\nlast\n```')
    expect(client.messages.some(({ method }) => method?.startsWith('terminal/'))).toBe(false)
  })
})

describe('shutdown', () => {
  it('follows the end of stdin: turns and commands are stopped and recorded, and the last requests answered', async () => {
    const { client, scratch } = await start({
      script: [{ toolCalls: [{ name: 'Bash', input: { command: 'exec sleep 300.25' } }] }, { text: 'never' }],
      answers: { 'session/request_permission': choosing('allow_once') },
    })
    const sessionId = await openSession(run!)
    const stopped = say(client, sessionId, 'sleep')
    await until(() => processesWith('300.25').length > 0, 'the command to run')
    expect(await client.end()).toBe(0)
    expect(await stopped).toEqual({ stopReason: 'cancelled' })
    expect(processesWith('300.25')).toEqual([])
    const later = run!.again({})
    await later.request('initialize', { protocolVersion: 1 })
    await later.request('session/load', { sessionId, cwd: scratch.project, mcpServers: [] })
    expect(later.updates(sessionId, 'user_message_chunk').map(({ content }) => content.text)).toEqual(['sleep'])
    expect(later.updates(sessionId, 'tool_call').map(({ title, status }) => [title, status])).toEqual([
      ['Bash: exec sleep 300.25', 'failed'],
    ])
  })

  it('follows a signal like the end of stdin, even while the client does not read', async () => {
    const { client } = await start({
      script: [
        { text: 'x'.repeat(400_000), deltaChars: 1000 },
        { text: 'y', faults: { delayMs: 60_000 } },
      ],
    })
    const sessionId = await openSession(run!)
    client.child.stdout.pause()
    void say(client, sessionId, 'talk').catch(() => undefined)
    await run!.server.arrived(1)
    void say(client, sessionId, 'and wait').catch(() => undefined)
    client.child.kill('SIGTERM')
    await until(() => client.child.exitCode !== null, 'the process to end')
    expect(client.child.exitCode).toBe(0)
    client.child.stdout.resume()
  })

  it('stops background tasks when the settings say so', async () => {
    const input = { command: 'exec sleep 300.25', run_in_background: true, description: 'a long sleep' }
    const { client } = await start({
      script: [{ toolCalls: [{ name: 'Bash', input }] }, { text: 'It runs.' }],
      answers: { 'session/request_permission': choosing('allow_once') },
      config: '[tasks]\non_exit = "stop"\n',
    })
    const sessionId = await openSession(run!)
    await say(client, sessionId, 'run it')
    await until(() => processesWith('300.25').length > 0, 'the command to run')
    await say(client, sessionId, '/tasks')
    expect(JSON.stringify(client.updates(sessionId, 'agent_message_chunk'))).toContain('running: a long sleep')
    expect(await client.end()).toBe(0)
    expect(processesWith('300.25')).toEqual([])
    expect(client.stderr()).toContain('stopping 1 background task')
  })

  it('answers every request of a client that writes everything at once and closes the pipe', async () => {
    const { client } = await start({ script: [{ text: 'hello' }] })
    const answered = client.request('initialize', { protocolVersion: 1 })
    client.raw('nonsense')
    const unknown = client.request('who/knows', {}).catch((error: { code: number }) => error.code)
    expect(await client.end()).toBe(0)
    expect(await answered).toMatchObject({ protocolVersion: 1 })
    expect(await unknown).toBe(-32601)
    expect(client.messages.map(({ error }) => error?.code).filter(Boolean)).toEqual([-32700, -32601])
  })
})
