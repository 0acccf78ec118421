import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv, type ValidateFunction } from 'ajv'
import { afterEach, expect, test } from 'vitest'
import { contract } from '../../src/shared/contract'
import type { WireError, WireId, WireLine } from '../../src/shared/contract/stdio-wire'
import type { InboxEntry } from '../../src/shared/model/approval/approval'
import type { SessionPush } from '../../src/shared/events/push'
import type { SessionHeader } from '../../src/shared/model/session/session'
import { memoryOf } from '../support/app-with-agent'
import type { ModelScript } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { runCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { until } from '../support/until'
import { startWire, type WireClient } from '../support/wire-client'
import { limitNow } from '../support/machine-pace'

const METHODS = Object.entries(contract).flatMap(([namespace, group]) =>
  Object.keys(group).map((verb) => `${namespace}.${verb}`),
)

let scratch: Scratch
let server: ModelServer
let wire: WireClient

async function start(script: ModelScript): Promise<void> {
  scratch = createScratch({ 'notes.md': 'one\ntwo\n' })
  server = await startModelServer({ script })
  writeConfig(scratch.home, configFor(server.baseUrl))
  wire = startWire({ home: scratch.home })
}
afterEach(async () => {
  wire.resume()
  await wire.end()
  await server.close()
  scratch.remove()
})

const text = (words: string): { type: 'text'; text: string }[] => [{ type: 'text', text: words }]
const pushes = (id: WireId): SessionPush[] =>
  wire.lines.flatMap((line) => ('event' in line && line.id === id ? [line.event as SessionPush] : []))
const happened = (id: number): string[] =>
  pushes(id).flatMap((push) => (push.type === 'events' ? push.events.map(({ type }) => type) : []))

async function session(): Promise<string> {
  return (await wire.result<SessionHeader>('session.create', { folder: scratch.project })).sessionId
}

async function asked(count: number): Promise<InboxEntry> {
  const fits = (line: WireLine): boolean =>
    'event' in line && JSON.stringify(line.event).split('"type":"approval.requested"').length - 1 > 0
  await until(() => wire.lines.filter(fits).length >= count, `request ${count}`)
  return (await wire.result<InboxEntry[]>('approval.list'))[0]!
}

/** The committed schema: one check for each definition. */
function schema(): (name: string) => ValidateFunction {
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, validateFormats: false })
  ajv.addSchema(
    JSON.parse(readFileSync(join(import.meta.dirname, '../../docs/wire-schema.json'), 'utf8')) as object,
    'wire',
  )
  return (name) => ajv.getSchema(`wire#/definitions/${encodeURIComponent(name)}`)!
}

test('every line matches the schema, in a session with approvals, a rejection, a stop, subscriptions and client mistakes', async () => {
  await start([
    {
      thinking: 'hm',
      text: 'Looking.',
      toolCalls: [
        { name: 'Read', input: { path: 'notes.md' } },
        { name: 'Edit', input: { path: 'notes.md', old_string: 'two', new_string: 'zwei' } },
      ],
    },
    { toolCalls: [{ name: 'Bash', input: { command: 'touch made' } }] },
    { text: 'done' },
    { text: 'this never stops '.repeat(50), faults: { stallAfterBytes: 1500 } },
  ])
  wire.raw(
    'this is no JSON\n[]\n{"id":"x"}\n\n{"id":"y","method":"session.lisst"}\n' +
      '{"id":"z","method":"session.create","input":{"folder":7}}\n',
  )
  const sessionId = await session()
  const app = wire.begin('push.app')
  const events = wire.begin('push.session', { sessionId, since: 0 })
  await wire.result('session.prompt', { sessionId, parts: text('translate') })
  const edit = await asked(1)
  expect(await wire.result('approval.get', { sessionId, approvalId: edit.approvalId })).toMatchObject({
    preview: { kind: 'diff' },
  })
  await wire.result('approval.choices', { sessionId, approvalId: edit.approvalId })
  await wire.result('approval.reply', { sessionId, approvalId: edit.approvalId, optionId: 'allow_once' })
  const bash = await asked(2)
  await wire.result('approval.reply', { sessionId, approvalId: bash.approvalId, optionId: 'reject', feedback: 'no' })
  await until(() => happened(events).includes('turn.finished'), 'the end of the turn')
  expect(
    await wire.call('approval.reply', { sessionId, approvalId: bash.approvalId, optionId: 'reject' }),
  ).toMatchObject({
    error: { code: 'approval.gone', advice: expect.any(String) },
  })
  await wire.result('session.prompt', { sessionId, parts: text('again') })
  await until(() => JSON.stringify(pushes(events)).includes('this never stops'), 'text')
  await wire.result('session.stop', { sessionId })
  for (const [method, input] of [
    ['app.info'],
    ['settings.get'],
    ['session.list'],
    ['session.open', { sessionId }],
    ['session.context', { sessionId }],
    ['checkpoint.points', { sessionId }],
    ['checkpoint.preview', { sessionId, to: 1, files: true }],
    ['skill.list', { folder: scratch.project }],
    ['agent.list', { folder: scratch.project }],
    ['trust.get', { folder: scratch.project }],
    ['task.list', {}],
  ] as const)
    await wire.result(method, input)
  wire.cancel(app)
  wire.cancel(events)
  expect(await wire.last(events)).toEqual({ id: events, end: true })

  const validator = schema()
  const methodOf = new Map<WireId, string>(
    wire.sent.flatMap((line) => (isRequest(line) ? [[line.id, line.method] as const] : [])),
  )
  const problems: unknown[] = []
  const check = (name: string, value: unknown): void => {
    const validate = validator(name)
    if (!validate(value)) problems.push(name, value, validate.errors)
  }
  for (const line of wire.sent) check('ClientLine', line)
  for (const line of wire.lines) {
    check('ServerLine', line)
    const method = 'id' in line && line.id !== null ? methodOf.get(line.id) : undefined
    if (method !== undefined && 'result' in line) check(`${method}.result`, line.result)
    if (method !== undefined && 'event' in line) check(`${method}.event`, line.event)
  }
  expect(problems).toEqual([])
  expect(wire.lines[0]).toMatchObject({ hello: { protocol: 1, version: expect.any(String) } })
  const told = wire.lines.flatMap((line) => ('error' in line ? [[line.id, line.error.message]] : []))
  expect(told).toEqual([
    [null, expect.stringContaining('Line 1 is not JSON')],
    [null, expect.stringContaining('Line 2 is not an object')],
    ['x', expect.stringContaining('method')],
    ['y', expect.stringContaining('Did you mean session.list?')],
    ['z', expect.stringContaining('folder:')],
    [expect.any(Number), expect.any(String)],
  ])
  expect(happened(events).filter((type) => type === 'turn.finished')).toHaveLength(2)
  expect(wire.stderr()).toBe('')
})

function isRequest(line: unknown): line is { id: number; method: string } {
  return typeof line === 'object' && line !== null && 'method' in line
}

test('every method of the contract exists on the wire, and invalid input does not end the program', async () => {
  await start([])
  for (const method of METHODS) {
    const id = wire.begin(method, { nonsense: true })
    // A subscription without input has started, and runs until it is ended.
    if (method.startsWith('push.')) {
      await wire.result('app.info')
      wire.cancel(id)
    }
    const reply = await wire.last(id)
    if ('result' in reply || 'end' in reply) continue
    const { error } = reply as WireError
    expect({ method, ...error }).toMatchObject({
      code: 'request.invalid',
      message: expect.not.stringContaining('There is no method'),
    })
  }
  for (const method of ['constructor', '__proto__', 'session', 'session.', 'session.create.handler', 'toString', ''])
    expect(await wire.call(method)).toMatchObject({
      error: { code: 'request.invalid', message: expect.stringContaining('There is no method') },
    })
  expect(await wire.result('session.list')).toEqual([])
})

test('a huge line, invalid text or a reused id does not affect later lines', async () => {
  await start([])
  await wire.line('hello', (line) => 'hello' in line)
  const before = memoryOf(wire.pid).now
  const chunk = 'x'.repeat(1 << 20)
  for (let n = 0; n < 200; n += 1) wire.raw(chunk)
  wire.raw('\n')
  wire.raw(new Uint8Array([0xff, 0xfe, 0x0a]))
  const push = wire.begin('push.app')
  wire.raw(`{"id":${push},"method":"app.info"}\n`)
  expect(await wire.result<object[]>('session.list')).toEqual([])
  const told = wire.lines.flatMap((line) => ('error' in line && line.id === null ? [line.error.message] : []))
  expect(told).toEqual([
    expect.stringMatching(/^Line 1 is longer than 67108864 bytes/),
    expect.stringMatching(/^Line 2 is not UTF-8/),
    expect.stringMatching(new RegExp(`the id ${push} is still in use`)),
  ])
  expect(memoryOf(wire.pid).peak - before).toBeLessThan(220)
})

test('at the end of stdin the running turn is recorded, pending answers are sent, and the program exits', async () => {
  await start(() => ({ text: 'never said', faults: { stallAfterBytes: 1 } }))
  const sessionId = await session()
  await wire.result('session.prompt', { sessionId, parts: text('go') })
  await server.arrived(1)
  const ids = Array.from({ length: 20 }, () => wire.begin('session.list'))
  const { code, ms } = await wire.end()
  expect(code).toBe(0)
  expect(ms).toBeLessThan(limitNow(20_000))
  for (const id of ids) expect(wire.lines.some((line) => 'id' in line && line.id === id && 'result' in line)).toBe(true)
  const exported = await runCli(['session', 'export', sessionId, '--json'], { home: scratch.home })
  expect(exported.stdout.trim().split('\n').at(-1)).toMatch(/"type":"turn.finished".*"stop":"(cancelled|interrupted)"/)
})

test('a canceled request is answered immediately and leaves others alone', async () => {
  await start(() => ({ text: 'never said', faults: { stallAfterBytes: 1 } }))
  const test = wire.begin('settings.testModel', { id: 'local/scripted' })
  await server.arrived(1)
  wire.cancel(test)
  wire.cancel(999)
  expect(await wire.last(test)).toMatchObject({ error: { code: 'request.cancelled' } })
  expect(await wire.result('session.list')).toEqual([])
})

test('a client that does not read neither fills the memory nor misses events unnoticed', async () => {
  const words = 'x'.repeat(50_000)
  await start((_request, index) => ({
    text: words,
    deltaChars: 1000,
    toolCalls: [{ name: 'Read', input: { path: 'notes.md', n_lines: index + 1 } }],
  }))
  const sessionId = await session()
  const events = wire.begin('push.session', { sessionId, since: 0 })
  await until(() => pushes(events).length > 0, 'the start')
  await wire.result('session.change', { sessionId, mode: 'auto' })
  wire.pause()
  const before = memoryOf(wire.pid).now
  wire.begin('session.prompt', { sessionId, parts: text('go') })
  for (let n = 0; n < 5000; n += 1) wire.raw(`{"id":"i${n}","method":"app.info"}\n`)
  await server.arrived(60)
  expect(memoryOf(wire.pid).now - before).toBeLessThan(150)
  wire.resume()
  await wire.line('the last of many answers', (line) => 'id' in line && line.id === 'i4999')
  await wire.result('session.stop', { sessionId })
  await until(
    () => happened(events).includes('turn.finished') || pushes(events).at(-1)?.type === 'lagged',
    'the end, or a lagged message',
  )
})
