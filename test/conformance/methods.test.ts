import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { contract } from '../../src/shared/contract'
import type { TrestleClient } from '../../src/shared/contract'
import { failureFrom } from '../../src/renderer/client/failure-from'
import type { MemoryEngine } from '../support/memory-engine'
import { memoryEngine } from '../support/memory-engine'
import { rejection, required } from '../support/required'
import type { Served } from '../support/ways'
import { WAYS } from '../support/ways'

let served: Served | undefined
afterEach(async () => {
  await served?.stop()
  served = undefined
})

const failureOfCall = async (call: Promise<unknown>) => failureFrom(await rejection(call))
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
    'desktop.view': await client.desktop.view(),
    'desktop.setTheme': await client.desktop.setTheme({ theme: 'dark' }),
    'desktop.setAcceleratedGraphics': await client.desktop.setAcceleratedGraphics({ enabled: false }),
    'desktop.openWindow': await client.desktop.openWindow({ path: '/inbox' }),
    'desktop.resumeInterrupted': await client.desktop.resumeInterrupted({ resume: true }),
    'session.list': await client.session.list({}),
    'session.open': await client.session.open({ sessionId }),
    'session.window': await client.session.window({ sessionId, before: 2 }),
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
    'usage.report': await client.usage.report({}),
    'usage.session': await client.usage.session({ sessionId }),
    'settings.setSandbox': await client.settings.setSandbox({ mode: 'required', hosts: ['example.com'] }),
    'settings.setToolEnabled': await client.settings.setToolEnabled({ name: 'Read', enabled: false }),
    'settings.setFeature': await client.settings.setFeature({ feature: 'memory', enabled: true }),
    'settings.setAppearance': await client.settings.setAppearance({ theme: 'dark', textSize: 110 }),
    'settings.setLanguage': await client.settings.setLanguage({ formats: 'de-CH' }),
    'settings.setShortcut': await client.settings.setShortcut({ id: 'new', keys: 'Mod+Shift+M' }),
    'settings.testModel': await client.settings.testModel({ id: 'p/m' }),
    'settings.findLocal': await client.settings.findLocal(),
    'settings.removeModel': await client.settings.removeModel({ id: 'p/m' }),
    'settings.removeProvider': await client.settings.removeProvider({ id: 'p' }),
  }
  await callTasks(client, engine, results)
  await callMcp(client, sessionId, results)
  await callMemory(client, results)
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
  for (const [name, pushes] of [
    ['push.session', await client.push.session({ sessionId, since: 0 })],
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

async function callTerminals({ terminal }: TrestleClient, results: Record<string, unknown>): Promise<void> {
  const { terminalId } = (results['terminal.open'] = await terminal.open({
    sessionId: results['session.create'] as string,
    cols: 80,
    rows: 24,
  }))
  results['terminal.list'] = await terminal.list({})
  results['terminal.input'] = await terminal.input({ terminalId, data: 'x' })
  results['terminal.resize'] = await terminal.resize({ terminalId, cols: 100, rows: 30 })
  results['terminal.restart'] = await terminal.restart({ terminalId })
  results['terminal.letWatch'] = await terminal.letWatch({ terminalId, isWatched: true })
}

async function callCustomize(client: TrestleClient, results: Record<string, unknown>): Promise<void> {
  const at = { folder: '/p', scope: 'user' as const }
  const rule = { decision: 'allow' as const, pattern: 'Read' }
  const place = { scope: 'user' as const, index: 0, ...rule }
  results['rule.list'] = await client.rule.list({ folder: '/p' })
  results['rule.explain'] = await client.rule.explain(rule)
  results['rule.add'] = await client.rule.add({ ...at, rule })
  results['rule.change'] = await client.rule.change({ folder: '/p', place, rule })
  results['rule.move'] = await client.rule.move({ folder: '/p', place, to: 1 })
  results['rule.remove'] = await client.rule.remove({ folder: '/p', place })
  results['rule.test'] = await client.rule.test({ folder: '/p', mode: 'ask', call: { command: 'ls' } })
  const hook = { event: 'Stop' as const, command: 'true' }
  const hookPlace = { scope: 'user' as const, index: 0, ...hook }
  results['customize.addHook'] = await client.customize.addHook({ ...at, hook })
  results['customize.changeHook'] = await client.customize.changeHook({ folder: '/p', place: hookPlace, hook })
  results['customize.moveHook'] = await client.customize.moveHook({ folder: '/p', place: hookPlace, to: 1 })
  results['customize.removeHook'] = await client.customize.removeHook({ folder: '/p', place: hookPlace })
  results['customize.testHook'] = await client.customize.testHook({ folder: '/p', place: hookPlace })
  const skill = { folder: '/p', path: '/home/.trestle/skills/a/SKILL.md' }
  results['customize.skills'] = await client.customize.skills({ folder: '/p' })
  results['customize.readSkill'] = await client.customize.readSkill(skill)
  results['customize.checkSkill'] = await client.customize.checkSkill({ name: 'a', text: '' })
  results['customize.createSkill'] = await client.customize.createSkill({ ...at, name: 'a', text: '' })
  results['customize.saveSkill'] = await client.customize.saveSkill({ ...skill, before: '', text: 'x' })
  results['customize.setSkillEnabled'] = await client.customize.setSkillEnabled({ name: 'a', enabled: false })
  results['customize.removeSkill'] = await client.customize.removeSkill(skill)
  const agent = { folder: '/p', path: '/home/.trestle/agents/a.yaml' }
  const fields = { name: 'a', description: 'b', systemPrompt: '', excludeTools: [], subagents: [], readOnly: false }
  results['customize.readAgent'] = await client.customize.readAgent(agent)
  results['customize.createAgent'] = await client.customize.createAgent({ ...at, fields })
  results['customize.saveAgent'] = await client.customize.saveAgent({ ...agent, before: '', to: { fields } })
  results['customize.removeAgent'] = await client.customize.removeAgent(agent)
  results['customize.undo'] = await client.customize.undo({ undoId: 'undo-1' })
}

async function callTasks(
  { task }: TrestleClient,
  engine: MemoryEngine,
  results: Record<string, unknown>,
): Promise<void> {
  const taskId = 't'
  engine.tasks.put({ taskId, sessionId: results['session.create'] as string, background: false })
  engine.tasks.print(taskId, 'hello\n')
  results['task.list'] = await task.list({})
  results['task.output'] = await task.output({ taskId })
  results['task.input'] = await task.input({ taskId, data: 'x' })
  results['task.moveToBackground'] = await task.moveToBackground({ taskId })
  results['task.sendToSession'] = await task.sendToSession({ taskId })
  results['task.stop'] = await task.stop({ taskId })
  results['task.stopAll'] = await task.stopAll({})
  results['task.restart'] = await task.restart({ taskId })
  results['task.orphans'] = await task.orphans()
  results['task.killOrphans'] = await task.killOrphans({})
}

/** The engine remembers nothing; what is asked about one entry fails with its code. */
async function callMemory({ memory }: TrestleClient, results: Record<string, unknown>): Promise<void> {
  const code = async (call: Promise<unknown>): Promise<string> => (await failureOfCall(call)).code
  const content = { key: 'tests', text: 'Run the tests before each commit.' }
  results['memory.list'] = await memory.list({})
  results['memory.overview'] = await memory.overview()
  results['memory.details'] = await code(memory.details({ id: 1 }))
  results['memory.add'] = await code(memory.add(content))
  results['memory.change'] = await code(memory.change({ id: 1, ...content }))
  results['memory.remove'] = await memory.remove({ ids: [1] })
  results['memory.restore'] = await memory.restore({ ids: [1] })
  results['memory.purge'] = await memory.purge({ ids: [1] })
}

/** The folder has no repository; everything but the summary fails with that code. */
async function callGit({ git }: TrestleClient, sessionId: string, results: Record<string, unknown>): Promise<void> {
  const code = async (call: Promise<unknown>): Promise<string> => (await failureOfCall(call)).code
  const hash = 'a'.repeat(40)
  const path = 'a.ts'
  const hunk = { sessionId, path, hunkIds: ['h'] }
  results['git.summary'] = await git.summary({ sessionId })
  results['git.progress'] = await git.progress({ sessionId })
  results['git.trustView'] = await code(git.trustView({ sessionId }))
  results['git.trust'] = await code(git.trust({ sessionId, hash }))
  results['git.init'] = await code(git.init({ sessionId }))
  results['git.status'] = await code(git.status({ sessionId }))
  results['git.diff'] = await code(git.diff({ sessionId, path, side: 'staged' }))
  results['git.stage'] = await code(git.stage({ sessionId, paths: [path] }))
  results['git.unstage'] = await code(git.unstage({ sessionId, paths: 'all' }))
  results['git.discard'] = await code(git.discard({ sessionId, paths: [path] }))
  results['git.stageHunks'] = await code(git.stageHunks(hunk))
  results['git.unstageHunks'] = await code(git.unstageHunks(hunk))
  results['git.discardHunks'] = await code(git.discardHunks(hunk))
  results['git.kept'] = await code(git.kept({ sessionId }))
  results['git.restoreKept'] = await code(git.restoreKept({ sessionId, id: '1' }))
  results['git.commit'] = await code(git.commit({ sessionId, message: 'm', amend: false }))
  results['git.lastMessage'] = await code(git.lastMessage({ sessionId }))
  results['git.draftMessage'] = await code(git.draftMessage({ sessionId }))
  results['git.branches'] = await code(git.branches({ sessionId }))
  results['git.createBranch'] = await code(git.createBranch({ sessionId, name: 'b', checkout: true }))
  results['git.switch'] = await code(git.switch({ sessionId, to: 'refs/heads/b' }))
  results['git.renameBranch'] = await code(git.renameBranch({ sessionId, name: 'b', to: 'c' }))
  results['git.deleteBranch'] = await code(git.deleteBranch({ sessionId, name: 'b', force: false }))
  results['git.stashes'] = await code(git.stashes({ sessionId }))
  results['git.saveStash'] = await code(git.saveStash({ sessionId, message: '', untracked: true }))
  results['git.applyStash'] = await code(git.applyStash({ sessionId, hash, drop: true }))
  results['git.dropStash'] = await code(git.dropStash({ sessionId, hash }))
  results['git.restoreStash'] = await code(git.restoreStash({ sessionId, hash, message: 'm' }))
  results['git.fetch'] = await code(git.fetch({ sessionId }))
  results['git.pull'] = await code(git.pull({ sessionId, way: 'rebase' }))
  results['git.push'] = await code(git.push({ sessionId }))
  results['git.log'] = await code(git.log({ sessionId }))
  results['git.commitDetails'] = await code(git.commitDetails({ sessionId, hash }))
  results['git.commitDiff'] = await code(git.commitDiff({ sessionId, hash, path }))
  results['git.blame'] = await code(git.blame({ sessionId, path }))
  results['git.conflictFile'] = await code(git.conflictFile({ sessionId, path }))
  results['git.resolvePart'] = await code(git.resolvePart({ sessionId, path, part: 0, choice: 'ours', hash: '' }))
  results['git.takeSide'] = await code(git.takeSide({ sessionId, path, choice: 'ours' }))
  results['git.markResolved'] = await code(git.markResolved({ sessionId, paths: [path] }))
  results['git.continueOperation'] = await code(git.continueOperation({ sessionId }))
  results['git.abortOperation'] = await code(git.abortOperation({ sessionId }))
  results['git.pullRequest'] = await code(git.pullRequest({ sessionId }))
  results['git.createPullRequest'] = await code(
    git.createPullRequest({ sessionId, title: 't', body: '', base: 'main', draft: false }),
  )
}

/** Nothing has changed. */
async function callReview(
  { review }: TrestleClient,
  sessionId: string,
  results: Record<string, unknown>,
): Promise<void> {
  const which = { sessionId, scope: { kind: 'session' as const } }
  const path = '/p/a'
  results['review.list'] = await review.list(which)
  results['review.diffs'] = await review.diffs({ ...which, paths: [path] })
  results['review.lines'] = await review.lines({ ...which, path, from: 1, to: 2 })
  results['review.undo'] = await review.undo({ ...which, files: [{ path, key: 'k', ids: ['1'] }] })
  results['review.bases'] = await review.bases({ sessionId })
  results['review.marks'] = await review.marks(which)
  results['review.setViewed'] = await review.setViewed({ sessionId, path, key: 'k', viewed: true })
  results['review.setKept'] = await review.setKept({ sessionId, path, ids: ['1'], kept: true })
  const comment = { path, side: 'new' as const, line: 1, endLine: 1, text: 'Why?' }
  results['review.addComment'] = await review.addComment({ ...which, ...comment })
  results['review.changeComment'] = await review.changeComment({ sessionId, id: 'comment-1', text: 'Why not?' })
  results['review.removeComment'] = await review.removeComment({ sessionId, id: 'comment-1' })
  results['review.send'] = await review.send({ sessionId })
}

/** There are no worktrees; what is asked about one fails with its code. */
async function callWorktrees({ worktree }: TrestleClient, results: Record<string, unknown>): Promise<void> {
  const code = async (call: Promise<unknown>): Promise<string> => (await failureOfCall(call)).code
  const worktreeId = 'shop-123456'
  results['worktree.offer'] = await worktree.offer({ folder: '/p', about: 'Fix it' })
  results['worktree.list'] = await worktree.list()
  results['worktree.status'] = await code(worktree.status({ worktreeId }))
  results['worktree.merge'] = await code(worktree.merge({ worktreeId, way: 'squash', commit: 'c' }))
  results['worktree.update'] = await code(worktree.update({ worktreeId, way: 'rebase', keepConflicts: true }))
  results['worktree.remove'] = await code(worktree.remove({ worktreeId }))
  results['worktree.restore'] = await code(worktree.restore({ worktreeId }))
  results['worktree.purge'] = await code(worktree.purge({ worktreeId }))
  results['worktree.forget'] = await code(worktree.forget({ worktreeId }))
  results['worktree.setup'] = await code(worktree.setup({ worktreeId, run: true }))
}

/** There are neither alarms nor notifications; what is asked about one alarm fails with its code. */
async function callAlarms({ alarm, notification }: TrestleClient, results: Record<string, unknown>): Promise<void> {
  const code = async (call: Promise<unknown>): Promise<string> => (await failureOfCall(call)).code
  const id = 'alarm-1'
  results['alarm.list'] = await alarm.list({})
  results['alarm.set'] = await code(alarm.set({ when: '5m', label: 'Tea' }))
  results['alarm.snooze'] = await code(alarm.snooze({ id, minutes: 5 }))
  results['alarm.stop'] = await code(alarm.stop({ id }))
  results['alarm.cancel'] = await code(alarm.cancel({ id }))
  results['alarm.restore'] = await code(alarm.restore({ id }))
  results['notification.list'] = await notification.list({})
  results['notification.markRead'] = await notification.markRead({})
  results['notification.clear'] = await notification.clear({ ids: [1] })
  results['notification.restore'] = await notification.restore({ ids: [1] })
}

/** There is no account; what is asked about one fails with its code. */
async function callMail({ mail }: TrestleClient, results: Record<string, unknown>): Promise<void> {
  const code = async (call: Promise<unknown>): Promise<string> => (await failureOfCall(call)).code
  const server = { host: 'mail.example.com', port: 993, security: 'tls' as const }
  const account = { id: 'work', address: 'ada@example.com', imap: server, smtp: server }
  const message = { to: ['bob@example.com'], subject: 's', text: 't' }
  results['mail.accounts'] = await mail.accounts()
  results['mail.save'] = await mail.save({ account, password: 'p' })
  results['mail.remove'] = await code(mail.remove({ id: 'work' }))
  results['mail.restore'] = await code(mail.restore({ id: 'work' }))
  results['mail.test'] = await code(mail.test({ id: 'work' }))
  results['mail.search'] = await code(mail.search({ from: 'bob' }))
  results['mail.read'] = await code(mail.read({ id: 'work:INBOX:1-1' }))
  results['mail.draft'] = await code(mail.draft(message))
  results['mail.send'] = await code(mail.send(message))
  results['mail.move'] = await code(mail.move({ ids: ['work:INBOX:1-1'], folder: 'Archive' }))
  results['mail.flag'] = await code(mail.flag({ ids: ['work:INBOX:1-1'], as: 'read' }))
}

/** Of a server there is not; what is asked about one fails with its code. */
async function callMcp(
  { mcp, mcpContent }: TrestleClient,
  sessionId: string,
  results: Record<string, unknown>,
): Promise<void> {
  const serverId = 'user:none'
  const code = async (call: Promise<unknown>): Promise<string> => (await failureOfCall(call)).code
  const switches = { enabled: true, startTimeoutMs: 1000, callTimeoutMs: 1000, disabledTools: [] }
  const place = { scope: 'user' as const, name: 'none' }
  const definition = { ...switches, transport: 'stdio' as const, command: 'x', args: [], env: { A: null } }
  results['mcp.list'] = await mcp.list({})
  results['mcp.save'] = await mcp.save({ place, definition })
  results['mcp.remove'] = await mcp.remove({ place })
  results['mcp.imports'] = await mcp.imports({})
  results['mcp.import'] = await mcp.import({
    sourceId: 'pasted',
    hash: '',
    text: '',
    servers: [{ key: '0:none', name: 'none' }],
  })
  results['mcp.previewImport'] = await code(mcp.previewImport({ text: '{}' }))
  results['mcp.definition'] = await code(mcp.definition({ serverId }))
  results['mcp.setEnabled'] = await code(mcp.setEnabled({ serverId, enabled: true }))
  results['mcp.setToolEnabled'] = await code(mcp.setToolEnabled({ serverId, tool: 't', enabled: true }))
  results['mcp.restart'] = await code(mcp.restart({ serverId }))
  results['mcp.test'] = await code(mcp.test({ serverId }))
  results['mcp.logs'] = await code(mcp.logs({ serverId }))
  results['mcp.signIn'] = await code(mcp.signIn({ serverId }).then((steps) => steps.next()))
  results['mcp.signOut'] = await code(mcp.signOut({ serverId }))
  results['mcpContent.prompts'] = await mcpContent.prompts({ sessionId })
  results['mcpContent.resources'] = await mcpContent.resources({ sessionId, query: '' })
  results['mcpContent.complete'] = await mcpContent.complete({
    sessionId,
    server: 'none',
    prompt: 'p',
    argument: 'a',
    value: '',
  })
  results['mcpContent.read'] = await code(mcpContent.read({ sessionId, server: 'none', uri: 'x:y' }))
}

/** Of an engine without schedules. */
async function callSchedules({ schedule }: TrestleClient, results: Record<string, unknown>): Promise<void> {
  const id = 'schedule-none'
  const code = async (call: Promise<unknown>): Promise<string> => (await failureOfCall(call)).code
  const content = { name: 'Check', time: '0 9 * * *', prompt: 'Look.' }
  results['schedule.list'] = await schedule.list({})
  results['schedule.history'] = await schedule.history({ id })
  results['schedule.planned'] = await schedule.planned({ from: 0, until: 1 })
  results['schedule.check'] = await schedule.check({ time: '0 9 * * *' })
  results['schedule.create'] = await code(schedule.create(content))
  results['schedule.change'] = await code(schedule.change({ id, ...content }))
  results['schedule.setPaused'] = await code(schedule.setPaused({ id, paused: true }))
  results['schedule.remove'] = await code(schedule.remove({ id }))
  results['schedule.restore'] = await code(schedule.restore({ id }))
  results['schedule.runNow'] = await code(schedule.runNow({ id }))
}

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
      title: 'There is no such session',
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
