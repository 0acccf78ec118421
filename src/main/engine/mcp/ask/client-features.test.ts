import { Client, InMemoryTransport, UrlElicitationRequiredError } from '@modelcontextprotocol/client'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { RootsListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterEach, describe, expect, it } from 'vitest'
import { callContext } from '../../../../../test/support/call-context'
import { until } from '../../../../../test/support/until'
import type { McpLogLine } from '../../../../shared/configuration/customize/mcp'
import type { CallAnswer, CallQuestion } from '../../tool/tool'
import type { CallInFlight, ServedConnection } from '../protocol/connection'
import { createClientFeatures, type ClientFeaturesDeps } from './client-features'

interface Asked {
  question: CallQuestion
  signal: AbortSignal | undefined
  answer: (answer: CallAnswer) => void
}

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

/**
 * A server connected to a client that is set up as in the hub, and the user who is asked. `calls`: how many calls are
 * running.
 */
async function fixture({ calls = 1, ...deps }: Partial<ClientFeaturesDeps> & { calls?: number } = {}) {
  const asked: Asked[] = []
  const held: number[] = []
  const logs: Omit<McpLogLine, 'at'>[] = []
  const inFlight = Array.from({ length: calls }, (_, n): CallInFlight => {
    held.push(0)
    return {
      sessionId: 's1',
      tool: `tool ${n}`,
      ctx: callContext({
        callId: `c${n}`,
        ask: (question, signal) => new Promise((answer) => asked.push({ question, signal, answer })),
      }),
      pauseTimeout() {
        held[n]! += 1
        return () => void (held[n]! -= 1)
      },
    }
  })
  const sessions = ['s1']
  const unshown: string[] = []
  const connection: ServedConnection = {
    name: 'shop',
    sessions: () => sessions,
    calls: () => inFlight,
    log: (line) => void logs.push(line),
  }
  const ask = createClientFeatures({
    sampling: () => true,
    askModel: async () => ({ model: 'p/m', text: 'Forty-two. STOP and more', isCut: false }),
    foldersOf: (session) => [`/home/${session}`, '/home/both of them'],
    onUnshown: (name, what) => void unshown.push(`${name}: ${what}`),
    ...deps,
  })
  const client = new Client({ name: 'trestle', version: '0' }, { capabilities: ask.capabilities() })
  ask.prepare(client, connection)
  const server = new Server({ name: 'shop', version: '1' }, { capabilities: {} })
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await Promise.all([client.connect(ours), server.connect(theirs)])
  cleanups.push(async () => {
    await client.close()
    await server.close()
  })
  const question = async (n = 0): Promise<Asked> => {
    await until(() => asked.length > n, 'a question')
    return asked[n]!
  }
  return { ask, server, connection, asked, question, held, logs, unshown, inFlight, sessions }
}

const FORM = {
  message: 'Who are you?',
  requestedSchema: { type: 'object' as const, properties: { name: { type: 'string' as const } }, required: ['name'] },
}

describe('a form', () => {
  it('rejects values the server does not accept, pauses the call timeout and delivers the answer', async () => {
    const { server, question, held } = await fixture({ calls: 2 })
    const result = server.elicitInput(FORM)
    const { question: asked, answer } = await question()
    expect(asked.preview).toMatchObject({
      kind: 'form',
      server: 'shop',
      message: 'Who are you?',
      fields: [{ key: 'name', required: true }],
    })
    expect(asked.problemOf?.({ optionId: 'send' })).toMatch(/fill in/)
    expect(asked.problemOf?.({ optionId: 'send', values: {} })).toBe('values.name: Required.')
    expect(asked.problemOf?.({ optionId: 'send', values: { name: 'Ann' } })).toBeUndefined()
    expect(asked.problemOf?.({ optionId: 'decline' })).toBeUndefined()
    expect(held).toEqual([0, 1])
    answer({ optionId: 'send', kind: 'allow_once', values: { name: 'Ann' } })
    expect(await result).toEqual({ action: 'accept', content: { name: 'Ann' } })
    expect(held).toEqual([0, 0])
  })

  it.each([
    [{ optionId: 'decline', kind: 'reject_once' }, 'decline'],
    [{ optionId: 'cancel', kind: 'reject_once' }, 'cancel'],
    // A host that does not know the options answers with an option of a kind it knows.
    [{ optionId: 'reject', kind: 'reject_once' }, 'decline'],
    [{ none: 'unattended', why: 'No user is available.' }, 'cancel'],
  ] as const)('maps %j to the action %s', async (given, action) => {
    const { server, question } = await fixture()
    const result = server.elicitInput(FORM)
    const asked = await question()
    asked.answer(given)
    expect(await result).toEqual({ action })
  })

  it('is cancelled when no call is running', async () => {
    const { server, asked, logs } = await fixture({ calls: 0 })
    expect(await server.elicitInput(FORM)).toEqual({ action: 'cancel' })
    expect(asked).toEqual([])
    expect(logs[0]?.text).toMatch(/outside any call/)
  })

  it('is refused once a server asks too often', async () => {
    const { server, asked, question } = await fixture()
    const results = Array.from({ length: 1000 }, () => server.elicitInput(FORM))
    await question(4)
    await Promise.all(results.slice(5))
    expect(asked).toHaveLength(5)
    for (let n = 0; n < 5; n += 1) asked[n]!.answer({ optionId: 'decline', kind: 'reject_once' })
    expect((await Promise.all(results)).filter(({ action }) => action === 'decline')).toHaveLength(5)
    for (let n = 5; n < 20; n += 1) {
      const result = server.elicitInput(FORM)
      ;(await question(n)).answer({ optionId: 'decline', kind: 'reject_once' })
      await result
    }
    expect(await server.elicitInput(FORM)).toEqual({ action: 'cancel' })
    expect(asked).toHaveLength(20)
  })

  it('that cannot be shown is reported to the user, even when the library refuses it', async () => {
    const { ask, server, connection, asked, unshown, inFlight } = await fixture()
    const form = (properties: Record<string, unknown>) => ({
      message: 'Where to?',
      requestedSchema: { type: 'object', properties },
    })
    // Refused by our code.
    const noChoice = form({ to: { type: 'string', enum: [] } }) as unknown as typeof FORM
    expect(await server.elicitInput(noChoice)).toEqual({ action: 'cancel' })
    expect(unshown.splice(0)).toEqual([
      'shop: a form with too many fields or choices, or with a field that cannot be filled in',
    ])
    // Refused by the library.
    ask.received?.(connection, { method: 'elicitation/create', params: form({ to: { type: 'object' } }) })
    ask.received?.(connection, { method: 'elicitation/create', params: FORM })
    expect(unshown.splice(0)).toEqual(['shop: a form whose field “to” is of an unsupported type (object)'])
    // The input that a call of the stateless revision asks for.
    const request = { method: 'elicitation/create', params: form({ to: { type: 'null' } }) }
    await expect(ask.answer?.(connection, inFlight[0], request, new AbortController().signal)).rejects.toThrow(
      'The server asked for a form whose field “to” is of an unsupported type (null).',
    )
    expect(unshown).toEqual(['shop: a form whose field “to” is of an unsupported type (null)'])
    expect(asked).toEqual([])
  })

  it('is withdrawn when the server stops waiting', async () => {
    const { server, question } = await fixture()
    const abort = new AbortController()
    const result = server.elicitInput(FORM, { signal: abort.signal })
    const { signal } = await question()
    abort.abort('enough')
    await expect(result).rejects.toThrow('enough')
    await until(() => signal?.aborted === true, 'the withdrawal')
    expect(signal?.reason).toMatchObject({ message: 'The server stopped waiting for the answer.' })
  })
})

describe('a page to open', () => {
  const link = (url: string) => ({ mode: 'url' as const, message: 'Sign in', elicitationId: 'e1', url })

  it.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https://bank.example@evil.example/',
    'vscode://x',
    'not a page',
  ])('is not offered for %s', async (url) => {
    const { server, asked } = await fixture()
    const result = await server.elicitInput(link(url)).catch(() => ({ action: 'cancel' }))
    expect(result).toEqual({ action: 'cancel' })
    expect(asked).toEqual([])
  })

  it('is accepted only with consent, and shows its host', async () => {
    const { server, question } = await fixture()
    const result = server.elicitInput(link('https://Pay.Example/x?y=1'))
    const { question: asked, answer } = await question()
    expect(asked).toMatchObject({ asks: 'link', preview: { kind: 'link', url: 'https://pay.example/x?y=1' } })
    expect(asked.options.map(({ name }) => name)).toEqual(['Open pay.example', 'Decline', 'Cancel'])
    answer({ optionId: 'open', kind: 'allow_once' })
    expect(await result).toEqual({ action: 'accept' })
  })

  it('retries the call only after the page is done, or when the server reports that it is', async () => {
    const { ask, connection, inFlight, server, question } = await fixture()
    const error = new UrlElicitationRequiredError([link('https://pay.example/')])
    const done = ask.openPages(connection, inFlight[0]!, error)
    ;(await question()).answer({ optionId: 'open', kind: 'allow_once' })
    const { question: second, signal, answer } = await question(1)
    expect(second.preview).toMatchObject({ kind: 'link', opened: true })
    await server.notification({ method: 'notifications/elicitation/complete', params: { elicitationId: 'e1' } })
    await until(() => signal?.aborted === true, 'the end of waiting')
    answer({ none: 'ended', why: 'The server says that it is done.' })
    expect(await done).toBe(true)
    expect(await ask.openPages(connection, inFlight[0]!, new Error('another'))).toBeUndefined()
    const declined = ask.openPages(
      connection,
      inFlight[0]!,
      new UrlElicitationRequiredError([{ ...link('https://pay.example/'), elicitationId: 'e2' }]),
    )
    ;(await question(2)).answer({ optionId: 'decline', kind: 'reject_once' })
    expect(await declined).toBe(false)
  })
})

describe('use of the model', () => {
  const request = (text = 'What is it?') => ({
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
    maxTokens: 100_000,
  })

  it('requires approval of the request and of the answer', async () => {
    const sent: unknown[] = []
    const { server, asked, question, logs } = await fixture({
      async askModel(of, sampled) {
        sent.push({ ...of, ...sampled })
        return { model: 'p/m', text: 'Forty-two. STOP and more', isCut: false }
      },
    })
    const result = server.createMessage({
      ...request('What\u202e is it?\u{e0041}'),
      systemPrompt: 'Be brief.',
      stopSequences: [' STOP'],
    })
    const first = await question()
    expect(first.question.preview).toEqual({
      kind: 'sampling',
      server: 'shop',
      system: 'Be brief.',
      messages: [{ role: 'user', text: 'What is it?' }],
      maxTokens: 8192,
    })
    expect(sent).toEqual([])
    first.answer({ optionId: 'ask', kind: 'allow_once' })
    const second = await question(1)
    // What was sent is what was shown.
    expect(sent).toMatchObject([
      {
        sessionId: 's1',
        callId: 'c0',
        server: 'shop',
        system: 'Be brief.',
        messages: [{ parts: [{ text: 'What is it?' }] }],
      },
    ])
    expect(second.question.preview).toMatchObject({ answer: { model: 'p/m', text: 'Forty-two. STOP and more' } })
    second.answer({ optionId: 'give', kind: 'allow_once' })
    expect(await result).toEqual({
      role: 'assistant',
      model: 'p/m',
      content: { type: 'text', text: 'Forty-two.' },
      stopReason: 'stopSequence',
    })
    expect(asked).toHaveLength(2)
    expect(logs[0]?.text).toMatch(/^The model p\/m was asked/)
  })

  it.each([0, 1])('is refused when the user rejects at step %i', async (step) => {
    const { server, question } = await fixture()
    const result = server.createMessage(request()).then(
      () => 'had',
      (error: unknown) => String(error),
    )
    for (let n = 0; n < step; n += 1) (await question(n)).answer({ optionId: 'ask', kind: 'allow_once' })
    ;(await question(step)).answer({ optionId: 'refuse', kind: 'reject_once' })
    expect(await result).toMatch(/The user did not/)
  })

  it('is refused for overlong requests, with tools, or when disabled', async () => {
    const { server, asked } = await fixture()
    await expect(server.createMessage(request('x'.repeat(50_001)))).rejects.toThrow(/50,000 characters/)
    expect(asked).toEqual([])
    const off = await fixture({ sampling: () => false })
    expect(off.ask.capabilities()).not.toHaveProperty('sampling')
    await expect(off.server.createMessage(request())).rejects.toThrow('Method not found')
    expect(off.asked).toEqual([])
    let isOn = true
    const later = await fixture({ sampling: () => isOn })
    isOn = false
    await expect(later.server.createMessage(request())).rejects.toThrow('disabled it')
    expect(later.asked).toEqual([])
  })
})

it('lists the folders of its sessions, and notifies it when a session joins', async () => {
  const { server, ask, sessions } = await fixture()
  let changed = 0
  server.setNotificationHandler(RootsListChangedNotificationSchema, () => void (changed += 1))
  const listed = async () => (await server.listRoots()).roots
  expect(await listed()).toEqual([
    { uri: 'file:///home/both%20of%20them', name: 'both of them' },
    { uri: 'file:///home/s1', name: 's1' },
  ])
  ask.rootsChanged()
  sessions.push('s2')
  ask.rootsChanged()
  ask.rootsChanged()
  await until(() => changed > 0, 'the notification')
  expect(changed).toBe(1)
  expect(await listed()).toHaveLength(3)
})
