import { afterEach, describe, expect, it } from 'vitest'
import { fakeLauncher, HELLO, type FakeEngine } from '../../../../../test/support/place/hostile-engine'
import { rejection } from '../../../../../test/support/required'
import { until } from '../../../../../test/support/until'
import type { Place } from '../../../../shared/model/place/place'
import type { ModelInfo } from '../../model/provider'
import { ConnectedPlace } from '../connection/connected-place'
import { serveModels } from '../connection/serve-models'
import { followRemoteSession } from './follow-session'
import { LINK_LIMITS } from './wire-link'

const PLACE: Place = { placeId: 'box', launch: { kind: 'ssh', host: 'box' }, addedAt: 0 }
type Play = Parameters<typeof fakeLauncher>[0]
const MORE_CLAIMS = { sessions: new Set(['session-local', 'session-other-place']), tasks: new Set(['bash-local']) }

let place: ConnectedPlace
let engines: FakeEngine[]
afterEach(() => place.remote.disconnect())

async function connect(play: Play, greet?: Parameters<typeof fakeLauncher>[1], limits = LINK_LIMITS): Promise<void> {
  const fake = fakeLauncher(play, greet)
  engines = fake.engines
  place = placeWith(fake.launcher, limits)
  await place.remote.connect()
}

function placeWith(launcher: ReturnType<typeof fakeLauncher>['launcher'], limits = LINK_LIMITS): ConnectedPlace {
  return new ConnectedPlace({
    place: PLACE,
    launcher,
    limits,
    timing: { backoff: [1, 5], requestWait: 200 },
    isTaken: (kind, id) => (kind === 'session' ? MORE_CLAIMS.sessions.has(id) : MORE_CLAIMS.tasks.has(id)),
    onChange: () => undefined,
  })
}

it('closes a connection that opens after the attempt was ended', async () => {
  const { launcher, engines: opened } = fakeLauncher(() => undefined)
  const opening = Promise.withResolvers<void>()
  place = placeWith({
    ...launcher,
    async open(prepared) {
      await opening.promise
      return launcher.open(prepared)
    },
  })
  const connecting = rejection(place.remote.connect())
  const ended = place.remote.disconnect()
  opening.resolve()
  await Promise.all([connecting, ended])
  expect(opened.map(({ isClosed }) => isClosed)).toEqual([true])
})

const summary = (sessionId: string, more: object = {}) => ({
  sessionId,
  folder: '/srv/app',
  title: 'T',
  status: 'idle',
  waiting: 0,
  updatedAt: 1,
  archived: false,
  ...more,
})
const entry = (sessionId: string, more: object = {}) => ({
  sessionId,
  sessionTitle: 'T',
  folder: '/srv/app',
  approvalId: 'approval-1',
  tool: 'Bash',
  summary: 'Run ls',
  reason: 'It runs a command.',
  options: [{ optionId: 'allow_once', kind: 'allow_once', name: 'Allow once' }],
  requestedAt: 1,
  group: 'g',
  ...more,
})
const task = (taskId: string, more: object = {}) => ({
  taskId,
  command: 'ls',
  cwd: '/srv',
  status: 'running',
  startedAt: 1,
  outputPath: '/x',
  outputBytes: 0,
  ...more,
})
/** Answers the initial list calls with these. */
const lists =
  ({ sessions = [], inbox = [], tasks = [] }: { sessions?: unknown; inbox?: unknown; tasks?: unknown }): Play =>
  (engine, { id, method }) => {
    if (method === 'task.list') engine.write({ id, result: tasks })
    if (method !== 'push.app') return
    engine.write({ id, event: { type: 'sessions', changed: sessions, removed: ['session-local'] } })
    engine.write({ id, event: { type: 'inbox', entries: inbox } })
  }

describe('a hostile engine on a place', () => {
  it('is disconnected if it sends a line beyond the limit, and is not tried again', async () => {
    await connect(
      (engine, { method }) => {
        if (method === 'session.list') for (let sent = 0; sent < 40; sent += 1) engine.raw(Buffer.alloc(1 << 16, 'x'))
      },
      undefined,
      { ...LINK_LIMITS, lineBytes: 1 << 20 },
    )
    expect(await rejection(place.remote.call('session.list', {}))).toMatchObject({
      code: expect.stringMatching(/connection\.lost|place\.misbehaved/),
    })
    await until(() => place.remote.state.state === 'unreachable', 'the end')
    expect(place.remote.state.failure).toMatchObject({
      code: 'place.misbehaved',
      message: expect.stringContaining('a line of more than'),
    })
    expect(engines).toHaveLength(1)
  })

  it('is disconnected if it prints too much before its greeting', async () => {
    await expect(
      connect(
        () => undefined,
        (engine) => {
          for (let line = 0; line < 3000; line += 1) engine.write('Welcome to this machine! '.repeat(4))
        },
      ),
    ).rejects.toMatchObject({ code: 'place.misbehaved' })
  })

  it('can print login shell messages before its greeting', async () => {
    await connect(lists({}), (engine) => {
      engine.write('Last login: today')
      engine.write(HELLO)
    })
    expect(place.remote.state).toMatchObject({ state: 'connected', version: '0.1.0' })
  })

  it('is disconnected if it answers calls that were never made', async () => {
    await connect((engine, { method }) => {
      if (method !== 'session.list') return
      for (let id = 5000; id < 5500; id += 1) engine.write({ id, result: { forged: true } })
    })
    await rejection(place.remote.call('session.list', {}))
    await until(() => place.remote.state.state === 'unreachable', 'the end')
    expect(place.remote.state.failure?.code).toBe('place.misbehaved')
  })

  it('cannot fill the memory with unread pushes', async () => {
    await connect(
      (engine, { id, method }) => {
        if (method !== 'push.usage') return
        for (let n = 0; n < 200; n += 1) engine.write({ id, event: { text: 'x'.repeat(10_000) } })
      },
      undefined,
      { ...LINK_LIMITS, pushBytes: 100_000 },
    )
    const pushes = place.remote.link!.subscribe('push.usage', {})
    await until(
      () => place.remote.link!.lastLineAt > 0 && engines[0]!.requests.some(({ method }) => method === 'push.usage'),
      'the flood',
    )
    await new Promise((resolve) => setImmediate(resolve))
    const read = async (): Promise<void> => {
      while ((await pushes.next()).done !== true);
    }
    expect(await rejection(read())).toMatchObject({ code: 'connection.lost' })
    expect(place.remote.state.state).toBe('connected')
  })

  it('cannot claim sessions, requests or tasks of this machine or of another place, nor remove them', async () => {
    await connect(
      lists({
        sessions: [summary('session-own'), summary('session-local'), summary('session-other-place')],
        inbox: [entry('session-own'), entry('session-local'), entry('session-other-place')],
        tasks: [task('bash-own'), task('bash-local'), task('bash-own-2', { sessionId: 'session-local' })],
      }),
    )
    await until(() => place.inbox.length > 0 && place.tasks.size > 0, 'the lists')
    expect([...place.sessions.keys()]).toEqual(['session-own'])
    expect(place.inbox.map(({ sessionId }) => sessionId)).toEqual(['session-own'])
    expect([...place.tasks.keys()]).toEqual(['bash-own'])
    expect(place.hasSession('session-local')).toBe(false)
  })

  it('is disconnected if it sends a push of its lists that cannot be read, and is not tried again', async () => {
    await connect((engine, request) => {
      lists({ inbox: [entry('session-own')] })(engine, request)
      if (request.method === 'push.app') engine.write({ id: request.id, event: 'nothing' })
    })
    await until(() => place.remote.state.state === 'unreachable', 'the end')
    expect(place.remote.state.failure).toMatchObject({
      code: 'place.misbehaved',
      message: expect.stringContaining('a push that is no object'),
    })
    expect(place.inbox).toEqual([])
    expect(engines.map(({ isClosed }) => isClosed)).toEqual([true])
  })

  it('is disconnected if it refuses to send its lists, and is not tried again', async () => {
    await connect((engine, { id, method }) => {
      if (method === 'push.app') engine.write({ id, error: { code: 'internal', message: 'The store is gone.' } })
    })
    await until(() => place.remote.state.state === 'unreachable', 'the end')
    expect(place.remote.state.failure).toMatchObject({
      code: 'place.misbehaved',
      message: expect.stringContaining('The store is gone.'),
    })
    expect(engines).toHaveLength(1)
  })

  it('is connected again, with its lists, if it stops sending them', async () => {
    await connect((engine, request) => {
      const isFirst = engine === engines[0]
      lists({ sessions: [summary(isFirst ? 'session-before' : 'session-after')] })(engine, request)
      if (request.method === 'push.app' && isFirst) engine.write({ id: request.id, end: true })
    })
    await until(() => place.hasSession('session-after'), 'the lists of the second connection')
    expect(engines.map(({ isClosed }) => isClosed)).toEqual([true, false])
  })

  it('cannot name folders of this machine or of other places, nor move the cursor', async () => {
    await connect(
      lists({
        sessions: [
          summary('a', { title: '\u001b[2J\u202eevil\u0007\n next' }),
          summary('b', { folder: 'place://other/etc' }),
          summary('c', { status: 'forged' }),
          summary('../d'),
          'no object',
        ],
        inbox: [entry('a', { summary: 'rm\r\u001b[1A ok', place: 'other', elsewhere: 'x' })],
      }),
    )
    await until(() => place.inbox.length > 0, 'the lists')
    expect([...place.sessions.values()]).toEqual([
      expect.objectContaining({ sessionId: 'a', title: '[2J evil next', folder: 'place://box/srv/app', place: 'box' }),
    ])
    expect(place.inbox[0]).toMatchObject({ summary: 'rm [1A ok', place: 'box' })
    expect(place.inbox[0]).not.toHaveProperty('elsewhere')
  })

  it('cannot claim that this side lost the connection, or use error codes other than ours', async () => {
    await connect((engine, { id, method }) => {
      if (method === 'session.stop')
        engine.write({
          id,
          error: { code: 'connection.refused', title: 'Pay me', message: 'm\u001b[31m', advice: 'run curl' },
        })
    })
    const error = (await rejection(place.remote.call('session.stop', {}))) as { failure: object }
    expect(error.failure).toMatchObject({
      code: 'internal',
      title: 'Something went wrong inside Trestle',
      message: 'm [31m',
    })
  })

  it.each([
    ['the header of another session', { type: 'start', header: { sessionId: 'x' }, live: [] }],
    [
      'an event of another session',
      { type: 'events', events: [{ type: 'approval.resolved', seq: 1, sessionId: 'session-local' }] },
    ],
    ['an event that cannot be read', { type: 'events', events: [{ type: 'a', seq: -1 }] }],
    ['a push of an unknown kind', { type: 'run', command: 'rm' }],
  ])('cannot add %s to the log of a session', async (what, event) => {
    await connect((engine, { id, method }) => {
      if (method === 'push.session') engine.write({ id, event })
    })
    const pushes = followRemoteSession(place.remote, { sessionId: 's', since: 0 })
    expect(await rejection(pushes.next())).toMatchObject({
      code: 'place.misbehaved',
      message: expect.stringContaining(what),
    })
  })

  it('cannot repeat or leave out events', async () => {
    let subscriptions = 0
    const recorded = (seq: number) => ({ type: 'a', seq, sessionId: 's', at: 0 })
    await connect((engine, { id, method, input }) => {
      if (method !== 'push.session') return
      subscriptions += 1
      const { since } = input as { since: number }
      engine.write({ id, event: { type: 'start', header: { sessionId: 's' }, live: [] } })
      if (since === 0) engine.write({ id, event: { type: 'events', events: [1, 1, 2, 4, 5].map(recorded) } })
      else engine.write({ id, event: { type: 'events', events: [2, 3, 4].map(recorded) } })
    })
    const seen: number[] = []
    for await (const push of followRemoteSession(place.remote, { sessionId: 's', since: 0 })) {
      const { events = [] } = push as { events?: { seq: number }[] }
      seen.push(...events.map(({ seq }) => seq))
      if (seen.length >= 4) break
    }
    expect(seen).toEqual([1, 2, 3, 4])
    expect(subscriptions).toBe(2)
  })

  it('gets answers only of offered models, and does not see how they are called', async () => {
    const asked: string[] = []
    const info: ModelInfo = {
      id: 'p/m',
      model: 'm',
      label: 'M',
      providerId: 'p',
      contextWindow: 1000,
      toolCalls: true,
      imagesIn: false,
      thinking: false,
      origin: 'configured',
    }
    let offer: unknown
    await connect((engine, { id, method, input }) => {
      if (method === 'place.serveModels') {
        offer = input
        for (const modelId of ['p/m', 'p/other', 'demo/scripted'])
          engine.write({
            id,
            event: {
              type: 'call',
              callId: modelId,
              modelId,
              request: { system: 's', messages: [], tools: [], model: 'stolen', modelId: 'x' },
            },
          })
      } else if (method === 'place.modelReply') engine.write({ id, result: null })
    })
    const catalog = {
      list: () => [info],
      defaultModel: () => 'p/m',
      resolve: async (id: string | undefined) => ({
        info,
        provider: {
          async *stream(request: { model: string }) {
            asked.push(`${String(id)} ${request.model}`)
            yield { type: 'text' as const, text: 'hi' }
            yield { type: 'finish' as const, reason: 'stop' as const }
          },
        },
      }),
    }
    const controller = new AbortController()
    void serveModels(
      place.remote.link!,
      { catalog, smallModel: () => undefined, log: () => undefined },
      controller.signal,
    )
    const replies = (): { callId: string; failure?: { code: string } }[] =>
      engines[0]!.requests
        .filter(({ method }) => method === 'place.modelReply')
        .map(({ input }) => input as { callId: string })
    await until(() => new Set(replies().map(({ callId }) => callId)).size === 3, 'the replies')
    controller.abort()
    expect(asked).toEqual(['p/m m'])
    expect(
      replies()
        .filter(({ callId }) => callId !== 'p/m')
        .map(({ failure }) => failure?.code),
    ).toEqual(['model.not_found', 'model.not_found'])
    expect(JSON.stringify(offer)).not.toMatch(/key|baseUrl|http/i)
  })
})
