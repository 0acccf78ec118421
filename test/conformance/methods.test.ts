import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { contract } from '../../src/shared/contract'
import type { TrestleClient } from '../../src/shared/contract'
import { failureFrom } from '../../src/renderer/client/failure-from'
import type { MemoryEngine } from '../support/memory-engine'
import { memoryEngine } from '../support/memory-engine'
import { required } from '../support/required'
import {
  failureOfCall,
  callTerminals,
  callCustomize,
  callTasks,
  callMemory,
  callPlaces,
  callGit,
  callReview,
  callWorktrees,
  callAlarms,
  callMail,
  callMcp,
  callSchedules,
} from './call-features'
import type { Served } from '../support/ways'
import { WAYS } from '../support/ways'

let served: Served | undefined
afterEach(async () => {
  await served?.stop()
  served = undefined
})

const parts = [{ type: 'text' as const, text: 'häí 👋\u0000\u2028' }]

/** One call of every method, in an order in which all of them can succeed. */
async function callEverything(client: TrestleClient, engine: MemoryEngine): Promise<Record<string, unknown>> {
  const { sessionId } = await client.session.create({ folder: '/p', mode: 'auto' })
  const queued = async () => required((await client.session.prompt({ sessionId, parts })).promptId, 'a queued prompt')
  const model = {
    id: 'p/m',
    providerId: 'p',
    model: 'm',
    contextWindow: 1000,
    toolCalls: true,
    imagesIn: false,
    thinking: false,
  }
  const results: Record<string, unknown> = {
    'session.create': sessionId,
    'app.info': await client.app.info(),
    'app.backups': await client.app.backups(),
    'app.backUp': await client.app.backUp(),
    'app.updates': await client.app.updates(),
    'app.update': await client.app.update({ kind: 'check' }),
    'app.diagnostics': await client.app.diagnostics(),
    'app.shellEnvironment': await client.app.shellEnvironment(),
    'app.readShellEnvironment': await client.app.readShellEnvironment(),
    'app.chooseFolder': await client.app.chooseFolder(),
    'app.openExternal': await client.app.openExternal({ url: 'https://example.org' }),
    'editor.reply': await client.editor.reply({ requestId: 'none' }),
    'engine.status': await client.engine.status(),
    'engine.stop': await client.engine.stop({ how: 'when-idle' }),
    'engine.environment': await client.engine.environment({ marks: {} }),
    'desktop.view': await client.desktop.view(),
    'desktop.setTheme': await client.desktop.setTheme({ theme: 'dark' }),
    'desktop.setAcceleratedGraphics': await client.desktop.setAcceleratedGraphics({ enabled: false }),
    'desktop.openWindow': await client.desktop.openWindow({ path: '/inbox' }),
    'desktop.resumeInterrupted': await client.desktop.resumeInterrupted({ resume: true }),
    'session.list': await client.session.list({}),
    'session.open': await client.session.open({ sessionId }),
    'session.window': await client.session.window({ sessionId, before: 2 }),
    'session.mark': await client.session.mark({ pin: [sessionId], seen: [[sessionId, 5]] }),
    'session.marks': await client.session.marks(),
    'session.change': await client.session.change({ sessionId, title: ' Title ' }),
    'session.search': await client.session.search({ query: 'Title' }),
    'session.fork': await client.session.fork({ sessionId, to: 1 }),
    'checkpoint.points': await client.checkpoint.points({ sessionId }),
    'checkpoint.preview': await client.checkpoint.preview({ sessionId, to: 1, files: true }),
    'checkpoint.restore': await client.checkpoint.restore({ sessionId, to: 1, conversation: true }),
    'checkpoint.files': await client.checkpoint.files({ sessionId }),
    'checkpoint.hunks': await client.checkpoint.hunks({ sessionId, path: '/p/a' }),
    'checkpoint.undoHunk': await client.checkpoint.undoHunk({ sessionId, path: '/p/a', hunkId: 'h' }),
    'session.prompt': await client.session.prompt({ sessionId, parts }),
    'session.steer': await client.session.steer({ sessionId, parts }),
    'session.editQueued': await client.session.editQueued({ sessionId, promptId: await queued(), parts }),
    'session.removeQueued': await client.session.removeQueued({ sessionId, promptId: await queued() }),
    'session.moveQueued': await client.session.moveQueued({ sessionId, promptId: await queued(), to: 0 }),
    'conversation.find': await client.conversation.find({ sessionId, query: 'x' }),
    'conversation.export': await client.conversation.export({ sessionId, format: 'markdown' }),
    'conversation.import': await client.conversation.import({ text: '{}' }),
    'conversation.relink': await client.conversation.relink({ from: '/gone', to: '/p' }),
    'history.verify': await client.history.verify({ sessionId }),
    'history.verifyAll': await client.history.verifyAll(),
    'history.replay': await client.history.replay({ sessionId }),
    'history.steps': await client.history.steps({ sessionId, from: 1 }),
    'move.address': await client.move.address(),
    'move.out': await client.move.out({ sessionId, file: '/tmp/a.trestle-move', to: 'home-1' }),
    'move.in': await client.move.in({ file: '/tmp/a.trestle-move' }).catch(failureFrom),
    'move.refuse': await client.move.refuse({ moveId: 'move-0' }),
    'move.cancel': await client.move.cancel({ sessionId, moveId: 'move-0' }),
    'session.compact': await client.session.compact({ sessionId, instruction: 'keep it' }),
    'session.context': await client.session.context({ sessionId }),
    'session.tools': await client.session.tools({ sessionId }),
    'session.undoCompaction': await client.session.undoCompaction({
      sessionId,
      compactionId: required(engine.sessions.header(sessionId).compacted, 'a compaction').compactionId,
    }),
    'file.find': await client.file.find({ sessionId, paths: ['a.ts', '/etc/passwd'] }),
    'file.read': await client.file.read({ sessionId, path: 'a.ts' }),
    'file.openers': await client.file.openers(),
    'file.open': await client.file.open({ sessionId, path: '/etc/passwd', with: 'editor', line: 3 }).catch(failureFrom),
    'file.view': await client.file.view({ sessionId, path: 'a.ts' }).catch(failureFrom),
    'file.version': await client.file.version({ sessionId, path: 'a.ts' }).catch(failureFrom),
    'file.lines': await client.file.lines({ sessionId, path: 'a.ts', from: 1 }).catch(failureFrom),
    'file.bytes': await client.file.bytes({ sessionId, path: 'a.ts' }).catch(failureFrom),
    'file.search': await client.file.search({ sessionId, path: 'a.ts', text: 'x' }).catch(failureFrom),
    'file.outline': await client.file.outline({ sessionId, path: 'a.ts' }).catch(failureFrom),
    'file.folder': await client.file.folder({ sessionId }).catch(failureFrom),
    'file.filter': await client.file.filter({ sessionId, query: '' }).catch(failureFrom),
    'file.text': await client.file.text({ sessionId, path: 'a.ts' }).catch(failureFrom),
    'file.save': await client.file.save({ sessionId, path: 'a.ts', text: '', mark: 'x' }).catch(failureFrom),
    'file.rename': await client.file.rename({ sessionId, path: 'a.ts', name: 'b.ts' }).catch(failureFrom),
    'file.remove': await client.file.remove({ sessionId, path: 'a.ts' }).catch(failureFrom),
    'file.attach': await client.file.attach({ sessionId: 'gone', name: 'a', data: '' }).catch(failureFrom),
    'folder.list': await client.folder.list({ path: '/' }),
    'folder.complete': await client.folder.complete({ sessionId, query: 'x' }),
    'folder.scratch': await client.folder.scratch().then((made) => {
      rmSync(dirname(made.path), { recursive: true })
      return made
    }),
    'settings.get': await client.settings.get(),
    'settings.saveProvider': await client.settings.saveProvider({ id: 'p', type: 'anthropic', apiKey: 'k' }),
    'settings.saveModel': await client.settings.saveModel(model),
    'settings.setDefaultModel': await client.settings.setDefaultModel({ id: 'p/m' }),
    'settings.setSmallModel': await client.settings.setSmallModel({ id: 'p/m' }),
    'settings.setFallbackModel': await client.settings.setFallbackModel({ id: 'p/m' }),
    'settings.offeredModels': await client.settings.offeredModels({ type: 'anthropic', apiKey: 'k' }),
    'settings.setDefaultMode': await client.settings.setDefaultMode({ mode: 'auto' }),
    'settings.setNotifications': await client.settings.setNotifications({ sound: true }),
    'settings.setEditor': await client.settings.setEditor({ command: 'code' }),
    'settings.setLoginShell': await client.settings.setLoginShell({ enabled: true }),
    'settings.setToolSearch': await client.settings.setToolSearch({ enabled: true, minPct: 2.5 }),
    'settings.setDesktop': await client.settings.setDesktop({ keepAwake: false, quickPrompt: 'Ctrl+Alt+T' }),
    'settings.setBudget': await client.settings.setBudget({ session: 5, dayTokens: 0 }),
    'device.list': await client.device.list(),
    'device.pair': await client.device.pair({ access: 'read' }),
    'device.cancelPairing': await client.device.cancelPairing(),
    'device.revoke': await client.device.revoke({ deviceId: 'gone' }).catch(failureFrom),
    'usage.report': await client.usage.report({}),
    'usage.session': await client.usage.session({ sessionId }),
    'settings.setSandbox': await client.settings.setSandbox({ mode: 'required', hosts: ['example.com'] }),
    'settings.setToolEnabled': await client.settings.setToolEnabled({ name: 'Read', enabled: false }),
    'settings.setFeature': await client.settings.setFeature({ feature: 'memory', enabled: true }),
    'settings.setAppearance': await client.settings.setAppearance({ theme: 'dark', textSize: 110 }),
    'settings.setEngine': await client.settings.setEngine({ idleMinutes: 60, shared: true }),
    'settings.setLanguage': await client.settings.setLanguage({ formats: 'de-CH' }),
    'settings.setShortcut': await client.settings.setShortcut({ id: 'new', keys: 'Mod+Shift+M' }),
    'settings.testModel': await client.settings.testModel({ id: 'p/m' }),
    'settings.testNewModel': await client.settings.testNewModel({ type: 'anthropic', apiKey: 'k', model: 'm' }),
    'settings.findLocal': await client.settings.findLocal(),
    'settings.removeModel': await client.settings.removeModel({ id: 'p/m' }),
    'settings.removeProvider': await client.settings.removeProvider({ id: 'p' }),
  }
  await callTasks(client, engine, results)
  await callMcp(client, sessionId, results)
  await callMemory(client, results)
  await callPlaces(client, results)
  await callGit(client, sessionId, results)
  await callReview(client, sessionId, results)
  await callWorktrees(client, results)
  await callAlarms(client, results)
  await callMail(client, results)
  await callSchedules(client, results)
  const folder = '/p'
  const plugin = { name: 'tidy' }
  results['plugin.list'] = await client.plugin.list({})
  results['plugin.add'] = await client.plugin.add({ from: '/p/tidy' })
  results['plugin.review'] = await client.plugin.review(plugin)
  results['plugin.update'] = await client.plugin.update(plugin)
  results['plugin.accept'] = await client.plugin.accept({ ...plugin, hash: 'a'.repeat(64) })
  results['plugin.setEnabled'] = await client.plugin.setEnabled({ ...plugin, enabled: false })
  results['plugin.remove'] = await client.plugin.remove(plugin)
  results['plugin.restore'] = await client.plugin.restore({ trashId: 't' })
  const { hash } = (results['trust.get'] = await client.trust.get({ folder })) as { hash: string }
  results['trust.refuse'] = await client.trust.refuse({ folder, hash })
  results['trust.accept'] = await client.trust.accept({ folder, hash })
  results['agent.list'] = await client.agent.list({ folder })
  results['skill.list'] = await client.skill.list({ folder })
  results['hook.list'] = await client.hook.list({ folder })
  await callCustomize(client, results)
  results['plan.enter'] = await client.plan.enter({ sessionId })
  results['plan.leave'] = await client.plan.leave({ sessionId })
  results['plan.view'] = await client.plan.view({ sessionId })
  results['plan.revision'] = await client.plan.revision({ sessionId, plan: 1, revision: 1 })
  results['trust.list'] = await client.trust.list()
  results['trust.forget'] = await client.trust.forget({ folder })
  engine.ask(sessionId, 'a')
  results['approval.list'] = await client.approval.list()
  results['approval.get'] = await client.approval.get({ sessionId, approvalId: 'a' })
  results['approval.choices'] = await client.approval.choices({ sessionId, approvalId: 'a' })
  results['approval.proposal'] = await client.approval.proposal({ sessionId, approvalId: 'a' })
  results['approval.reply'] = await client.approval.reply({ sessionId, approvalId: 'a', optionId: 'once' })
  await callTerminals(client, results)
  results['preview.open'] = await client.preview.open({ url: 'http://localhost:3000/' })
  // Only the desktop app has views of their own.
  results['preview.watch'] = await failureOfCall(client.preview.watch({ url: 'http://localhost:3000/' }))
  results['preview.place'] = await client.preview.place({ viewId: 'v', place: null }).catch(failureFrom)
  results['preview.command'] = await client.preview
    .command({ viewId: 'v', command: { type: 'focus' } })
    .catch(failureFrom)
  results['preview.capture'] = await client.preview.capture({ viewId: 'v' }).catch(failureFrom)
  for (const [name, pushes] of [
    ['push.session', await client.push.session({ sessionId, since: 0 })],
    ['editor.serve', await client.editor.serve({ sessionId, folders: ['/p'], servers: {}, ...LENDS_ALL })],
    ['push.app', await client.push.app()],
    ['push.task', await client.push.task({ taskId: 't' })],
    ['push.usage', await client.push.usage()],
    ['push.terminal', await client.push.terminal({ terminalId: 'term-1' })],
  ] as const) {
    if (name === 'push.usage') engine.tasks.use([])
    results[name] = (await pushes.next()).value
    await pushes.return?.()
  }
  results['terminal.close'] = await client.terminal.close({ terminalId: 'term-1' })
  results['session.stop'] = await client.session.stop({ sessionId })
  results['session.remove'] = await client.session.remove({ sessionId })
  return results
}

const LENDS_ALL = { reads: true, writes: true, terminals: true }

const everyMethod = Object.entries(contract).flatMap(([namespace, methods]) =>
  Object.keys(methods).map((method) => `${namespace}.${method}`),
)

describe.each(Object.entries(WAYS))('the contract over %s', (name, serve) => {
  async function setup() {
    const engine = memoryEngine()
    served = await serve(engine)
    const { client } = served.connect()
    return { engine, client, served }
  }

  test('every method can be called and returns what the handler returned', async () => {
    const { client, engine } = await setup()
    const results = await callEverything(client, engine)
    expect(Object.keys(results).toSorted()).toEqual(everyMethod.toSorted())
    expect(results).toMatchObject({
      'app.info': { version: '0.0.0-test', notices: ['a notice'] },
      'app.backups': { count: 0, bytes: 0 },
      'memory.list': { entries: [], total: 0 },
      'memory.details': 'memory.not_found',
      'review.list': { files: [] },
      'review.addComment': { id: 'comment-1' },
      'memory.remove': 0,
      'preview.watch': { code: 'request.invalid' },
      'preview.capture': { code: 'request.invalid' },
      'mail.accounts': [],
      'mail.save': { id: 'work', password: 'stored' },
      'mail.send': 'mail.account',
      'app.backUp': { count: 1, folder: '/home/backups' },
      'app.chooseFolder': name === 'WebSocket' ? null : { path: '/chosen' },
      'app.openExternal': name !== 'WebSocket',
      'session.change': { title: 'Title', titleIsCustom: true },
      'session.prompt': { queued: false },
      'checkpoint.preview': { to: 1, steps: [] },
      'checkpoint.hunks': { path: '/p/a' },
      'checkpoint.undoHunk': { seq: 1 },
      'session.steer': undefined,
      'folder.complete': [{ path: 'src/x.ts', isFolder: false }],
      'settings.saveProvider': { providers: [{ id: 'p', keyFrom: 'stored' }] },
      'settings.setNotifications': { notifications: { enabled: true, sound: true, finished: true } },
      'settings.setToolSearch': { toolSearch: { enabled: true, minPct: 2.5, minTokens: 50_000 } },
      'settings.setDesktop': { desktop: { keepAwake: false, quickPrompt: 'Ctrl+Alt+T', tray: true } },
      'settings.setBudget': { budget: { session: 5, dayTokens: 0 } },
      'device.list': { devices: [] },
      'device.revoke': { code: 'device.not_found' },
      'usage.report': { by: 'day', rows: [] },
      'usage.session': { agents: [], limits: [] },
      'settings.setSandbox': { sandbox: { mode: 'required', hosts: ['example.com'], defaults: true } },
      'settings.setFeature': {
        features: expect.arrayContaining([{ feature: 'memory', enabled: true, tokens: 0 }]) as unknown,
      },
      'settings.setToolEnabled': { tools: [{ name: 'Read', enabled: false }] },
      'plugin.accept': { state: 'enabled' },
      'plugin.setEnabled': { state: 'disabled' },
      'plan.enter': { plan: { active: true } },
      'plan.leave': { plan: { active: false } },
      'plan.view': { file: '/plan.md' },
      'approval.list': [{ approvalId: 'a', tool: 'Bash' }],
      'approval.get': { approvalId: 'a', summary: 'Run ls' },
      'alarm.list': [],
      'alarm.set': 'alarm.not_found',
      'notification.list': { notifications: [], total: 0, unread: 0 },
      'notification.clear': [],
      'mcp.list': { servers: [], problems: [] },
      'mcp.test': 'mcp.not_found',
      'mcp.signIn': 'mcp.not_found',
      'mcpContent.read': 'request.invalid',
      'schedule.list': { schedules: [], service: { runs: 'off' } },
      'schedule.runNow': 'schedule.not_found',
      'task.output': { text: 'hello\n' },
      'task.stop': { status: 'stopped' },
      'push.session': { type: 'start' },
      'push.task': { type: 'start', task: { taskId: 't' } },
      'push.usage': { usage: [] },
      'push.terminal': { type: 'start', terminal: { terminalId: 'term-1' } },
      'push.app': { type: 'sessions' },
    })
  })

  test('text round-trips unchanged, whatever characters it contains', async () => {
    const { client } = await setup()
    const { sessionId } = await client.session.create({ folder: '/p' })
    await client.session.prompt({ sessionId, parts })
    const { events } = await client.session.open({ sessionId })
    expect(events.at(-1)).toMatchObject({ type: 'turn.started', parts })
  })

  test('an expected failure keeps its code, title, message and advice', async () => {
    const { client, served } = await setup()
    expect(await failureOfCall(client.session.open({ sessionId: 'nope' }))).toEqual({
      code: 'session.not_found',
      title: 'Session not found',
      message: 'There is no session nope.',
      advice: 'List the sessions and choose one of them.',
      retryable: false,
    })
    expect(await failureOfCall(client.push.session({ sessionId: 'nope', since: 0 }))).toMatchObject({
      code: 'session.not_found',
    })
    expect(served.bugs).toEqual([])
  })

  test('a bug is logged with its stack and reported as internal', async () => {
    const { client, served } = await setup()
    expect(await failureOfCall(client.session.create({ folder: '/bug' }))).toMatchObject({
      code: 'internal',
      message: 'a bug in the engine',
    })
    expect(served.bugs).toEqual([expect.objectContaining({ stack: expect.stringContaining('memory-engine') })])
  })

  test('invalid input never reaches the engine, and the error names the fields', async () => {
    const { client, engine, served } = await setup()
    const { sessionId } = await client.session.create({ folder: '/p' })
    const wrong = {
      sessionId,
      parts: [{ type: 'media', mediaType: 'text/html', data: '%%%' }],
      more: 1,
    } as unknown as Parameters<TrestleClient['session']['prompt']>[0]
    const failure = await failureOfCall(client.session.prompt(wrong))
    expect(failure.code).toBe('request.invalid')
    expect(failure.message).toContain('parts.0.mediaType')
    expect(failure.message).toContain('parts.0.data')
    expect(failure.message).toContain('more')
    expect(await failureOfCall(client.session.list({ limit: 0 }))).toMatchObject({ code: 'request.invalid' })
    expect(await failureOfCall(client.push.session({ sessionId, since: 9 }))).toMatchObject({ code: 'request.invalid' })
    expect(engine.sessions.header(sessionId).seq).toBe(1)
    expect(served.bugs).toEqual([])
  })

  test('a 5 MB image round-trips', async () => {
    const { client } = await setup()
    const { sessionId } = await client.session.create({ folder: '/p' })
    const data = Buffer.alloc(5 << 20, 'trestle').toString('base64')
    await client.session.prompt({
      sessionId,
      parts: [{ type: 'media', mediaType: 'image/png', data, name: 'big.png' }],
    })
    const { events } = await client.session.open({ sessionId })
    const event = events.at(-1)
    expect(event?.type === 'turn.started' && event.parts[0]?.type === 'media' && event.parts[0].data === data).toBe(
      true,
    )
  })

  test('when two clients answer one approval, the first answer counts and the second client is notified', async () => {
    const { client, engine, served } = await setup()
    const other = served.connect().client
    const { sessionId } = await client.session.create({ folder: '/p' })
    engine.ask(sessionId, 'a')
    const outcomes = await Promise.allSettled(
      [client, other].map((each, index) =>
        each.approval.reply({ sessionId, approvalId: 'a', optionId: index === 0 ? 'once' : 'no' }),
      ),
    )
    const failed = outcomes
      .filter((outcome) => outcome.status === 'rejected')
      .map((outcome) => failureFrom(outcome.reason).code)
    expect(failed).toEqual(['approval.gone'])
    expect(engine.sessions.since(sessionId, 0).filter((event) => event.type === 'approval.resolved')).toHaveLength(1)
  })
})
