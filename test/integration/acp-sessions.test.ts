import { readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import type { Wire } from '../support/acp-client'
import { acpRun, choosing, openSession, say, type AcpRun, type AcpRunOptions } from '../support/acp-run'
import { schemaProblems } from '../support/acp-schema'

let run: AcpRun

afterEach(async () => {
  await run.close()
})

async function start(options: AcpRunOptions, capabilities: object = {}): Promise<string> {
  run = await acpRun({ answers: { 'session/request_permission': choosing('allow_once') }, ...options })
  return openSession(run, capabilities)
}

const texts = (sessionId: string, kind: string): string =>
  run.client
    .updates(sessionId, kind)
    .map(({ content }) => content.text)
    .join('')
const userText = (index: number): Wire =>
  (run.server.requests[index]!.body as { messages: Wire[] }).messages.findLast(({ role }) => role === 'user').content

describe('a prompt', () => {
  it('reaches the model with images, embedded files and links as the client sent them', async () => {
    const sessionId = await start({ script: [{ text: 'seen' }] })
    const file = (name: string): string => pathToFileURL(join(run.scratch.project, name)).href
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    await run.client.request('session/prompt', {
      sessionId,
      prompt: [
        { type: 'text', text: 'Look at ' },
        { type: 'resource_link', uri: `${file('src/a b.ts')}#L3-L5`, name: 'a b.ts' },
        { type: 'text', text: ' and ' },
        { type: 'resource_link', uri: 'https://example.com/x', name: 'x', title: 'The issue' },
        { type: 'resource', resource: { uri: file('notes.md'), text: 'unsaved notes\n', mimeType: 'text/markdown' } },
        { type: 'image', data: png, mimeType: 'image/png' },
      ],
    })
    const content = userText(0) as { type: string; text?: string; image_url?: { url: string } }[]
    const text = content.map((part) => part.text ?? '').join('|')
    expect(text).toContain('Look at @src/a b.ts (lines 3-5) and [The issue](https://example.com/x)')
    expect(text).toContain('<file path="notes.md">\nunsaved notes\n</file>')
    expect(content.some((part) => part.image_url?.url.includes(png))).toBe(true)
  })

  it('that is empty or contains audio is rejected with advice on what to send', async () => {
    const sessionId = await start({ script: [] })
    const send = (prompt: unknown) => run.client.request('session/prompt', { sessionId, prompt })
    await expect(send([])).rejects.toThrow('the prompt is empty')
    await expect(send([{ type: 'text', text: '  ' }])).rejects.toThrow('the prompt is empty')
    await expect(send([{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }])).rejects.toThrow('send text or images')
  })

  it('queues behind another prompt of the same session, and a cancel ends both', async () => {
    const sessionId = await start({ script: [{ text: 'one', faults: { delayMs: 60_000 } }, { text: 'three' }] })
    const first = say(run.client, sessionId, 'first')
    await run.server.arrived(1)
    const second = say(run.client, sessionId, 'second')
    // An answer to this request means that the prompt before it was accepted.
    await run.client.request('session/list', {})
    run.client.notify('session/cancel', { sessionId })
    expect(await Promise.all([first, second])).toEqual([{ stopReason: 'cancelled' }, { stopReason: 'cancelled' }])
    expect(await say(run.client, sessionId, 'third')).toEqual({ stopReason: 'end_turn' })
    expect(run.server.requests).toHaveLength(2)
  })

  it('is cancelled by a cancelled request', async () => {
    const sessionId = await start({ script: [{ text: 'one', faults: { delayMs: 60_000 } }] })
    const stopped = say(run.client, sessionId, 'first')
    await run.server.arrived(1)
    const id = [...run.client.asked].find(([, method]) => method === 'session/prompt')![0]
    run.client.notify('$/cancel_request', { requestId: id })
    expect(await stopped).toEqual({ stopReason: 'cancelled' })
  })

  it('is cancelled by a withdrawn request or a cancelled session before any of it has started', async () => {
    const sessionId = await start({ script: [{ text: 'one', repeat: 3 }] })
    const ended: unknown[] = []
    for (const how of ['$/cancel_request', 'session/cancel']) {
      const stopped = say(run.client, sessionId, 'first')
      const id = [...run.client.asked].findLast(([, method]) => method === 'session/prompt')![0]
      run.client.notify(how, how === 'session/cancel' ? { sessionId } : { requestId: id })
      ended.push(await stopped)
    }
    expect(ended).toEqual([{ stopReason: 'cancelled' }, { stopReason: 'cancelled' }])
    expect(await say(run.client, sessionId, 'second')).toEqual({ stopReason: 'end_turn' })
  })

  it('is retried when the answer breaks off, and the discarded part is marked', async () => {
    const sessionId = await start({
      script: [{ text: 'This breaks off in the middle of', faults: { truncate: 2 } }, { text: 'Whole.' }],
    })
    expect(await say(run.client, sessionId, 'go')).toEqual({ stopReason: 'end_turn' })
    expect(texts(sessionId, 'agent_message_chunk')).toMatch(
      /^This breaks.*response was cut off; trying again \(attempt 2 of 10\)\.\*\s+Whole\.$/s,
    )
    expect(new Set(run.client.updates(sessionId, 'agent_message_chunk').map(({ messageId }) => messageId)).size).toBe(2)
  })

  it('that fails says what to do, in the error that editors show', async () => {
    const sessionId = await start({ script: [{ faults: { status: 401, body: { error: { message: 'bad key' } } } }] })
    await expect(say(run.client, sessionId, 'go')).rejects.toThrow(
      /Invalid API key: .*Check this provider's API key in Settings/,
    )
  })

  it('returns advice when no model is configured, and works once the demo model is chosen', async () => {
    const sessionId = await start({ script: [], config: 'none' })
    expect(await say(run.client, sessionId, 'hello')).toEqual({ stopReason: 'end_turn' })
    expect(texts(sessionId, 'agent_message_chunk')).toMatch(/No model selected.*open Settings/s)
    const { configOptions } = await run.client.request('session/set_config_option', {
      sessionId,
      configId: 'model',
      value: 'demo/scripted',
    })
    expect(configOptions.find(({ id }: { id: string }) => id === 'model').currentValue).toBe('demo/scripted')
  })
})

describe('slash commands', () => {
  it('are announced to the client, and the built-in ones work', async () => {
    const sessionId = await start({
      script: [
        { toolCalls: [{ name: 'Write', input: { path: 'made.txt', content: 'x\n' } }] },
        { text: 'ok' },
        { text: 'planned' },
        { text: 'A summary.' },
      ],
    })
    const update = await run.client.until(
      ({ params }) => params?.['update']?.sessionUpdate === 'available_commands_update',
    )
    const names = update.params!['update'].availableCommands.map(({ name }: { name: string }) => name)
    expect(names).toEqual(expect.arrayContaining(['plan', 'compact', 'context', 'undo', 'redo', 'tasks', 'review']))
    await say(run.client, sessionId, 'write')
    const made = join(run.scratch.project, 'made.txt')
    await say(run.client, sessionId, '/context')
    expect(texts(sessionId, 'agent_message_chunk')).toMatch(/About [\d,]+ of 128,000 tokens/)
    await say(run.client, sessionId, '/tools')
    expect(texts(sessionId, 'agent_message_chunk')).toMatch(/\| Write \| active \| [\d,]+ \|/)
    await say(run.client, sessionId, '/undo')
    expect(() => readFileSync(made)).toThrow('ENOENT')
    await say(run.client, sessionId, '/redo')
    expect(readFileSync(made, 'utf8')).toBe('x\n')
    await say(run.client, sessionId, '/plan the next thing')
    expect(JSON.stringify(run.server.requests[2]!.body)).toContain('"the next thing"')
    expect(run.client.updates(sessionId, 'current_mode_update').at(-1).currentModeId).toBe('plan')
    await say(run.client, sessionId, '/plan')
    await say(run.client, sessionId, '/compact')
    expect(texts(sessionId, 'agent_message_chunk')).toContain('The conversation was summarized')
  })
})

describe('sessions', () => {
  it('are listed in pages, for one folder or all, loaded with their conversation, resumed without it, closed and deleted', async () => {
    const sessionId = await start({
      script: [
        {
          thinking: 'Hm.',
          text: 'Let me see.',
          toolCalls: [{ name: 'Edit', input: { path: 'notes.md', old_string: 'x', new_string: 'y' } }],
        },
        { toolCalls: [{ name: 'Read', input: { path: 'notes.md' } }] },
        { toolCalls: [{ name: 'Edit', input: { path: 'notes.md', old_string: 'two', new_string: 'three' } }] },
        { text: 'Changed.' },
        { text: 'Taken back.' },
      ],
    })
    const { client, scratch } = run
    await say(client, sessionId, 'change it')
    await say(client, sessionId, 'and a second thing')
    await say(client, sessionId, '/undo')
    for (let count = 0; count < 55; count += 1)
      await client.request('session/new', { cwd: scratch.home, mcpServers: [] })

    const first = await client.request('session/list', {})
    expect(first.sessions).toHaveLength(50)
    const second = await client.request('session/list', { cursor: first.nextCursor })
    expect(second.nextCursor).toBeUndefined()
    const ids = new Set([...first.sessions, ...second.sessions].map((one: { sessionId: string }) => one.sessionId))
    expect(ids.size).toBe(56)
    expect((await client.request('session/list', { cwd: scratch.project })).sessions).toMatchObject([
      { sessionId, cwd: scratch.project, title: 'change it' },
    ])
    await expect(client.request('session/list', { cursor: 'nonsense' })).rejects.toMatchObject({ code: -32602 })

    const later = run.again()
    await later.request('initialize', { protocolVersion: 1 })
    await expect(later.request('session/load', { sessionId, cwd: scratch.project, mcpServers: [] })).rejects.toThrow(
      /open in/,
    )
    await client.request('session/close', { sessionId })
    await expect(say(client, sessionId, 'closed')).rejects.toMatchObject({ code: -32002 })
    await expect(later.request('session/load', { sessionId, cwd: scratch.home, mcpServers: [] })).rejects.toThrow(
      /belongs to/,
    )
    await expect(
      later.request('session/load', { sessionId: 'session-0', cwd: scratch.project, mcpServers: [] }),
    ).rejects.toMatchObject({
      code: -32002,
    })
    const loaded = await later.request('session/load', { sessionId, cwd: scratch.project, mcpServers: [] })
    expect(loaded.modes.currentModeId).toBe('ask')
    const kinds = later
      .updates(sessionId)
      .map(({ sessionUpdate, title, status }) => [sessionUpdate, title, status].filter(Boolean).join(' '))
    expect(kinds.slice(0, 8)).toEqual([
      'user_message_chunk',
      'agent_thought_chunk',
      'agent_message_chunk',
      'tool_call Edit: notes.md failed',
      'tool_call Read: notes.md completed',
      'tool_call Edit: notes.md completed',
      'agent_message_chunk',
      'session_info_update change it',
    ])
    expect(later.updates(sessionId, 'tool_call').at(-1).content).toMatchObject([
      { type: 'diff', newText: expect.stringContaining('three') },
    ])
    const before = later.messages.length
    await later.request('session/close', { sessionId })
    await later.request('session/resume', { sessionId, cwd: scratch.project })
    expect(
      later.messages.slice(before).some(({ params }) => params?.['update']?.sessionUpdate === 'user_message_chunk'),
    ).toBe(false)
    await later.request('session/delete', { sessionId })
    await later.request('session/delete', { sessionId })
    expect((await later.request('session/list', { cwd: scratch.project })).sessions).toEqual([])
    expect(schemaProblems(later)).toEqual([])
  })

  it('send each update once, even if the client opens one several times at once', async () => {
    const sessionId = await start({ script: [{ text: 'first' }, { text: 'second' }] })
    await say(run.client, sessionId, 'one')
    const place = { sessionId, cwd: run.scratch.project, mcpServers: [] }
    await Promise.all(
      ['session/load', 'session/resume', 'session/load'].map((method) => run.client.request(method, place)),
    )
    await say(run.client, sessionId, 'two')
    expect(texts(sessionId, 'agent_message_chunk').match(/second/g)).toHaveLength(1)
  })

  it('identify a project by the path the client opened, including symbolic links', async () => {
    run = await acpRun({ script: [{ toolCalls: [{ name: 'Read', input: { path: 'notes.md' } }] }, { text: 'ok' }] })
    const link = join(run.scratch.home, 'link')
    symlinkSync(run.scratch.project, link)
    await run.client.request('initialize', { protocolVersion: 1 })
    const { sessionId } = await run.client.request('session/new', { cwd: link, mcpServers: [] })
    await say(run.client, sessionId, 'read')
    expect(run.client.updates(sessionId, 'tool_call_update').at(-1).locations).toEqual([
      { path: join(link, 'notes.md'), line: 1 },
    ])
    const { sessions } = await run.client.request('session/list', { cwd: link })
    expect(sessions).toMatchObject([{ sessionId, cwd: realpathSync(link) }])
  })

  it('include additional folders that the client names', async () => {
    run = await acpRun({
      script: [
        { toolCalls: [{ name: 'Read', input: { path: join(run.scratch.home, 'config.toml') } }] },
        { text: 'ok' },
      ],
    })
    await run.client.request('initialize', { protocolVersion: 1 })
    const { sessionId } = await run.client.request('session/new', {
      cwd: run.scratch.project,
      additionalDirectories: [run.scratch.home],
      mcpServers: [],
    })
    const { sessions } = await run.client.request('session/list', { cwd: run.scratch.project })
    expect(sessions).toMatchObject([{ sessionId, additionalDirectories: [run.scratch.home] }])
  })
})

describe('a flood of output', () => {
  it('of 20,000 chunks becomes at most 1,000 updates without losing a character, the first one immediately', async () => {
    const text = 'ten bytes '.repeat(20_000)
    const seen = Promise.withResolvers<void>()
    // The model pauses until the client has received the start.
    const faults = { holds: [{ events: 10, until: seen.promise }] }
    const sessionId = await start({ script: [{ text, deltaChars: 10, thinking: 'short', faults }] })
    const ended = say(run.client, sessionId, 'talk')
    await run.client.until(({ params }) => params?.['update']?.sessionUpdate === 'agent_message_chunk')
    const beginning = texts(sessionId, 'agent_message_chunk')
    expect(text.slice(0, 100).startsWith(beginning)).toBe(true)
    seen.resolve()
    expect(await ended).toEqual({ stopReason: 'end_turn' })
    expect(texts(sessionId, 'agent_message_chunk')).toBe(text)
    expect(run.client.updates(sessionId).length).toBeLessThanOrEqual(1000)
  })

  it('that the client does not read neither blocks the agent nor loses data', async () => {
    const text = `${'x'.repeat(99)}\n`.repeat(20_000)
    const sessionId = await start({ script: [{ text, deltaChars: 1000 }, { text: 'after' }] })
    run.client.child.stdout.pause()
    const ended = say(run.client, sessionId, 'talk')
    await run.server.arrived(1)
    run.client.child.stdout.resume()
    expect(await ended).toEqual({ stopReason: 'end_turn' })
    expect(texts(sessionId, 'agent_message_chunk')).toBe(text)
  })
})

describe('outside the conversation', () => {
  it('the user is told that project settings are off until the project is trusted', async () => {
    const files = { '.trestle/config.toml': '[permission]\nallow = ["Bash(touch:*)"]\n' }
    const sessionId = await start({ script: [], files }, { session: { notices: {} } })
    const notice = await run.client.until(({ params }) => params?.['update']?.sessionUpdate === 'notice')
    expect(notice.params!['update']).toMatchObject({ severity: 'warning', title: 'Project settings are off' })
    expect(notice.params!['update'].description).toContain('trestle permission trust')
    expect(sessionId).not.toBe('')
  })

  it('a compaction is reported in the form the client supports: as one, as notices, or as thoughts', async () => {
    const script = [{ text: 'answer' }, { text: 'A summary.' }]
    const sessionId = await start({ script }, { session: { compaction: {} } })
    await say(run.client, sessionId, 'hello')
    await say(run.client, sessionId, '/compact')
    const updates = run.client.updates(sessionId, 'compaction_update')
    expect(updates.map(({ status }) => status)).toEqual(['in_progress', 'completed'])
    expect(updates[1].summary[0].text).toContain('A summary.')
    expect(new Set(updates.map(({ compactionId }) => compactionId)).size).toBe(1)
  })
})
