import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import type { PermissionMode } from '../../src/shared/model/approval/approval'
import type { RecordedEvent } from '../../src/shared/events/event'
import { textOf } from '../../src/shared/model/turn/message'
import { agentCall, familyScript } from '../support/family-script'
import type { ModelScript, RecordedRequest, ScriptStep } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { expectReplay, watchView } from '../support/replayed'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { until } from '../support/until'

type Step = ScriptStep | (() => ScriptStep)

let scratch: Scratch
let server: ModelServer
let engine: Engine
let sessionId: string

const call = (name: string, input: Record<string, unknown>): ScriptStep => ({ toolCalls: [{ name, input }] })
const read = call('Read', { path: 'log.txt' })
const write = (path: string, content = 'made\n'): ScriptStep => call('Write', { path, content })
const mail = (checkpoint_id: number, message = 'line 2 counts', more: Record<string, unknown> = {}): ScriptStep =>
  call('SendDMail', { checkpoint_id, message, ...more })

async function open(interactive = true): Promise<void> {
  engine = await createEngine({
    version: '0',
    home: scratch.home,
    watch: false,
    interactive,
    log: (message) => expect.soft(message).toBe(''),
  })
}
async function start(
  steps: Step[],
  {
    mode = 'auto',
    config = '',
    play,
    isOn = true,
  }: { mode?: PermissionMode; config?: string; play?: ModelScript; isOn?: boolean } = {},
): Promise<void> {
  scratch = createScratch({ 'log.txt': 'one\ntwo\n' })
  server = await startModelServer({
    script:
      play ??
      ((_request, index) => {
        const step = steps[index]
        return (typeof step === 'function' ? step() : step) ?? { text: 'done' }
      }),
  })
  writeConfig(
    scratch.home,
    configFor(server.baseUrl, { more: isOn ? `${config}[checkpoints]\nd_mail = true\n` : config }),
  )
  await open()
  ;({ sessionId } = await engine.sessions.create({ folder: scratch.project, mode }))
}
afterEach(async () => {
  await engine.close()
  await server.close()
  scratch.remove()
})

const at = (path: string): string => join(scratch.project, path)
const events = (): RecordedEvent[] => engine.sessions.since(sessionId, 0)
const header = () => engine.sessions.header(sessionId)
async function turn(words = 'go'): Promise<void> {
  await engine.sessions.prompt(sessionId, [{ type: 'text', text: words }])
  await until(() => header().turnId === undefined, 'the end of the turn')
}
const mails = (): { text: string; isError: boolean }[] =>
  events().flatMap((event) =>
    event.type === 'tool.finished' && event.name === 'SendDMail'
      ? [{ text: textOf(event.content), isError: event.isError }]
      : [],
  )
const restored = () => events().filter((event) => event.type === 'checkpoint.restored')
/** The messages of a request, as role and text or calls. */
const told = ({ body }: RecordedRequest): string[] =>
  (body['messages'] as { role: string; content?: unknown; tool_calls?: { function: { name: string } }[] }[])
    .filter(({ role }) => role !== 'system')
    .map(({ role, content, tool_calls: calls = [] }) =>
      [
        role,
        ...calls.map((one) => one.function.name),
        ...(typeof content === 'string' && content !== '' ? [content] : []),
      ].join(' '),
    )
const raw = ({ body }: RecordedRequest): string[] =>
  (body['messages'] as unknown[]).map((message) => JSON.stringify(message))

it('forgets what came after the checkpoint, keeps the message, restores files when asked, and can be undone by the user', async () => {
  await start([read, write('made.txt'), mail(2, 'Only line 2 counts.', { files: true })])
  const view = watchView(engine, sessionId)
  await turn()
  const [, , third, last] = server.requests
  expect(told(third!).map((message) => message.match(/\[checkpoint \d+\]$/)?.[0])).toEqual([
    undefined,
    '[checkpoint 1]',
    undefined,
    undefined,
    '[checkpoint 2]',
    undefined,
    undefined,
    '[checkpoint 3]',
  ])
  expect(told(last!)).toEqual([
    'user go',
    'user [checkpoint 1]',
    'assistant Read',
    expect.stringMatching(/^tool [^]*two\n\[All 2 lines of the file\.\]$/),
    'user [checkpoint 2]',
    expect.stringMatching(/^user <d-mail>\nOnly line 2 counts\.[^]*One file was put back[^]*/),
    'user [checkpoint 4]',
  ])
  // Everything up to the checkpoint, which the provider has cached, is sent again byte for byte.
  expect(raw(last!).slice(0, 6)).toEqual(raw(third!).slice(0, 6))
  expect(existsSync(at('made.txt'))).toBe(false)
  expect(view().items.map(({ kind }) => kind)).toEqual(['user', 'answer', 'tool', 'restored', 'answer'])
  expect(view().items[3]).toMatchObject({
    files: 1,
    conversation: true,
    dMail: { steps: 2, calls: ['Write made.txt'], message: 'Only line 2 counts.' },
  })
  expectReplay(engine, sessionId, view())

  const [restore] = restored()
  await engine.checkpoints.restore(sessionId, { to: restore!.seq - 1, files: true, conversation: true })
  expect(readFileSync(at('made.txt'), 'utf8')).toBe('made\n')
  expect(view().items.map((item) => (item.kind === 'tool' ? item.name : item.kind))).toEqual([
    'user',
    'answer',
    'Read',
    'answer',
    'Write',
    'answer',
    'SendDMail',
    'restored',
  ])
  expectReplay(engine, sessionId, view())
  await turn('and now?')
  expect(told(server.requests.at(-1)!).join('\n')).not.toContain('<d-mail>')
  expect(told(server.requests.at(-1)!).slice(0, 8)).toEqual(told(third!))
})

it('arrives the same after a restart and in a fork', async () => {
  await start([read, read, mail(2)])
  await turn()
  const before = raw(server.requests.at(-1)!)
  await engine.close()
  await open()
  await turn('again')
  expect(raw(server.requests.at(-1)!).slice(0, before.length)).toEqual(before)
  const fork = await engine.sessions.fork(sessionId)
  await engine.sessions.prompt(fork.sessionId, [{ type: 'text', text: 'again' }])
  await until(() => engine.sessions.header(fork.sessionId).turnId === undefined, 'the end of the turn')
  const [first, ...rest] = raw(server.requests.at(-1)!)
  expect(JSON.parse(first!)).toMatchObject({ role: 'system' })
  expect(rest.slice(0, before.length - 1)).toEqual(before.slice(1))
})

it('keeps messages that arrived in the meantime, and reports background tasks, once', async () => {
  const play = familyScript({
    go: [
      { toolCalls: [agentCall('child', { run_in_background: true })] },
      write('a.txt'),
      read,
      mail(1),
      { text: 'done' },
      { text: 'noted' },
    ],
    child: [{ text: 'the child has ended' }],
  })
  await start([], { mode: 'ask', play })
  let ended = false
  engine.onChange((change) => (ended ||= change.kind === 'task' && change.task.status === 'completed'))
  await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
  await until(() => ended && header().approvals.length > 0, 'the end of the subagent and a request')
  await engine.sessions.steer(sessionId, { parts: [{ type: 'text', text: 'mind the gap' }] })
  await engine.sessions.reply(sessionId, { approvalId: header().approvals[0]!.approvalId, optionId: 'allow_once' })
  await until(() => restored().length === 1 && header().news.length === 0 && header().turnId === undefined, 'the news')
  const last = told(server.requests.at(-1)!)
  const times = (words: string): number => last.filter((message) => message.includes(words)).length
  expect([times('<d-mail>'), times('mind the gap'), times('the child has ended')]).toEqual([1, 1, 1])
  const place = (words: string): number => last.findIndex((message) => message.includes(words))
  expect(place('mind the gap')).toBeGreaterThan(place('<d-mail>'))
})

it('is offered to a subagent if D-Mails are enabled, and restores only its own turn', async () => {
  const play = familyScript({
    go: [{ toolCalls: [agentCall('child')] }, { text: 'done' }],
    child: [read, mail(1, 'line 2 counts'), { text: 'line 2, then' }],
  })
  await start([], { play })
  await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
  await until(() => header().turnId === undefined && server.requests.length >= 5, 'the end of the turn')
  const child = engine.sessions.since(sessionId, 0).find((event) => event.type === 'subagent.started')!
  if (child.type !== 'subagent.started') throw new Error('no subagent')
  expect(engine.sessions.since(child.agentId, 0).map(({ type }) => type)).toContain('checkpoint.restored')
  expect(restored()).toEqual([])
  const [, , , last] = server.requests
  expect(told(last!).join()).toContain('<d-mail>')
  expect(told(last!).join()).toContain('line 2 counts')
})

it('neither leaves plan mode nor changes files in it', async () => {
  await start([
    write('made.txt'),
    call('EnterPlanMode', {}),
    mail(1, 'with files', { files: true }),
    mail(1, 'without'),
  ])
  await turn()
  expect(mails().map(({ isError }) => isError)).toEqual([true, false])
  expect(mails()[0]!.text).toMatch(/Plan mode is on/)
  expect(header().plan).toMatchObject({ active: true, told: true })
  expect(existsSync(at('made.txt'))).toBe(true)
  expect(told(server.requests.at(-1)!).slice(-3).join('\n')).toContain('Plan mode')
})

it('is rejected with advice: no such checkpoint, an earlier turn, undone, among other calls', async () => {
  await start([
    read,
    { text: 'first turn' },
    mail(9),
    mail(2),
    { toolCalls: [mail(3, 'a').toolCalls![0]!, read.toolCalls![0]!] },
    read,
    mail(5, 'b'),
    mail(6, 'c'),
  ])
  await turn()
  await turn()
  expect(mails().map(({ text }) => text)).toEqual([
    'There is no checkpoint 9. You can go back to 3.',
    'Checkpoint 2 is from an earlier turn: messages of the user since then cannot be undone. ' +
      'You can go back to 3 to 4.',
    'SendDMail must be the only call of its step. Look at the results of the others first; then call it again.',
    'The conversation goes back to checkpoint 5 when this step has ended.',
    'Checkpoint 6 was undone by an earlier D-Mail. You can go back to 3 to 5, 8.',
  ])
})

it('cannot loop forever', async () => {
  await start([mail(1, 'same'), mail(1, 'same'), ...[2, 3, 4, 5, 6].map((n) => mail(1, `message ${n}`))])
  await turn()
  expect(mails().map(({ isError }) => isError)).toEqual([false, true, false, false, false, false, true])
  expect(mails()[1]!.text).toContain('this very message')
  expect(mails().at(-1)!.text).toContain('5 D-Mails were sent in this turn')
  expect(told(server.requests.at(-1)!).filter((message) => message.includes('<d-mail>'))).toHaveLength(1)
})

it('asks before files change, shows which, leaves alone what others changed, and does not ask for the conversation alone', async () => {
  await start(
    [
      write('a.txt'),
      write('b.txt'),
      () => {
        writeFileSync(at('b.txt'), 'theirs\n')
        return mail(1, 'with files', { files: true })
      },
      read,
      mail(4, 'words'),
    ],
    { mode: 'accept-edits', config: '[[permission.rules]]\ndecision = "ask"\npattern = "SendDMail"\n' },
  )
  await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
  await until(() => header().approvals.length > 0, 'a request')
  const [approval] = header().approvals
  expect(approval).toMatchObject({ tool: 'SendDMail', summary: 'to checkpoint 1, 1 file' })
  expect(JSON.stringify(approval!.preview)).toMatch(/a\.txt: goes.*b\.txt: stays as it is/)
  await engine.sessions.reply(sessionId, { approvalId: approval!.approvalId, optionId: 'allow_once' })
  await until(() => header().approvals.some(({ approvalId }) => approvalId !== approval!.approvalId), 'another request')
  expect([existsSync(at('a.txt')), readFileSync(at('b.txt'), 'utf8')]).toEqual([false, 'theirs\n'])
  expect(told(server.requests.at(-1)!).join('\n')).toMatch(/Left as it is: \S+b\.txt/)
})

it('asks like any write when it restores files, and does not ask otherwise', async () => {
  await start(
    [call('Bash', { command: 'echo x > made.txt' }), mail(1, 'words'), read, mail(1, 'files', { files: true })],
    { mode: 'ask' },
  )
  await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
  for (const [tool, words] of [
    ['Bash', 'echo'],
    ['SendDMail', 'to checkpoint 1'],
  ] as const) {
    await until(() => header().approvals.length > 0, words)
    expect(header().approvals[0]).toMatchObject({ tool })
    await engine.sessions.reply(sessionId, { approvalId: header().approvals[0]!.approvalId, optionId: 'allow_once' })
    await until(() => header().approvals.length === 0, 'the answer')
  }
  await until(() => header().turnId === undefined, 'the end of the turn')
  expect(existsSync(at('made.txt'))).toBe(false)
  expect(restored()).toHaveLength(2)
})

it('that is pending when Trestle closes is sent after the answer', async () => {
  await start([write('a.txt'), mail(1, 'files', { files: true })], { mode: 'ask' })
  await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
  await until(() => header().approvals[0]?.tool === 'Write', 'a request')
  await engine.sessions.reply(sessionId, { approvalId: header().approvals[0]!.approvalId, optionId: 'allow_once' })
  await until(() => header().approvals[0]?.tool === 'SendDMail', 'a request')
  await engine.close()
  await open()
  await engine.sessions.reply(sessionId, { approvalId: header().approvals[0]!.approvalId, optionId: 'allow_once' })
  await until(() => header().turnId === undefined, 'the end of the turn')
  expect(existsSync(at('a.txt'))).toBe(false)
  expect(told(server.requests.at(-1)!)).toEqual([
    'user go',
    'user [checkpoint 1]',
    expect.stringMatching(/^user <d-mail>/),
    'user [checkpoint 3]',
  ])
})

it('and its checkpoint marks add nothing to requests unless enabled in the settings', async () => {
  await start([read], { isOn: false })
  await turn()
  const sent = JSON.stringify(server.requests.map(({ body }) => body))
  expect(sent).not.toContain('[checkpoint')
  expect(sent).not.toContain('SendDMail')
})
